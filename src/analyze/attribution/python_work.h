// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "analyze/code/stack_class.h"
#include "analyze/code/stage_table.h"
#include "analyze/stages/stage_row.h"
#include "analyze/stages/stages.h"
#include "analyze/trace/intervals.h"
#include "analyze/trace/trace.h"
#include "base/text_hash.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::analyze {

// A function and how long it was that; `share` of the StageFunction is not set.
struct FunctionTime {
  StageFunction function;
  bool waits = false;  // it sleeps, or awaits a lock or another thread
};
using FunctionTimes = std::map<SubStage, std::vector<FunctionTime>>;

// What a profile's Python functions (`with_stack=True`) say of the time that its operators, ranges
// and calls do not name: of a batch that is being made which stage it is, and of time without a
// name whose code runs. Exact: each moment has one innermost function.
//
// The rules are those of sampled stacks (analyze/code/stack_class.h), but that in a framework's
// own loop the packages that prepare data count too: a pipeline calls its image processor there.
// One thread of the profile; one thread uses it.
class PythonWork {
 public:
  // `strings` are the trace's. None of them is needed afterwards. `on_host`: the model computes
  // there, so that time without a name within torch's phases is theirs.
  PythonWork(const RankTrace& trace, int32_t lane, const store::StringTable& strings,
             const StageTable& table, bool on_host);

  bool empty() const { return begins_ns_.empty(); }

  // Of a time range that is in `stage` (kGetitem or kUnknown): moves what functions know better, in
  // `delta`, which sums to 0, and remembers whose time it is, as of `steps` that it is in.
  void Share(const TimeRange& time, SubStage stage, int64_t steps, StageTimes& delta);

  // What of a time range the thread may await other ranks in: it is in torch, or in nothing known.
  Intervals MayAwaitRanks(const TimeRange& time) const;

  // The functions of all that was shared, by the stage that they are in now, each with the most
  // first. Where no code of the user's is to be named, it is the innermost function that holds most
  // of the stage.
  FunctionTimes Take() const;

 private:
  struct Node {
    SubStage in_batch;  // where its time belongs, of a batch and elsewhere
    SubStage elsewhere;
    bool waits = false;
    bool known = false;  // to the stage table, and not by being called so
    bool in_c = false;
    bool in_torch = false;  // in code that may await other ranks
  };
  void BuildTree(const RankTrace& trace, int32_t lane, const store::StringTable& strings);
  int32_t NodeOf(int32_t parent, store::StringId name, const store::StringTable& strings);
  void Append(int64_t begin_ns, int64_t end_ns, int32_t node);
  void Classify(const StageTable& table, bool on_host);
  size_t IndexAt(int64_t ns) const;  // of the innermost stack at a moment
  int32_t Enclosing(int32_t frame) const;
  StageFunction Named(int32_t frame, int32_t called = kNone) const;
  bool CallsFramework(const StackClass& of) const;
  struct UserTime {
    FunctionTime of;
    std::map<store::StringId, int64_t> in_c;  // of what it calls in C, ns by name
  };
  // By file, function and line, file and function of the call, and whether it waits.
  using UserTimes = std::map<
      std::tuple<store::StringId, store::StringId, int32_t, store::StringId, store::StringId, bool>,
      UserTime>;
  void AddUser(size_t row, int64_t ns, UserTimes& times) const;
  FunctionTime TakeUser(UserTime time) const;
  std::vector<FunctionTime> FunctionsIn(SubStage stage) const;
  void AddHolder(const std::vector<int64_t>& own_ns, std::vector<FunctionTime>& found) const;

  store::StringTable texts_;
  std::vector<store::StackRow> rows_;   // the tree of stacks, parents first
  std::vector<store::StringId> shown_;  // of each row, the file as the profile names it
  std::vector<StackClass> classes_;     // of each row
  std::vector<Node> nodes_;             // of each row
  SeededMap<uint64_t, int32_t> known_;  // by parent and name
  // Which stack is innermost, without a gap: each from its begin to the next; kNone: none.
  std::vector<int64_t> begins_ns_;
  std::vector<int32_t> innermost_;
  int64_t end_ns_ = 0;
  std::map<SubStage, std::vector<int64_t>> shared_ns_;  // by row
};

// All ranks' functions, with shares of `whole_ns` (the steady steps): the most first.
FunctionTimes MergeFunctions(std::span<const FunctionTimes> ranks, int64_t whole_ns);

}  // namespace steptrace::analyze
