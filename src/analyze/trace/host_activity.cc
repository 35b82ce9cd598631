// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/host_activity.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>

#include "analyze/trace/waiting_calls.h"
#include "base/large_memory.h"

namespace steptrace::analyze {
namespace {

struct Pattern {
  std::string_view part;
  HostActivityKind doing;
};

// Parts of the names of ranges, operators and Python functions. Activation checkpointing
// (torch/utils/checkpoint.py) is part of the model, so "checkpoint" alone says nothing.
constexpr std::array kRangePatterns = {
    Pattern{"enumerate(DataLoader)#", HostActivityKind::kData},
    Pattern{"enumerate(DataPipe)#", HostActivityKind::kData},
    Pattern{"torch/utils/data/dataloader.py", HostActivityKind::kData},
    Pattern{"dataloader_next", HostActivityKind::kData},
    Pattern{"IteratorGetNext", HostActivityKind::kData},  // of TensorFlow
    Pattern{"gc.collect", HostActivityKind::kCollection},
    Pattern{"torch/_dynamo/convert_frame.py", HostActivityKind::kCompilation},
    Pattern{"_compile.compile_inner", HostActivityKind::kCompilation},
    Pattern{"torch/_inductor/compile_fx.py", HostActivityKind::kCompilation},
    Pattern{"triton/compiler/compiler.py", HostActivityKind::kCompilation},
    Pattern{"): backend_compile", HostActivityKind::kCompilation},  // of JAX
    Pattern{"torch.save", HostActivityKind::kCheckpoint},
    Pattern{"torch/distributed/checkpoint/", HostActivityKind::kCheckpoint},
    Pattern{"save_checkpoint", HostActivityKind::kCheckpoint},
    Pattern{": evaluate", HostActivityKind::kEvaluation},
    Pattern{": validate", HostActivityKind::kEvaluation},
    Pattern{"evaluation_loop.py", HostActivityKind::kEvaluation},
    Pattern{"torch/utils/tensorboard/", HostActivityKind::kLogging},
    Pattern{"logging/__init__.py", HostActivityKind::kLogging},
    Pattern{"wandb/", HostActivityKind::kLogging},
    Pattern{"gloo:", HostActivityKind::kCollective},
    Pattern{"mpi:", HostActivityKind::kCollective},
    Pattern{"c10d::barrier", HostActivityKind::kCollective},
    Pattern{"distributed_c10d.py(barrier", HostActivityKind::kCollective},
};

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// What scripts call their own ranges (record_function), in lower case; a part of the name, or all
// of it.
struct RangeWord {
  std::string_view word;
  HostActivityKind doing;
  bool whole = false;
};
constexpr std::array kRangeWords = {
    RangeWord{"dataload", HostActivityKind::kData},
    RangeWord{"data_load", HostActivityKind::kData},
    RangeWord{"data load", HostActivityKind::kData},
    RangeWord{"load_data", HostActivityKind::kData},
    RangeWord{"load data", HostActivityKind::kData},
    RangeWord{"load_batch", HostActivityKind::kData},
    RangeWord{"get_batch", HostActivityKind::kData},
    RangeWord{"next_batch", HostActivityKind::kData},
    RangeWord{"fetch_batch", HostActivityKind::kData},
    RangeWord{"fetch_data", HostActivityKind::kData},
    RangeWord{"data_fetch", HostActivityKind::kData},
    RangeWord{"save checkpoint", HostActivityKind::kCheckpoint},
    RangeWord{"checkpoint_save", HostActivityKind::kCheckpoint},
    RangeWord{"validation", HostActivityKind::kEvaluation},
    RangeWord{"evaluation", HostActivityKind::kEvaluation},
    RangeWord{"validate", HostActivityKind::kEvaluation, true},
    RangeWord{"evaluate", HostActivityKind::kEvaluation, true},
    RangeWord{"eval", HostActivityKind::kEvaluation, true},
    RangeWord{"logging", HostActivityKind::kLogging, true},
};

std::optional<HostActivityKind> DoingOfRange(std::string_view name) {
  constexpr size_t kLongest = 128;  // a longer name is a text, and may hold any word
  if (name.size() > kLongest) return std::nullopt;
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const RangeWord& one : kRangeWords) {
    if (one.whole ? lower == one.word : Has(lower, one.word)) return one.doing;
  }
  return std::nullopt;
}

// What XLA and TensorFlow call their compilers, of calls into the runtime.
bool IsCompilation(std::string_view call) {
  constexpr std::array<std::string_view, 5> kParts = {
      "Client::Compile", "BackendCompile", "backend_compile", "XlaCompile", "GpuCompiler::"};
  return std::any_of(kParts.begin(), kParts.end(),
                     [call](std::string_view part) { return Has(call, part); });
}

// Python functions of JAX in which a thread waits for what it launched.
bool AwaitsDevice(std::string_view function) {
  return function.ends_with(": try_to_block") || function.ends_with(": block_until_ready");
}

bool CoversNested(HostActivityKind doing) {
  return doing >= HostActivityKind::kCollective;
}

// What is done in an event whose surroundings do `around`.
HostActivityKind Within(HostActivityKind around, HostActivityKind own) {
  if (around >= HostActivityKind::kCheckpoint && own != HostActivityKind::kCollection)
    return around;
  if (CoversNested(own)) return own;
  if (CoversNested(around)) return around;
  return std::max(around, own);
}

class Doings {
 public:
  explicit Doings(const store::StringTable& strings)
      : strings_(strings), known_(static_cast<size_t>(strings.size())) {}
  HostActivityKind Of(const TraceEvent& event) {
    Known& known = known_[static_cast<size_t>(event.name)];
    if (!known.asked || known.kind != event.kind) {  // nearly every name has one kind
      known = {true, event.kind, DoingOf(event.kind, strings_.Text(event.name))};
    }
    return known.doing;
  }

 private:
  struct Known {
    bool asked = false;
    EventKind kind = EventKind::kOtherHost;
    HostActivityKind doing = HostActivityKind::kNothing;
  };
  const store::StringTable& strings_;
  std::vector<Known> known_;  // by name
};

// The events of one lane that run at a moment.
class Running {
 public:
  explicit Running(HostActivity& activity) : activity_(activity) {}

  void Finish() {
    while (!ends_ns_.empty()) AdvanceTo(ends_ns_.top());
  }
  void Begin(const TraceEvent& event, HostActivityKind own) {
    if (first_) at_ = event.ts_ns;
    first_ = false;
    AdvanceTo(event.ts_ns);
    if (event.dur_ns == 0) return;
    const HostActivityKind around = open_.empty() ? HostActivityKind::kNothing : open_.back().doing;
    open_.push_back({event.end_ns(), Within(around, own)});
    ends_ns_.push(event.end_ns());
  }

 private:
  struct Open {
    int64_t end_ns;
    HostActivityKind doing;
  };

  // Goes on to a moment, writing down what was done until then.
  void AdvanceTo(int64_t ns) {
    while (at_ < ns) {
      const int64_t next = ends_ns_.empty() ? ns : std::min(ns, ends_ns_.top());
      Write(next);
      while (!ends_ns_.empty() && ends_ns_.top() <= next) ends_ns_.pop();
      while (!open_.empty() && open_.back().end_ns <= next) open_.pop_back();
    }
  }
  void Write(int64_t end) {
    if (end <= at_) return;
    activity_.Append(at_, end, open_.empty() ? HostActivityKind::kNothing : open_.back().doing);
    at_ = end;
  }

  HostActivity& activity_;
  std::vector<Open> open_;  // by begin; one that ended before a later one stays below it
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> ends_ns_;
  int64_t at_ = 0;
  bool first_ = true;
};

}  // namespace

HostActivityKind DoingOf(EventKind kind, std::string_view name) {
  if (kind == EventKind::kStep || kind == EventKind::kOverhead) return HostActivityKind::kNothing;
  if (kind == EventKind::kRuntime) {
    if (IsCompilation(name)) return HostActivityKind::kCompilation;
    return IsWaitingCall(name) ? HostActivityKind::kSynchronise : HostActivityKind::kLaunch;
  }
  if (kind == EventKind::kHandover) return HostActivityKind::kLaunch;
  for (const Pattern& pattern : kRangePatterns) {
    if (Has(name, pattern.part)) return pattern.doing;
  }
  if (kind == EventKind::kPython && AwaitsDevice(name)) return HostActivityKind::kSynchronise;
  if (kind == EventKind::kAnnotation) {
    if (name.starts_with("Iterator::")) return HostActivityKind::kData;  // a stage of tf.data
    if (const auto doing = DoingOfRange(name)) return *doing;
  }
  if (Has(name, "torch/serialization.py") &&
      (name.ends_with(": save") || name.ends_with(": load"))) {
    return HostActivityKind::kCheckpoint;
  }
  return kind == EventKind::kOperator ? HostActivityKind::kOperator : HostActivityKind::kBetween;
}

void HostActivity::Reserve(size_t time_ranges) {
  ReserveLarge(begins_ns_, time_ranges);
  ReserveLarge(doings_, time_ranges);
}

void HostActivity::Append(int64_t begin_ns, int64_t end_ns, HostActivityKind doing) {
  end_ns_ = end_ns;
  if (!doings_.empty() && doings_.back() == doing) return;
  begins_ns_.push_back(begin_ns);
  doings_.push_back(doing);
}

size_t HostActivity::FirstAfter(int64_t ns) const {
  if (ns >= end_ns_) return size();
  const auto after = std::upper_bound(begins_ns_.begin(), begins_ns_.end(), ns);
  return static_cast<size_t>(std::max<std::ptrdiff_t>(1, after - begins_ns_.begin())) - 1;
}

HostActivity ActivityOf(const RankTrace& trace, int32_t lane, const store::StringTable& strings) {
  HostActivity activity;
  const auto first =
      std::partition_point(trace.host.begin(), trace.host.end(),
                           [lane](const TraceEvent& event) { return event.lane < lane; });
  const auto last = std::partition_point(
      first, trace.host.end(), [lane](const TraceEvent& event) { return event.lane == lane; });
  // At most one ends where an event begins and one where it ends; what is not used takes no memory.
  activity.Reserve(2 * static_cast<size_t>(last - first));
  Doings doings(strings);
  Running running(activity);
  for (auto event = first; event != last; ++event) {
    if (event->kind != EventKind::kOverhead) running.Begin(*event, doings.Of(*event));
  }
  running.Finish();
  return activity;
}

int32_t TrainingLane(const RankTrace& trace) {
  if (!trace.steps.empty()) return trace.steps.front().lane;
  std::map<int32_t, int64_t> counts;
  for (const TraceEvent& event : trace.host) {
    if (event.kind != EventKind::kOverhead) ++counts[event.lane];
  }
  for (const TraceEvent& event : trace.host) {
    if (event.kind == EventKind::kOperator || event.kind == EventKind::kRuntime) {
      counts[event.lane] += int64_t{1} << 32;
    }
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? kNone : most->first;
}

}  // namespace steptrace::analyze
