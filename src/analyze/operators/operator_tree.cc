// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/operator_tree.h"

#include <algorithm>
#include <array>

#include "analyze/operators/vector_index.h"
#include "analyze/trace/tensor_cores.h"

namespace steptrace::analyze {
namespace {

// What becomes a node of the tree of calls.
bool IsNode(EventKind kind) {
  return kind == EventKind::kOperator || kind == EventKind::kAnnotation || kind == EventKind::kStep;
}

// An answer per text, found once per text that is asked for.
template <class Predicate>
class PerText {
 public:
  PerText(const store::StringTable& strings, Predicate predicate)
      : strings_(strings), predicate_(predicate), known_(At(strings.size()), kUnknown) {}

  bool operator()(store::StringId id) {
    uint8_t& known = known_[static_cast<size_t>(id)];
    if (known == kUnknown) known = predicate_(strings_.Text(id)) ? 1 : 0;
    return known == 1;
  }

 private:
  static constexpr uint8_t kUnknown = 2;
  const store::StringTable& strings_;
  Predicate predicate_;
  std::vector<uint8_t> known_;
};

// An operator with a single nested node of its own name is one call with it.
std::vector<int32_t> FindCalls(const std::vector<TraceEvent>& host) {
  std::vector<int32_t> node(host.size(), kNone);  // nearest node around
  std::vector<int32_t> nested(host.size(), 0);    // nodes directly in it
  for (size_t i = 0; i < host.size(); ++i) {
    const int32_t parent = host[i].parent;
    if (parent == kNone) continue;
    node[i] = IsNode(host[At(parent)].kind) ? parent : node[At(parent)];
    if (node[i] != kNone && IsNode(host[i].kind)) ++nested[At(node[i])];
  }
  std::vector<int32_t> call(host.size());
  for (size_t i = 0; i < host.size(); ++i) {
    call[i] = static_cast<int32_t>(i);
    if (host[i].kind != EventKind::kOperator || node[i] == kNone) continue;
    const TraceEvent& outer = host[At(node[i])];
    if (outer.kind == EventKind::kOperator && outer.name == host[i].name &&
        nested[At(node[i])] == 1) {
      call[i] = call[At(node[i])];
    }
  }
  return call;
}

// Nested events come by begin, so the part that an earlier one covered ends at `covered`: those
// that overlap by the rounding of their times cut once.
std::vector<int64_t> FindSelfTimes(const std::vector<TraceEvent>& host,
                                   const std::vector<int32_t>& call) {
  const auto cuts = [&](size_t i) {
    return host[i].kind == EventKind::kRuntime ||
           (IsNode(host[i].kind) && call[i] == static_cast<int32_t>(i));
  };
  std::vector<int64_t> self(host.size());
  std::vector<int32_t> around(host.size(), kNone);
  std::vector<int64_t> covered(host.size());
  for (size_t i = 0; i < host.size(); ++i) {
    const TraceEvent& event = host[i];
    self[i] = event.dur_ns;
    covered[i] = event.ts_ns;
    if (event.parent == kNone) continue;
    around[i] = cuts(At(event.parent)) ? event.parent : around[At(event.parent)];
    if (around[i] == kNone || !cuts(i)) continue;
    const size_t outer = At(around[i]);
    self[outer] -= std::max<int64_t>(0, event.end_ns() - std::max(event.ts_ns, covered[outer]));
    covered[outer] = std::max(covered[outer], event.end_ns());
  }
  return self;
}

// Parents precede what nests in them: backwards, each is complete when it is added.
void AddToParents(const std::vector<TraceEvent>& host, OperatorTree& tree) {
  for (size_t i = host.size(); i-- > 0;) {
    if (host[i].parent == kNone) continue;
    const size_t parent = At(host[i].parent);
    tree.tensor_eligible[parent] |= tree.tensor_eligible[i];
    if (tree.launched_index[i] == kNone) continue;
    const LaunchedTimes& times = tree.launched[At(tree.launched_index[i])];
    LaunchedTimes& outer = tree.launched[At(tree.launched_index[parent])];
    outer.device_total_ns += times.device_total_ns;
    outer.kernel_total_ns += times.kernel_total_ns;
    outer.tensor_total_ns += times.tensor_total_ns;
  }
}

// The host event that owns the device's time, or kNone.
int32_t OwnerOf(const OperatorTree& tree, const TraceEvent& event) {
  const int32_t launcher = event.op != kNone ? event.op : event.launch;
  return !IsDeviceWork(event) || launcher == kNone ? kNone : tree.call[At(launcher)];
}

// Numbers the events that launched something, and all around them.
void FindLaunched(const RankTrace& rank, OperatorTree& tree) {
  tree.launched_index.assign(rank.host.size(), kNone);
  int32_t count = 0;
  for (const TraceEvent& event : rank.device) {
    for (int32_t i = OwnerOf(tree, event); i != kNone && tree.launched_index[At(i)] == kNone;
         i = rank.host[At(i)].parent) {
      tree.launched_index[At(i)] = count++;
    }
  }
  tree.launched.resize(At(count));
}

void AddDeviceTimes(const Trace& trace, const RankTrace& rank, const TensorCorePatterns& patterns,
                    OperatorTree& tree) {
  PerText uses_tensor_cores(*trace.strings, [&patterns](const std::string& kernel) {
    return UsesTensorCores(kernel, patterns);
  });
  FindLaunched(rank, tree);
  for (const TraceEvent& event : rank.device) {
    const int32_t owner = OwnerOf(tree, event);
    if (owner == kNone) continue;
    LaunchedTimes& times = tree.launched[At(tree.launched_index[At(owner)])];
    times.device_self_ns += event.dur_ns;
    if (event.kind != EventKind::kKernel) continue;
    times.kernel_self_ns += event.dur_ns;
    if (uses_tensor_cores(event.name)) times.tensor_self_ns += event.dur_ns;
  }
  for (LaunchedTimes& times : tree.launched) {
    times.device_total_ns = times.device_self_ns;
    times.kernel_total_ns = times.kernel_self_ns;
    times.tensor_total_ns = times.tensor_self_ns;
  }
}

void MarkOperators(const Trace& trace, const RankTrace& rank, OperatorTree& tree) {
  PerText could_use(*trace.strings, CouldUseTensorCores);
  PerText left_out(*trace.strings, IsLeftOut);
  tree.listed.resize(rank.host.size());
  tree.tensor_eligible.resize(rank.host.size());
  for (size_t i = 0; i < rank.host.size(); ++i) {
    const TraceEvent& event = rank.host[i];
    if (event.kind != EventKind::kOperator) continue;
    tree.listed[i] = tree.call[i] == static_cast<int32_t>(i) && !left_out(event.name);
    tree.tensor_eligible[i] = could_use(event.name) || tree.LaunchedBy(i).tensor_self_ns > 0;
  }
}

}  // namespace

OperatorTree BuildOperatorTree(const Trace& trace, const RankTrace& rank,
                               const TensorCorePatterns& patterns) {
  OperatorTree tree;
  tree.call = FindCalls(rank.host);
  tree.host_self_ns = FindSelfTimes(rank.host, tree.call);
  AddDeviceTimes(trace, rank, patterns, tree);
  MarkOperators(trace, rank, tree);
  AddToParents(rank.host, tree);
  return tree;
}

std::vector<OperatorTree> BuildOperatorTrees(const Trace& trace,
                                             const TensorCorePatterns& patterns) {
  std::vector<OperatorTree> trees;
  trees.reserve(trace.ranks.size());
  for (const RankTrace& rank : trace.ranks) {
    trees.push_back(BuildOperatorTree(trace, rank, patterns));
  }
  return trees;
}

bool CouldUseTensorCores(std::string_view operator_name) {
  static constexpr std::array kOperators = {
      // products
      "aten::linear", "aten::addmm", "aten::mm", "aten::bmm", "aten::baddbmm", "aten::addbmm",
      "aten::matmul", "aten::mv", "aten::addmv", "aten::addr", "aten::chain_matmul",
      "aten::linalg_multi_dot", "aten::linalg_vecdot", "aten::einsum", "aten::prelu",
      "aten::_addmm_activation", "aten::_scaled_mm", "aten::_scaled_grouped_mm",
      "aten::_grouped_mm", "aten::_int_mm", "aten::linear_backward", "aten::matmul_backward",
      // convolutions
      "aten::conv1d", "aten::conv2d", "aten::conv3d", "aten::conv_tbc", "aten::conv_transpose1d",
      "aten::conv_transpose2d", "aten::conv_transpose3d", "aten::convolution", "aten::_convolution",
      "aten::cudnn_convolution", "aten::cudnn_convolution_transpose",
      "aten::cudnn_convolution_relu", "aten::cudnn_convolution_add_relu",
      "aten::cudnn_convolution_backward", "aten::cudnn_convolution_backward_input",
      "aten::cudnn_convolution_backward_weight", "aten::cudnn_convolution_transpose_backward",
      "aten::cudnn_convolution_transpose_backward_input",
      "aten::cudnn_convolution_transpose_backward_weight", "aten::miopen_convolution",
      "aten::miopen_convolution_transpose", "aten::convolution_backward",
      "aten::convolution_overrideable",
      // recurrent cells
      "aten::lstm_cell", "aten::gru_cell", "aten::rnn_tanh_cell", "aten::rnn_relu_cell",
      "aten::_thnn_fused_lstm_cell", "aten::_thnn_fused_gru_cell", "aten::_cudnn_rnn",
      "aten::_cudnn_rnn_backward", "aten::miopen_rnn",
      // attention
      "aten::scaled_dot_product_attention", "aten::_scaled_dot_product_flash_attention",
      "aten::_scaled_dot_product_flash_attention_backward",
      "aten::_scaled_dot_product_efficient_attention",
      "aten::_scaled_dot_product_efficient_attention_backward",
      "aten::_scaled_dot_product_cudnn_attention",
      "aten::_scaled_dot_product_cudnn_attention_backward", "aten::_flash_attention_forward",
      "aten::_flash_attention_backward", "aten::_efficient_attention_forward",
      "aten::_efficient_attention_backward", "aten::_cudnn_attention_forward",
      "aten::_native_multi_head_attention"};
  return std::find(kOperators.begin(), kOperators.end(), operator_name) != kOperators.end();
}

bool IsLeftOut(std::string_view operator_name) {
  return operator_name == "DataParallel.forward" ||
         operator_name == "DistributedDataParallel.forward" ||
         operator_name.starts_with("Optimizer.");
}

}  // namespace steptrace::analyze
