// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace steptrace::pages {

// JSON for one of the page's empty elements; id as in `id="steptrace-report"`.
struct EmbeddedJson {
  std::string_view id;
  std::string json;
};

// JSON that holds nothing by which a page's script element ends or begins: the same value to every
// reader of JSON, inert text to every reader of HTML.
std::string ScriptJson(std::string_view json);

// The page with its elements filled. An error where the page lacks one of them, or has it twice:
// it was built for another version.
Result<std::string> FillPage(std::string page, const std::vector<EmbeddedJson>& parts);

// The page in that folder, filled.
Result<std::string> HtmlReport(const std::filesystem::path& pages,
                               const std::vector<EmbeddedJson>& parts);

// Writes the page of the package whole or not at all; destination "-": standard output.
Status WriteHtmlReport(const std::filesystem::path& package, const std::vector<EmbeddedJson>& parts,
                       const std::filesystem::path& destination);

}  // namespace steptrace::pages
