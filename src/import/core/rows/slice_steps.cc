// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/slice_steps.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "base/text_hash.h"
#include "store/stored_words.h"

namespace steptrace::import {
namespace {

constexpr std::string_view kMarkCategory = "user_annotation";
constexpr std::string_view kMarkPrefix = "ProfilerStep#";
constexpr std::string_view kScriptCategory = "step_annotation";

// Of ProfilerStep#N; kNull: it is none.
int64_t NumberIn(std::string_view name) {
  if (!name.starts_with(kMarkPrefix)) return kNull;
  name.remove_prefix(kMarkPrefix.size());
  int64_t number = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? number : kNull;
}

// What a row tells of its step by itself.
int64_t StepAt(const SliceBlock& block, size_t row) {
  const uint32_t place = block.columns().few[row];
  return place == 0 ? kNull : block.few()[place - 1].step;
}

}  // namespace

int64_t StepBetween(const StepMark* last, const StepMark* next, int64_t ns) {
  if (last == nullptr) return kNull;
  if (ns < last->end_ns) return last->number;
  const bool follows =
      next != nullptr && last->of_script && next->of_script && next->number - 1 == last->number;
  return follows ? next->number : kNull;
}

std::vector<StepMark> StepMarksAmong(const SliceGroup& slices, const store::StringTable& strings) {
  std::vector<StepMark> steps;
  store::StringId category{};
  store::StringId of_script{};
  const bool any = strings.Find(kMarkCategory, &category);
  const bool any_of_script = strings.Find(kScriptCategory, &of_script);
  if (!any && !any_of_script) return steps;
  for (const SliceBlock& block : slices.blocks()) {
    const SliceBlock::Columns& columns = block.columns();
    for (size_t row = 0; row < block.size(); ++row) {
      const bool is_mark = any && columns.category[row] == category;
      const bool is_script = any_of_script && columns.category[row] == of_script;
      if ((!is_mark && !is_script) || columns.dur_ns[row] <= 0) continue;
      const int64_t number =
          is_script ? StepAt(block, row) : NumberIn(strings.Text(columns.name[row]));
      if (number == kNull) continue;
      steps.push_back(
          {columns.ts_ns[row], columns.ts_ns[row] + columns.dur_ns[row], number, is_script});
    }
  }
  return steps;
}

std::vector<char> TracksOnDevice(std::span<const store::TrackRow> tracks,
                                 const store::StringTable& strings) {
  store::StringId stream{};
  const bool any_device = strings.Find(store::NameOf(store::TrackKind::kStream), &stream);
  std::vector<char> on_device;
  for (const store::TrackRow& row : tracks) on_device.push_back(any_device && row.kind == stream);
  return on_device;
}

namespace {

bool HasSteps(const SliceGroup& slices) {
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
  const bool has_steps = HasSteps(slices);
  Launches launches(slices);
  HugeVector<int64_t> result(order.size());
  size_t begun = 0;  // steps that began at or before the slice
  for (size_t i = 0; i < order.size(); ++i) {
    uint64_t row = order[i];
    const SliceFew* few = has_steps ? slices.FewAt(row) : nullptr;
    int64_t& step = result[i] = few != nullptr ? few->step : kNull;
    while (begun < steps.size() && steps[begun].begin_ns <= ts_ns[row]) ++begun;
    if (on_device[static_cast<size_t>(track[row])]) continue;
    if (step == kNull) {
      step = StepBetween(begun > 0 ? &steps[begun - 1] : nullptr,
                         begun < steps.size() ? &steps[begun] : nullptr, ts_ns[row]);
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
