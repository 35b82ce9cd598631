// SPDX-License-Identifier: Apache-2.0
// What an event is, by its category and name.
#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <string_view>

#include "analyze/trace/trace.h"
#include "store/event_categories.h"

namespace steptrace::analyze {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep#";
constexpr std::string_view kXcclPrefix = "xccl::";

bool ContainsNoCase(std::string_view text, std::string_view lower) {
  auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(text.begin(), text.end(), lower.begin(), lower.end(), same) != text.end();
}

bool BeginsWithAny(std::string_view name, std::span<const std::string_view> begins) {
  return std::ranges::any_of(begins,
                             [name](std::string_view begin) { return name.starts_with(begin); });
}

EventKind EventKindOf(store::CategoryKind of) {
  using enum store::CategoryKind;
  switch (of) {
    case kOperator:
      return EventKind::kOperator;
    case kAnnotation:
      return EventKind::kAnnotation;
    case kStep:
      return EventKind::kStep;
    case kRuntime:
      return EventKind::kRuntime;
    case kPython:
      return EventKind::kPython;
    case kOverhead:
      return EventKind::kOverhead;
    case kHandover:
      return EventKind::kHandover;
    case kOtherHost:
      return EventKind::kOtherHost;
    case kKernel:
      return EventKind::kKernel;
    case kMemcpy:
      return EventKind::kMemcpy;
    case kMemset:
      return EventKind::kMemset;
    case kSync:
      return EventKind::kSync;
    case kDeviceAnnotation:
      return EventKind::kDeviceAnnotation;
  }
  return EventKind::kUnrecognised;
}

// Of a category whose events are not all one thing; nothing: as the category says.
std::optional<EventKind> KindByName(std::string_view category, std::string_view name) {
  if (category == "collective_comm") {
    if (name.starts_with(kXcclPrefix)) return EventKind::kAnnotation;
  } else if (category == "mtia_ccp_events") {
    if (name.starts_with("dma_")) return EventKind::kMemcpy;
    if (name == "event_wait" || name == "event_record") return EventKind::kSync;
  } else if (category == "operator") {
    // Ranges of Python code: Optimizer.step#SGD.step, a script's record_function.
    const bool runs = name.find("::") != std::string_view::npos ||
                      name.find("Backward") != std::string_view::npos;
    if (!runs) return EventKind::kAnnotation;
  } else if (category == "user_annotation") {
    if (name.starts_with(kStepPrefix)) return EventKind::kStep;
  }
  return std::nullopt;
}

}  // namespace

EventKind KindOf(std::string_view category, std::string_view name) {
  const store::EventCategory* known = store::FindEventCategory(category);
  if (known == nullptr) {
    return store::IsRuntimeCall(category) ? EventKind::kRuntime : EventKind::kUnrecognised;
  }
  return known->by_name ? KindByName(category, name).value_or(EventKindOf(known->is))
                        : EventKindOf(known->is);
}

DeviceRole RoleOf(EventKind kind, std::string_view name) {
  if (kind == EventKind::kMemcpy || kind == EventKind::kMemset) return DeviceRole::kMemory;
  if (kind != EventKind::kKernel) return DeviceRole::kNone;
  const bool communicates =
      std::ranges::any_of(store::kCommunicationParts,
                          [name](std::string_view part) { return ContainsNoCase(name, part); }) ||
      BeginsWithAny(name, store::kCommunicationBegins);
  return communicates ? DeviceRole::kCommunication : DeviceRole::kCompute;
}

bool IsCollectiveRange(std::string_view name) {
  return BeginsWithAny(name, store::kCollectiveRangeBegins);
}

}  // namespace steptrace::analyze
