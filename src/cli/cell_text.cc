// SPDX-License-Identifier: Apache-2.0
#include "cli/cell_text.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/inert_text.h"
#include "base/time.h"
#include "cli/terminal.h"

namespace steptrace::cli {

std::string JsonString(std::string_view text) {
  using nlohmann::json;
  return InertJson(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string JsonCell(const rpc::Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return "null";
  if (auto* text = std::get_if<std::string_view>(&cell)) return JsonString(*text);
  if (auto* decimal = std::get_if<double>(&cell); decimal != nullptr && !std::isfinite(*decimal)) {
    return "null";
  }
  return TextCell(cell);
}

std::string TextCell(const rpc::Cell& cell) {
  if (auto* value = std::get_if<bool>(&cell)) return *value ? "true" : "false";
  if (auto* value = std::get_if<int64_t>(&cell)) return fmt::format("{}", *value);
  if (auto* value = std::get_if<double>(&cell)) return fmt::format("{}", *value);
  if (auto* value = std::get_if<std::string_view>(&cell)) return Printable(*value);
  return "";
}

std::string ShortDuration(int64_t ns) {
  int64_t seconds = ns / kNsPerSecond;
  if (seconds < 60) return fmt::format("{:.1f} s", static_cast<double>(ns) / kNsPerSecond);
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
}

std::string UtcTime(int64_t utc_ns) {
  time_t seconds = static_cast<time_t>(utc_ns / kNsPerSecond);
  tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return "?";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace steptrace::cli
