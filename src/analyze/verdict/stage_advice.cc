// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/stage_advice.h"

#include <algorithm>
#include <array>
#include <iterator>
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

// Of a pool, a future or a queue, and of no lock.
bool TakesResult(const StageFunction* function) {
  constexpr std::array<std::string_view, 9> kCalls = {
      "result", "result_iterator", "get", "map", "starmap", "imap", "next", "__next__", "Parallel"};
  return function != nullptr && !function->in_c && !function->call.empty() &&
         std::find(kCalls.begin(), kCalls.end(),
                   ShortFunction(EnclosingFunction(function->call))) != kCalls.end();
}

}  // namespace

model::Finding AdviseDecode(const StageFunction* function) {
  const model::PlacedText name = FunctionText(function);
  if (Queries(function)) return Make(finding::DataQueryLess{.function = name});
  return Make(finding::DataDecodeLess{.function = name});
}

model::Finding AdviseAugmentation(const StageFunction* function, bool uses_device) {
  const model::PlacedText name = FunctionText(function);
  if (uses_device) return Make(finding::DataAugmentOnDevice{.function = name});
  return Make(finding::DataAugmentVectorised{.function = name});
}

model::Finding AdviseDatasetCode(const VerdictInput& input, const StageFunction* function) {
  const model::PlacedText name = FunctionText(function);
  const SampledWaits& waits = input.waits;
  if (std::max(waits.of_dataset, waits.of_makers) >= kMostlyWaits) {
    return Make(finding::DataAskEarlier{.function = name});
  }
  if (function != nullptr && !waits.awaited.empty() &&
      FunctionText(*function).value == FunctionText(waits.awaited.front()).value) {
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

model::Finding AdviseLock(const VerdictInput& input, const StageFunction* function) {
  const model::PlacedText name = FunctionText(function);
  if (TakesResult(function)) {
    return Make(finding::DataCheaperHelpers{.function = name});
  }
  const LoaderFact* loader = TrainingLoader(input.facts);
  // One that makes all batches waits for none of the others.
  constexpr double kOneAtWork = 1.5;
  const auto& at_work = input.waits.workers_at_work;
  if ((loader != nullptr && loader->workers == 0) || (at_work && *at_work < kOneAtWork)) {
    return Make(finding::DataHoldLockLess{.function = name});
  }
  return Make(finding::DataShareLess{.function = name});
}

bool MayGrowByCode(SubStage stage) {
  constexpr SubStage kOthers[] = {
      SubStage::kStorageRead,   SubStage::kLock,         SubStage::kCpuShortage,
      SubStage::kWorkerStart,   SubStage::kHostToDevice, SubStage::kCompute,
      SubStage::kDeviceCopy,    SubStage::kExposed,      SubStage::kStraggler,
      SubStage::kRecompilation, SubStage::kLaunch,       SubStage::kSynchronisation,
      SubStage::kCapture};
  return std::ranges::find(kOthers, stage) == std::end(kOthers);
}

}  // namespace steptrace::analyze
