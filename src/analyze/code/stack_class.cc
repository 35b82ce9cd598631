// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/stack_class.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "analyze/code/frame_words.h"
#include "analyze/code/function_facts.h"

namespace steptrace::analyze {
namespace {

// One pass from callers to callees, after one that finds the loops.
class Classifier {
 public:
  Classifier(std::span<const store::StackRow> rows, const store::StringTable& strings,
             const StageTable& table, const CollateCalls& collates)
      : rows_(rows), strings_(strings), table_(table), collates_(collates) {}

  std::vector<StackClass> Run();

 private:
  const Function& FunctionOf(const store::StackRow& row, size_t* number);
  std::optional<size_t> ParentOf(size_t row) const;
  bool CollatesFrom(const store::StackRow& caller) const;
  StackRegion Enter(StackRegion from, const Function& frame, const Function* caller,
                    std::string_view name) const;
  void MarkLoops(const std::vector<StackClass>& classes);
  void AddStage(size_t row, StackClass& of) const;
  void AddBoundary(int32_t row, const Function& frame, StackClass& of) const;
  void AddNames(size_t row, StackClass& of) const;
  void FindRegion(size_t row, const Function& frame, StackClass& of);
  void FindLayers();
  bool Augments(size_t row, const Function& frame, const std::vector<StackClass>& classes);
  void FindFunctions();
  void FindPreparing(const std::vector<StackClass>& classes);
  void FindLog(size_t row, const Function& frame);
  bool BeginsLog(size_t row) const {
    const auto parent = ParentOf(row);
    return in_log_[row] && !(parent && in_log_[*parent]);
  }
  bool IsGeneratedAt(int32_t row) const {
    return IsGenerated(strings_.Text(rows_[static_cast<size_t>(row)].file));
  }
  bool PassesOnAt(int32_t row) const {
    return functions_[function_of_row_[static_cast<size_t>(row)]].passes_on;
  }

  std::span<const store::StackRow> rows_;
  const store::StringTable& strings_;
  const StageTable& table_;
  const CollateCalls& collates_;
  std::unordered_map<uint64_t, size_t> numbers_;  // (file, function) -> functions_
  std::vector<Function> functions_;
  std::vector<size_t> function_of_row_;
  std::vector<bool> in_thread_;   // the script's own, not its main one: it may make batches
  std::vector<bool> in_log_;      // somebody writes a log, with all that it calls for it
  std::vector<bool> own_log_;     // ... and that is a function of the script's
  std::vector<bool> in_copy_;     // Python copies or pickles, likewise
  std::vector<bool> at_module_;   // a module is called from outside the model, and not begun yet
  std::vector<bool> in_augment_;  // batches are augmented in the loop, by whatever of torch's
  std::set<std::pair<size_t, int32_t>> model_lines_;  // function and line that calls torch's Python
};

const Function& Classifier::FunctionOf(const store::StackRow& row, size_t* number) {
  const uint64_t key = static_cast<uint64_t>(static_cast<uint32_t>(row.file)) << 32 |
                       static_cast<uint32_t>(row.function);
  const auto [found, is_new] = numbers_.emplace(key, functions_.size());
  *number = found->second;
  if (is_new) {
    functions_.push_back(
        {WordsOf(strings_.Text(row.file), strings_.Text(row.function), table_, collates_), {}});
  }
  return functions_[*number];
}

std::optional<size_t> Classifier::ParentOf(size_t row) const {
  const auto& parent = rows_[row].parent;
  if (!parent || *parent < 0 || static_cast<size_t>(*parent) >= row) return std::nullopt;
  return static_cast<size_t>(*parent);
}

// Whether a DataLoader, or a sampler of torch's, calls code of the user's there: that is a sampler.
bool CallsSampler(const Function& frame, const Function* caller) {
  if (frame.place.origin != CodeOrigin::kUser || caller == nullptr) return false;
  const std::string& module = caller->place.module;
  return caller->part == TorchPart::kAround && (Below(module, "torch.utils.data.sampler") ||
                                                Below(module, "torch.utils.data.dataloader"));
}

// Whether torch's fetcher is in the line that calls the collate function.
bool Classifier::CollatesFrom(const store::StackRow& caller) const {
  return std::any_of(collates_.lines.begin(), collates_.lines.end(), [&](const auto& one) {
    return one.second == caller.line && one.first == strings_.Text(caller.function);
  });
}

// The region of a frame, from that of its caller.
StackRegion Classifier::Enter(StackRegion from, const Function& frame, const Function* caller,
                              std::string_view name) const {
  using enum StackRegion;
  if (from == kFetch && caller != nullptr && caller->part == TorchPart::kFetch &&
      (frame.collates || frame.part == TorchPart::kCollate)) {
    return kCollate;
  }
  if (from == kFetch || from == kCollate) return from;  // whatever it calls is for the batch
  if (from == kAround && CallsSampler(frame, caller)) return kSampler;
  if (from == kSampler && frame.part != TorchPart::kFetch) return kSampler;
  switch (frame.part) {
    case TorchPart::kFetch:
      return kFetch;
    case TorchPart::kCollate:
    case TorchPart::kAround:
      return kAround;
    case TorchPart::kBackward:
      return from == kForward ? kForward : kBackward;
    case TorchPart::kOptimizer:
      return kOptimizer;
    case TorchPart::kThrough:
      return from == kFramework ? kElsewhere : from;
    case TorchPart::kInside:
      return from == kBackward || from == kOptimizer || from == kAround ? from : kForward;
    case TorchPart::kNoPart:
      break;
  }
  if (from == kOptimizer) {
    // torch.optim calls a step of the user's own, or the closure that holds the whole training.
    return caller != nullptr && caller->part == TorchPart::kOptimizer &&
                   ShortFunction(name) != "step"
               ? (frame.framework ? kFramework : kElsewhere)
               : kOptimizer;
  }
  if (from == kForward || from == kBackward || from == kAround) return from;
  if (frame.place.origin == CodeOrigin::kUser) return kElsewhere;
  return frame.framework ? kFramework : from;
}

void Classifier::MarkLoops(const std::vector<StackClass>& classes) {
  std::vector<bool> calls_torch(rows_.size(), false), trains(rows_.size(), false);
  std::vector<bool> computes(rows_.size(), false);
  std::vector<bool> runs_module(rows_.size(), false);
  for (size_t i = rows_.size(); i-- > 0;) {  // callees come after their callers
    const StackRegion region = classes[i].region;
    const bool itself = region == StackRegion::kForward || region == StackRegion::kBackward ||
                        region == StackRegion::kOptimizer || region == StackRegion::kAround;
    if (itself) calls_torch[i] = true;
    const auto parent = ParentOf(i);
    if (calls_torch[i] && parent) calls_torch[*parent] = true;
    const Function& frame = functions_[function_of_row_[i]];
    runs_module[i] = runs_module[i] || frame.place.module == "torch.nn.modules.module";
    if (runs_module[i] && parent) runs_module[*parent] = true;
    if (runs_module[i] && !itself) functions_[function_of_row_[i]].seen.runs_module = true;
    computes[i] = computes[i] || region == StackRegion::kForward;
    if (computes[i] && parent) computes[*parent] = true;
    if (computes[i] && !itself) functions_[function_of_row_[i]].seen.calls_model = true;
    trains[i] = trains[i] || region == StackRegion::kBackward || region == StackRegion::kOptimizer;
    if (trains[i] && parent) trains[*parent] = true;
    if (trains[i]) functions_[function_of_row_[i]].seen.trains = true;
    if (calls_torch[i] && !itself) functions_[function_of_row_[i]].seen.surrounds_model = true;
  }
}

// Whether a library that only fetches rows calls there what the script gave it to make of them.
bool IsUserCallback(const Function& frame, const Function* caller) {
  return frame.place.origin == CodeOrigin::kUser && caller != nullptr &&
         Below(caller->place.module, "datasets");
}

// Whether a library that the table knows waits there for what its own threads do for it, as those
// do that work in an event loop (zarr, fsspec): that is the library's work, and no lock.
bool WaitsForOwnThreads(const Function& frame, const Function* caller, const StackClass& of) {
  if (frame.match->stage != WorkStage::kLock || frame.match->by_user) return false;
  if (of.wait.own_threads) return frame.place.origin != CodeOrigin::kUser;
  return caller != nullptr && caller->place.origin == CodeOrigin::kLibrary && caller->match &&
         caller->match->stage != WorkStage::kLock &&
         (frame.takes_over || Below(frame.place.module, "threading"));
}

void Classifier::AddStage(size_t row, StackClass& of) const {
  const Function& frame = functions_[function_of_row_[row]];
  const auto parent = ParentOf(row);
  const Function* caller = parent ? &functions_[function_of_row_[*parent]] : nullptr;
  const bool collates = of.region == StackRegion::kCollate;
  const bool in_batch = of.region == StackRegion::kFetch || collates;
  of.around.compiled = of.around.compiled || frame.runs_compiled;
  of.around.leaves = of.around.leaves || frame.leaves;
  of.around.exchanges = of.around.exchanges || frame.exchanges;
  of.around.saving = of.around.saving || frame.saves || (frame.syncs && of.around.saves);
  of.around.begins_epoch = of.around.begins_epoch || frame.begins_epoch;
  of.around.gradless = of.around.gradless || Below(frame.place.module, "torch.utils._contextlib");
  if (in_batch) {
    of.frames.evaluator = -1;
  } else if (of.frames.evaluator < 0 && frame.sounds_like_evaluation && frame.seen.calls_model &&
             !frame.seen.trains) {
    of.frames.evaluator = static_cast<int32_t>(row);
  }
  if (!in_batch && of.region != StackRegion::kElsewhere) of.stage.reset();
  const auto& match = frame.match;
  if (!of.by_user && IsUserCallback(frame, caller)) of.stage.reset();
  // A logger that wraps the whole training (`@logger.catch`) writes no log with it.
  const bool wrapped = frame.seen.surrounds_model && !in_log_[row] && !of.by_user;
  if (wrapped && of.stage == WorkStage::kLogging) of.stage.reset();
  // Arrays are put together by numpy as well as changed.
  if (!match || (collates && match->stage == WorkStage::kAugmentation && !match->by_user &&
                 Below(frame.place.module, "numpy"))) {
    // What a lock calls of the standard library belongs to it.
    of.wait.in_lock = of.wait.in_lock && (frame.place.origin == CodeOrigin::kStandard ||
                                          frame.place.origin == CodeOrigin::kBuiltIn);
    of.wait.takes_over = of.wait.takes_over && of.wait.in_lock;
    of.wait.on_signal = of.wait.on_signal && of.wait.in_lock;
    of.wait.asks = of.wait.asks && of.wait.in_lock;
    of.wait.on_lock = of.wait.on_lock && of.wait.in_lock;
    of.wait.across = of.wait.across && of.wait.in_lock;
    return;
  }
  // What a logger calls for it, an encoder of pictures or a queue of its own, is the log's.
  const bool for_log = !in_batch && parent && in_log_[*parent] && in_log_[row];
  if (for_log && of.stage == WorkStage::kLogging && !match->by_user) return;
  of.wait.own_threads = WaitsForOwnThreads(frame, caller, of);
  if (of.wait.own_threads) return;
  const bool was_in_lock = of.wait.in_lock;
  of.wait.in_lock = match->stage == WorkStage::kLock && !match->by_user;
  // What the script called says it; how that waits, by a condition or a pipe, does not.
  of.wait.takes_over = of.wait.in_lock && (was_in_lock ? of.wait.takes_over : frame.takes_over);
  of.wait.on_signal = of.wait.in_lock && (was_in_lock ? of.wait.on_signal : frame.on_signal);
  of.wait.asks = of.wait.in_lock && (was_in_lock ? of.wait.asks : frame.asks);
  of.wait.on_lock = of.wait.in_lock && frame.synchronises;
  of.wait.across = of.wait.in_lock && (was_in_lock ? of.wait.across : frame.across);
  if (of.wait.in_lock || (of.by_user && !match->by_user)) return;
  if (!in_batch && !match->by_user && !CountsInLoop(*match, frame, in_thread_[row])) return;
  if (!match->by_user && frame.syncs && of.frames.user >= 0 &&
      SoundsLikeSaving(strings_.Text(rows_[static_cast<size_t>(of.frames.user)].function))) {
    of.around.saves = true;
    of.around.saving = true;
  }
  of.stage = match->stage;
  of.by_user = match->by_user;
}

// Where the script's own code ends. Of a loop many lines call torch: what they call tells them
// apart.
void Classifier::AddBoundary(int32_t row, const Function& frame, StackClass& of) const {
  if (of.region == StackRegion::kElsewhere && frame.place.origin == CodeOrigin::kUser) {
    of.frames.boundary = row;
    of.frames.boundary_call = -1;
    return;
  }
  const bool named =
      of.region == StackRegion::kForward || (of.region == StackRegion::kElsewhere && frame.copies);
  if (of.frames.boundary < 0 || !named) return;
  const auto boundary = static_cast<size_t>(of.frames.boundary);
  if (!functions_[function_of_row_[boundary]].seen.trains) return;
  if (of.frames.boundary_call < 0 || PassesOnAt(of.frames.boundary_call))
    of.frames.boundary_call = row;
}

void Classifier::AddNames(size_t row, StackClass& of) const {
  const Function& frame = functions_[function_of_row_[row]];
  if (frame.place.origin == CodeOrigin::kOwn) return;
  const auto number = static_cast<int32_t>(row);
  of.frames.leaf = number;
  of.leaf = frame.leaf;
  AddBoundary(number, frame, of);
  if (of.frames.user >= 0 && frame.place.origin == CodeOrigin::kUser && IsGeneratedAt(number) &&
      !IsGeneratedAt(of.frames.user)) {
    return;  // its caller names it
  }
  // A log is named by the outermost frame that writes it, whatever that calls.
  if (own_log_[row] && !BeginsLog(row) && frame.place.origin == CodeOrigin::kUser) {
    of.around.helps_log = true;
    return;
  }
  if (frame.place.origin == CodeOrigin::kUser) {
    of.around.helps_log = false;
    of.frames.user = number;
    const bool computes = frame.seen.runs_layer || frame.seen.runs_module || frame.seen.trains ||
                          frame.seen.holds_training;
    of.around.saves = !computes && (of.around.saves || frame.seen.saves);
    of.around.reads = !computes && !frame.seen.calls_model && frame.seen.reads;
    of.around.prepares = !computes && frame.seen.prepares;
    of.user.calls_torch = frame.seen.calls_torch;
    of.user.runs_module = frame.seen.runs_module;
    of.around.infers = of.around.gradless && (of.around.infers || frame.seen.runs_module);
    of.user.calls_model = model_lines_.contains({function_of_row_[row], rows_[row].line});
    of.frames.call = -1;
  } else if (of.frames.user >= 0 && !of.around.helps_log &&
             (of.frames.call < 0 || PassesOnAt(of.frames.call) || BeginsLog(row))) {
    of.frames.call = number;
  }
}

// `of.region`: its caller's, or what a stack begins with. What is written of a tensor, and how it
// is copied, torch says.
void Classifier::FindRegion(size_t row, const Function& frame, StackClass& of) {
  if ((in_log_[row] || in_copy_[row]) && of.region == StackRegion::kElsewhere) return;
  // What is logged out of the model, or by a framework's loop, is neither's.
  if (in_log_[row] &&
      (of.region == StackRegion::kForward || of.region == StackRegion::kFramework)) {
    of.region = StackRegion::kElsewhere;
    return;
  }
  if (in_augment_[row]) {
    of.region = StackRegion::kElsewhere;
    return;
  }
  const auto parent = ParentOf(row);
  const Function* caller = parent ? &functions_[function_of_row_[*parent]] : nullptr;
  if (of.region == StackRegion::kFetch && caller != nullptr && caller->part == TorchPart::kFetch &&
      CollatesFrom(rows_[*parent])) {
    of.region = StackRegion::kCollate;
    return;
  }
  of.region = Enter(of.region, frame, caller, strings_.Text(rows_[row].function));
}

// Which functions run layers or train, at whatever depth.
void Classifier::FindLayers() {
  std::vector<bool> runs(rows_.size(), false), calls(rows_.size(), false);
  std::vector<bool> holds_training(rows_.size(), false);
  for (size_t i = rows_.size(); i-- > 0;) {  // callees come after their callers
    Function& frame = functions_[function_of_row_[i]];
    const auto parent = ParentOf(i);
    if (parent) calls[*parent] = true;
    const bool named = IsTransform(frame) || (frame.match && frame.match->by_own_name);
    const bool called = parent && IsModuleCall(functions_[function_of_row_[*parent]]);
    const bool layer = IsModuleCall(frame) ? !calls[i] : called && !named;
    const bool trains = frame.part == TorchPart::kBackward || frame.part == TorchPart::kOptimizer;
    holds_training[i] = holds_training[i] || trains;
    if (holds_training[i]) frame.seen.holds_training = true;
    if (holds_training[i] && parent) holds_training[*parent] = true;
    runs[i] = runs[i] || layer || trains;
    if (!runs[i]) continue;
    frame.seen.runs_layer = true;
    if (parent) runs[*parent] = true;
  }
}

// A function of the script's that is called so, or a library's transform, outside of the model and
// of a fetch.
bool Classifier::Augments(size_t row, const Function& frame,
                          const std::vector<StackClass>& classes) {
  const auto parent = ParentOf(row);
  const StackRegion from = parent ? classes[*parent].region : StackRegion::kElsewhere;
  const bool outside = from == StackRegion::kElsewhere || from == StackRegion::kFramework;
  const bool at_module = parent && at_module_[*parent];
  at_module_[row] = IsModuleCall(frame) && (outside || at_module);
  if (parent && in_augment_[*parent]) return true;
  return (outside || at_module) && (IsTransform(frame) || IsOwn(frame, WorkStage::kAugmentation));
}

// A call that was seen in C, and from the same line as Python's: the thread waits there for the
// interpreter, before that function or behind it, and it is that function's time.
void Classifier::FindFunctions() {
  function_of_row_.resize(rows_.size());
  std::set<std::pair<size_t, std::string_view>> in_c;  // caller and name
  const auto key_of = [this](size_t row, size_t parent) {
    return std::pair(parent, ShortFunction(strings_.Text(rows_[row].function)));
  };
  for (size_t i = 0; i < rows_.size(); ++i) {
    const bool built_in =
        FunctionOf(rows_[i], &function_of_row_[i]).place.origin == CodeOrigin::kBuiltIn;
    const auto parent = ParentOf(i);
    if (built_in && parent) in_c.insert(key_of(i, *parent));
  }
  if (in_c.empty()) return;
  std::map<std::pair<size_t, std::string_view>, size_t> in_python;
  const auto is_built_in = [this](size_t row) {
    return functions_[function_of_row_[row]].place.origin == CodeOrigin::kBuiltIn;
  };
  for (size_t i = 0; i < rows_.size(); ++i) {
    const auto parent = ParentOf(i);
    if (!parent || is_built_in(i) || !in_c.contains(key_of(i, *parent))) continue;
    in_python.emplace(key_of(i, *parent), function_of_row_[i]);
  }
  for (size_t i = 0; i < rows_.size(); ++i) {
    const auto parent = ParentOf(i);
    if (!parent || !is_built_in(i)) continue;
    const auto found = in_python.find(key_of(i, *parent));
    if (found != in_python.end()) function_of_row_[i] = found->second;
  }
}

// A library that calls what the script gave it (`@logger.catch`, patches of whole trainings) writes
// no log with that; a function of the script's that logs does with all that it calls.
void Classifier::FindLog(size_t row, const Function& frame) {
  const auto parent = ParentOf(row);
  const bool own = frame.place.origin == CodeOrigin::kUser;
  const bool logs = frame.match && frame.match->stage == WorkStage::kLogging &&
                    !frame.seen.holds_training &&
                    !(frame.match->by_own_name && frame.seen.runs_layer);
  const bool of_own = parent && own_log_[*parent] && !frame.seen.holds_training;
  in_log_[row] = logs || of_own || (parent && in_log_[*parent] && !own);
  own_log_[row] = of_own || (logs && own && !(parent && in_log_[*parent]));
}

// A function that a loop has its batches from, by whatever generators lie between.
void Classifier::FindPreparing(const std::vector<StackClass>& classes) {
  std::vector<bool> prepares(rows_.size(), false);
  for (size_t i = rows_.size(); i-- > 0;) {  // callees come after their callers
    Function& frame = functions_[function_of_row_[i]];
    const auto parent = ParentOf(i);
    const bool known = frame.match && !frame.match->by_own_name &&
                       IsPreparing(frame.match->stage) &&
                       CountsInLoop(*frame.match, frame, in_thread_[i]);
    const bool elsewhere = classes[i].region == StackRegion::kElsewhere && !in_log_[i];
    prepares[i] = elsewhere && (prepares[i] || known);
    if (!prepares[i]) continue;
    if (frame.place.origin == CodeOrigin::kUser) frame.seen.prepares = true;
    if (parent) prepares[*parent] = true;
  }
}

std::vector<StackClass> Classifier::Run() {
  std::vector<StackClass> classes(rows_.size());
  FindFunctions();
  in_thread_.resize(rows_.size());
  in_log_.resize(rows_.size());
  own_log_.resize(rows_.size());
  in_copy_.resize(rows_.size());
  at_module_.resize(rows_.size());
  in_augment_.resize(rows_.size());
  FindLayers();
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Function& frame = functions_[function_of_row_[i]];
    const auto parent = ParentOf(i);
    in_thread_[i] =
        parent ? in_thread_[*parent]
               : frame.place.origin == CodeOrigin::kStandard && frame.place.module == "threading";
    FindLog(i, frame);
    in_copy_[i] =
        frame.copies || (parent && in_copy_[*parent] && frame.place.origin != CodeOrigin::kUser);
    if (parent) classes[i].region = classes[*parent].region;
    in_augment_[i] = Augments(i, frame, classes);
    FindRegion(i, frame, classes[i]);
    if (!parent) continue;
    const size_t caller = function_of_row_[*parent];
    if (frame.leaf.reads) functions_[caller].seen.reads = true;
    if (frame.saves) functions_[caller].seen.saves = true;
    if (!Below(frame.place.module, "torch")) continue;
    functions_[caller].seen.calls_torch = true;
    if (frame.part == TorchPart::kInside) model_lines_.insert({caller, rows_[*parent].line});
  }
  MarkLoops(classes);
  FindPreparing(classes);
  for (size_t i = 0; i < rows_.size(); ++i) {
    const StackRegion region = classes[i].region;
    if (const auto parent = ParentOf(i)) classes[i] = classes[*parent];
    // What was called outside of a batch says nothing of the work in it.
    if (region == StackRegion::kFetch && classes[i].region != region) classes[i] = {};
    classes[i].region = region;
    classes[i].around.copies = in_copy_[i];
    AddStage(i, classes[i]);
    AddNames(i, classes[i]);
  }
  return classes;
}

}  // namespace

std::vector<store::StackRow> StacksByNumber(std::span<const store::StackRow> rows) {
  std::vector<store::StackRow> ordered(rows.size());
  for (const store::StackRow& row : rows) {
    const bool fits = row.stack >= 0 && static_cast<size_t>(row.stack) < ordered.size();
    if (fits) ordered[static_cast<size_t>(row.stack)] = row;
  }
  return ordered;
}

std::vector<StackClass> ClassifyStacks(std::span<const store::StackRow> rows,
                                       const store::StringTable& strings, const StageTable& table,
                                       const CollateCalls& collates) {
  return Classifier(rows, strings, table, collates).Run();
}

}  // namespace steptrace::analyze
