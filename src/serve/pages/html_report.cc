// SPDX-License-Identifier: Apache-2.0
#include "serve/pages/html_report.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <utility>

#include "base/inert_text.h"
#include "serve/export/output.h"

namespace steptrace::pages {
namespace {

constexpr std::string_view kEmpty = "null";  // what an element holds before it is filled

Result<std::string> ReadPage(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string page{std::istreambuf_iterator<char>(file), {}};
  if (!file || page.empty()) {
    return Error{fmt::format("{}: not there", path.string()), "build the pages with `make ui`"};
  }
  return page;
}

}  // namespace

std::string ScriptJson(std::string_view json) {
  std::string inert;
  inert.reserve(json.size() + json.size() / 64);
  for (const char c : json) {
    if (c == '<') {
      inert += "\\u003c";
    } else {
      inert += c;
    }
  }
  return InertJson(std::move(inert));
}

Result<std::string> FillPage(std::string page, const std::vector<EmbeddedJson>& parts) {
  for (const EmbeddedJson& part : parts) {
    const std::string tag =
        fmt::format("<script type=\"application/json\" id=\"steptrace-{}\">", part.id);
    const std::string element = fmt::format("{}{}</script>", tag, kEmpty);
    const size_t at = page.find(element);
    if (at == std::string::npos || page.find(element, at + 1) != std::string::npos) {
      return Error{fmt::format("report.html: has no single place for '{}'", part.id),
                   "build the pages again with `make ui`"};
    }
    page.replace(at + tag.size(), kEmpty.size(), ScriptJson(part.json));
  }
  return page;
}

Result<std::string> HtmlReport(const std::filesystem::path& pages,
                               const std::vector<EmbeddedJson>& parts) {
  STEPTRACE_ASSIGN_OR_RETURN(std::string page, ReadPage(pages / "report.html"));
  return FillPage(std::move(page), parts);
}

Status WriteHtmlReport(const std::filesystem::path& package, const std::vector<EmbeddedJson>& parts,
                       const std::filesystem::path& destination) {
  STEPTRACE_ASSIGN_OR_RETURN(const std::string page, HtmlReport(package / "ui", parts));
  STEPTRACE_ASSIGN_OR_RETURN(exporter::Output output, exporter::Output::To(destination));
  STEPTRACE_RETURN_IF_ERROR(output.Write(page));
  return output.Commit();
}

}  // namespace steptrace::pages
