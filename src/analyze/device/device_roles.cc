// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/device/device_work.h"

namespace steptrace::analyze {
namespace {

enum Role { kKernel, kMemcpy, kMemset, kCommunication, kRuntime, kDataLoader, kCpu, kRoles };
constexpr std::array<int64_t RoleTimes::*, kRoles> kTimeOf = {
    &RoleTimes::kernel_ns,  &RoleTimes::memcpy_ns,
    &RoleTimes::memset_ns,  &RoleTimes::communication_ns,
    &RoleTimes::runtime_ns, &RoleTimes::dataloader_ns,
    &RoleTimes::cpu_ns};

bool IsLoader(std::string_view name) {
  return (name.starts_with("enumerate(DataLoader)#") && name.ends_with(".__next__")) ||
         name.starts_with("enumerate(DataPipe)#");
}

// What the names of host ranges say, asked once a name.
class RoleNames {
 public:
  explicit RoleNames(const store::StringTable& strings)
      : strings_(strings), roles_(static_cast<size_t>(strings.size()), kRoles) {}
  // Of an operator or annotation: loader, collective, else the CPU's.
  Role Of(store::StringId name) {
    Role& role = roles_[static_cast<size_t>(name)];
    if (role == kRoles) {
      const std::string& text = strings_.Text(name);
      role = IsLoader(text) ? kDataLoader : IsCollectiveRange(text) ? kCommunication : kCpu;
    }
    return role;
  }

 private:
  const store::StringTable& strings_;
  std::vector<Role> roles_;
};

using Ranges = std::array<std::vector<TimeRange>, kRoles>;

Role DeviceRoleOf(const TraceEvent& event) {
  if (event.kind == EventKind::kMemcpy) return kMemcpy;
  if (event.kind == EventKind::kMemset) return kMemset;
  return event.role == DeviceRole::kCommunication || event.in_collective ? kCommunication : kKernel;
}

Ranges CollectRanges(const RankTrace& rank, const store::StringTable& strings) {
  Ranges ranges;
  RoleNames names(strings);
  for (const TraceEvent& event : rank.host) {
    const TimeRange time_range = {event.ts_ns, event.end_ns()};
    if (event.kind == EventKind::kRuntime) {
      ranges[kRuntime].push_back(time_range);
    } else if (event.kind == EventKind::kOperator || event.kind == EventKind::kAnnotation) {
      ranges[names.Of(event.name)].push_back(time_range);
    }
  }
  for (const TraceEvent& event : rank.device) {
    if (!IsDeviceWork(event)) continue;
    ranges[DeviceRoleOf(event)].push_back({event.ts_ns, event.end_ns()});
  }
  return ranges;
}

}  // namespace

std::vector<RoleRow> MakeRoles(const RankTrace& rank, const std::vector<DeviceStep>& steps,
                               const store::StringTable& strings) {
  Ranges ranges = CollectRanges(rank, strings);
  std::vector<TimeRange> whole;
  for (const DeviceStep& step : steps) whole.push_back({step.ts_ns, step.end_ns()});
  Intervals left = Union(std::move(whole));
  std::vector<RoleRow> rows;
  for (const DeviceStep& step : steps) rows.push_back({rank.rank, step.number, step.ts_ns, {}});
  const auto measure = [&](Intervals role, int64_t RoleTimes::*ns) {
    const MeasuredIntervals measured(std::move(role));
    for (size_t i = 0; i < steps.size(); ++i) {
      rows[i].times.*ns = measured.LengthWithin({steps[i].ts_ns, steps[i].end_ns()});
    }
  };
  for (size_t role = 0; role < kRoles; ++role) {
    const Intervals all = Union(std::move(ranges[role]));
    measure(Intersection(all, left), kTimeOf[role]);
    left = Difference(left, all);
  }
  measure(std::move(left), &RoleTimes::other_ns);
  for (size_t i = 0; i < steps.size(); ++i) rows[i].times.total_ns = steps[i].dur_ns;
  return rows;
}

}  // namespace steptrace::analyze
