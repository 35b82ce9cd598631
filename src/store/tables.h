// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "store/string_table.h"

// Every table of a run, declared once: the row, and for each column its name, unit and sentence.
// Readers, writers, `steptrace schema` and docs/reference/schema.md come from these declarations.
// The C++ type of a member is the stored type: int32_t, int64_t, double, bool, std::string (utf8),
// StringId (dictionary of utf8), std::optional of those (nullable).
namespace steptrace::store {

enum class Unit { kNone, kNs, kBytes, kCount, kShare, kJson, kSeeMetric };

// What a column of times is a part of, where such columns sum: phases and causes of a step to its
// duration, stages to its data pipeline (step_columns.h).
enum class ColumnPart { kNone, kPhase, kCause, kStage };

template <class Row, class Member>
struct Field {
  const char* name;
  Member Row::*member;
  Unit unit;
  const char* sentence;
  ColumnPart part = ColumnPart::kNone;
};
template <class Row, class Member>  // clang 14 does not deduce aggregates by itself
Field(const char*, Member Row::*, Unit, const char*)->Field<Row, Member>;
template <class Row, class Member>
Field(const char*, Member Row::*, Unit, const char*, ColumnPart) -> Field<Row, Member>;

// Specialised by each row: kName, kSentence, kFields, and kFormerName where earlier builds wrote
// the table under another name, by which it is still found.
template <class Row>
struct TableOf;

// ---- tracks ------------------------------------------------------------------------------------
struct TrackRow {
  int32_t track = 0;
  std::optional<int32_t> parent;
  StringId kind{};  // node, process, thread, worker, device, stream, counter
  int32_t node = 0;
  int32_t rank = -1;
  std::optional<int64_t> pid;
  std::optional<int64_t> tid;
  std::optional<int32_t> device;
  std::optional<int64_t> stream;
  std::string name;
};

template <>
struct TableOf<TrackRow> {
  static constexpr const char* kName = "tracks";
  static constexpr const char* kSentence =
      "The lines on which something happens: nodes, processes, threads, devices, streams, "
      "counters.";
  using R = TrackRow;
  static constexpr auto kFields = std::make_tuple(
      Field{"track", &R::track, Unit::kNone, "Number of the track, unique in the run."},
      Field{"parent", &R::parent, Unit::kNone, "The track that this one is part of."},
      Field{"kind", &R::kind, Unit::kNone,
            "node, process, thread, worker, device, stream or counter."},
      Field{"node", &R::node, Unit::kNone, "Number of the node, from 0."},
      Field{"rank", &R::rank, Unit::kNone, "Rank of the process; -1 where there is none."},
      Field{"pid", &R::pid, Unit::kNone, "Process id."},
      Field{"tid", &R::tid, Unit::kNone, "Thread id."},
      Field{"device", &R::device, Unit::kNone, "Number of the core or accelerator on its node."},
      Field{"stream", &R::stream, Unit::kNone, "Stream of the device."},
      Field{"name", &R::name, Unit::kNone, "Name of the track; for a counter its metric."});
};

// ---- slices ------------------------------------------------------------------------------------
struct SliceRow {
  int64_t ts_ns = 0;
  int64_t dur_ns = 0;
  int32_t track = 0;
  int32_t rank = -1;
  StringId name{};
  StringId category{};
  int32_t depth = 0;
  std::optional<int64_t> step;
  std::optional<int64_t> correlation;
  std::optional<int64_t> flow_out;
  std::optional<int64_t> flow_in;
  std::optional<int64_t> bytes;
  std::optional<int64_t> group;
  std::optional<int64_t> sequence;
  std::optional<int64_t> external_id;
  StringId details{};
  std::string args;
};

template <>
struct TableOf<SliceRow> {
  static constexpr const char* kName = "slices";
  static constexpr const char* kSentence = "Time ranges on a track, nested by depth.";
  using R = SliceRow;
  static constexpr auto kFields = std::make_tuple(
      Field{"ts_ns", &R::ts_ns, Unit::kNs, "Begin, since the run's epoch."},
      Field{"dur_ns", &R::dur_ns, Unit::kNs, "Duration."},
      Field{"track", &R::track, Unit::kNone, "The track that it lies on."},
      Field{"rank", &R::rank, Unit::kNone, "Rank of the process; -1 where there is none."},
      Field{"name", &R::name, Unit::kNone, "What went on."},
      Field{"category", &R::category, Unit::kNone,
            "Who says so: phase, communication, worker, user, device_phase, nccl, nccl_proxy; in "
            "windows operator, primitive, what devices do (kernel, gpu_memcpy, cuda_runtime, …) "
            "and, of PyTorch's profiler, also user_annotation, python_function and what else it "
            "tells; of a profile that was imported: cpu_op and as the profile has it "
            "(docs/reference/import.md)."},
      Field{"depth", &R::depth, Unit::kNone, "Number of slices of the track that enclose it."},
      Field{"step", &R::step, Unit::kNone, "The step that it falls in, where that is known."},
      Field{"correlation", &R::correlation, Unit::kNone, "Joins a launch and what it launched."},
      Field{"flow_out", &R::flow_out, Unit::kNone, "A flow that begins here."},
      Field{"flow_in", &R::flow_in, Unit::kNone, "A flow that ends here."},
      Field{"bytes", &R::bytes, Unit::kBytes, "Bytes moved."},
      Field{"group", &R::group, Unit::kNone, "Process group of a collective."},
      Field{"sequence", &R::sequence, Unit::kNone,
            "Number of a collective in its group; of an operator in autograd."},
      Field{"external_id", &R::external_id, Unit::kNone,
            "Joins an operator and the runtime calls and device work that it caused."},
      Field{"details", &R::details, Unit::kJson,
            "What repeats, as a JSON object: grid, block, shapes, call stack, collective; empty: "
            "nothing."},
      Field{"args", &R::args, Unit::kJson,
            "What else is known, as a JSON object; empty: nothing."});
};

// ---- steps -------------------------------------------------------------------------------------
// The phases of a step sum to dur_ns; so do its causes; the stages sum to data_pipeline_ns.
struct StepRow {
  int32_t node = 0;
  int32_t rank = 0;
  int64_t step = 0;
  int64_t ts_ns = 0;
  int64_t dur_ns = 0;
  StringId kind{};  // train, eval, warm-up
  // phases
  int64_t data_ns = 0;
  int64_t forward_ns = 0;
  int64_t backward_ns = 0;
  int64_t optimizer_ns = 0;
  int64_t communication_phase_ns = 0;
  int64_t checkpoint_ns = 0;
  int64_t evaluation_ns = 0;
  int64_t logging_ns = 0;
  int64_t gc_ns = 0;
  int64_t compile_ns = 0;
  int64_t capture_ns = 0;
  int64_t other_phase_ns = 0;
  // causes
  int64_t data_pipeline_ns = 0;
  int64_t model_ns = 0;
  int64_t communication_ns = 0;
  int64_t framework_overhead_ns = 0;
  int64_t other_ns = 0;
  // stages of the data pipeline
  int64_t storage_read_ns = 0;
  int64_t getitem_ns = 0;
  int64_t collate_ns = 0;
  int64_t receive_ns = 0;
  int64_t cpu_shortage_ns = 0;
  int64_t worker_start_ns = 0;
  // what else is known of the step
  int64_t blocked_in_backward_ns = 0;
  int64_t blocked_in_fetch_ns = 0;
  std::optional<int64_t> operators_ns;
  std::optional<int64_t> dispatch_ns;
  int32_t batches = 0;
  int32_t backwards = 0;
  int32_t optimizer_steps = 0;
  int32_t waits = 0;
  int32_t starved_waits = 0;
  std::optional<int32_t> min_queue_depth;
  StringId longest_user_range{};
  int64_t longest_user_range_ns = 0;
};

template <>
struct TableOf<StepRow> {
  static constexpr const char* kName = "steps";
  static constexpr const char* kSentence =
      "Training steps of each rank: phases, suspects by these phases alone (the report moves time "
      "between them by what else it knows), and data stages; each set sums exactly.";
  using R = StepRow;
  static constexpr auto kFields = std::make_tuple(
      Field{"node", &R::node, Unit::kNone, "Number of the node, from 0."},
      Field{"rank", &R::rank, Unit::kNone, "Rank of the process that trained."},
      Field{"step", &R::step, Unit::kNone, "Number of the step in its rank, from 0."},
      Field{"ts_ns", &R::ts_ns, Unit::kNs, "Begin: the end of the optimizer group before."},
      Field{"dur_ns", &R::dur_ns, Unit::kNs, "Duration."},
      Field{"kind", &R::kind, Unit::kNone,
            "train, eval or warm-up. An eval row repeats time of the step that it lies in: do not "
            "add the two."},
      Field{"data_ns", &R::data_ns, Unit::kNs, "Phase: waiting for the data loader.",
            ColumnPart::kPhase},
      Field{"forward_ns", &R::forward_ns, Unit::kNs, "Phase: forward.", ColumnPart::kPhase},
      Field{"backward_ns", &R::backward_ns, Unit::kNs, "Phase: backward.", ColumnPart::kPhase},
      Field{"optimizer_ns", &R::optimizer_ns, Unit::kNs, "Phase: optimizer, less what nests in it.",
            ColumnPart::kPhase},
      Field{"communication_phase_ns", &R::communication_phase_ns, Unit::kNs,
            "Phase: explicit collectives.", ColumnPart::kPhase},
      Field{"checkpoint_ns", &R::checkpoint_ns, Unit::kNs, "Phase: saving and loading.",
            ColumnPart::kPhase},
      Field{"evaluation_ns", &R::evaluation_ns, Unit::kNs, "Phase: evaluation inside the step.",
            ColumnPart::kPhase},
      Field{"logging_ns", &R::logging_ns, Unit::kNs, "Phase: logging, where a framework says so.",
            ColumnPart::kPhase},
      Field{"gc_ns", &R::gc_ns, Unit::kNs, "Phase: garbage collection by Python.",
            ColumnPart::kPhase},
      Field{"compile_ns", &R::compile_ns, Unit::kNs, "Phase: compilation by torch.compile.",
            ColumnPart::kPhase},
      Field{"capture_ns", &R::capture_ns, Unit::kNs, "Phase: a window of Steptrace begins or ends.",
            ColumnPart::kPhase},
      Field{"other_phase_ns", &R::other_phase_ns, Unit::kNs, "Phase: none of those.",
            ColumnPart::kPhase},
      Field{"data_pipeline_ns", &R::data_pipeline_ns, Unit::kNs, "Suspect: data pipeline.",
            ColumnPart::kCause},
      Field{"model_ns", &R::model_ns, Unit::kNs, "Suspect: model.", ColumnPart::kCause},
      Field{"communication_ns", &R::communication_ns, Unit::kNs, "Suspect: communication.",
            ColumnPart::kCause},
      Field{"framework_overhead_ns", &R::framework_overhead_ns, Unit::kNs,
            "Suspect: framework overhead, without dispatch, which is part of model_ns.",
            ColumnPart::kCause},
      Field{"other_ns", &R::other_ns, Unit::kNs, "Suspect: other work and unattributed.",
            ColumnPart::kCause},
      Field{"storage_read_ns", &R::storage_read_ns, Unit::kNs, "Stage: blocked on storage.",
            ColumnPart::kStage},
      Field{"getitem_ns", &R::getitem_ns, Unit::kNs, "Stage: the dataset makes the samples.",
            ColumnPart::kStage},
      Field{"collate_ns", &R::collate_ns, Unit::kNs, "Stage: samples become a batch.",
            ColumnPart::kStage},
      Field{"receive_ns", &R::receive_ns, Unit::kNs,
            "Stage: the batch is ready and comes over: transfer, unpickling, pinning.",
            ColumnPart::kStage},
      Field{"cpu_shortage_ns", &R::cpu_shortage_ns, Unit::kNs,
            "Stage: the worker could have run and had no core.", ColumnPart::kStage},
      Field{"worker_start_ns", &R::worker_start_ns, Unit::kNs,
            "Stage: workers were starting, or ended with their iterator.", ColumnPart::kStage},
      Field{"blocked_in_backward_ns", &R::blocked_in_backward_ns, Unit::kNs,
            "Of backward: the training thread neither ran nor waited for a core."},
      Field{"blocked_in_fetch_ns", &R::blocked_in_fetch_ns, Unit::kNs,
            "Of getitem: the thread that fetched neither ran nor waited for a core."},
      Field{"operators_ns", &R::operators_ns, Unit::kNs,
            "Of forward, backward and optimizer: operators that compute; null outside windows."},
      Field{"dispatch_ns", &R::dispatch_ns, Unit::kNs,
            "Of forward, backward and optimizer: time between operators, and in operators that "
            "only call others. Neither column has gaps of over 100 us, in which the script's own "
            "code runs."},
      Field{"batches", &R::batches, Unit::kCount, "Batches taken from loaders."},
      Field{"backwards", &R::backwards, Unit::kCount, "Backward passes."},
      Field{"optimizer_steps", &R::optimizer_steps, Unit::kCount, "Optimizer steps in the group."},
      Field{"waits", &R::waits, Unit::kCount, "Waits for loaders with workers."},
      Field{"starved_waits", &R::starved_waits, Unit::kCount,
            "Waits whose batch was not made and sent yet, or that met an empty queue."},
      Field{"min_queue_depth", &R::min_queue_depth, Unit::kCount,
            "Fewest batches that stood ready when one was asked for."},
      Field{"longest_user_range", &R::longest_user_range, Unit::kNone,
            "The user's range with most time of its own in the other phase."},
      Field{"longest_user_range_ns", &R::longest_user_range_ns, Unit::kNs, "That time."});
};

// ---- step_stages -------------------------------------------------------------------------------
struct StepStageRow {
  int32_t node = 0;
  int32_t rank = 0;
  int64_t ts_ns = 0;
  int64_t step = 0;
  StringId phase{};
  StringId stage{};
  int64_t dur_ns = 0;
};

template <>
struct TableOf<StepStageRow> {
  static constexpr const char* kName = "step_stages";
  static constexpr const char* kSentence =
      "Stages of training steps that `steps` has no column for, as parts of one of its phases: the "
      "script's own ranges, by name.";
  using R = StepStageRow;
  static constexpr auto kFields = std::make_tuple(
      Field{"node", &R::node, Unit::kNone, "Number of the node, from 0."},
      Field{"rank", &R::rank, Unit::kNone, "Rank of the process that trained."},
      Field{"ts_ns", &R::ts_ns, Unit::kNs, "Begin of the step: with the rank its key in `steps`."},
      Field{"step", &R::step, Unit::kNone, "Number of the step in its rank, from 0."},
      Field{"phase", &R::phase, Unit::kNone,
            "The phase of the step that this is a part of: other."},
      Field{"stage", &R::stage, Unit::kNone, "Name of the range."},
      Field{"dur_ns", &R::dur_ns, Unit::kNs,
            "Time of its own in that phase, without what lies within it."});
};

// ---- counters ----------------------------------------------------------------------------------
struct CounterRow {
  int64_t ts_ns = 0;
  int32_t track = 0;
  double value = 0;
};

template <>
struct TableOf<CounterRow> {
  static constexpr const char* kName = "counters";
  static constexpr const char* kSentence =
      "Metrics of nodes, cores, processes and devices; the track names the metric.";
  using R = CounterRow;
  static constexpr auto kFields = std::make_tuple(
      Field{"ts_ns", &R::ts_ns, Unit::kNs, "When it was read, since the run's epoch."},
      Field{"track", &R::track, Unit::kNone, "The counter."},
      Field{"value", &R::value, Unit::kSeeMetric, "The value, in the unit of the metric."});
};

// ---- run_metadata ------------------------------------------------------------------------------
struct RunMetadataRow {
  int64_t ts_ns = 0;
  int32_t node = 0;
  int32_t rank = -1;
  int64_t pid = 0;
  StringId kind{};
  std::string json;
};

template <>
struct TableOf<RunMetadataRow> {
  static constexpr const char* kName = "run_metadata";
  static constexpr const char* kFormerName = "facts";
  static constexpr const char* kSentence =
      "What processes reported about themselves (loaders, frameworks, ranks, devices, state of the "
      "hooks), "
      "and where the rest comes from.";
  using R = RunMetadataRow;
  static constexpr auto kFields = std::make_tuple(
      Field{"ts_ns", &R::ts_ns, Unit::kNs, "When it was reported, since the run's epoch."},
      Field{"node", &R::node, Unit::kNone, "Number of the node, from 0."},
      Field{"rank", &R::rank, Unit::kNone, "Rank of the process; -1 where there is none."},
      Field{"pid", &R::pid, Unit::kNone, "Process id."},
      Field{"kind", &R::kind, Unit::kNone,
            "What it is about: [metadata](metadata.md) has them all, and the keys of each."},
      Field{"json", &R::json, Unit::kJson, "The fact, as a JSON object."});
};

// ---- stacks, samples ---------------------------------------------------------------------------
// A stack is the chain of its rows: the row `stack` is the innermost frame, `parent` the stack of
// its caller. Numbered from 0 in order of first sight, so a parent stands before its callees.
struct StackRow {
  int32_t stack = 0;
  std::optional<int32_t> parent;
  StringId kind{};
  StringId function{};
  StringId file{};
  int32_t line = 0;
};

template <>
struct TableOf<StackRow> {
  static constexpr const char* kName = "stacks";
  static constexpr const char* kSentence = "Interned call stacks: a frame and the stack under it.";
  using R = StackRow;
  static constexpr auto kFields = std::make_tuple(
      Field{"stack", &R::stack, Unit::kNone, "Number of the stack."},
      Field{"parent", &R::parent, Unit::kNone, "The stack of the caller; null: the outermost."},
      Field{"kind", &R::kind, Unit::kNone, "python or native."},
      Field{"function", &R::function, Unit::kNone, "Qualified name of the function."},
      Field{"file", &R::file, Unit::kNone,
            "Its file: the source; of native code the library, or the module by "
            "which the source calls it: \"<built-in zlib>\"."},
      Field{"line", &R::line, Unit::kNone, "Line that was running, 0 where unknown."});
};

// A sample stands for the time since the thread's sample before it, at most two periods of the
// sampler: where samples were left out, that time stands for nothing.
struct SampleRow {
  int64_t ts_ns = 0;
  int32_t track = 0;
  int32_t stack = 0;
  StringId state{};
  int64_t interval_ns = 0;
};

template <>
struct TableOf<SampleRow> {
  static constexpr const char* kName = "samples";
  static constexpr const char* kSentence = "What a thread was seen doing at a moment.";
  using R = SampleRow;
  static constexpr auto kFields = std::make_tuple(
      Field{"ts_ns", &R::ts_ns, Unit::kNs, "When, since the run's epoch."},
      Field{"track", &R::track, Unit::kNone, "The thread."},
      Field{"stack", &R::stack, Unit::kNone, "Its stack."},
      Field{"state", &R::state, Unit::kNone, "running (or ready to), or waiting."},
      Field{"interval_ns", &R::interval_ns, Unit::kNs, "The time that the sample represents."});
};

// ---- memory ------------------------------------------------------------------------------------
struct MemoryRow {
  int64_t ts_ns = 0;
  int32_t rank = -1;
  int32_t device = -1;
  std::optional<int32_t> track;
  int64_t address = 0;
  int64_t bytes = 0;
  std::optional<int64_t> total_allocated_bytes;
  std::optional<int64_t> total_reserved_bytes;
};

template <>
struct TableOf<MemoryRow> {
  static constexpr const char* kName = "memory";
  static constexpr const char* kSentence = "Allocations (+) and releases (-) by the framework.";
  using R = MemoryRow;
  static constexpr auto kFields = std::make_tuple(
      Field{"ts_ns", &R::ts_ns, Unit::kNs, "When, since the run's epoch."},
      Field{"rank", &R::rank, Unit::kNone, "Rank of the process; -1 where there is none."},
      Field{"device", &R::device, Unit::kNone, "Accelerator; -1: host memory."},
      Field{"track", &R::track, Unit::kNone, "The thread that did it."},
      Field{"address", &R::address, Unit::kNone, "Address of the block."},
      Field{"bytes", &R::bytes, Unit::kBytes, "Size; negative: released."},
      Field{"total_allocated_bytes", &R::total_allocated_bytes, Unit::kBytes, "In use after it."},
      Field{"total_reserved_bytes", &R::total_reserved_bytes, Unit::kBytes, "Held after it."});
};

// ---- tensor_stats, tensor_histograms -----------------------------------------------------------
// All but min and max sum over ranks and shards; a histogram has what is finite and
// not 0. Key of both: node, rank, ts_ns, tensor, role.
struct TensorStatRow {
  int64_t ts_ns = 0;
  int32_t node = 0;
  int32_t rank = -1;
  int64_t step = 0;
  StringId tensor{};
  StringId role{};
  StringId type{};
  int64_t numel = 0;
  int64_t nan = 0;
  int64_t positive_inf = 0;
  int64_t negative_inf = 0;
  int64_t zeros = 0;
  std::optional<double> min;
  std::optional<double> max;
  double sum = 0;
  double abs_sum = 0;
  double square_sum = 0;
};

template <>
struct TableOf<TensorStatRow> {
  static constexpr const char* kName = "tensor_stats";
  static constexpr const char* kSentence =
      "Statistics of the model's tensors at steps, where `run --tensors` asked for them; of a "
      "shard "
      "its own part.";
  using R = TensorStatRow;
  static constexpr auto kFields = std::make_tuple(
      Field{"ts_ns", &R::ts_ns, Unit::kNs, "When it was looked at, since the run's epoch."},
      Field{"node", &R::node, Unit::kNone, "Number of the node, from 0."},
      Field{"rank", &R::rank, Unit::kNone, "Rank of the process that trained."},
      Field{"step", &R::step, Unit::kNone, "Number of the step in its rank, from 0."},
      Field{"tensor", &R::tensor, Unit::kNone, "Name of the parameter; loss."},
      Field{"role", &R::role, Unit::kNone,
            "loss, gradient (as the optimizer is about to use it), weight (after its step)."},
      Field{"type", &R::type, Unit::kNone,
            "Of its elements, as torch calls it: float32, bfloat16."},
      Field{"numel", &R::numel, Unit::kCount, "Elements."},
      Field{"nan", &R::nan, Unit::kCount, "Elements that are not a number."},
      Field{"positive_inf", &R::positive_inf, Unit::kCount, "Elements that are infinite."},
      Field{"negative_inf", &R::negative_inf, Unit::kCount, "Elements that are -infinite."},
      Field{"zeros", &R::zeros, Unit::kCount, "Elements that are 0."},
      Field{"min", &R::min, Unit::kNone, "Least finite element; null: none is finite."},
      Field{"max", &R::max, Unit::kNone, "Largest finite element; null: none is finite."},
      Field{"sum", &R::sum, Unit::kNone, "Of the finite elements."},
      Field{"abs_sum", &R::abs_sum, Unit::kNone, "Of the absolute values of the finite elements."},
      Field{"square_sum", &R::square_sum, Unit::kNone, "Of the squares of the finite elements."});
};

struct TensorHistogramRow {
  int64_t ts_ns = 0;
  int32_t node = 0;
  int32_t rank = -1;
  int64_t step = 0;
  StringId tensor{};
  StringId role{};
  int32_t exponent = 0;
  int64_t count = 0;
};

template <>
struct TableOf<TensorHistogramRow> {
  static constexpr const char* kName = "tensor_histograms";
  static constexpr const char* kSentence =
      "How large the elements of those tensors were: a row for each power of two that some had.";
  using R = TensorHistogramRow;
  static constexpr auto kFields = std::make_tuple(
      Field{"ts_ns", &R::ts_ns, Unit::kNs, "As in `tensor_stats`."},
      Field{"node", &R::node, Unit::kNone, "Number of the node, from 0."},
      Field{"rank", &R::rank, Unit::kNone, "Rank of the process that trained."},
      Field{"step", &R::step, Unit::kNone, "Number of the step in its rank, from 0."},
      Field{"tensor", &R::tensor, Unit::kNone, "As in `tensor_stats`."},
      Field{"role", &R::role, Unit::kNone, "As in `tensor_stats`."},
      Field{"exponent", &R::exponent, Unit::kNone,
            "Of 2, the largest that is not above the absolute value: from -40 (and less) to 23 "
            "(and more)."},
      Field{"count", &R::count, Unit::kCount, "Finite elements of that size, none of them 0."});
};

// ---- findings ----------------------------------------------------------------------------------
struct FindingRow {
  int64_t ts_ns = 0;
  StringId severity{};  // info, warning, error
  StringId kind{};      // verdict, rule, alert
  std::string subject;
  std::string text;
  std::string evidence;
};

template <>
struct TableOf<FindingRow> {
  static constexpr const char* kName = "findings";
  static constexpr const char* kSentence =
      "What the agent noticed while the run went on: results of rules, and alerts.";
  using R = FindingRow;
  static constexpr auto kFields = std::make_tuple(
      Field{"ts_ns", &R::ts_ns, Unit::kNs, "When it was found, since the run's epoch."},
      Field{"severity", &R::severity, Unit::kNone, "info, warning or error."},
      Field{"kind", &R::kind, Unit::kNone, "rule or alert."},
      Field{"subject", &R::subject, Unit::kNone, "What it is about."},
      Field{"text", &R::text, Unit::kNone, "The finding in a sentence."},
      Field{"evidence", &R::evidence, Unit::kJson, "What it rests on, as a JSON object."});
};

// ---- data_loss ---------------------------------------------------------------------------------
struct DataLossRow {
  int32_t node = 0;
  int32_t rank = -1;
  std::optional<int64_t> pid;
  StringId table{};
  StringId cause{};
  int64_t count = 0;
  std::optional<int64_t> from_ns;
  std::optional<int64_t> to_ns;
  std::string detail;
  std::string evidence{};
};

template <>
struct TableOf<DataLossRow> {
  static constexpr const char* kName = "data_loss";
  static constexpr const char* kFormerName = "losses";
  static constexpr const char* kSentence = "What is missing from this run, by cause.";
  using R = DataLossRow;
  static constexpr auto kFields = std::make_tuple(
      Field{"node", &R::node, Unit::kNone, "Number of the node, from 0."},
      Field{"rank", &R::rank, Unit::kNone, "Rank of the process; -1 where there is none."},
      Field{"pid", &R::pid, Unit::kNone, "Process id, where one is concerned."},
      Field{"table", &R::table, Unit::kNone, "The table from which rows are missing."},
      Field{"cause", &R::cause, Unit::kNone, "Why, in snake_case."},
      Field{"count", &R::count, Unit::kCount, "How much is missing; -1: not countable."},
      Field{"from_ns", &R::from_ns, Unit::kNs, "Start of the time range, if known."},
      Field{"to_ns", &R::to_ns, Unit::kNs, "End of the time range, if known."},
      Field{"detail", &R::detail, Unit::kNone, "The loss in a sentence with its next step."},
      Field{"evidence", &R::evidence, Unit::kJson,
            "The kind and values that it is made of, as a JSON object; empty: the cause says it "
            "all, or nobody knows more than the sentence."});
};

}  // namespace steptrace::store
