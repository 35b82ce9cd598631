// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/framework_advice.h"

#include <optional>
#include <utility>

#include "analyze/verdict/evidence.h"
#include "analyze/verdict/slow_calls.h"
#include "analyze/verdict/unbegun_work.h"

namespace steptrace::analyze {
namespace {

Advice Text(const char* text) {
  Advice advice;
  advice.text = text;
  return advice;
}

// Between operators, and from them to the device.
Advice AdviseDispatch(const VerdictInput& input) {
  const bool on_host = input.dispatch != nullptr || (input.profiled && !SawDeviceWork(input));
  if (!on_host) {
    return Text(
        "the host does not keep the device busy: fuse operators or replay them as a graph "
        "(torch.compile(mode=\"reduce-overhead\"), CUDA graphs), use fused or foreach optimizers, "
        "or give each kernel more to do (larger batches)");
  }
  if (input.compiled) {
    return Text(
        "the operators are small against the way to each, torch.compile at work as it is: look "
        "for what it leaves out (TORCH_LOGS=graph_breaks), give each more to do (a larger batch), "
        "and step all parameters at once (optimizers with fused=True or foreach=True)");
  }
  return Text(
      "the operators are small against the way to each: fuse them (torch.compile(model)), give "
      "each more to do (a larger batch), and step all parameters at once (optimizers with "
      "fused=True or foreach=True)");
}

}  // namespace

std::vector<Advice> AdviseFramework(const VerdictInput& input,
                                    const std::function<bool(SubStage)>& worth) {
  std::vector<Advice> advice;
  if (worth(SubStage::kGarbageCollection)) {
    advice.push_back(
        Text("call gc.freeze() once before the loop and gc.disable(), then gc.collect() every few "
             "hundred steps, and not more often by the script's own calls: garbage collection runs "
             "inside the steps"));
  }
  if (worth(SubStage::kRecompilation)) {
    advice.push_back(
        Text("torch.compile compiles anew during training: keep shapes fixed (drop_last, padding) "
             "or pass dynamic=True; TORCH_LOGS=recompiles says why"));
  }
  // The larger first.
  if (advice.size() == 2 && At(input.times.total(), SubStage::kRecompilation) >
                                At(input.times.total(), SubStage::kGarbageCollection)) {
    std::swap(advice[0], advice[1]);
  }
  auto slow = worth(SubStage::kLaunch) ? AdviseSlowCalls(input) : std::nullopt;
  if (slow) {
    advice.push_back(*std::move(slow));
  } else if (worth(SubStage::kDispatch) || worth(SubStage::kLaunch)) {
    advice.push_back(AdviseDispatch(input));
  }
  if (worth(SubStage::kSynchronisation)) {
    advice.push_back(
        IsUnbegunWork(input)
            ? Text(kUnbegunWorkAdvice)
            : Text("let the host run ahead: no .item(), .cpu(), print of a tensor or "
                   "torch.cuda.synchronize() in every step; copies with non_blocking=True"));
  }
  return advice;
}

}  // namespace steptrace::analyze
