// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "analyze/device/device_work.h"

namespace steptrace::analyze {
namespace {

enum Role { kKernel, kMemcpy, kMemset, kCommunication, kRuntime, kDataLoader, kCpu, kRoles };

bool IsLoader(std::string_view name) {
  return (name.starts_with("enumerate(DataLoader)#") && name.ends_with(".__next__")) ||
         name.starts_with("enumerate(DataPipe)#");
}

bool IsCollective(std::string_view name) {
  return name.starts_with("nccl:") || name.starts_with("gloo:");
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
      role = IsLoader(text) ? kDataLoader : IsCollective(text) ? kCommunication : kCpu;
    }
    return role;
  }

 private:
  const store::StringTable& strings_;
  std::vector<Role> roles_;
};

using Ranges = std::array<std::vector<Stretch>, kRoles>;

Role DeviceRoleOf(const TraceEvent& event, const std::unordered_set<int64_t>& collectives) {
  if (event.kind == EventKind::kMemcpy) return kMemcpy;
  if (event.kind == EventKind::kMemset) return kMemset;
  const bool launched_by_one =
      event.external_id != kNone && collectives.contains(event.external_id);
  return event.role == DeviceRole::kCommunication || launched_by_one ? kCommunication : kKernel;
}

Ranges CollectRanges(const RankTrace& rank, const store::StringTable& strings) {
  Ranges ranges;
  std::unordered_set<int64_t> collectives;  // by external id
  RoleNames names(strings);
  for (const TraceEvent& event : rank.host) {
    const Stretch stretch = {event.ts_ns, event.end_ns()};
    if (event.kind == EventKind::kRuntime) {
      ranges[kRuntime].push_back(stretch);
    } else if (event.kind == EventKind::kOperator || event.kind == EventKind::kAnnotation) {
      const Role role = names.Of(event.name);
      if (role == kCommunication && event.external_id != kNone) {
        collectives.insert(event.external_id);
      }
      ranges[role].push_back(stretch);
    }
  }
  for (const TraceEvent& event : rank.device) {
    if (!IsDeviceWork(event)) continue;
    ranges[DeviceRoleOf(event, collectives)].push_back({event.ts_ns, event.end_ns()});
  }
  return ranges;
}

}  // namespace

std::vector<RoleRow> MakeRoles(const RankTrace& rank, const std::vector<DeviceStep>& steps,
                               const store::StringTable& strings) {
  Ranges ranges = CollectRanges(rank, strings);
  std::vector<Stretch> whole;
  for (const DeviceStep& step : steps) whole.push_back({step.ts_ns, step.end_ns()});
  Intervals left = Union(std::move(whole));
  std::array<Intervals, kRoles> exclusive;
  for (size_t role = 0; role < kRoles; ++role) {
    const Intervals all = Union(std::move(ranges[role]));
    exclusive[role] = Intersection(all, left);
    left = Difference(left, all);
  }
  std::vector<RoleRow> rows;
  for (const DeviceStep& step : steps) {
    const Stretch window = {step.ts_ns, step.end_ns()};
    const auto of = [&](Role role) { return LengthWithin(exclusive[role], window); };
    RoleRow row{rank.rank, step.number, step.ts_ns, {}};
    row.times = {of(kKernel),  of(kMemcpy),     of(kMemset), of(kCommunication),
                 of(kRuntime), of(kDataLoader), of(kCpu),    LengthWithin(left, window),
                 step.dur_ns};
    rows.push_back(row);
  }
  return rows;
}

}  // namespace steptrace::analyze
