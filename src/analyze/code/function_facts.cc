// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/function_facts.h"

#include <algorithm>

namespace steptrace::analyze {

namespace {

bool ReadsNumbers(std::string_view method) {
  return method == "item" || method == "tolist";
}

// Those of threading know their own process alone.
bool IsAcrossProcesses(std::string_view module) {
  return Below(module, "multiprocessing") || Below(module, "filelock") ||
         Below(module, "fasteners") || Below(module, "portalocker");
}

}  // namespace

FunctionWords WordsOf(const std::string& file, const std::string& name, const StageTable& table,
                      const CollateCalls& collates) {
  FunctionWords function;
  function.place = PlaceOf(file);
  const std::string& module = function.place.module;
  if (function.place.origin == CodeOrigin::kBuiltIn) {
    // Of torch's too: a tensor that is sorted in a loop is no model.
  } else if (function.place.origin != CodeOrigin::kUser) {
    function.part = PartOf(module, name);
    function.leaf.goes_over = GoesOver(module, name);
    function.framework = IsFramework(module);
    function.passes_on = OnlyPassesOn(module, name);
    function.copies = Copies(function.place);
    function.takes_over = TakesOver(module, name);
    function.on_signal = AwaitsSignal(module, name);
    function.asks = IsRequest(module, name);
    function.runs_compiled = RunsCompiled(module, name);
    function.begins_epoch =
        module == "torch.utils.data.dataloader" && ShortFunction(name) == "__iter__";
    function.exchanges = Below(module, "torch.distributed.distributed_c10d");
    function.leaves =
        module == "torch.utils.data.dataloader" && name == "_MultiProcessingDataLoaderIter.__del__";
  } else {
    function.sounds_like_evaluation = SoundsLikeEvaluation(name);
  }
  function.collates = Holds(ShortFunction(name), "collate") ||
                      std::any_of(collates.names.begin(), collates.names.end(),
                                  [of = name.substr(0, name.rfind(".__call__"))](const auto& one) {
                                    return one == of || one.ends_with("." + of);
                                  });
  function.match = table.Find(function.place, name);
  function.leaf.apart = HasNoTensors(function.place);
  function.leaf.needs_interpreter =
      function.place.origin == CodeOrigin::kUser ||
      (function.place.origin == CodeOrigin::kBuiltIn &&
       (Below(function.place.module, "torch") || Below(function.place.module, "numpy")));
  function.syncs = name == "os.fsync" || name == "os.fdatasync";
  function.saves = module == "torch.serialization" && ShortFunction(name) == "save";
  function.synchronises = function.match && function.match->stage == WorkStage::kLock &&
                          (function.place.origin == CodeOrigin::kBuiltIn || module == "threading" ||
                           Below(module, "multiprocessing.synchronize"));
  function.across =
      function.match && function.match->stage == WorkStage::kLock && IsAcrossProcesses(module);
  function.leaf.collects =
      function.place.origin == CodeOrigin::kBuiltIn && (name == "gc.collect" || name == "collect");
  function.leaf.reads =
      function.place.origin == CodeOrigin::kBuiltIn && ReadsNumbers(ShortFunction(name));
  function.leaf.only_waits =
      function.place.origin == CodeOrigin::kBuiltIn &&
      (name == "time.sleep" || (function.match && function.match->stage == WorkStage::kLock));
  return function;
}

bool IsModuleCall(const Function& frame) {
  return frame.place.module == "torch.nn.modules.module";
}

bool IsTransform(const Function& frame) {
  return frame.match && frame.match->stage == WorkStage::kAugmentation &&
         frame.place.origin == CodeOrigin::kLibrary && !Below(frame.place.module, "numpy");
}

bool IsOwn(const Function& frame, WorkStage stage) {
  return frame.match && frame.match->stage == stage && frame.match->by_own_name &&
         frame.place.origin == CodeOrigin::kUser && !frame.seen.runs_layer;
}

bool CountsInLoop(const StageTable::Match& match, const Function& frame, bool in_thread) {
  using enum WorkStage;
  const std::string& module = frame.place.module;
  // The name of a tensor's method says nothing, and a draw of random numbers is any loop's.
  const bool draws = match.stage == kAugmentation &&
                     (frame.place.origin == CodeOrigin::kBuiltIn ||
                      (!in_thread && (module == "random" || Below(module, "numpy.random"))));
  if (draws || (frame.place.origin == CodeOrigin::kBuiltIn && match.by_own_name)) return false;
  if (match.by_own_name) return !frame.seen.surrounds_model && match.stage != kDecode;
  // A regular expression looks at whatever text there is: a reward does, or who reads settings.
  if (match.stage == kTokenise && !in_thread && (module == "re" || Below(module, "regex"))) {
    return false;
  }
  return match.stage != kStorageRead && match.stage != kCopy;
}

}  // namespace steptrace::analyze
