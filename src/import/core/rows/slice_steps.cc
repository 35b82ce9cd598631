// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/slice_steps.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "base/text_hash.h"

namespace steptrace::import {
namespace {

constexpr std::string_view kMarkCategory = "user_annotation";
constexpr std::string_view kMarkPrefix = "ProfilerStep#";

}  // namespace

std::vector<StepMark> StepMarksAmong(const SliceGroup& slices, const store::StringTable& strings) {
  std::vector<StepMark> steps;
  store::StringId category{};
  if (!strings.Find(kMarkCategory, &category)) return steps;
  for (const SliceBlock& block : slices.blocks()) {
    const SliceBlock::Columns& columns = block.columns();
    for (size_t row = 0; row < block.size(); ++row) {
      if (columns.category[row] != category || columns.dur_ns[row] <= 0) continue;
      std::string_view name = strings.Text(columns.name[row]);
      if (!name.starts_with(kMarkPrefix)) continue;
      StepMark step{columns.ts_ns[row], columns.ts_ns[row] + columns.dur_ns[row], 0};
      name.remove_prefix(kMarkPrefix.size());
      auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step.number);
      if (error == std::errc() && end == name.data() + name.size()) steps.push_back(step);
    }
  }
  return steps;
}

std::vector<char> TracksOnDevice(std::span<const store::TrackRow> tracks,
                                 const store::StringTable& strings) {
  store::StringId stream{};
  const bool any_device = strings.Find("stream", &stream);
  std::vector<char> on_device;
  for (const store::TrackRow& row : tracks) on_device.push_back(any_device && row.kind == stream);
  return on_device;
}

namespace {

bool AnyTold(const SliceGroup& slices) {
  for (const SliceBlock& block : slices.blocks()) {
    for (const SliceFew& few : block.few()) {
      if (few.step != kNull) return true;
    }
  }
  return false;
}

// Steps by the correlation of what was launched in them: of ids that lie close together, as those
// of all known profilers do, an array, of others a map.
class Launches {
 public:
  explicit Launches(const SliceGroup& slices) {
    int64_t lowest = std::numeric_limits<int64_t>::max();
    int64_t highest = std::numeric_limits<int64_t>::min();
    for (const SliceBlock& block : slices.blocks()) {
      for (size_t row = 0; row < block.size(); ++row) {
        int64_t correlation = block.columns().correlation[row];
        // The least number of all is null.
        highest = std::max(highest, correlation);
        lowest = std::min(lowest, correlation == kNull ? lowest : correlation);
      }
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
  SeededMap<int64_t, int64_t> far_;
};

}  // namespace

HugeVector<int64_t> StepsOf(const SliceGroup& slices, std::span<const uint64_t> order,
                            std::span<const store::TrackRow> tracks,
                            const store::StringTable& strings) {
  std::vector<StepMark> steps = StepMarksAmong(slices, strings);
  if (steps.empty()) return {};
  std::stable_sort(steps.begin(), steps.end(), MarkOrder());
  const std::vector<char> on_device = TracksOnDevice(tracks, strings);
  const GroupColumn ts_ns(slices, &SliceBlock::Columns::ts_ns);
  const GroupColumn correlation(slices, &SliceBlock::Columns::correlation);
  const GroupColumn track(slices, &SliceBlock::Columns::track);
  const bool any_told = AnyTold(slices);
  Launches launches(slices);
  HugeVector<int64_t> result(order.size());
  size_t begun = 0;  // steps that began at or before the slice
  for (size_t i = 0; i < order.size(); ++i) {
    uint64_t row = order[i];
    const SliceFew* few = any_told ? slices.FewAt(row) : nullptr;
    int64_t& step = result[i] = few != nullptr ? few->step : kNull;
    while (begun < steps.size() && steps[begun].begin_ns <= ts_ns[row]) ++begun;
    if (on_device[static_cast<size_t>(track[row])]) continue;
    if (step == kNull && begun > 0 && ts_ns[row] < steps[begun - 1].end_ns) {
      step = steps[begun - 1].number;
    }
    if (correlation[row] != kNull && step != kNull) launches.Keep(correlation[row], step);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    uint64_t row = order[i];
    if (result[i] != kNull || correlation[row] == kNull) continue;
    if (on_device[static_cast<size_t>(track[row])]) result[i] = launches.StepOf(correlation[row]);
  }
  return result;
}

}  // namespace steptrace::import
