// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/frame_words.h"

#include <algorithm>
#include <array>
#include <span>

#include "analyze/code/glob.h"
#include "analyze/code/packages.h"

namespace steptrace::analyze {
bool Below(std::string_view module, std::string_view of) {
  return module.starts_with(of) && (module.size() == of.size() || module[of.size()] == '.');
}

namespace {

bool BelowAny(std::string_view module, std::span<const std::string_view> of) {
  return std::any_of(of.begin(), of.end(),
                     [&](std::string_view one) { return Below(module, one); });
}

// Frames that only pass on to the code that they decorate or start.
bool PassesOn(std::string_view module) {
  constexpr std::array<std::string_view, 9> kModules = {"torch.utils._contextlib",
                                                        "torch.autograd.grad_mode",
                                                        "torch.autograd.profiler",
                                                        "torch.profiler",
                                                        "torch.amp",
                                                        "torch.cuda.amp",
                                                        "torch.distributed.run",
                                                        "torch.distributed.elastic",
                                                        "torch.multiprocessing.spawn"};
  return BelowAny(module, kModules);
}

// What torch.func puts around a function that it transforms: vmap, grad, functional_call.
bool IsTransform(std::string_view module) {
  return Below(module, "torch._functorch") || Below(module, "torch.nn.utils.stateless");
}

// Parts of torch that are not the model: loaders, saving, collectives.
bool StandsAround(std::string_view module) {
  constexpr std::array<std::string_view, 4> kModules = {"torch.utils.data", "torch.serialization",
                                                        "torch.distributed.checkpoint",
                                                        "torch.distributed.distributed_c10d"};
  return BelowAny(module, kModules);
}

// What keeps the books of a module, and computes nothing: an average of the weights that a script
// takes by itself goes through it.
bool KeepsBooks(std::string_view module, std::string_view function) {
  constexpr std::array<std::string_view, 13> kNames = {
      "state_dict",    "_save_to_state_dict", "load_state_dict", "_load_from_state_dict",
      "parameters",    "named_parameters",    "buffers",         "named_buffers",
      "modules",       "named_modules",       "children",        "named_children",
      "_named_members"};
  return (module == "torch.nn.modules.module" || Below(module, "torch.optim.swa_utils")) &&
         (Below(module, "torch.optim") ||
          std::find(kNames.begin(), kNames.end(), ShortFunction(function)) != kNames.end());
}

}  // namespace

bool GoesOver(std::string_view module, std::string_view function) {
  constexpr std::array<std::string_view, 6> kNames = {"__iter__", "__len__",    "__contains__",
                                                      "__repr__", "__format__", "__array__"};
  return Below(module, "torch._tensor_str") ||
         (module == "torch._tensor" &&
          std::find(kNames.begin(), kNames.end(), ShortFunction(function)) != kNames.end());
}

bool IsFramework(std::string_view module) {
  return BelowAny(module, FrameworkPackages());
}

bool HasNoTensors(const CodePlace& place) {
  const bool may = place.origin == CodeOrigin::kStandard || place.origin == CodeOrigin::kLibrary ||
                   place.origin == CodeOrigin::kBuiltIn;
  return may && BelowAny(place.module, PackagesWithoutTensors());
}

bool OnlyPassesOn(std::string_view module, std::string_view function) {
  constexpr std::array<std::string_view, 6> kNames = {
      "_wrapped_call_impl", "_call_impl",       "wrapper",
      "_use_grad",          "decorate_context", "_no_grad_wrapper"};
  const bool of_package = Below(module, "torch") || IsFramework(module);
  return of_package &&
         (PassesOn(module) || IsTransform(module) || Below(module, "torch._compile") ||
          (Below(module, "torch._dynamo.eval_frame") && ShortFunction(function) == "_fn") ||
          (Below(module, "torch._tensor") && ShortFunction(function) == "wrapped") ||
          std::find(kNames.begin(), kNames.end(), ShortFunction(function)) != kNames.end());
}

bool Copies(const CodePlace& place) {
  return place.origin == CodeOrigin::kStandard &&
         (place.module == "copy" || place.module == "pickle");
}

TorchPart PartOf(std::string_view module, std::string_view function) {
  if (!Below(module, "torch")) return TorchPart::kNoPart;
  if (Below(module, "torch.utils.tensorboard")) return TorchPart::kNoPart;  // a library by itself
  if (Below(module, "torch.utils.data._utils.fetch")) return TorchPart::kFetch;
  if (Below(module, "torch.utils.data._utils.collate")) return TorchPart::kCollate;
  if (StandsAround(module)) return TorchPart::kAround;
  if (KeepsBooks(module, function) || GoesOver(module, function)) return TorchPart::kThrough;
  if (Below(module, "torch.optim")) return TorchPart::kOptimizer;
  if (PassesOn(module)) return TorchPart::kThrough;
  if (module == "torch.autograd" || module == "torch.autograd.graph" ||
      (module == "torch._tensor" && function == "Tensor.backward")) {
    return TorchPart::kBackward;  // a Function of the script's own may be called in forward
  }
  return TorchPart::kInside;
}

bool Holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool TakesOver(std::string_view module, std::string_view function) {
  constexpr std::array<std::string_view, 7> kModules = {"queue",
                                                        "multiprocessing.queues",
                                                        "multiprocessing.pool",
                                                        "multiprocessing.connection",
                                                        "joblib",
                                                        "concurrent.futures",
                                                        "ray"};
  constexpr std::array<std::string_view, 14> kCalls = {
      "get",  "recv", "poll",     "wait",   "map",          "starmap",         "apply",
      "imap", "next", "__next__", "result", "as_completed", "result_iterator", "Parallel"};
  const std::string_view name = ShortFunction(function);
  return std::any_of(kModules.begin(), kModules.end(),
                     [&](std::string_view one) { return Below(module, one); }) &&
         std::any_of(kCalls.begin(), kCalls.end(),
                     [&](std::string_view one) { return name.starts_with(one); });
}

bool AwaitsSignal(std::string_view module, std::string_view function) {
  const std::string_view name = ShortFunction(function);
  return module == "threading" && (name == "wait" || name == "wait_for");
}

bool IsRequest(std::string_view module, std::string_view function) {
  return (Below(module, "multiprocessing.connection") &&
          ShortFunction(function).starts_with("send")) ||
         (Below(module, "asyncio") && function == "run_coroutine_threadsafe");
}

bool RunsCompiled(std::string_view module, std::string_view function) {
  if (Below(module, "torch._dynamo.eval_frame")) {
    return function.starts_with("OptimizedModule.") || function.ends_with("compile_wrapper");
  }
  return Below(module, "torch._functorch._aot_autograd") && Holds(function, "CompiledFunction.");
}

bool SoundsLikeEvaluation(std::string_view function) {
  constexpr std::array<std::string_view, 9> kNames = {
      "*evaluat*", "*validat*", "valid", "valid_*", "eval", "eval_*", "*_eval", "test", "test_*"};
  const std::string_view name = ShortFunction(function);
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view one) { return FitsGlob(name, one); });
}

bool SoundsLikeSaving(std::string_view function) {
  constexpr std::array<std::string_view, 6> kNames = {"save",  "save_*",       "*_save",
                                                      "dump*", "*checkpoint*", "*snapshot*"};
  const std::string_view name = ShortFunction(function);
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view one) { return FitsGlob(name, one); });
}

}  // namespace steptrace::analyze
