// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/python_work.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyze/attribution/sample_weights.h"
#include "analyze/code/code_place.h"
#include "analyze/code/frame_words.h"
#include "analyze/code/profile_frame.h"
#include "analyze/samples/rank_samples.h"
#include "analyze/samples/sample_sums.h"
#include "analyze/stats/distribution.h"

namespace steptrace::analyze {
namespace {

constexpr size_t kMostHeld = 10;
// Of what is to be named: less in one function is no name for all of it.
constexpr double kHoldsMost = 0.5;

// The stage of a batch's making, whatever the loop around it.
std::optional<SubStage> StageInBatch(const StackClass& of) {
  switch (of.region) {
    case StackRegion::kFetch:
      return StageOfBatch(BatchBin(of, of.leaf.only_waits).first);
    case StackRegion::kCollate: {
      const size_t bin = BatchBin(of, of.leaf.only_waits).first;
      return IsSeparateFromCollate(bin) ? StageOfBatch(bin) : SubStage::kCollate;
    }
    case StackRegion::kSampler:
      return SubStage::kDatasetCode;
    default:
      return std::nullopt;
  }
}

// What a framework's loop has done for it: only what is nothing else.
std::optional<SubStage> StageOfLibrary(const std::optional<StageTable::Match>& match) {
  if (!match || match->by_own_name) return std::nullopt;
  const WorkInfo& work = kWorkInfos[static_cast<size_t>(match->stage)];
  return work.prepares ? std::optional(work.batch) : std::nullopt;
}

std::optional<SubStage> PhaseOf(StackRegion region) {
  switch (region) {
    case StackRegion::kForward:
      return SubStage::kForward;
    case StackRegion::kBackward:
      return SubStage::kBackward;
    case StackRegion::kOptimizer:
      return SubStage::kOptimizer;
    default:
      return std::nullopt;
  }
}

// What makes two functions the same, and whether it waits there.
auto KeyOf(const FunctionTime& one) {
  const StageFunction& of = one.function;
  return std::tie(one.waits, of.file, of.function, of.line, of.call, of.call_module, of.in_c);
}

// Sums of those that are the same, in the order in which they came up.
class FunctionSums {
 public:
  // It outlives the sums.
  void Add(const FunctionTime& more) {
    const auto [found, is_new] = places_.try_emplace(KeyOf(more), sums_.size());
    if (is_new) {
      sums_.push_back(more);
    } else {
      int64_t& ns = sums_[found->second].function.ns;
      ns = SaturatingAdd(ns, more.function.ns);
    }
  }
  std::vector<FunctionTime> Take() { return std::move(sums_); }

 private:
  std::map<decltype(KeyOf(std::declval<const FunctionTime&>())), size_t> places_;
  std::vector<FunctionTime> sums_;
};

int64_t SaturatingTimes(int64_t ns, int64_t times) {
  int64_t product;
  return __builtin_mul_overflow(ns, times, &product) ? INT64_MAX : product;
}

void KeepLargest(std::vector<FunctionTime>& functions) {
  std::stable_sort(functions.begin(), functions.end(),
                   [](const auto& a, const auto& b) { return a.function.ns > b.function.ns; });
  if (functions.size() > kMostHeld) functions.resize(kMostHeld);
}

}  // namespace

PythonWork::PythonWork(const RankTrace& trace, int32_t lane, const store::StringTable& strings,
                       const StageTable& table, bool on_host) {
  BuildTree(trace, lane, strings);
  if (!empty()) Classify(table, on_host);
}

int32_t PythonWork::NodeOf(int32_t parent, store::StringId name,
                           const store::StringTable& strings) {
  const uint64_t key =
      static_cast<uint64_t>(static_cast<uint32_t>(parent)) << 32 | static_cast<uint32_t>(name);
  const auto [found, is_new] = known_.try_emplace(key, kNone);
  if (!is_new) return found->second;
  const auto number = static_cast<int32_t>(rows_.size());
  const ProfileFrame frame = ProfileFrameOf(strings.Text(name));
  store::StackRow& row = rows_.emplace_back();
  row.stack = number;
  if (parent != kNone) row.parent = parent;
  row.function = texts_.Intern(frame.function);
  row.file = texts_.Intern(frame.file);
  row.line = frame.line;
  shown_.push_back(texts_.Intern(frame.shown));
  found->second = number;
  return number;
}

void PythonWork::Append(int64_t begin_ns, int64_t end_ns, int32_t node) {
  if (end_ns <= begin_ns) return;
  end_ns_ = end_ns;
  if (!innermost_.empty() && innermost_.back() == node) return;
  begins_ns_.push_back(begin_ns);
  innermost_.push_back(node);
}

// The lane's functions in the order of their begin, the outer before the inner. One that outlasts
// what is around it, in a damaged profile, ends with that.
void PythonWork::BuildTree(const RankTrace& trace, int32_t lane,
                           const store::StringTable& strings) {
  const auto first =
      std::partition_point(trace.host.begin(), trace.host.end(),
                           [lane](const TraceEvent& event) { return event.lane < lane; });
  struct Open {
    int64_t end_ns;
    int32_t node;
  };
  std::vector<Open> open;
  int64_t at_ns = 0;
  const auto advance = [&](int64_t to_ns) {
    while (!open.empty() && open.back().end_ns <= to_ns) {
      Append(at_ns, open.back().end_ns, open.back().node);
      at_ns = std::max(at_ns, open.back().end_ns);
      open.pop_back();
    }
    Append(at_ns, to_ns, open.empty() ? kNone : open.back().node);
    at_ns = std::max(at_ns, to_ns);
  };
  for (auto event = first; event != trace.host.end() && event->lane == lane; ++event) {
    if (event->kind != EventKind::kPython || event->dur_ns <= 0) continue;
    if (begins_ns_.empty() && open.empty()) at_ns = event->ts_ns;
    advance(event->ts_ns);
    const int64_t end_ns =
        open.empty() ? event->end_ns() : std::min(event->end_ns(), open.back().end_ns);
    open.push_back({end_ns, NodeOf(open.empty() ? kNone : open.back().node, event->name, strings)});
  }
  if (!open.empty()) advance(open.front().end_ns);
  known_.clear();
}

void PythonWork::Classify(const StageTable& table, bool on_host) {
  classes_ = ClassifyStacks(rows_, texts_, table, {});
  using Match = std::optional<StageTable::Match>;
  std::map<std::pair<store::StringId, store::StringId>, Match> matches;  // by file and function
  std::vector<std::optional<SubStage>> prepares(rows_.size());           // in a framework's loop
  nodes_.reserve(rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i) {
    const StackClass& of = classes_[i];
    const auto parent = rows_[i].parent;
    const auto [found, is_new] = matches.try_emplace({rows_[i].file, rows_[i].function});
    const Match& match = found->second;
    if (is_new) {
      found->second =
          table.Find(PlaceOf(texts_.Text(rows_[i].file)), texts_.Text(rows_[i].function));
    }
    if (of.region == StackRegion::kFramework) {
      prepares[i] = StageOfLibrary(match);
      if (!prepares[i] && parent) prepares[i] = prepares[static_cast<size_t>(*parent)];
    }
    const auto in_batch = StageInBatch(of);
    Node node{in_batch.value_or(SubStage::kGetitem), in_batch.value_or(SubStage::kUnknown)};
    if (prepares[i]) node.elsewhere = *prepares[i];
    if (of.region == StackRegion::kElsewhere) {
      // What a function that saves does besides is the loop's: its own calls tell of saving.
      node.waits = !RunsOutside(of, of.leaf.only_waits, StepSaves::kNo) && of.frames.evaluator < 0;
      if (of.frames.evaluator >= 0) node.elsewhere = SubStage::kEvaluation;
      if (of.frames.evaluator < 0 && !node.waits) {
        node.elsewhere =
            StageOutside(OutsideBin(of, StepSaves::kNo), {}).value_or(SubStage::kUnknown);
      }
    }
    if (const auto phase = PhaseOf(of.region); phase && on_host) node.elsewhere = *phase;
    node.in_torch = PhaseOf(of.region) || of.region == StackRegion::kAround ||
                    texts_.Text(rows_[i].file).find("_distributed_c10d") != std::string::npos;
    node.known = match && !match->by_own_name;
    node.in_c = PlaceOf(texts_.Text(rows_[i].file)).origin == CodeOrigin::kBuiltIn;
    nodes_.push_back(node);
  }
}

size_t PythonWork::IndexAt(int64_t ns) const {
  const auto after = std::upper_bound(begins_ns_.begin(), begins_ns_.end(), ns);
  return after == begins_ns_.begin() ? 0 : static_cast<size_t>(after - begins_ns_.begin()) - 1;
}

Intervals PythonWork::MayAwaitRanks(const TimeRange& time) const {
  if (empty()) return {time};
  std::vector<TimeRange> elsewhere;
  for (size_t i = IndexAt(time.begin_ns); i < begins_ns_.size() && begins_ns_[i] < time.end_ns;
       ++i) {
    if (innermost_[i] == kNone || nodes_[static_cast<size_t>(innermost_[i])].in_torch) continue;
    elsewhere.push_back({begins_ns_[i], i + 1 < begins_ns_.size() ? begins_ns_[i + 1] : end_ns_});
  }
  return Difference({time}, Union(std::move(elsewhere)));
}

void PythonWork::Share(const TimeRange& time, SubStage stage, int64_t steps, StageTimes& delta) {
  if (empty() || time.begin_ns >= end_ns_) return;
  for (size_t i = IndexAt(time.begin_ns); i < begins_ns_.size() && begins_ns_[i] < time.end_ns;
       ++i) {
    const int64_t end_ns = i + 1 < begins_ns_.size() ? begins_ns_[i + 1] : end_ns_;
    const int64_t ns = std::min(end_ns, time.end_ns) - std::max(begins_ns_[i], time.begin_ns);
    if (ns <= 0 || innermost_[i] == kNone) continue;
    const auto row = static_cast<size_t>(innermost_[i]);
    const Node& node = nodes_[row];
    const SubStage named = stage == SubStage::kGetitem ? node.in_batch : node.elsewhere;
    At(delta, stage) -= ns;
    At(delta, named) += ns;
    if (SuspectOf(named) == SuspectId::kModel) continue;  // the phase is its name
    std::vector<int64_t>& sums = shared_ns_[named];
    if (sums.empty()) sums.resize(rows_.size());
    sums[row] = SaturatingAdd(sums[row], SaturatingTimes(ns, steps));
  }
}

// A comprehension or lambda is the function that it stands in, where that called it, itself or
// through C code (`sum(... for ...)`).
int32_t PythonWork::Enclosing(int32_t frame) const {
  for (;;) {
    const auto row = static_cast<size_t>(frame);
    const std::string& function = texts_.Text(rows_[row].function);
    int32_t caller = rows_[row].parent.value_or(kNone);
    while (caller != kNone && nodes_[static_cast<size_t>(caller)].in_c) {
      caller = rows_[static_cast<size_t>(caller)].parent.value_or(kNone);
    }
    if (!function.starts_with('<') || function == "<module>" || caller == kNone ||
        shown_[static_cast<size_t>(caller)] != shown_[row]) {
      return frame;
    }
    frame = caller;
  }
}

// `called`: what it called; kNone: itself.
StageFunction PythonWork::Named(int32_t frame, int32_t called) const {
  const auto row = static_cast<size_t>(frame);
  StageFunction function;
  function.function = texts_.Text(rows_[row].function);
  function.file = texts_.Text(shown_[row]);
  function.line = rows_[row].line;
  if (called == kNone) return function;
  const store::StackRow& call = rows_[static_cast<size_t>(called)];
  const CodePlace place = PlaceOf(texts_.Text(call.file));
  function.call = texts_.Text(call.function);
  function.call_module = ModuleToName(place, function.call);
  return function;
}

// The innermost function that holds most of that time; of those the innermost that the stage table
// knows, if it knows any: what that calls in other packages says less.
void PythonWork::AddHolder(const std::vector<int64_t>& own_ns,
                           std::vector<FunctionTime>& found) const {
  std::vector<int64_t> held_ns = own_ns;
  int64_t all_ns = 0;
  for (int64_t ns : own_ns) all_ns = SaturatingAdd(all_ns, ns);
  if (all_ns <= 0) return;
  for (size_t i = rows_.size(); i-- > 0;) {  // callees come after their callers
    if (!rows_[i].parent) continue;
    int64_t& around = held_ns[static_cast<size_t>(*rows_[i].parent)];
    around = SaturatingAdd(around, held_ns[i]);
  }
  const auto least = static_cast<int64_t>(kHoldsMost * static_cast<double>(all_ns));
  int32_t at = kNone, holder = kNone;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].parent.value_or(kNone) != at || held_ns[i] < std::max<int64_t>(least, 1)) continue;
    at = static_cast<int32_t>(i);  // its callees follow
    const bool known = holder != kNone && nodes_[static_cast<size_t>(holder)].known;
    if (!nodes_[i].in_c && (nodes_[i].known || !known)) holder = at;
  }
  if (holder == kNone) return;
  // That a loader loads is no name for what it loads.
  const CodePlace place = PlaceOf(texts_.Text(rows_[static_cast<size_t>(holder)].file));
  if (Below(place.module, "torch.utils.data")) return;
  FunctionTime one{Named(Enclosing(holder)), false};
  one.function.ns = held_ns[static_cast<size_t>(holder)];
  const auto known = std::find_if(found.begin(), found.end(), [&one](const FunctionTime& other) {
    return KeyOf(other) == KeyOf(one);
  });
  if (known == found.end()) {
    found.push_back(std::move(one));
  } else {
    known->function.ns = SaturatingAdd(known->function.ns, one.function.ns);
  }
}

// Whose loop calls what does the work: the user's function, which began it, says nothing of that.
bool PythonWork::CallsFramework(const StackClass& of) const {
  if (of.region == StackRegion::kFramework) return true;
  if (of.frames.call < 0) return false;
  const auto called = static_cast<size_t>(of.frames.call);
  return IsFramework(PlaceOf(texts_.Text(rows_[called].file)).module);
}

// As of a sampled stack: the user's function that is nearest, and what it called of Python's. A
// function is one wherever it stands, and whatever it calls in C.
void PythonWork::AddUser(size_t row, int64_t ns, UserTimes& times) const {
  const StackClass& of = classes_[row];
  const int32_t frame = Enclosing(of.frames.evaluator >= 0 ? of.frames.evaluator : of.frames.user);
  const int32_t call = of.frames.evaluator >= 0 ? kNone : of.frames.call;
  const bool in_c = call != kNone && nodes_[static_cast<size_t>(call)].in_c;
  const store::StackRow& named = rows_[static_cast<size_t>(frame)];
  const bool calls = call != kNone && !in_c;
  const store::StackRow called = calls ? rows_[static_cast<size_t>(call)] : store::StackRow();
  const auto [found, is_new] = times.try_emplace(
      {named.file, named.function, named.line, called.file, called.function, nodes_[row].waits});
  UserTime& time = found->second;
  if (is_new) time.of = {Named(frame, in_c ? kNone : call), nodes_[row].waits};
  time.of.function.ns = SaturatingAdd(time.of.function.ns, ns);
  if (!in_c) return;
  int64_t& of_call_ns = time.in_c[rows_[static_cast<size_t>(call)].function];
  of_call_ns = SaturatingAdd(of_call_ns, ns);
}

// A call of C code that is more of the function than all else names it.
FunctionTime PythonWork::TakeUser(UserTime time) const {
  for (const auto& [name, ns] : time.in_c) {
    if (ns <= time.of.function.ns / 2) continue;
    time.of.function.call = texts_.Text(name);
    time.of.function.in_c = true;
  }
  return std::move(time.of);
}

std::vector<FunctionTime> PythonWork::FunctionsIn(SubStage stage) const {
  const std::vector<int64_t>& shared = shared_ns_.at(stage);
  UserTimes by_user;
  std::vector<int64_t> others(rows_.size());
  // What stays unknown without waiting is torch's or a framework's: the user's function around it
  // says nothing of it.
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (shared[i] <= 0) continue;
    const StackClass& of = classes_[i];
    // Who asks the loader for its next batch does not make it.
    const bool asks = stage == SubStage::kGetitem && of.region == StackRegion::kAround;
    const bool named = (of.frames.user >= 0 || of.frames.evaluator >= 0) && !asks &&
                       (stage != SubStage::kUnknown || nodes_[i].waits) && !CallsFramework(of);
    if (named) {
      AddUser(i, shared[i], by_user);
    } else if (of.region != StackRegion::kAround) {
      others[i] = shared[i];  // that a loader waits for its workers is no function of theirs
    }
  }
  std::vector<FunctionTime> found;
  for (auto& [key, one] : by_user) found.push_back(TakeUser(std::move(one)));
  AddHolder(others, found);
  KeepLargest(found);
  return found;
}

FunctionTimes PythonWork::Take() const {
  FunctionTimes functions;
  for (const auto& [stage, sums] : shared_ns_) functions[stage] = FunctionsIn(stage);
  return functions;
}

FunctionTimes MergeFunctions(std::span<const FunctionTimes> ranks, int64_t whole_ns) {
  std::map<SubStage, FunctionSums> sums;
  for (const FunctionTimes& rank : ranks) {
    for (const auto& [stage, functions] : rank) {
      for (const FunctionTime& one : functions) sums[stage].Add(one);
    }
  }
  FunctionTimes merged;
  for (auto& [stage, of_stage] : sums) merged[stage] = of_stage.Take();
  const auto whole = static_cast<double>(std::max<int64_t>(whole_ns, 1));
  for (auto& [stage, functions] : merged) {
    KeepLargest(functions);
    for (FunctionTime& one : functions) {
      one.function.share = static_cast<double>(one.function.ns) / whole;
    }
  }
  return merged;
}

}  // namespace steptrace::analyze
