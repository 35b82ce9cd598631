// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/npu_tasks.h"

#include <algorithm>
#include <array>
#include <utility>

#include "import/core/natural_number.h"

namespace steptrace::import::kineto {
namespace {

template <size_t N>
bool IsAny(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

}  // namespace

std::string_view NpuTaskCategory(std::string_view type, std::string_view name) {
  // Parts of a collective, which HCCL's own line tells as a whole.
  constexpr std::array<std::string_view, 7> kOfCollective = {
      "Notify Wait", "Notify Record", "Write Value",  "SDMA",
      "RDMA",        "HCCL_AI_CPU",   "Reduce Inline"};
  if (name.starts_with("hcom_") || IsAny(type, kOfCollective)) return "hccl_task";
  if (name.starts_with("MEMSET")) return "gpu_memset";
  constexpr std::array<std::string_view, 3> kCopies = {"PCIE_DMA_SQE", "SDMA_SQE", "MEMCPY_ASYNC"};
  if (name.starts_with("MEMCPY") || IsAny(type, kCopies)) return "gpu_memcpy";
  for (std::string_view word : {"EVENT_", "NOTIFY_", "WRITE_VALUE", "PLACE_HOLDER", "STREAM_WAIT",
                                "PROFILING_", "PROFILER_", "MODEL_MAINTENANCE", "MAINTENANCE"}) {
    if (type.starts_with(word)) return "npu_sync";
  }
  constexpr std::array<std::string_view, 14> kComputes = {
      "AI_CORE", "AI_VECTOR_CORE", "AI_CPU",    "AIV_SQE", "AIC",       "AIV",       "MIX_AIC",
      "MIX_AIV", "DSA_SQE",        "FFTS_PLUS", "VPC_SQE", "JPEGE_SQE", "JPEGD_SQE", "C_CORE_SQE"};
  if (type.starts_with("KERNEL_") || IsAny(type, kComputes)) return "kernel";
  return "npu_task";
}

int64_t NpuTypeBytes(std::string_view type) {
  constexpr std::pair<std::string_view, int64_t> kTypes[] = {
      {"FP32", 4},   {"FP16", 2},   {"BFP16", 2},   {"BF16", 2},    {"FP64", 8},  {"INT8", 1},
      {"INT16", 2},  {"INT32", 4},  {"INT64", 8},   {"INT128", 16}, {"UINT8", 1}, {"UINT16", 2},
      {"UINT32", 4}, {"UINT64", 8}, {"FP8E4M3", 1}, {"FP8E5M2", 1}, {"HIF8", 1}};
  for (const auto& [name, bytes] : kTypes) {
    if (type == name) return bytes;
  }
  return -1;
}

std::optional<HcclCall> HcclCallIn(std::string_view name) {
  constexpr std::string_view kBetween = "__";
  const size_t between = name.find(kBetween);
  if (!name.starts_with("hcom_") || between == std::string_view::npos) return std::nullopt;
  const size_t group_at = between + kBetween.size();
  const size_t group_end = name.find('_', group_at);
  if (group_end == std::string_view::npos) return std::nullopt;
  const std::string_view rest = name.substr(group_end + 1);
  const auto group = NaturalIn(name.substr(group_at, group_end - group_at));
  const auto number = NaturalIn(rest.substr(0, rest.find('_')));
  if (!group || !number) return std::nullopt;
  return HcclCall{name.substr(0, group_end), *group, *number};
}

}  // namespace steptrace::import::kineto
