// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/device_phases.h"

#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

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
                                                const std::vector<store::StepRow>& steps,
                                                const TimeBounds& bounds) {
  std::set<int32_t> ranks;
  for (const store::TrackRow& track : tracks) {
    if (track.name.starts_with(analyze::kDevicePhasesTrack)) ranks.insert(track.rank);
  }
  analyze::DevicePhaseSums sums(steps);
  PhaseNames names(run.strings());
  for (const int32_t rank : ranks) {
    const store::ReadOptions slices_of = {
        .columns = {"ts_ns", "dur_ns", "track", "rank", "name", "category", "args"},
        .rank = rank,
        .from_ns = bounds.from_ns,
        .to_ns = bounds.to_ns};
    STEPTRACE_RETURN_IF_ERROR(run.ReadBatches<store::SliceRow>(
        slices_of, [&](std::span<const store::SliceRow> slices) -> Status {
          for (const store::SliceRow& row : slices) {
            const auto phase = names.Of(row);
            if (phase) sums.Add({row.rank, row.ts_ns, row.dur_ns, *phase, BehindUs(row.args)});
          }
          return {};
        }));
  }
  return sums.Take();
}

}  // namespace steptrace::rpc
