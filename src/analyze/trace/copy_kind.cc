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

// XPU (Intel's PTI): "Memcpy M2D (Memory -> Device)". H is pinned memory of the host, M any other;
// S is shared by both, and goes nowhere. Empty: not that.
std::string XpuKind(std::string_view name) {
  constexpr std::string_view kBegin = "Memcpy ";
  if (!name.starts_with(kBegin) || name.size() < kBegin.size() + 4) return "";
  name.remove_prefix(kBegin.size());
  if (name[1] != '2' || name[3] != ' ') return "";
  const auto side = [](char c) { return c == 'M' || c == 'H' ? 'H' : c == 'D' ? 'D' : '\0'; };
  const char from = side(name[0]), to = side(name[2]);
  return from && to ? std::string{from, 't', 'o', to} : "";
}

}  // namespace

std::string CopyKind(const TraceEvent& event, const store::StringTable& strings) {
  if (event.kind == EventKind::kMemset) return "Memset";
  const std::string& name = strings.Text(event.name);
  for (const char* kind : {"HtoD", "DtoH", "DtoD", "PtoP", "HtoH", "HtoA", "AtoH"}) {
    if (name.find(kind) != name.npos) return kind;
  }
  if (std::string kind = XpuKind(name); !kind.empty()) return kind;
  for (const auto& [text, kind] : {std::pair("MemcpyH2D", "HtoD"),  // XLA's
                                   {"MemcpyD2H", "DtoH"},
                                   {"MemcpyD2D", "DtoD"},
                                   {"MemcpyP2P", "PtoP"},
                                   {"infeed", "HtoD"},
                                   {"outfeed", "DtoH"}}) {
    if (name.starts_with(text)) return kind;
  }
  for (const auto& [text, kind] : {std::pair("hosttodevice", "HtoD"),
                                   {"devicetohost", "DtoH"},
                                   {"devicetodevice", "DtoD"},
                                   {"hosttohost", "HtoH"}}) {
    if (HasNoCase(name, text)) return kind;
  }
  const std::string& details = strings.Text(event.details);
  if (name == "MEMCPY_ASYNC") {  // Ascend's
    for (const auto& [text, kind] : {std::pair("\"host to device\"", "HtoD"),
                                     {"\"device to host\"", "DtoH"},
                                     {"\"device to device\"", "DtoD"}}) {
      if (details.find(text) != details.npos) return kind;
    }
  }
  if (!name.starts_with("dma_")) return name;
  for (const auto& [text, kind] : {std::pair("\"HOST_TO_DEVICE\"", "HtoD"),
                                   {"\"DEVICE_TO_HOST\"", "DtoH"},
                                   {"\"DEVICE_TO_DEVICE\"", "DtoD"}}) {
    if (details.find(text) != details.npos) return kind;
  }
  return name;
}

}  // namespace steptrace::analyze
