// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "serve/http/answer.h"
#include "serve/http/parameters.h"

namespace steptrace::http {

// Rows of a table, the sampled stacks as a tree, and tensors over the steps
// (docs/reference/http.md).
Answer TableAnswer(const std::filesystem::path& run, const std::string& name,
                   Parameters& parameters);
Answer SamplesAnswer(const std::filesystem::path& run, Parameters& parameters);
Answer TensorsAnswer(const std::filesystem::path& run, Parameters& parameters);
Answer TensorHistogramAnswer(const std::filesystem::path& run, Parameters& parameters);

}  // namespace steptrace::http
