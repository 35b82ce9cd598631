// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/rows/reported_tensor.h"
#include "store/string_table.h"
#include "wire/record.h"
#include "wire/tensor_record.h"

namespace steptrace::agent {

// Puts the records of a tensor together (wire/tensor_record.h), which one thread stores behind each
// other. Passive; holds one tensor at most. Nothing in them is trusted: what cannot be is refused.
class TensorParts {
 public:
  // A kTensor, at that moment, or a kTensorPart. False: it cannot be, or a tensor lacks parts and
  // is lost.
  bool Add(const wire::Record& record, int64_t ts_ns);
  // The tensor, once it is whole.
  std::optional<ReportedTensor> Take(store::StringId name);
  // Something else came in between. False: a tensor is lost by it.
  bool Break();

 private:
  bool Begin(const wire::Record& header, int64_t ts_ns);
  bool AddPart(const wire::Record& part);

  std::optional<ReportedTensor> tensor_;
  uint32_t name_ = 0;
  uint32_t parts_left_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace steptrace::agent
