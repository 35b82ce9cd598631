// SPDX-License-Identifier: Apache-2.0
#include "analyze/distributed/host_collectives.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "analyze/ranks/collectives.h"
#include "analyze/ranks/rank_activity.h"
#include "analyze/trace/host_activity.h"
#include "analyze/trace/host_ancestors.h"
#include "analyze/trace/step_at.h"
#include "base/text_hash.h"
#include "store/metadata_json.h"

namespace steptrace::analyze {
namespace {

enum class Part : uint8_t { kNothing, kCollective, kComputing, kHost };

// What an event is by its kind and name alone.
class Parts {
 public:
  explicit Parts(const store::StringTable& strings) : strings_(strings) {}

  Part Of(const TraceEvent& event) {
    const uint64_t key = static_cast<uint64_t>(event.name) << 8 | static_cast<uint64_t>(event.kind);
    const auto [found, added] = known_.try_emplace(key, Part::kNothing);
    if (added) found->second = PartOf(event.kind, strings_.Text(event.name));
    return found->second;
  }
  bool IsData(const TraceEvent& event) {
    const auto [found, added] = data_.try_emplace(event.name, false);
    if (added) found->second = IsDataWait(strings_.Text(event.name));
    return found->second;
  }

 private:
  static Part PartOf(EventKind kind, std::string_view name) {
    switch (kind) {
      case EventKind::kOperator:
        if (IsDataWait(name)) return Part::kHost;
        return name.starts_with("c10d::") ? Part::kNothing : Part::kComputing;
      case EventKind::kAnnotation: {
        if (!name.starts_with("gloo:")) return Part::kHost;
        const std::string collective = CanonicalCollective(name);
        const bool of_two = collective == "send" || collective == "recv";
        return of_two || collective == "send_recv" ? Part::kNothing : Part::kCollective;
      }
      case EventKind::kPython:
        return Part::kHost;
      default:
        return Part::kNothing;
    }
  }

  const store::StringTable& strings_;
  SeededMap<uint64_t, Part> known_;
  std::unordered_map<store::StringId, bool> data_;
};

// By itself: what it was linked to stays behind.
TraceEvent Alone(const TraceEvent& of, const std::vector<TraceStep>& steps) {
  TraceEvent event;
  event.ts_ns = of.ts_ns;
  event.dur_ns = of.dur_ns;
  event.name = of.name;
  event.details = of.details;
  event.kind = of.kind;
  event.lane = of.lane;
  event.role = DeviceRole::kNone;
  event.step = StepAt(steps, of.ts_ns);
  return event;
}

class RankReader {
 public:
  RankReader(const RankTrace& rank, Parts& parts) : rank_(rank), parts_(parts) {}

  RankTrace Read() {
    made_.rank = rank_.rank;
    made_.node = rank_.node;
    made_.lanes = rank_.lanes;
    made_.steps = rank_.steps;
    const int32_t training = TrainingLane(rank_);
    const std::vector<bool> nested = HasAncestor(rank_.host, [this](const TraceEvent& around) {
      return around.kind == EventKind::kOperator || parts_.IsData(around);
    });
    for (size_t i = 0; i < rank_.host.size(); ++i) {
      const TraceEvent& event = rank_.host[i];
      switch (parts_.Of(event)) {
        case Part::kNothing:
          break;
        case Part::kCollective:
          Add(event, EventKind::kKernel, DeviceRole::kCommunication);
          break;
        case Part::kComputing:
          if (!nested[i]) Add(event, EventKind::kOperator, DeviceRole::kCompute);
          break;
        case Part::kHost:
          if (event.lane == training) made_.host.push_back(Alone(event, made_.steps));
          break;
      }
    }
    std::stable_sort(made_.device.begin(), made_.device.end(), [](const auto& a, const auto& b) {
      return std::tie(a.ts_ns, a.lane) < std::tie(b.ts_ns, b.lane);
    });
    return std::move(made_);
  }

 private:
  void Add(const TraceEvent& of, EventKind kind, DeviceRole role) {
    TraceEvent& event = made_.device.emplace_back(Alone(of, made_.steps));
    event.kind = kind;
    event.role = role;
  }

  const RankTrace& rank_;
  Parts& parts_;
  RankTrace made_;
};

bool Communicates(const std::vector<TraceEvent>& device) {
  return std::any_of(device.begin(), device.end(), [](const TraceEvent& event) {
    return event.role == DeviceRole::kCommunication;
  });
}

// The job's process groups, as a profile's metadata tell them (`distributedInfo`); null: they do
// not.
nlohmann::json GroupsOf(const Trace& trace) {
  for (const store::RunMetadataRow& fact : trace.facts) {
    if (trace.Text(fact.kind) != store::MetadataKind::kJob) continue;
    const nlohmann::json job = store::ParseMetadata(fact.json);
    const nlohmann::json* groups = store::Find(job, store::MetadataKey::kPgConfig);
    if (groups != nullptr && groups->is_array() && !groups->empty()) return *groups;
  }
  return {};
}

}  // namespace

bool HasSeveralGroups(const Trace& trace) {
  return GroupsOf(trace).size() > 1;
}

std::optional<HostJob> HostJobOf(const Trace& trace) {
  for (const RankTrace& rank : trace.ranks) {
    if (Communicates(rank.device)) return std::nullopt;
  }
  Parts parts(*trace.strings);
  const auto has_collective = [&parts](const RankTrace& rank) {
    return std::any_of(rank.host.begin(), rank.host.end(), [&parts](const TraceEvent& event) {
      return event.kind == EventKind::kAnnotation && parts.Of(event) == Part::kCollective;
    });
  };
  // Before anything is made: most profiles have none.
  if (std::none_of(trace.ranks.begin(), trace.ranks.end(), has_collective)) return std::nullopt;
  const nlohmann::json groups = GroupsOf(trace);
  if (groups.size() > 1) return std::nullopt;
  HostJob job;
  job.trace.strings = trace.strings;
  job.trace.facts = trace.facts;
  for (const RankTrace& rank : trace.ranks) {
    job.trace.ranks.push_back(RankReader(rank, parts).Read());
  }
  if (groups.empty() || !groups.front().is_object()) return job;
  const nlohmann::json& group = groups.front();
  if (const auto name = group.find("pg_name"); name != group.end() && name->is_string()) {
    job.group = name->get<std::string>();
  }
  const auto ranks = group.find("ranks");
  if (ranks == group.end() || !ranks->is_array()) return job;
  for (const nlohmann::json& rank : *ranks) {
    if (rank.is_number_integer()) job.ranks.push_back(rank.get<int32_t>());
  }
  return job;
}

}  // namespace steptrace::analyze
