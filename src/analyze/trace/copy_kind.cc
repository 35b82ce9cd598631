// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/copy_kind.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace steptrace::analyze {
namespace {

bool HasNoCase(std::string_view text, std::string_view lower) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(text.begin(), text.end(), lower.begin(), lower.end(), same) != text.end();
}

}  // namespace

std::string CopyKind(const TraceEvent& event, const store::StringTable& strings) {
  if (event.kind == EventKind::kMemset) return "Memset";
  const std::string& name = strings.Text(event.name);
  for (const char* kind : {"HtoD", "DtoH", "DtoD", "PtoP", "HtoH", "HtoA", "AtoH"}) {
    if (name.find(kind) != name.npos) return kind;
  }
  for (const auto& [text, kind] : {std::pair("hosttodevice", "HtoD"),
                                   {"devicetohost", "DtoH"},
                                   {"devicetodevice", "DtoD"},
                                   {"hosttohost", "HtoH"}}) {
    if (HasNoCase(name, text)) return kind;
  }
  if (!name.starts_with("dma_")) return name;
  const std::string& details = strings.Text(event.details);
  for (const auto& [text, kind] : {std::pair("\"HOST_TO_DEVICE\"", "HtoD"),
                                   {"\"DEVICE_TO_HOST\"", "DtoH"},
                                   {"\"DEVICE_TO_DEVICE\"", "DtoD"}}) {
    if (details.find(text) != details.npos) return kind;
  }
  return name;
}

}  // namespace steptrace::analyze
