// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/told_stacks.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace steptrace::agent {
namespace {

// The writer's own bound is half of it (wire/stack_control.h).
constexpr size_t kMaxToldTextBytes = 4096;
constexpr int64_t kMaxToldLine = INT32_MAX;
constexpr int64_t kMaxPeriodNs = 10'000'000'000;
constexpr int64_t kMaxToldTimeNs = int64_t{1} << 60;

nlohmann::json ParseText(const std::string& text) {
  if (text.size() > kMaxToldTextBytes) return nlohmann::json(nlohmann::json::value_t::discarded);
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

const ToldStacks::Code* ToldStacks::CodeOf(uint32_t id, const TextOf& text_of) {
  if (const auto found = codes_.find(id); found != codes_.end()) return &found->second;
  const auto text = text_of(id);
  if (!text) return nullptr;
  const nlohmann::json json = ParseText(*text);
  if (!json.is_array() || json.size() != 2 || !json[0].is_string() || !json[1].is_string()) {
    return nullptr;
  }
  if (codes_.size() >= kMaxKept) codes_.clear();
  const Code code{texts_.Intern(json[0].get_ref<const std::string&>()),
                  texts_.Intern(json[1].get_ref<const std::string&>())};
  return &(codes_[id] = code);
}

std::optional<ToldStacks::Frame> ToldStacks::ReadFrame(uint32_t id, const TextOf& text_of) {
  const auto text = text_of(id);
  if (!text) return std::nullopt;
  const nlohmann::json json = ParseText(*text);
  if (!json.is_array() || json.size() != 3) return std::nullopt;
  const int64_t caller = NumberIn(json[0], 0, int64_t{id} - 1);
  const int64_t code = NumberIn(json[1], 1, UINT32_MAX);
  const int64_t line = NumberIn(json[2], 0, kMaxToldLine);
  if (caller < 0 || code < 0 || line < 0) return std::nullopt;
  const Code* known = CodeOf(static_cast<uint32_t>(code), text_of);
  if (known == nullptr) return std::nullopt;
  return Frame{id, static_cast<uint32_t>(caller),
               FrameFacts{known->function, known->file, static_cast<int32_t>(line)}};
}

std::optional<int32_t> ToldStacks::StackOf(uint32_t id, const TextOf& text_of) {
  std::vector<Frame> unknown;  // innermost first
  Known caller{-1, 0};
  for (uint32_t at = id; at != 0;) {
    if (const auto found = known_.find(at); found != known_.end()) {
      caller = found->second;
      break;
    }
    const auto frame = ReadFrame(at, text_of);
    if (!frame || unknown.size() >= kMaxFrames) return std::nullopt;
    unknown.push_back(*frame);
    at = frame->caller;
  }
  const size_t frames = caller.frames + unknown.size();
  if (frames == 0 || frames > kMaxFrames) return std::nullopt;
  if (known_.size() >= kMaxKept) known_.clear();
  for (auto frame = unknown.rbegin(); frame != unknown.rend(); ++frame) {
    caller = {stacks_.Extend(caller.stack, frame->facts), caller.frames + 1};
    known_[frame->id] = caller;
  }
  return caller.stack;
}

std::optional<ToldStacks::Pace> ToldStacks::ReadPace(const std::string& text) {
  const nlohmann::json json = ParseText(text);
  if (!json.is_object()) return std::nullopt;
  Pace pace;
  pace.period_ns = NumberAt(json, "period_ns", 1, kMaxPeriodNs);
  if (pace.period_ns < 0) return std::nullopt;
  const int64_t cpu_ns = NumberAt(json, "cpu_ns", 0, kMaxToldTimeNs);
  const int64_t wall_ns = NumberAt(json, "wall_ns", 1, kMaxToldTimeNs);
  if (cpu_ns >= 0 && wall_ns > 0) {
    pace.cpu_ns = cpu_ns;
    pace.wall_ns = wall_ns;
  }
  const auto left_out = json.find("threads_left_out");
  pace.threads_left_out = left_out != json.end() && *left_out == nlohmann::json(true);
  return pace;
}

int64_t ToldStacks::IntervalOf(int32_t tid, int64_t now_ns) {
  if (last_ns_.size() >= kMaxThreads && !last_ns_.contains(tid)) last_ns_.clear();
  const auto [last, first] = last_ns_.try_emplace(tid, now_ns);
  const int64_t since_ns = first ? period_ns_ : now_ns - last->second;
  last->second = now_ns;
  return std::clamp<int64_t>(since_ns, 0, 2 * period_ns_);
}

}  // namespace steptrace::agent
