// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/recommendation_facts.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>

#include "analyze/trace/host_ancestors.h"
#include "analyze/trace/waiting_calls.h"
#include "store/metadata_json.h"

namespace steptrace::analyze {
namespace {

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// Operators that multiply matrices or convolve: tensor_core.py's families.
bool IsEligible(std::string_view name) {
  if (!name.starts_with("aten::")) return false;
  for (std::string_view part :
       {"::mm", "::addmm", "::bmm", "::baddbmm", "::addbmm", "::matmul", "::linear", "conv",
        "::lstm", "::gru", "::rnn", "::einsum", "scaled_dot_product", "::_scaled_mm", "::addmv"}) {
    if (Has(name, part)) return true;
  }
  return false;
}

bool IsAllocatorCall(std::string_view name) {
  for (std::string_view call : {"cudaMalloc", "cudaFree", "hipMalloc", "hipFree", "cudaHostAlloc",
                                "cudaMallocHost", "hipHostMalloc", "cuMemCreate", "cuMemUnmap"}) {
    if (name == call) return true;
  }
  return false;
}

void ReadFacts(const Trace& trace, RecommendationFacts& facts) {
  for (const store::RunMetadataRow& row : trace.facts) {
    const nlohmann::json json = store::ParseMetadata(row.json);
    if (json.is_null()) continue;
    const std::string& kind = trace.Text(row.kind);
    if (kind == store::MetadataKind::kJob) {
      const std::string backend = store::TextOf(json, store::MetadataKey::kBackend);
      facts.nccl |= Has(backend, "nccl");
      facts.gloo |= Has(backend, "gloo");
    }
    const bool first = store::IntegerOf(json, store::MetadataKey::kId).value_or(-1) == 0;
    if (kind != store::MetadataKind::kDevice || (facts.device && !first)) continue;
    RecommendedDevice device;
    device.name = store::TextOf(json, store::MetadataKey::kName);
    device.major = store::IntegerOf(json, store::MetadataKey::kComputeMajor).value_or(0);
    const int64_t minor = store::IntegerOf(json, store::MetadataKey::kComputeMinor).value_or(0);
    device.capability = static_cast<double>(device.major) + static_cast<double>(minor) / 10;
    device.memory_bytes = store::IntegerOf(json, store::MetadataKey::kTotalGlobalMem).value_or(0);
    if (!facts.device) facts.device = device;
  }
}

class EventFacts {
 public:
  EventFacts(const Trace& trace, RecommendationFacts& facts) : trace_(trace), facts_(facts) {}

  void Read(const RankTrace& rank) {
    for (const TraceEvent& event : rank.host) ReadHost(rank, event);
    const auto is_eligible = [this](const TraceEvent& event) {
      return NameOf(event.name).eligible;
    };
    const std::vector<bool> below = HasAncestor(rank.host, is_eligible);
    for (const TraceEvent& event : rank.device) {
      if (event.kind != EventKind::kKernel) continue;
      facts_.kernel_ns += event.dur_ns;
      facts_.nccl |= event.role == DeviceRole::kCommunication;
      if (event.op == kNone) continue;
      const auto op = static_cast<size_t>(event.op);
      if (below[op] || is_eligible(rank.host[op])) facts_.eligible_ns += event.dur_ns;
    }
    for (const store::MemoryRow& row : rank.memory) {
      if (row.device < 0 || !row.total_allocated_bytes) continue;
      facts_.peak_bytes = std::max(facts_.peak_bytes.value_or(0), *row.total_allocated_bytes);
    }
  }

 private:
  struct Name {
    bool eligible = false;
    bool allocates = false;
    bool synchronises = false;
  };
  const Name& NameOf(store::StringId id) {
    auto [found, added] = names_.try_emplace(id);
    if (!added) return found->second;
    const std::string& name = trace_.Text(id);
    found->second = {IsEligible(name), IsAllocatorCall(name), IsSynchronisation(name)};
    facts_.data_parallel |= name == "DataParallel.forward";
    facts_.distributed_data_parallel |= name == "DistributedDataParallel.forward";
    facts_.nccl |= name.starts_with("nccl:");
    facts_.gloo |= name.starts_with("gloo:");
    return found->second;
  }
  void ReadHost(const RankTrace& rank, const TraceEvent& event) {
    const Name& name = NameOf(event.name);
    if (event.kind != EventKind::kRuntime) return;
    const bool counts = event.step != kNone || rank.steps.empty();
    if (name.synchronises && counts) {
      ++facts_.sync_calls;
      facts_.sync_ns += event.dur_ns;
    }
    if (name.allocates && counts) {
      ++facts_.allocator_calls;
      facts_.allocator_ns += event.dur_ns;
    }
  }

  const Trace& trace_;
  RecommendationFacts& facts_;
  std::unordered_map<store::StringId, Name> names_;
};

}  // namespace

RecommendationFacts CollectFacts(const Trace& trace, const Report& report) {
  RecommendationFacts facts;
  ReadFacts(trace, facts);
  EventFacts events(trace, facts);
  for (const RankTrace& rank : trace.ranks) events.Read(rank);
  for (const RoleRow& row : report.profile->devices.roles) {
    facts.has_roles = true;
    ++facts.steps;
    facts.steps_ns += row.times.total_ns;
    facts.loader_ns += row.times.dataloader_ns;
    facts.communication_ns += row.times.communication_ns;
  }
  return facts;
}

}  // namespace steptrace::analyze
