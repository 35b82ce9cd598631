// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/load_device_phases.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/columns_of.h"
#include "store/row_stream.h"

namespace steptrace::rpc {
namespace {

// Of {"device":0,"behind_us":12}; nothing: it does not say.
std::optional<int64_t> BehindUs(std::string_view args) {
  constexpr std::string_view kKey = "\"behind_us\":";
  const size_t at = args.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  int64_t us = 0;
  const auto parsed =
      std::from_chars(args.data() + at + kKey.size(), args.data() + args.size(), us);
  if (parsed.ec != std::errc() || us < 0) return std::nullopt;
  return us;
}

// The phase of a row, by its category and name: each pair is looked up once.
class PhaseNames {
 public:
  explicit PhaseNames(const store::StringTable& strings) : strings_(strings) {}

  std::optional<analyze::DevicePhase> Of(const store::SliceRow& row) {
    const auto [found, added] = known_.try_emplace({row.category, row.name});
    if (added && strings_.Text(row.category) == analyze::kDevicePhaseCategory) {
      found->second = analyze::DevicePhaseOf(strings_.Text(row.name));
    }
    return found->second;
  }

 private:
  const store::StringTable& strings_;
  std::map<std::pair<store::StringId, store::StringId>, std::optional<analyze::DevicePhase>> known_;
};

}  // namespace

Result<analyze::StepsOnDevice> LoadDevicePhases(store::RunReader& run,
                                                const std::vector<store::TrackRow>& tracks,
                                                const store::PackedSteps& steps,
                                                const TimeBounds& bounds, size_t most) {
  store::ReadOptions slices_of;
  for (const store::TrackRow& track : tracks) {
    if (track.name.starts_with(analyze::kDevicePhasesTrack)) {
      slices_of.tracks.push_back(track.track);
    }
  }
  if (slices_of.tracks.empty()) return analyze::StepsOnDevice();
  slices_of.columns = store::SliceColumnsWith<&store::SliceRow::args>();
  slices_of.from_ns = bounds.from_ns;
  slices_of.to_ns = bounds.to_ns;
  // A few rows a step lie among all that windows captured: of a long run those of its end tell.
  const auto newest_ns = NewestSlicesFrom(run, most, bounds.to_ns);
  if (newest_ns) slices_of.from_ns = std::max(*newest_ns, bounds.from_ns.value_or(INT64_MIN));
  std::optional<analyze::DevicePhaseSums> sums;
  PhaseNames names(run.strings());
  STEPTRACE_RETURN_IF_ERROR(store::StreamTable<store::SliceRow>(
      run, slices_of, [&] { sums.emplace(steps); },
      [&](std::span<const store::SliceRow> slices) {
        for (const store::SliceRow& row : slices) {
          const auto phase = names.Of(row);
          if (phase) sums->Add({row.rank, row.ts_ns, row.dur_ns, *phase, BehindUs(row.args)});
        }
      }));
  return sums->Take();
}

}  // namespace steptrace::rpc
