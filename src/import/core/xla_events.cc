// SPDX-License-Identifier: Apache-2.0
#include "import/core/xla_events.h"

#include <algorithm>
#include <array>

#include "import/core/jax_files.h"
#include "import/core/natural_number.h"

namespace steptrace::import {
namespace {

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::optional<int32_t> XlaDeviceIn(std::string_view process) {
  constexpr std::string_view kPrefix = "/device:";
  const size_t at = process.find(kPrefix);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view kind = process.substr(at + kPrefix.size());
  const std::string_view rest = kind.substr(std::min(kind.find(':'), kind.size() - 1) + 1);
  if (kind.empty() || kind.starts_with("CPU:")) return std::nullopt;
  const auto number = NaturalIn(rest.substr(0, rest.find(' ')));
  constexpr int64_t kMostDevices = 1 << 20;
  if (!number || *number >= kMostDevices) return std::nullopt;
  return static_cast<int32_t>(*number);
}

int64_t XlaStreamIn(std::string_view line) {
  constexpr std::string_view kPrefix = "Stream #";
  if (!line.starts_with(kPrefix)) return -1;
  line.remove_prefix(kPrefix.size());
  return NaturalIn(line.substr(0, line.find('('))).value_or(-1);
}

// As xprof parses them (xla/tsl/profiler/utils/tf_op_utils.cc): a node's name may have scopes, what
// it is begins with a capital letter.
bool IsTensorFlowOperation(std::string_view name) {
  const size_t colon = name.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view node = name.substr(0, colon);
  const std::string_view type = name.substr(colon + 1);
  const bool is_type =
      !type.empty() && ((type[0] >= 'A' && type[0] <= 'Z') || type[0] == '_') &&
      std::all_of(type.begin(), type.end(), [](char c) { return IsLetterOrDigit(c) || c == '_'; });
  // A node without scopes begins with its type: else it may be a range of the script's own.
  const bool is_node = node.find('/') != std::string_view::npos || node.starts_with(type);
  return is_type && is_node && (IsLetterOrDigit(node[0]) || node[0] == '.') &&
         std::all_of(node.begin(), node.end(), [](char c) {
           return IsLetterOrDigit(c) ||
                  std::string_view("_./\\>-").find(c) != std::string_view::npos;
         });
}

std::string_view XlaHostCategory(const XlaHostEvent& event) {
  if (event.has_step) {
    return "step_annotation";
  }
  if (event.name.starts_with('$')) return "python_function";
  // A launch names the operation that it is of, too.
  if (event.has_correlation) return event.name.starts_with("hip") ? "hip_runtime" : "cuda_runtime";
  if (event.has_operation) return "hlo_op";
  if (IsTensorFlowOperation(event.name)) return "tf_op";
  constexpr std::array<std::string_view, 6> kOfRuntime = {
      "PjitFunction(", "ParseArguments", "DevicePut", "Wait for ", "end: ", "Handle inputs"};
  const bool is_runtime =
      event.has_source || event.name.find("::") != std::string_view::npos ||
      std::any_of(kOfRuntime.begin(), kOfRuntime.end(),
                  [&event](std::string_view part) { return event.name.starts_with(part); });
  // tf.data's own are of the data pipeline.
  if (is_runtime && !event.name.starts_with("Iterator::")) return "xla_runtime";
  return "user_annotation";
}

std::string_view XlaStreamCategory(std::string_view name) {
  if (name.starts_with("Memcpy")) return "gpu_memcpy";
  return name.starts_with("Memset") ? "gpu_memset" : "kernel";
}

std::string XlaPythonName(std::string_view name) {
  if (name.starts_with('$')) name.remove_prefix(1);
  const size_t space = name.find(' ');
  if (space == std::string_view::npos) return std::string(name);
  const std::string_view place = name.substr(0, space);
  const std::string_view function = name.substr(space + 1);
  const size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) {
    return "<built-in function " + std::string(place) + "." + std::string(function) + ">";
  }
  const std::string_view file = place.substr(0, colon);
  return (IsJaxFile(file) ? "jax/_src/" : "") + std::string(file) + "(" +
         std::string(place.substr(colon + 1)) + "): " + std::string(function);
}

int64_t XlaBytesIn(std::string_view details) {
  constexpr std::string_view kKey = "size:";
  const size_t at = details.find(kKey);
  if (at == std::string_view::npos) return -1;
  const std::string_view text = details.substr(at + kKey.size());
  return NaturalIn(text.substr(0, text.find(' '))).value_or(-1);
}

}  // namespace steptrace::import
