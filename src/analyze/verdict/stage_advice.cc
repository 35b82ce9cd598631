// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/stage_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "analyze/report/function_text.h"
#include "analyze/samples/code_place.h"
#include "analyze/verdict/evidence.h"

namespace steptrace::analyze {
namespace {

// Of a database's own: "self.con.execute", "cursor.fetchone".
bool Queries(const StageFunction* function) {
  if (function == nullptr) return false;
  const std::string_view name = ShortFunction(function->call);
  return name == "execute" || name == "fetchone" || name == "fetchmany" || name == "fetchall";
}

std::string Decode(const StageFunction* function, const std::string& where) {
  if (Queries(function)) {
    return fmt::format(
        "query the database less{}: index what it searches by, fetch many rows at once, or cache "
        "the result",
        where);
  }
  return fmt::format(
      "decode less{}: let one call serve many samples, decode once and cache the result, or use a "
      "format or decoder that is cheaper to read",
      where);
}

std::string Augment(const std::string& where, bool uses_device) {
  return fmt::format(
      "augment whole batches at once{}{}, or keep what is the same in every epoch", where,
      uses_device ? ", on the device (torchvision.transforms.v2, kornia)" : ", vectorised");
}

std::string Tokenise(const std::string& where) {
  return fmt::format(
      "tokenise ahead of time and store the ids{}, or tokenise batches with a compiled tokeniser "
      "(tokenizers)",
      where);
}

std::string DatasetCode(const VerdictInput& input, const StageFunction* function,
                        const std::string& where) {
  const SampledWaits& waits = input.waits;
  if (std::max(waits.of_dataset, waits.of_makers) >= kMostlyWaits) {
    return fmt::format(
        "the dataset waits more than it computes{}: ask for its data earlier, more of it at once, "
        "or keep it in memory or on a local disk",
        where);
  }
  if (function != nullptr && !waits.awaited.empty() &&
      FunctionText(*function) == FunctionText(waits.awaited.front())) {
    return fmt::format("make cheaper what {} waits for", AwaitedText(*function));
  }
  const auto& sampler = waits.sampler;
  if (function != nullptr && std::any_of(sampler.begin(), sampler.end(), [&](const auto& one) {
        return IsSameLine(one, *function);
      })) {
    return fmt::format(
        "make the sampler cheaper{}: it runs on the training thread, with workers as without; "
        "choose the indices ahead of time, or vectorised",
        where);
  }
  return fmt::format(
      "make the dataset's own code cheaper{}: vectorise it, compute it ahead of time, or cache the "
      "result",
      where);
}

// Of a pool, a future or a queue, and of no lock.
bool TakesResult(const StageFunction* function) {
  constexpr std::array<std::string_view, 9> kCalls = {
      "result", "result_iterator", "get", "map", "starmap", "imap", "next", "__next__", "Parallel"};
  return function != nullptr && !function->in_c && !function->call.empty() &&
         std::find(kCalls.begin(), kCalls.end(),
                   ShortFunction(EnclosingFunction(function->call))) != kCalls.end();
}

std::string Lock(const VerdictInput& input, const StageFunction* function,
                 const std::string& where) {
  if (TakesResult(function)) {
    return fmt::format(
        "the dataset waits for what other threads or processes make{}: have it made ahead of time, "
        "let more of them work at once, or make that work cheaper",
        where);
  }
  const LoaderFact* loader = TrainingLoader(input.facts);
  if (loader != nullptr && loader->workers == 0) {
    return fmt::format(
        "the dataset waits for a lock{}: hold it for less time elsewhere, or give the dataset a "
        "file, connection or cache of its own",
        where);
  }
  return fmt::format(
      "the workers wait for one another{}: give each a file, connection or cache of its own in "
      "place of a shared one behind a lock",
      where);
}

std::string LoopCode(const std::string& where) {
  return fmt::format(
      "the training thread computes beside the model{}: vectorise it, do it less often, or, if it "
      "makes the batches, do it in the dataset, where workers do it beside the training",
      where);
}

}  // namespace

std::optional<std::string> AdviseSampledStage(const VerdictInput& input, SubStage stage,
                                              bool uses_device) {
  const StageFunction* function = LargestFunction(input, stage);
  const std::string where = function == nullptr ? "" : " in " + FunctionText(*function);
  switch (stage) {
    case SubStage::kDecode:
      return Decode(function, where);
    case SubStage::kAugmentation:
      return Augment(where, uses_device);
    case SubStage::kTokenise:
      return Tokenise(where);
    case SubStage::kDatasetCode:
      return DatasetCode(input, function, where);
    case SubStage::kLock:
      return Lock(input, function, where);
    case SubStage::kCopy:
      return fmt::format("copy less{}: hand arrays on as they are, or views of them", where);
    case SubStage::kLoopCode:
      return LoopCode(where);
    default:
      return std::nullopt;
  }
}

}  // namespace steptrace::analyze
