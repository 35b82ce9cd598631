// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/trace/tensor_cores.h"
#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// Who of a rank's host events called whom, and what time each owns: what the views of operators,
// memory and modules share. One entry per event of RankTrace::host in each vector, but for the
// times of the device: most host events launched nothing. A value.
//
// The rules are those of torch-tb-profiler:
// * An operator whose only nested operator or annotation is an operator of the same name is one
//   call with it; a chain of them is one call too.
// * Own time of an operator: its duration less what operators, annotations and runtime calls that
//   nest in it cover. Python functions and the profiler's overhead do not cut.
// * Device time of an operator: that of the kernels, copies and fills that it or what nests in it
//   launched; its own: that launched by it alone.
struct LaunchedTimes {
  int64_t device_self_ns = 0;
  int64_t device_total_ns = 0;  // with all that nests in it
  int64_t kernel_self_ns = 0;   // of those, kernels: copies have no part in shares of
  int64_t kernel_total_ns = 0;  // tensor cores
  int64_t tensor_self_ns = 0;   // of those, kernels on tensor cores
  int64_t tensor_total_ns = 0;
};

struct OperatorTree {
  std::vector<int32_t> call;          // the event itself, or the call that it is one with
  std::vector<int64_t> host_self_ns;  // of events that are their own call
  // By the event that launched: operator or annotation, else the runtime call.
  std::vector<int32_t> launched_index;  // in launched; kNone: neither it nor what nests in it did
  std::vector<LaunchedTimes> launched;
  std::vector<uint8_t> tensor_eligible;  // the operator, or one nested in it, could use them
  std::vector<uint8_t> listed;           // a call that the table of operators shows

  LaunchedTimes LaunchedBy(size_t event) const {
    const int32_t index = launched_index[event];
    return index == kNone ? LaunchedTimes() : launched[static_cast<size_t>(index)];
  }
};

OperatorTree BuildOperatorTree(const Trace& trace, const RankTrace& rank,
                               const TensorCorePatterns& patterns = {});

// One a rank, in the order of Trace::ranks.
std::vector<OperatorTree> BuildOperatorTrees(const Trace& trace,
                                             const TensorCorePatterns& patterns = {});

// Whether mixed precision would bring an operator onto tensor cores: products, convolutions,
// recurrent cells and attention. After the operators that torch.autocast runs in half precision.
bool CouldUseTensorCores(std::string_view operator_name);

// Wrappers that the view of operators leaves out.
bool IsLeftOut(std::string_view operator_name);

}  // namespace steptrace::analyze
