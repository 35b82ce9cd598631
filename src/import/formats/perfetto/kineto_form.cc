// SPDX-License-Identifier: Apache-2.0
#include "import/formats/perfetto/kineto_form.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/shallow_json.h"
#include "base/text_hash.h"

namespace steptrace::import::perfetto {
namespace {

constexpr size_t kMostFormMetadata = 1 << 20;

bool HasAny(const Annotations& annotations, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return annotations.Has(name); });
}

}  // namespace

void SpreadKinetoArguments(int32_t max_depth, Annotations* annotations) {
  if (!annotations->Has("correlation")) annotations->Rename("correlation_id", "correlation");
  auto metadata = annotations->Text("metadata");
  if (!metadata || metadata->size() > kMostFormMetadata) return;
  const auto json = ParseShallow<nlohmann::ordered_json>(
      "{" + *metadata + "}", std::min(max_depth, kMostJsonDepth - 1) + 1);
  if (!json.is_object()) return;
  annotations->Remove("metadata");
  const SeededSet<std::string> before = annotations->PlainNames();
  for (const auto& [key, value] : json.items()) {
    if (before.contains(key)) continue;
    annotations->AddJson(
        key, value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }
}

std::string_view KinetoCategory(std::string_view name, const Annotations& annotations) {
  const bool on_stream = HasAny(annotations, {"stream"}) && HasAny(annotations, {"device"});
  if (on_stream && name.starts_with("Memcpy")) return "gpu_memcpy";
  if (on_stream && name.starts_with("Memset")) return "gpu_memset";
  if (HasAny(annotations, {"grid", "registers per thread"}) && on_stream) return "kernel";
  if (HasAny(annotations, {"cbid"})) {
    return name.starts_with("cuda") || name.starts_with("hip") ? "cuda_runtime" : "cuda_driver";
  }
  if (HasAny(annotations, {"Python id", "Python parent id"})) return "python_function";
  if (name.starts_with("ProfilerStep#")) return "user_annotation";
  if (HasAny(annotations, {"Input Dims", "Input type", "Sequence number", "Fwd thread id", "Ev Idx",
                           "Record function id"})) {
    return "cpu_op";
  }
  return {};
}

std::string CategoryOfStage(std::string_view stage) {
  if (stage == "Kernel") return "kernel";
  if (stage == "Memcpy") return "gpu_memcpy";
  if (stage == "Memset") return "gpu_memset";
  if (stage == "Annotation") return "gpu_user_annotation";
  return std::string(stage.empty() ? "gpu_stage" : stage);
}

}  // namespace steptrace::import::perfetto
