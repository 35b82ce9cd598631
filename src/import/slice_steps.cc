// SPDX-License-Identifier: Apache-2.0
#include "import/slice_steps.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <unordered_map>

namespace steptrace::import {
namespace {

constexpr std::string_view kMarkCategory = "user_annotation";
constexpr std::string_view kMarkPrefix = "ProfilerStep#";

struct Step {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t number = 0;
};

std::vector<Step> StepsAmong(std::span<Slice* const> slices, const store::StringTable& strings) {
  std::vector<Step> steps;
  store::StringId category{};
  if (!strings.Find(kMarkCategory, &category)) return steps;
  for (const Slice* slice : slices) {
    if (slice->category != category || slice->dur_ns <= 0) continue;
    std::string_view name = strings.Text(slice->name);
    if (!name.starts_with(kMarkPrefix)) continue;
    Step step{slice->ts_ns, slice->ts_ns + slice->dur_ns, 0};
    name.remove_prefix(kMarkPrefix.size());
    auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step.number);
    if (error == std::errc() && end == name.data() + name.size()) steps.push_back(step);
  }
  return steps;
}

// Steps by the correlation of what was launched in them: of ids that lie close together, as those
// of all known profilers do, an array, of others a map.
class Launches {
 public:
  explicit Launches(std::span<Slice* const> slices) {
    int64_t lowest = std::numeric_limits<int64_t>::max();
    int64_t highest = std::numeric_limits<int64_t>::min();
    for (const Slice* slice : slices) {
      if (slice->correlation == kNull) continue;
      lowest = std::min(lowest, slice->correlation);
      highest = std::max(highest, slice->correlation);
    }
    if (lowest > highest) return;
    uint64_t span = static_cast<uint64_t>(highest) - static_cast<uint64_t>(lowest);
    if (span >= 4 * slices.size()) return;
    lowest_ = lowest;
    close_.assign(span + 1, kNull);
  }

  void Keep(int64_t correlation, int64_t step) {
    if (close_.empty()) {
      far_.try_emplace(correlation, step);
    } else if (int64_t& place = Place(correlation); place == kNull) {
      place = step;
    }
  }
  int64_t StepOf(int64_t correlation) {
    if (!close_.empty()) return Place(correlation);
    auto found = far_.find(correlation);
    return found == far_.end() ? kNull : found->second;
  }

 private:
  int64_t& Place(int64_t correlation) {
    return close_[static_cast<uint64_t>(correlation) - static_cast<uint64_t>(lowest_)];
  }

  int64_t lowest_ = 0;
  std::vector<int64_t> close_;
  std::unordered_map<int64_t, int64_t> far_;
};

}  // namespace

void SetSteps(std::span<Slice* const> slices, std::span<const store::TrackRow> tracks,
              const store::StringTable& strings) {
  std::vector<Step> steps = StepsAmong(slices, strings);
  if (steps.empty()) return;
  store::StringId stream{};
  bool any_device = strings.Find("stream", &stream);
  std::vector<bool> on_device;
  for (const store::TrackRow& track : tracks) {
    on_device.push_back(any_device && track.kind == stream);
  }
  auto is_device = [&](const Slice& slice) { return on_device[static_cast<size_t>(slice.track)]; };
  Launches launches(slices);
  size_t begun = 0;  // steps that began at or before the slice
  for (Slice* slice : slices) {
    while (begun < steps.size() && steps[begun].begin_ns <= slice->ts_ns) ++begun;
    if (is_device(*slice)) continue;
    if (slice->step == kNull && begun > 0 && slice->ts_ns < steps[begun - 1].end_ns) {
      slice->step = steps[begun - 1].number;
    }
    if (slice->correlation != kNull && slice->step != kNull) {
      launches.Keep(slice->correlation, slice->step);
    }
  }
  for (Slice* slice : slices) {
    if (slice->step != kNull || slice->correlation == kNull || !is_device(*slice)) continue;
    slice->step = launches.StepOf(slice->correlation);
  }
}

}  // namespace steptrace::import
