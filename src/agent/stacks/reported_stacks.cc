// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/reported_stacks.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace steptrace::agent {
namespace {

// The writer's own bound is half of it (wire/stack_control.h).
constexpr size_t kMaxReportedTextBytes = 4096;
constexpr int64_t kMaxReportedLine = INT32_MAX;
constexpr int64_t kMaxPeriodNs = 10'000'000'000;
constexpr int64_t kMaxReportedTimeNs = int64_t{1} << 60;

nlohmann::json ParseText(const std::string& text) {
  if (text.size() > kMaxReportedTextBytes)
    return nlohmann::json(nlohmann::json::value_t::discarded);
  return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
}

// A number within (least, most); -1: it is none.
int64_t NumberIn(const nlohmann::json& value, int64_t least, int64_t most) {
  if (!value.is_number_unsigned()) return -1;
  const auto number = value.get<uint64_t>();
  if (number < static_cast<uint64_t>(least) || number > static_cast<uint64_t>(most)) return -1;
  return static_cast<int64_t>(number);
}

int64_t NumberAt(const nlohmann::json& object, const char* key, int64_t least, int64_t most) {
  const auto found = object.find(key);
  return found == object.end() ? -1 : NumberIn(*found, least, most);
}

}  // namespace

// Null: it is none, for good.
const ReportedStacks::Code* ReportedStacks::CodeOf(uint32_t id, const TextOf& text_of) {
  if (codes_.size() >= kMaxKept && !codes_.contains(id)) codes_.clear();
  const auto [found, added] = codes_.try_emplace(id);
  std::optional<Code>& code = found->second;
  if (!added) return code ? &*code : nullptr;
  const auto text = text_of(id);
  if (!text) return nullptr;
  const nlohmann::json json = ParseText(*text);
  if (!json.is_array() || json.size() != 2 || !json[0].is_string() || !json[1].is_string()) {
    return nullptr;
  }
  code = Code{texts_.Intern(json[0].get_ref<const std::string&>()),
              texts_.Intern(json[1].get_ref<const std::string&>())};
  return &*code;
}

ReportedStacks::Frame ReportedStacks::ReadFrame(uint32_t id, const std::string& text,
                                                const TextOf& text_of) {
  const nlohmann::json json = ParseText(text);
  if (!json.is_array() || json.size() != 3) return {};
  const int64_t caller = NumberIn(json[0], 0, int64_t{id} - 1);
  const int64_t code = NumberIn(json[1], 1, int64_t{id} - 1);
  const int64_t line = NumberIn(json[2], 0, kMaxReportedLine);
  if (caller < 0 || code < 0 || line < 0) return {};
  const Code* known = CodeOf(static_cast<uint32_t>(code), text_of);
  if (known == nullptr) return {};
  Frame frame;
  frame.state = Frame::State::kRead;
  frame.caller = static_cast<uint32_t>(caller);
  frame.facts = {known->function, known->file, static_cast<int32_t>(line)};
  return frame;
}

// Null: there is no such text.
ReportedStacks::Frame* ReportedStacks::FrameOf(uint32_t id, const TextOf& text_of) {
  if (const auto found = frames_.find(id); found != frames_.end()) return &found->second;
  const auto text = text_of(id);
  if (!text) return nullptr;
  return &(frames_[id] = ReadFrame(id, *text, text_of));
}

std::optional<int32_t> ReportedStacks::StackOf(uint32_t id, const TextOf& text_of) {
  // Now, for what is found below must stay where it is.
  if (frames_.size() + kMaxFrames >= kMaxKept) frames_.clear();
  std::vector<Frame*> unknown;  // innermost first
  const auto refuse = [&unknown] {
    for (Frame* frame : unknown) frame->state = Frame::State::kRefused;
    return std::nullopt;
  };
  uint32_t at = id;
  while (at != 0) {
    Frame* frame = FrameOf(at, text_of);
    if (frame == nullptr || frame->state == Frame::State::kRefused) return refuse();
    if (frame->state == Frame::State::kPlaced) break;
    if (unknown.size() == kMaxFrames) {
      // Its callers may be fewer.
      unknown.front()->state = Frame::State::kRefused;
      return std::nullopt;
    }
    unknown.push_back(frame);
    at = frame->caller;
  }
  return Place(at, unknown);
}

// `caller`: placed, or 0. Frames beyond the bound are refused.
std::optional<int32_t> ReportedStacks::Place(uint32_t caller, const std::vector<Frame*>& unknown) {
  Frame top;
  if (caller != 0) top = frames_.at(caller);
  for (auto frame = unknown.rbegin(); frame != unknown.rend(); ++frame) {
    Frame& next = **frame;
    if (top.frames >= kMaxFrames) {
      next.state = Frame::State::kRefused;
      continue;
    }
    next.stack = stacks_.Extend(top.stack, next.facts);
    next.frames = top.frames + 1;
    next.state = Frame::State::kPlaced;
    top = next;
  }
  const bool placed =
      unknown.empty() ? caller != 0 : unknown.front()->state != Frame::State::kRefused;
  return placed ? std::optional(top.stack) : std::nullopt;
}

std::optional<ReportedStacks::Pace> ReportedStacks::PaceOf(uint32_t id, const TextOf& text_of) {
  if (const auto found = paces_.find(id); found != paces_.end()) return found->second;
  const auto text = text_of(id);
  if (!text) return std::nullopt;
  if (paces_.size() >= kMaxKept) paces_.clear();
  return paces_[id] = ReadPace(*text);
}

std::optional<ReportedStacks::Pace> ReportedStacks::ReadPace(const std::string& text) {
  const nlohmann::json json = ParseText(text);
  if (!json.is_object()) return std::nullopt;
  Pace pace;
  pace.period_ns = NumberAt(json, "period_ns", 1, kMaxPeriodNs);
  if (pace.period_ns < 0) return std::nullopt;
  const int64_t cpu_ns = NumberAt(json, "cpu_ns", 0, kMaxReportedTimeNs);
  const int64_t wall_ns = NumberAt(json, "wall_ns", 1, kMaxReportedTimeNs);
  if (cpu_ns >= 0 && wall_ns > 0) {
    pace.cpu_ns = cpu_ns;
    pace.wall_ns = wall_ns;
  }
  const auto left_out = json.find("threads_left_out");
  pace.threads_left_out = left_out != json.end() && *left_out == nlohmann::json(true);
  return pace;
}

int64_t ReportedStacks::IntervalOf(int32_t tid, int64_t now_ns) {
  if (last_ns_.size() >= kMaxThreads && !last_ns_.contains(tid)) last_ns_.clear();
  const auto [last, first] = last_ns_.try_emplace(tid, now_ns);
  threads_ever_ += first ? 1 : 0;
  const int64_t since_ns = first ? period_ns_ : now_ns - last->second;
  last->second = now_ns;
  return std::clamp<int64_t>(since_ns, 0, 2 * period_ns_);
}

}  // namespace steptrace::agent
