// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/stage_advice.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "analyze/code/code_place.h"
#include "analyze/code/function_text.h"
#include "analyze/verdict/questions.h"
#include "analyze/verdict/thresholds.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

// Of a database's own: "self.con.execute", "cursor.fetchone".
bool Queries(const StageFunction* function) {
  if (function == nullptr) return false;
  const std::string_view name = ShortFunction(function->call);
  return name == "execute" || name == "fetchone" || name == "fetchmany" || name == "fetchall";
}

model::Finding Decode(const StageFunction* function, const std::string& name) {
  if (Queries(function)) return Make(finding::DataQueryLess{.function = name});
  return Make(finding::DataDecodeLess{.function = name});
}

model::Finding Augment(const std::string& name, bool uses_device) {
  if (uses_device) return Make(finding::DataAugmentOnDevice{.function = name});
  return Make(finding::DataAugmentVectorised{.function = name});
}

model::Finding DatasetCode(const VerdictInput& input, const StageFunction* function,
                           const std::string& name) {
  const SampledWaits& waits = input.waits;
  if (std::max(waits.of_dataset, waits.of_makers) >= kMostlyWaits) {
    return Make(finding::DataAskEarlier{.function = name});
  }
  if (function != nullptr && !waits.awaited.empty() &&
      FunctionText(*function) == FunctionText(waits.awaited.front())) {
    return Make(finding::DataCheaperAwaited{.function = AwaitedText(*function)});
  }
  const auto& sampler = waits.sampler;
  if (function != nullptr && std::any_of(sampler.begin(), sampler.end(), [&](const auto& one) {
        return IsSameLine(one, *function);
      })) {
    return Make(finding::DataCheaperSamplerCode{.function = name});
  }
  return Make(finding::DataCheaperCode{.function = name});
}

// Of a pool, a future or a queue, and of no lock.
bool TakesResult(const StageFunction* function) {
  constexpr std::array<std::string_view, 9> kCalls = {
      "result", "result_iterator", "get", "map", "starmap", "imap", "next", "__next__", "Parallel"};
  return function != nullptr && !function->in_c && !function->call.empty() &&
         std::find(kCalls.begin(), kCalls.end(),
                   ShortFunction(EnclosingFunction(function->call))) != kCalls.end();
}

model::Finding Lock(const VerdictInput& input, const StageFunction* function,
                    const std::string& name) {
  if (TakesResult(function)) {
    return Make(finding::DataCheaperHelpers{.function = name});
  }
  const LoaderFact* loader = TrainingLoader(input.facts);
  if (loader != nullptr && loader->workers == 0) {
    return Make(finding::DataHoldLockLess{.function = name});
  }
  return Make(finding::DataShareLess{.function = name});
}

}  // namespace

std::optional<model::Finding> AdviseSampledStage(const VerdictInput& input, SubStage stage,
                                                 bool uses_device) {
  const StageFunction* function = LargestFunction(input, stage);
  const std::string name = function == nullptr ? "" : FunctionText(*function);
  switch (stage) {
    case SubStage::kDecode:
      return Decode(function, name);
    case SubStage::kAugmentation:
      return Augment(name, uses_device);
    case SubStage::kTokenise:
      return Make(finding::DataTokeniseAhead{.function = name});
    case SubStage::kDatasetCode:
      return DatasetCode(input, function, name);
    case SubStage::kLock:
      return Lock(input, function, name);
    case SubStage::kCopy:
      return Make(finding::DataCopyLess{.function = name});
    case SubStage::kLoopCode:
      return Make(finding::StepComputeLess{.function = name});
    // Of what the loader itself does, and of waits for it, Adviser knows more than the stage.
    case SubStage::kStorageRead:
    case SubStage::kGetitem:
    case SubStage::kCollate:
    case SubStage::kReceive:
    case SubStage::kCpuShortage:
    case SubStage::kWorkerStart:
    case SubStage::kHostToDevice:
    // Of the other suspects no stage needs a remedy of its own.
    case SubStage::kForward:
    case SubStage::kBackward:
    case SubStage::kOptimizer:
    case SubStage::kCompute:
    case SubStage::kDeviceCopy:
    case SubStage::kExposed:
    case SubStage::kStraggler:
    case SubStage::kGarbageCollection:
    case SubStage::kRecompilation:
    case SubStage::kDispatch:
    case SubStage::kLaunch:
    case SubStage::kSynchronisation:
    case SubStage::kCheckpoint:
    case SubStage::kEvaluation:
    case SubStage::kLogging:
    case SubStage::kCapture:
    case SubStage::kUnknown:
      break;
  }
  return std::nullopt;
}

}  // namespace steptrace::analyze
