// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/trace_members.h"

#include <algorithm>
#include <array>

#include "import/formats/kineto/decimal.h"

namespace steptrace::import::kineto {
namespace {

constexpr size_t kMostMemberBytes = 4 << 20;  // a job of thousands of ranks lists them

// What is kept of the top level. All else may hold anything, also secrets of the environment.
constexpr std::array<std::string_view, 19> kMembers = {"schemaVersion",
                                                       "deviceProperties",
                                                       "distributedInfo",
                                                       "baseTimeNanoseconds",
                                                       "cuda_runtime_version",
                                                       "cuda_driver_version",
                                                       "cupti_version",
                                                       "hip_runtime_version",
                                                       "hip_driver_version",
                                                       "roctracer_version",
                                                       "record_shapes",
                                                       "with_stack",
                                                       "profile_memory",
                                                       "with_flops",
                                                       "with_modules",
                                                       "trace_id",
                                                       "host_name",
                                                       "displayTimeUnit",
                                                       "PT_PROFILER_JOB_NAME"};

}  // namespace

void TraceMembers::Take(std::string_view key, const json::Value& value) {
  is_kineto_ = is_kineto_ || key == "schemaVersion" || key == "deviceProperties" ||
               key == "baseTimeNanoseconds" || key == "distributedInfo";
  if (std::find(kMembers.begin(), kMembers.end(), key) == kMembers.end()) return;
  if (value.text.size() > kMostMemberBytes) return;
  std::string& member = members_[std::string(key)];
  member.clear();
  const json::Replaced replaced = json::AppendCompact(value, &member);
  lost_[LossCause::kNotANumber] += replaced.values;
  member = texts_.Cleaned(member, replaced.characters > 0);
}

const std::string& TraceMembers::Of(const std::string& key) const {
  static const std::string none;
  auto found = members_.find(key);
  return found == members_.end() ? none : found->second;
}

std::optional<int64_t> TraceMembers::BaseNs() const {
  int64_t base = 0;
  std::string_view digits = Of("baseTimeNanoseconds");
  if (digits.starts_with('"') && digits.size() >= 2) digits = digits.substr(1, digits.size() - 2);
  return ParseWhole(digits, &base) ? std::optional(base) : std::nullopt;
}

bool TraceMembers::has_bad_base() const {
  const std::string& text = Of("baseTimeNanoseconds");
  return !text.empty() && text != "null" && !BaseNs();
}

}  // namespace steptrace::import::kineto
