// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/modules_section.h"

#include <algorithm>
#include <string_view>

#include "analyze/operators/detail_members.h"
#include "analyze/operators/module_tree.h"
#include "analyze/operators/vector_index.h"
#include "base/text_hash.h"

namespace steptrace::analyze {
namespace {

constexpr std::string_view kModulePrefix = "nn.Module: ";
constexpr std::string_view kEnginePrefix = "autograd::engine::evaluate_function: ";

// The modules of one rank: finds the node of each host event, then adds up times.
class RankModulesBuilder {
 public:
  RankModulesBuilder(const Trace& trace, const RankTrace& rank, const OperatorTree& tree)
      : trace_(trace), rank_(rank), tree_(tree), host_(rank.host), node_(host_.size(), kNone) {}

  RankModules Build() {
    RankModules modules;
    modules.rank = rank_.rank;
    modules.steps = static_cast<int64_t>(rank_.steps.size());
    modules.source = FindNodes();
    if (modules.source == ModuleSource::kNothing) return modules;
    modules.has_backward = AddBackward();
    modules.rows = modules_.Take();
    return modules;
  }

 private:
  ModuleSource FindNodes() {
    AddRanges();
    if (!modules_.empty()) return ModuleSource::kRanges;
    AddByOperators(HierarchyPath);
    if (!modules_.empty()) return ModuleSource::kHierarchy;
    AddByOperators(StackPath);
    return modules_.empty() ? ModuleSource::kNothing : ModuleSource::kStacks;
  }

  // The name of a module's range, with its number where the name does not hold it; empty: none.
  // Found once for each pair of name and details.
  const std::string& RangeName(const TraceEvent& event) {
    static const std::string kNoName;
    if (event.kind != EventKind::kPython) return kNoName;
    uint8_t& is_module = is_module_.at(static_cast<size_t>(event.name));
    if (is_module == kUnknown) is_module = trace_.Text(event.name).starts_with(kModulePrefix);
    if (!is_module) return kNoName;
    const uint64_t key =
        static_cast<uint64_t>(event.name) << 32 | static_cast<uint32_t>(event.details);
    auto [found, added] = range_names_.try_emplace(key);
    if (added) {
      found->second = trace_.Text(event.name).substr(kModulePrefix.size());
      const auto number =
          DetailInteger(DetailMember(trace_.Text(event.details), "Python module id"));
      const std::string suffix = number ? "_" + std::to_string(*number) : "";
      if (!found->second.ends_with(suffix)) found->second += suffix;
    }
    return found->second;
  }

  void AddRanges() {
    is_module_.assign(At(trace_.strings->size()), kUnknown);
    const auto is_range = [this](const TraceEvent& event) { return !RangeName(event).empty(); };
    if (std::none_of(host_.begin(), host_.end(), is_range)) return;
    std::vector<int32_t> around(host_.size(), kNone);       // the innermost range around
    std::vector<uint8_t> in_operator(host_.size(), 0);      // an operator lies between
    std::vector<int64_t> covered(host_.size(), INT64_MIN);  // by the ranges nested in it
    for (size_t i = 0; i < host_.size(); ++i) {
      const TraceEvent& event = host_[i];
      if (event.parent != kNone) InheritRange(i, around, in_operator);
      const int32_t outer = around[i];
      const std::string& name = RangeName(event);
      if (name.empty()) {
        node_[i] = outer == kNone ? kNone : node_[At(outer)];
        const bool top = event.kind == EventKind::kOperator && !in_operator[i];
        if (top && outer != kNone) modules_[node_[i]].forward.operators += 1;
        continue;
      }
      node_[i] = modules_.Node(outer == kNone ? kNone : node_[At(outer)], {name});
      ModuleRow& row = modules_[node_[i]];
      row.occurrences = row.occurrences.value_or(0) + 1;
      row.forward.host_total_ns += event.dur_ns;
      row.forward.host_self_ns += event.dur_ns;
      row.forward.device_total_ns += tree_.LaunchedBy(i).device_total_ns;
      row.forward.device_self_ns += tree_.LaunchedBy(i).device_total_ns;
      if (outer == kNone) continue;
      ModuleTimes& parent = modules_[node_[At(outer)]].forward;
      int64_t& until = covered[At(outer)];
      parent.host_self_ns -= std::max<int64_t>(0, event.end_ns() - std::max(event.ts_ns, until));
      until = std::max(until, event.end_ns());
      parent.device_self_ns -= tree_.LaunchedBy(i).device_total_ns;
    }
  }

  void InheritRange(size_t i, std::vector<int32_t>& around, std::vector<uint8_t>& in_operator) {
    const size_t parent = At(host_[i].parent);
    if (!RangeName(host_[parent]).empty()) {
      around[i] = host_[i].parent;
      return;
    }
    around[i] = around[parent];
    in_operator[i] = in_operator[parent] || host_[parent].kind == EventKind::kOperator;
  }

  // The outermost operators that tell of modules; what nests in them belongs to them.
  template <class Path>
  void AddByOperators(Path path) {
    constexpr int32_t kNotRead = -2;
    std::vector<int32_t> node_of(At(trace_.strings->size()), kNotRead);  // by details
    for (size_t i = 0; i < host_.size(); ++i) {
      const TraceEvent& event = host_[i];
      if (event.parent != kNone) node_[i] = node_[At(event.parent)];
      if (event.kind != EventKind::kOperator || node_[i] != kNone) continue;
      int32_t& node = node_of[static_cast<size_t>(event.details)];
      if (node == kNotRead) {
        node = kNone;
        for (const CalledModule& called : path(trace_.Text(event.details))) {
          node = modules_.Node(node, called);
        }
      }
      node_[i] = node;
      if (node == kNone) continue;
      ModuleTimes& forward = modules_[node].forward;
      forward.operators += 1;
      forward.host_self_ns += event.dur_ns;
      forward.device_self_ns += tree_.LaunchedBy(i).device_total_ns;
    }
    modules_.SumUp(&ModuleRow::forward);
  }

  // The engine's own wrapper around a backward operator is part of it.
  int32_t WithEngine(int32_t event) const {
    const int32_t parent = host_[At(event)].parent;
    if (parent == kNone || host_[At(parent)].kind != EventKind::kOperator) return event;
    const std::string_view outer = trace_.Text(host_[At(parent)].name);
    const bool wraps = outer.starts_with(kEnginePrefix) &&
                       outer.substr(kEnginePrefix.size()) == trace_.Text(host_[At(event)].name);
    return wraps ? parent : event;
  }

  // Whether the profile has flows at all.
  bool AddBackward() {
    SeededMap<int64_t, int32_t> forward;  // by flow
    for (const HostNumber& flow : rank_.flows_out) forward.try_emplace(flow.number, flow.event);
    std::vector<int32_t> node(host_.size(), kNone);  // of the outermost backward operators
    for (const HostNumber& flow : rank_.flows_in) {
      const auto found = forward.find(flow.number);
      if (found == forward.end()) continue;
      const int32_t event = WithEngine(flow.event);
      if (node[At(event)] == kNone) node[At(event)] = node_[At(found->second)];
    }
    std::vector<uint8_t> inside(host_.size(), 0);
    for (size_t i = 0; i < host_.size(); ++i) {
      const int32_t parent = host_[i].parent;
      if (parent != kNone) inside[i] = inside[At(parent)] || node[At(parent)] != kNone;
      if (inside[i] || node[i] == kNone) continue;
      ModuleTimes& backward = modules_[node[i]].backward;
      backward.operators += 1;
      backward.host_self_ns += host_[i].dur_ns;
      backward.device_self_ns += tree_.LaunchedBy(i).device_total_ns;
    }
    modules_.SumUp(&ModuleRow::backward);
    return !forward.empty();
  }

  static constexpr uint8_t kUnknown = 2;
  const Trace& trace_;
  const RankTrace& rank_;
  const OperatorTree& tree_;
  const std::vector<TraceEvent>& host_;
  std::vector<int32_t> node_;  // of the innermost module around each host event, or of itself
  ModuleTree modules_;
  std::vector<uint8_t> is_module_;  // by name
  SeededMap<uint64_t, std::string> range_names_;
};

}  // namespace

ModuleTimes& ModuleTimes::operator+=(const ModuleTimes& other) {
  operators += other.operators;
  host_total_ns += other.host_total_ns;
  host_self_ns += other.host_self_ns;
  device_total_ns += other.device_total_ns;
  device_self_ns += other.device_self_ns;
  return *this;
}

ModulesSection BuildModules(const Trace& trace, std::span<const OperatorTree> trees) {
  ModulesSection section;
  for (size_t i = 0; i < trace.ranks.size(); ++i) {
    section.ranks.push_back(RankModulesBuilder(trace, trace.ranks[i], trees[i]).Build());
  }
  return section;
}

ModulesSection BuildModules(const Trace& trace) {
  return BuildModules(trace, BuildOperatorTrees(trace));
}

}  // namespace steptrace::analyze
