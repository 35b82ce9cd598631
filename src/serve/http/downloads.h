// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "analyze/report/report.h"
#include "serve/http/answer.h"
#include "serve/http/parameters.h"

// What a page saves as files (docs/reference/http.md).
namespace steptrace::http {

// The one-file report; `pages`: the folder of its page.
Answer HtmlReport(const std::filesystem::path& run, const analyze::Report& report,
                  const std::filesystem::path& pages);

// The timeline for another viewer, or rows of a table.
Answer ExportAs(const std::string& format, const std::filesystem::path& run,
                Parameters& parameters);

}  // namespace steptrace::http
