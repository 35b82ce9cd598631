// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/xla_events.h"

#include <algorithm>
#include <array>

#include "import/formats/kineto/natural_number.h"

namespace steptrace::import::kineto {

std::string_view XlaHostCategory(const XlaHostEvent& event) {
  if (event.has_step) {
    return "step_annotation";
  }
  if (event.name.starts_with('$')) return "python_function";
  if (event.has_operation) return "hlo_op";
  if (event.has_correlation) return event.name.starts_with("hip") ? "hip_runtime" : "cuda_runtime";
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
  return std::string(place.substr(0, colon)) + "(" + std::string(place.substr(colon + 1)) +
         "): " + std::string(function);
}

int64_t XlaBytesIn(std::string_view details) {
  constexpr std::string_view kKey = "size:";
  const size_t at = details.find(kKey);
  if (at == std::string_view::npos) return -1;
  const std::string_view text = details.substr(at + kKey.size());
  return NaturalIn(text.substr(0, text.find(' '))).value_or(-1);
}

}  // namespace steptrace::import::kineto
