// SPDX-License-Identifier: Apache-2.0
// Events derived a second, of a training with two workers; the goal is 5 M. It checks its steps.
#include <benchmark/benchmark.h>

#include <vector>

#include "analyze/derive/rank_deriver.h"
#include "wire/vocabulary.h"

namespace steptrace::analyze {
namespace {

constexpr int32_t kTrainer = 1;

class EventLog {
 public:
  void Add(int32_t pid, int64_t ts_ns, MarkKind kind, HookName name, uint64_t a = 0,
           uint64_t b = 0) {
    events_.push_back(
        {.ts_ns = ts_ns, .pid = pid, .tid = pid, .kind = kind, .name = name, .a = a, .b = b});
  }
  void Range(int32_t pid, int64_t from_ns, int64_t to_ns, HookName name, uint64_t a = 0,
             uint64_t b = 0) {
    Add(pid, from_ns, MarkKind::kBegin, name, a, b);
    Add(pid, to_ns, MarkKind::kEnd, name, 1, 1);
  }
  std::vector<Event> Take() { return std::move(events_); }

 private:
  std::vector<Event> events_;
};

// As the agent drains them: each thread by itself, a second at a time, ten steps here.
std::vector<Event> Training(int64_t steps) {
  EventLog log;
  constexpr int64_t kStepNs = 100'000;
  constexpr int64_t kDrainSteps = 10;
  for (int64_t first = 0; first < steps; first += kDrainSteps) {
    for (int64_t step = first; step < first + kDrainSteps; ++step) {
      const int64_t at_ns = step * kStepNs;
      const uint64_t worker = 2 + static_cast<uint64_t>(step % 2);
      log.Range(kTrainer, at_ns, at_ns + 40'000, HookName::kData, 1, worker);
      log.Range(kTrainer, at_ns + 60'000, at_ns + 80'000, HookName::kBackward);
      log.Range(kTrainer, at_ns + 82'000, at_ns + 95'000, HookName::kOptimizer, 1);
    }
    for (int32_t worker = 2; worker <= 3; ++worker) {
      for (int64_t step = first + worker - 2; step < first + kDrainSteps; step += 2) {
        const int64_t end_ns = step * kStepNs + 30'000;
        log.Add(worker, end_ns - 90'000, MarkKind::kBegin, HookName::kFetch);
        log.Range(worker, end_ns - 20'000, end_ns - 1, HookName::kCollate);
        log.Add(worker, end_ns, MarkKind::kEnd, HookName::kFetch, 80'000, 5'000);
      }
    }
  }
  return log.Take();
}

void BM_Derive(benchmark::State& state) {
  constexpr int64_t kSteps = 20'000;
  constexpr size_t kEventsPerAdvance = 1000;
  const std::vector<Event> events = Training(kSteps);
  for (auto _ : state) {
    store::StringTable strings;
    RankDeriver deriver({}, strings);
    size_t rows = 0;
    for (size_t i = 0; i < events.size(); ++i) {
      deriver.Add(events[i]);
      if (i % kEventsPerAdvance != 0) continue;
      deriver.Advance(events[i].ts_ns - 1'000'000);
      rows += deriver.TakeSteps().size();
    }
    deriver.Finish(kSteps * 100'000);
    rows += deriver.TakeSteps().size();
    if (rows != kSteps) state.SkipWithError("wrong number of steps");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(events.size()));
}
BENCHMARK(BM_Derive)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace steptrace::analyze

BENCHMARK_MAIN();
