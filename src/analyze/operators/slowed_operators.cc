// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/slowed_operators.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/operators/detail_members.h"
#include "base/saturating.h"

namespace steptrace::analyze {
namespace {

constexpr double kTimesInSteps = 4;      // as long as in other steps ...
constexpr double kTimesOfShape = 8;      // ... or as other calls, whose caches may be warmer
constexpr int64_t kLeastNs = 5'000;      // shorter calls are mostly the way into them
constexpr double kWorthReporting = 0.1;  // of a step
constexpr size_t kStepsToCompare = 3;    // on each side: what interrupted one of them is no median
constexpr size_t kMostSteps = 5;
// What only moves memory may take that many times as long, if it takes any time.
constexpr double kMovesAlike = 1.5;
constexpr int64_t kMovesLeastNs = 20'000;

constexpr int32_t kUnknownShapes = -1;
constexpr int32_t kNoFloats = -2;  // integers know no denormals

enum class Does : uint8_t { kOther, kArithmetic, kMoves };

// Both in order, for the binary search. Without "aten::", "_foreach_" and the "_" of an operator
// that works in place.
constexpr std::array<std::string_view, 45> kArithmetic = {"_convolution",
                                                          "add",
                                                          "addbmm",
                                                          "addcdiv",
                                                          "addcmul",
                                                          "addmm",
                                                          "addmv",
                                                          "baddbmm",
                                                          "batch_norm",
                                                          "bmm",
                                                          "conv1d",
                                                          "conv2d",
                                                          "conv3d",
                                                          "convolution",
                                                          "convolution_backward",
                                                          "convolution_overrideable",
                                                          "cosine_similarity",
                                                          "div",
                                                          "dot",
                                                          "einsum",
                                                          "exp",
                                                          "gelu",
                                                          "group_norm",
                                                          "layer_norm",
                                                          "lerp",
                                                          "linear",
                                                          "lstm_cell",
                                                          "matmul",
                                                          "mean",
                                                          "mkldnn_convolution",
                                                          "mkldnn_linear",
                                                          "mm",
                                                          "mul",
                                                          "mv",
                                                          "native_batch_norm",
                                                          "native_layer_norm",
                                                          "norm",
                                                          "rsub",
                                                          "sigmoid",
                                                          "sigmoid_backward",
                                                          "silu",
                                                          "sqrt",
                                                          "sub",
                                                          "sum",
                                                          "tanh"};
constexpr std::array<std::string_view, 5> kMoves = {"clone", "contiguous", "copy", "fill", "zero"};
static_assert(std::ranges::is_sorted(kArithmetic) && std::ranges::is_sorted(kMoves));

std::string_view BaseName(std::string_view name) {
  if (!name.starts_with("aten::")) return {};
  name.remove_prefix(6);
  if (name.starts_with("_foreach_")) name.remove_prefix(9);
  if (name.ends_with("_")) name.remove_suffix(1);
  return name;
}

Does DoesOf(std::string_view name) {
  const std::string_view base = BaseName(name);
  if (std::ranges::binary_search(kArithmetic, base)) return Does::kArithmetic;
  return std::ranges::binary_search(kMoves, base) ? Does::kMoves : Does::kOther;
}

struct Call {
  store::StringId name{};
  int32_t shapes = kUnknownShapes;
  int64_t dur_ns = 0;
  bool arithmetic = false;
};

struct StepCalls {
  const TraceStep* step = nullptr;
  uint64_t order = 0;  // of all operators: a hash
  int64_t arithmetic_ns = 0;
  std::vector<Call> calls;  // outermost ones of arithmetic and of moving memory
};

bool HoldsFloats(std::string_view types) {
  for (const std::string_view type : {"float", "double", "Half", "BFloat16", "Float8"}) {
    if (types.find(type) != std::string_view::npos) return true;
  }
  return false;
}

// What operators do, and numbers for the shapes of their inputs: each text is read once.
class CallFacts {
 public:
  explicit CallFacts(const Trace& trace) : trace_(trace) {}

  Does DoesWhat(store::StringId name) {
    const auto [known, is_new] = does_.try_emplace(name);
    if (is_new) known->second = DoesOf(trace_.Text(name));
    return known->second;
  }

  int32_t ShapesOf(store::StringId details) {
    const auto [known, is_new] = shapes_.try_emplace(details, kUnknownShapes);
    if (is_new) known->second = Read(trace_.Text(details));
    return known->second;
  }

 private:
  int32_t Read(std::string_view details) {
    const std::string_view dims = DetailMember(details, "Input Dims");
    if (dims.empty()) return kUnknownShapes;
    const std::string_view types = DetailMember(details, "Input type");
    if (!types.empty() && !HoldsFloats(types)) return kNoFloats;
    // A stride, a dilation or a layout makes other work of the same shapes.
    std::string key(dims);
    key.append(types);
    key.append(DetailMember(details, "Input Strides"));
    key.append(DetailMember(details, "Concrete Inputs"));
    return numbers_.try_emplace(std::move(key), static_cast<int32_t>(numbers_.size()))
        .first->second;
  }

  const Trace& trace_;
  std::map<store::StringId, Does> does_;
  std::map<store::StringId, int32_t> shapes_;
  std::map<std::string, int32_t> numbers_;
};

void Mix(uint64_t value, uint64_t& hash) {
  hash = (hash ^ value) * 0x100000001b3;  // FNV-1a
}

// Calls of the lane that spends most time on arithmetic in steps.
std::vector<StepCalls> CallsOf(const RankTrace& rank, CallFacts& facts) {
  std::map<int32_t, int64_t> by_lane;
  int32_t lane = kNone;
  int64_t covered_ns = 0;
  // Whether an operator lies in none that counts, of the lane that the loop is at.
  const auto outermost = [&](const TraceEvent& event, Does does) {
    if (event.lane != lane) {
      lane = event.lane;
      covered_ns = event.ts_ns;
    }
    if (does == Does::kOther || event.ts_ns < covered_ns) return false;
    covered_ns = event.end_ns();
    return true;
  };
  for (const TraceEvent& event : rank.host) {
    if (event.kind != EventKind::kOperator || event.step == kNone) continue;
    const Does does = facts.DoesWhat(event.name);
    if (outermost(event, does) && does == Does::kArithmetic) {
      by_lane[event.lane] = SaturatingAdd(by_lane[event.lane], event.dur_ns);
    }
  }
  const auto most = std::ranges::max_element(
      by_lane, [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == by_lane.end()) return {};
  std::vector<StepCalls> steps(rank.steps.size());
  lane = kNone;
  for (const TraceEvent& event : rank.host) {
    const bool counts = event.kind == EventKind::kOperator && event.step >= 0 &&
                        event.step < static_cast<int32_t>(steps.size());
    if (event.lane != most->first || !counts) continue;
    StepCalls& of_step = steps[static_cast<size_t>(event.step)];
    Mix(static_cast<uint64_t>(event.name), of_step.order);
    const Does does = facts.DoesWhat(event.name);
    if (!outermost(event, does)) continue;
    const Call call{event.name, facts.ShapesOf(event.details), event.dur_ns,
                    does == Does::kArithmetic};
    Mix(static_cast<uint64_t>(call.shapes), of_step.order);
    if (call.arithmetic) {
      of_step.arithmetic_ns = SaturatingAdd(of_step.arithmetic_ns, call.dur_ns);
    }
    of_step.calls.push_back(call);
  }
  for (size_t i = 0; i < steps.size(); ++i) steps[i].step = &rank.steps[i];
  std::erase_if(steps, [](const StepCalls& step) { return step.calls.empty(); });
  return steps;
}

// Of those that call the same operators in the same order the most.
std::vector<StepCalls> MostAlike(std::vector<StepCalls> steps) {
  std::map<std::pair<uint64_t, size_t>, size_t> counts;
  for (const StepCalls& step : steps) ++counts[{step.order, step.calls.size()}];
  const auto most = std::ranges::max_element(
      counts, [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == counts.end()) return {};
  std::erase_if(steps, [&](const StepCalls& step) {
    return std::pair(step.order, step.calls.size()) != most->first;
  });
  return steps;
}

int64_t MedianNs(std::vector<int64_t>& times_ns) {
  const auto middle = times_ns.begin() + static_cast<std::ptrdiff_t>(times_ns.size() / 2);
  std::ranges::nth_element(times_ns, middle);
  return *middle;
}

// Of these steps, what the call at a place takes in the median.
int64_t MedianAt(size_t place, std::span<const StepCalls> steps) {
  std::vector<int64_t> times_ns;
  for (const StepCalls& step : steps) times_ns.push_back(step.calls[place].dur_ns);
  return MedianNs(times_ns);
}

int64_t MedianStepNs(std::span<const StepCalls> steps) {
  std::vector<int64_t> times_ns;
  for (const StepCalls& step : steps) times_ns.push_back(step.step->dur_ns);
  return std::max<int64_t>(MedianNs(times_ns), 1);
}

// Sums over calls that are slow, beside what they are compared with.
class SlowSums {
 public:
  void Add(store::StringId name, int64_t slow_ns, int64_t usual_ns) {
    Sums& sums = by_name_[name];
    sums.slow_ns = SaturatingAdd(sums.slow_ns, slow_ns);
    sums.usual_ns = SaturatingAdd(sums.usual_ns, usual_ns);
  }

  std::optional<SlowedOperators> Take(const Trace& trace, int64_t step_ns) const {
    if (by_name_.empty()) return std::nullopt;
    const auto most = std::ranges::max_element(by_name_, [](const auto& a, const auto& b) {
      return a.second.slow_ns - a.second.usual_ns < b.second.slow_ns - b.second.usual_ns;
    });
    const auto& [slow_ns, usual_ns] = most->second;
    const auto of_step = [&](int64_t ns) {
      return static_cast<double>(ns) / static_cast<double>(step_ns);
    };
    if (of_step(slow_ns - usual_ns) < kWorthReporting) return std::nullopt;
    const auto usual = static_cast<double>(std::max<int64_t>(usual_ns, 1));
    return SlowedOperators{.name = trace.Text(most->first),
                           .times = static_cast<double>(slow_ns) / usual,
                           .share = std::min(of_step(slow_ns), 1.0),
                           .steps = {}};
  }

 private:
  struct Sums {
    int64_t slow_ns = 0, usual_ns = 0;
  };
  std::map<store::StringId, Sums> by_name_;
};

bool IsSlow(int64_t ns, int64_t usual_ns, double times) {
  return ns >= kLeastNs && static_cast<double>(ns) >= times * static_cast<double>(usual_ns);
}

// Moving memory knows no denormals: where it is slower, too, the cause is another.
bool MovesSlower(int64_t slow_ns, int64_t fast_ns) {
  return slow_ns >= kMovesLeastNs &&
         static_cast<double>(slow_ns) > kMovesAlike * static_cast<double>(fast_ns);
}

// `steps`: the fastest first. `another_cause`: what only moves memory is slower, too.
std::optional<SlowedOperators> SlowedInSteps(const Trace& trace, std::span<const StepCalls> steps,
                                             bool same_shapes, bool& another_cause) {
  if (steps.size() < 2 * kStepsToCompare) return std::nullopt;
  const size_t count = std::min(steps.size() / 2, kMostSteps);
  const auto fast = steps.first(count), slow = steps.last(count);
  SlowSums sums;
  int64_t moves_fast_ns = 0, moves_slow_ns = 0;
  for (size_t place = 0; place < slow.front().calls.size(); ++place) {
    const Call& call = slow.front().calls[place];
    const int64_t fast_ns = MedianAt(place, fast), slow_ns = MedianAt(place, slow);
    if (!call.arithmetic) {
      moves_fast_ns = SaturatingAdd(moves_fast_ns, fast_ns);
      moves_slow_ns = SaturatingAdd(moves_slow_ns, slow_ns);
    } else if (call.shapes >= 0 || (call.shapes == kUnknownShapes && same_shapes)) {
      if (IsSlow(slow_ns, fast_ns, kTimesInSteps)) sums.Add(call.name, slow_ns, fast_ns);
    }
  }
  another_cause = MovesSlower(moves_slow_ns, moves_fast_ns);
  if (another_cause) return std::nullopt;
  std::optional<SlowedOperators> found = sums.Take(trace, MedianStepNs(slow));
  if (!found) return std::nullopt;
  const int64_t number = slow.front().step->number;
  SlowedOperators::Steps& of = found->steps.emplace(SlowedOperators::Steps{number, number});
  for (const StepCalls& one : slow) {
    of.first = std::min(of.first, one.step->number);
    of.last = std::max(of.last, one.step->number);
  }
  return found;
}

std::optional<SlowedOperators> SlowedOfShape(const Trace& trace, std::span<const StepCalls> steps) {
  if (steps.size() < kStepsToCompare) return std::nullopt;
  steps = steps.first(std::min(steps.size(), kMostSteps));
  const std::vector<Call>& calls = steps.front().calls;
  std::map<std::pair<store::StringId, int32_t>, std::vector<int64_t>> of_shape;
  std::map<store::StringId, bool> arithmetic;
  for (size_t place = 0; place < calls.size(); ++place) {
    if (calls[place].shapes < 0) continue;
    arithmetic[calls[place].name] = calls[place].arithmetic;
    of_shape[{calls[place].name, calls[place].shapes}].push_back(MedianAt(place, steps));
  }
  SlowSums sums;
  for (auto& [call, times_ns] : of_shape) {
    const int64_t usual_ns = *std::ranges::min_element(times_ns);
    if (!arithmetic[call.first]) {
      if (MovesSlower(*std::ranges::max_element(times_ns), usual_ns)) return std::nullopt;
      continue;
    }
    for (const int64_t ns : times_ns) {
      if (IsSlow(ns, usual_ns, kTimesOfShape)) sums.Add(call.first, ns, usual_ns);
    }
  }
  return sums.Take(trace, MedianStepNs(steps));
}

std::optional<SlowedOperators> SlowedOfRank(const Trace& trace, const RankTrace& rank,
                                            CallFacts& facts, bool same_shapes) {
  if (!rank.device.empty()) return std::nullopt;
  std::vector<StepCalls> steps = MostAlike(CallsOf(rank, facts));
  std::ranges::stable_sort(steps, {}, &StepCalls::arithmetic_ns);
  bool another_cause = false;
  auto found = SlowedInSteps(trace, steps, same_shapes, another_cause);
  return found || another_cause ? found : SlowedOfShape(trace, steps);
}

}  // namespace

std::optional<SlowedOperators> FindSlowedOperators(const Trace& operators, bool same_shapes) {
  CallFacts facts(operators);
  std::optional<SlowedOperators> most;
  for (const RankTrace& rank : operators.ranks) {
    auto found = SlowedOfRank(operators, rank, facts, same_shapes);
    if (found && (!most || found->share > most->share)) most = std::move(found);
  }
  return most;
}

}  // namespace steptrace::analyze
