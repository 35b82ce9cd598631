// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyze/input/steps_on_device.h"
#include "store/packed_rows.h"
#include "store/tables.h"

// What the events at the boundaries of phases tell of a device in every step (wire/vocabulary.h,
// kDevicePhase): from when to when it was in forward, backward and optimizer, and for how long it
// waited for a batch. Whether it computed all the time within a phase they do not tell.
namespace steptrace::analyze {

// Category of their slices, and the name of the track that they lie on.
inline constexpr const char* kDevicePhaseCategory = "device_phase";
inline constexpr const char* kDevicePhasesTrack = "device phases";

// A device that reaches the end of a phase so soon after the host had nothing left to do: an event
// that is recorded on an idle stream takes some microseconds.
inline constexpr int64_t kCaughtUpUs = 50;

// Sums slices of that category over the steps they lie in. Passive; the rows in any order. A step
// that the slices do not cover but for 2 % is left out: part of it was not reported.
class DevicePhaseSums {
 public:
  // A row that lies in another of its rank is no step of its own but an evaluation in one; of rows
  // that overlap otherwise, which only a damaged run has, the first counts.
  explicit DevicePhaseSums(const store::PackedSteps& steps);

  struct Slice {
    int32_t rank = 0;
    int64_t ts_ns = 0;
    int64_t dur_ns = 0;
    DevicePhase phase = DevicePhase::kOther;
    std::optional<int64_t> behind_us;  // the device, behind the host, at its end
  };
  void Add(const Slice& slice);
  StepsOnDevice Take();

 private:
  struct Step {
    int64_t ts_ns = 0;
    int64_t end_ns = 0;
    StepOnDevice times;  // of slices that begin or end in it; as many times as they tell it
    // Of slices that begin before it and end after it: how many more than of the step before.
    std::array<int64_t, kDevicePhaseCount> more_across{};
  };
  std::map<int32_t, std::vector<Step>> ranks_;  // in order of time, each after the one before
};

// The phase of that name; nothing: no such phase.
std::optional<DevicePhase> DevicePhaseOf(const std::string& name);

// A rank's steady steps, as the report has them.
struct DevicePhaseRow {
  int32_t rank = 0;
  int64_t steps = 0;    // whose device time is known
  int64_t step_ns = 0;  // their mean
  // Mean of a step and its share: the phases by kDevicePhaseNames, and what no phase covers.
  std::array<int64_t, kDevicePhaseCount> ns{};
  std::array<double, kDevicePhaseCount> share{};
  int64_t unknown_ns = 0;
  // Of the phases that ended, those at whose end the device had nothing left to do; nothing: the
  // clocks could not be compared closely enough.
  std::optional<double> caught_up_share;

  double BusyShare() const;  // in forward, backward or optimizer
};

// A row a rank, of these steps.
std::vector<DevicePhaseRow> MakeDevicePhases(const StepsOnDevice& known,
                                             const store::PackedSteps& steps,
                                             std::span<const uint32_t> selected);
// Of all ranks (at least one): each counts by its steps. `rank` is -1.
DevicePhaseRow MeanDevicePhases(std::span<const DevicePhaseRow> rows);
// Whether the devices had nothing left to do at the end of most phases: the host is late.
bool MostlyCaughtUp(std::span<const DevicePhaseRow> rows);

}  // namespace steptrace::analyze
