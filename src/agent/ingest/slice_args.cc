// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/slice_args.h"

#include <fmt/format.h>

#include "wire/vocabulary.h"

namespace steptrace::agent {
namespace {

using analyze::HookName;

std::string DataArgs(const ClosedRange& range) {
  std::string args = fmt::format("{{\"iterator\":{}", range.open.a & 0xFFFFFFFFu);
  const auto queue_depth = static_cast<uint32_t>(range.open.a >> 32);
  if (queue_depth != wire::kUnknownQueueDepth) {
    args += fmt::format(",\"queue_depth\":{}", queue_depth);
  }
  const auto worker_pid = static_cast<uint32_t>(range.open.b);
  if (worker_pid != 0) args += fmt::format(",\"worker_pid\":{}", worker_pid);
  if ((range.open.b & wire::kBatchArrived) != 0) args += ",\"arrived\":true";
  if (range.end_a != 0) {
    args += fmt::format(",\"cpu_ns\":{},\"run_queue_ns\":{}", range.end_a, range.end_b);
  }
  return args + "}";
}

std::string CpuArgs(const ClosedRange& range) {
  if (range.end_a == 0) return {};
  return fmt::format("{{\"cpu_ns\":{},\"run_queue_ns\":{}}}", range.end_a, range.end_b);
}

std::string UserArgs(const ClosedRange& range) {
  if (range.open.a == 0 && range.open.b == 0) return {};
  return fmt::format("{{\"a\":{},\"b\":{}}}", range.open.a, range.open.b);
}

}  // namespace

std::string SliceArgs(const ResolvedName& name, const ClosedRange& range) {
  switch (name.hook) {
    case HookName::kData:
      return DataArgs(range);
    case HookName::kBackward:
    case HookName::kFetch:
      return CpuArgs(range);
    case HookName::kSend:
      return fmt::format("{{\"pickle_cpu_ns\":{}}}", range.open.a);
    case HookName::kLoaderIter:
      return fmt::format("{{\"loader\":{}}}", range.open.a);
    case HookName::kOptimizer:
      return fmt::format("{{\"optimizer\":{}}}", range.open.a);
    case HookName::kGc:
      return fmt::format("{{\"generation\":{}}}", range.open.a);
    case HookName::kCheckpoint:
      return range.open.a == 0 ? "{\"kind\":\"save\"}" : "{\"kind\":\"load\"}";
    case HookName::kStep:
      if (range.open.a == wire::kNoArgument) return {};
      return fmt::format("{{\"number\":{}}}", range.open.a);
    case HookName::kUser:
      return UserArgs(range);
    default:
      return {};
  }
}

}  // namespace steptrace::agent
