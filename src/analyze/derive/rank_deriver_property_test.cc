// SPDX-License-Identifier: Apache-2.0
// What holds for any events: sums are exact, steps follow one another, memory stays bounded, and
// the rows do not depend on how the events were delivered.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analyze/derive/event_text.h"
#include "analyze/derive/phase_sums.h"
#include "analyze/derive/rank_deriver.h"
#include "testing/held_bytes.h"
#include "testing/soak.h"
#include "wire/vocabulary.h"

namespace steptrace::analyze {
namespace {

constexpr int64_t kForEver = std::numeric_limits<int64_t>::max();

using Random = std::mt19937_64;

uint64_t Below(Random& random, uint64_t bound) {
  return random() % bound;
}

// Any record at any time on any of a few threads; ends match nothing.
Event AnyEvent(Random& random, int64_t& now_ns) {
  now_ns += static_cast<int64_t>(Below(random, 100));
  if (Below(random, 200) == 0) now_ns -= 500;  // clocks of threads differ a little
  Event event;
  event.ts_ns = now_ns;
  event.pid = 1 + static_cast<int32_t>(Below(random, 3));
  event.tid = event.pid + static_cast<int32_t>(Below(random, 2)) * 10;
  event.kind = static_cast<MarkKind>(Below(random, 5) / 2);
  event.name = static_cast<HookName>(Below(random, 17));
  event.text = static_cast<store::StringId>(Below(random, 5));
  event.a = Below(random, 4) | Below(random, 3) << 32;
  event.b = Below(random, 4);
  if (Below(random, 50) == 0) event.a = random();
  if (Below(random, 50) == 0) event.b = random();
  return event;
}

void ExpectSound(const std::vector<store::StepRow>& rows, const store::StringTable& strings) {
  int64_t end_ns = std::numeric_limits<int64_t>::min();
  int64_t next_step = 0;
  for (const store::StepRow& row : rows) {
    ASSERT_TRUE(SumsExactly(row)) << RowsText({row}, {}, strings);
    for (int64_t part_ns : {row.data_ns,
                            row.forward_ns,
                            row.backward_ns,
                            row.optimizer_ns,
                            row.communication_phase_ns,
                            row.checkpoint_ns,
                            row.evaluation_ns,
                            row.logging_ns,
                            row.gc_ns,
                            row.compile_ns,
                            row.capture_ns,
                            row.other_phase_ns,
                            row.model_ns,
                            row.communication_ns,
                            row.getitem_ns,
                            row.collate_ns,
                            row.receive_ns,
                            row.cpu_shortage_ns,
                            row.worker_start_ns,
                            row.blocked_in_backward_ns}) {
      ASSERT_GE(part_ns, 0) << RowsText({row}, {}, strings);
    }
    ASSERT_LE(row.blocked_in_backward_ns, row.backward_ns);
    ASSERT_LE(row.blocked_in_fetch_ns, row.getitem_ns);
    ASSERT_LE(row.starved_waits, row.waits);
    ASSERT_LE(row.longest_user_range_ns, row.other_phase_ns);
    if (strings.Text(row.kind) == "eval") continue;
    ASSERT_EQ(row.step, next_step++);
    ASSERT_GE(row.ts_ns, end_ns);
    end_ns = row.ts_ns + row.dur_ns;
  }
}

// Each stage is a part of its step's phase, and the longest of a step is what its row says.
void ExpectStagesOf(const std::vector<store::StepRow>& rows,
                    const std::vector<store::StepStageRow>& stages) {
  std::map<int64_t, std::vector<store::StepStageRow>> by_begin;
  for (const store::StepStageRow& stage : stages) by_begin[stage.ts_ns].push_back(stage);
  size_t found = 0;
  for (const store::StepRow& row : rows) {
    if (row.other_phase_ns == 0 && row.longest_user_range_ns == 0) continue;
    int64_t sum_ns = 0;
    int64_t longest_ns = 0;
    for (const store::StepStageRow& stage : by_begin[row.ts_ns]) {
      ASSERT_GT(stage.dur_ns, 0);
      ASSERT_EQ(stage.step, row.step);
      sum_ns += stage.dur_ns;
      longest_ns = std::max(longest_ns, stage.dur_ns);
      ++found;
    }
    ASSERT_LE(sum_ns, row.other_phase_ns);
    ASSERT_EQ(longest_ns, row.longest_user_range_ns);
  }
  ASSERT_EQ(found, stages.size());
}

TEST(RankDeriverProperty, AnyEventsGiveExactSums) {
  for (uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    store::StringTable strings;
    RankDeriver deriver({.world_size = 1 + static_cast<int32_t>(seed % 2)}, strings);
    for (const char* name : {"a", "b", "c", "d"}) strings.Intern(name);
    std::vector<store::StepRow> rows;
    std::vector<store::StepStageRow> stages;
    int64_t now_ns = 0;
    const uint64_t advance_every = 1 + Below(random, 300);
    for (uint64_t i = 0; i < 3000; ++i) {
      deriver.Add(AnyEvent(random, now_ns));
      if (i % advance_every == 0) {
        deriver.Advance(now_ns - 1000);
        for (auto& row : deriver.TakeSteps()) rows.push_back(row);
        for (auto& row : deriver.TakeStages()) stages.push_back(row);
      }
      if (Below(random, 1500) == 0) {
        deriver.ProcessEnded(1 + static_cast<int32_t>(Below(random, 3)), now_ns);
      }
    }
    deriver.Finish(now_ns);
    for (auto& row : deriver.TakeSteps()) rows.push_back(row);
    for (auto& row : deriver.TakeStages()) stages.push_back(row);
    ExpectSound(rows, strings);
    ExpectStagesOf(rows, stages);
    if (HasFatalFailure()) return;
  }
}

// A training of a random shape: properly nested, with workers, evaluations and surprises.
class RandomTraining {
 public:
  explicit RandomTraining(uint64_t seed) : random_(seed) {
    text_.options.world_size = static_cast<int32_t>(1 + Below(random_, 2));
    text_.threads.resize(5);  // the training's, two workers', their sending threads
    for (int32_t worker = 1; worker <= 2; ++worker) AddWorker(worker);
    for (int epoch = 0; epoch < 3; ++epoch) Epoch();
    text_.end_ns = now_ns_ + 10;
  }
  const EventText& text() const { return text_; }
  int steps() const { return steps_; }

 private:
  void Pass(uint64_t up_to) { now_ns_ += static_cast<int64_t>(Below(random_, up_to)); }
  void Emit(MarkKind kind, HookName name, uint64_t a = 0, uint64_t b = 0) {
    text_.threads[0].push_back(
        {.ts_ns = now_ns_, .pid = 1, .tid = 1, .kind = kind, .name = name, .a = a, .b = b});
  }
  void Range(HookName name, uint64_t up_to, uint64_t a = 0, uint64_t b = 0) {
    Emit(MarkKind::kBegin, name, a, b);
    Pass(up_to);
    Surprise();
    Pass(up_to);
    Emit(MarkKind::kEnd, name, Below(random_, up_to), Below(random_, up_to));
  }
  void Surprise() {
    if (Below(random_, 8) != 0) return;
    static constexpr HookName kAny[] = {HookName::kGc, HookName::kUser, HookName::kCollective};
    const HookName name = kAny[Below(random_, 3)];
    Emit(MarkKind::kBegin, name);
    Pass(40);
    Emit(MarkKind::kEnd, name);
  }
  void Next(uint64_t iterator, bool ends) {
    Emit(MarkKind::kBegin, HookName::kData, iterator | Below(random_, 3) << 32,
         (Below(random_, 4) == 0 ? 0 : 2 + Below(random_, 2)) |
             (Below(random_, 6) == 0 ? wire::kBatchArrived : 0));
    Pass(200);
    Surprise();
    if (ends) Emit(MarkKind::kInstant, HookName::kDataEnd, iterator);
    Emit(MarkKind::kEnd, HookName::kData);
  }
  void Step() {
    ++steps_;
    Pass(50);
    const uint64_t backwards = 1 + Below(random_, 2);
    for (uint64_t i = 0; i < backwards; ++i) {
      Pass(100);
      Surprise();
      Range(HookName::kBackward, 200);
    }
    Pass(10);
    Range(HookName::kOptimizer, 50, 1);
    if (Below(random_, 5) == 0) Range(HookName::kCheckpoint, 100);
    if (Below(random_, 5) == 0) Range(HookName::kLogging, 30);
    if (Below(random_, 9) == 0) Range(HookName::kCapture, 30);
  }
  void Epoch() {
    const uint64_t iterator = ++iterators_;
    Range(HookName::kLoaderIter, 60, 1);
    const uint64_t batches = 3 + Below(random_, 20);
    for (uint64_t i = 0; i < batches; ++i) {
      Next(iterator, false);
      Step();
      if (Below(random_, 10) == 0) Evaluation();
    }
    Next(iterator, true);
    if (Below(random_, 2) == 0) Evaluation();
  }
  void Evaluation() {
    const uint64_t iterator = ++iterators_;
    const bool said = Below(random_, 3) == 0;
    if (said) Emit(MarkKind::kBegin, HookName::kEvaluation);
    Range(HookName::kLoaderIter, 60, 2);
    const uint64_t batches = 2 + Below(random_, 10);
    for (uint64_t i = 0; i < batches; ++i) {
      Next(iterator, false);
      now_ns_ += 400;
    }
    if (Below(random_, 4) != 0) Next(iterator, true);
    if (said) Emit(MarkKind::kEnd, HookName::kEvaluation);
  }
  void AddWorker(int32_t worker) {
    int64_t at_ns = static_cast<int64_t>(Below(random_, 300));
    const auto emit = [&](MarkKind kind, HookName name, uint64_t a, uint64_t b) {
      text_.threads[static_cast<size_t>(worker)].push_back({.ts_ns = at_ns,
                                                            .pid = 1 + worker,
                                                            .tid = 1 + worker,
                                                            .kind = kind,
                                                            .name = name,
                                                            .a = a,
                                                            .b = b});
      at_ns += static_cast<int64_t>(Below(random_, 300));
    };
    for (int i = 0; i < 60; ++i) {
      emit(MarkKind::kBegin, HookName::kFetch, 0, 0);
      emit(MarkKind::kBegin, HookName::kCollate, 0, 0);
      emit(MarkKind::kEnd, HookName::kCollate, 0, 0);
      emit(MarkKind::kEnd, HookName::kFetch, 1 + Below(random_, 200), Below(random_, 200));
      if (Below(random_, 10) != 0) AddSend(worker, at_ns);
    }
  }
  // One that is lost now and then, or late.
  void AddSend(int32_t worker, int64_t from_ns) {
    auto& thread = text_.threads[static_cast<size_t>(2 + worker)];
    const int64_t last_ns = thread.empty() ? 0 : thread.back().ts_ns;
    const int64_t at_ns = std::max(last_ns, from_ns) + static_cast<int64_t>(Below(random_, 400));
    for (const MarkKind kind : {MarkKind::kBegin, MarkKind::kEnd}) {
      thread.push_back({.ts_ns = at_ns,
                        .pid = 1 + worker,
                        .tid = 101 + worker,
                        .kind = kind,
                        .name = HookName::kSend,
                        .a = Below(random_, 500)});
    }
  }

  Random random_;
  EventText text_;
  int64_t now_ns_ = 0;
  uint64_t iterators_ = 0;
  int steps_ = 0;
};

TEST(RankDeriverProperty, RowsDoNotDependOnDelivery) {
  const uint64_t seeds = InSoakElse(60, 16);
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTraining training(seed);
    store::StringTable strings;
    const auto rows = DeriveText(training.text(), Delivery::kByTime, strings);
    ExpectSound(rows, strings);
    const auto train = std::count_if(rows.begin(), rows.end(), [&](const store::StepRow& row) {
      return strings.Text(row.kind) != "eval";
    });
    ASSERT_EQ(train, training.steps());
    for (Delivery delivery : {Delivery::kInBatches, Delivery::kAtOnce, Delivery::kThreadByThread,
                              Delivery::kWorkersLast}) {
      const auto others = DeriveText(training.text(), delivery, strings);
      ASSERT_EQ(RowsText(rows, {}, strings), RowsText(others, {}, strings))
          << "delivery " << static_cast<int>(delivery);
    }
  }
}

TEST(RankDeriverProperty, StepsLeaveNoGap) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const RandomTraining training(seed);
    store::StringTable strings;
    int64_t end_ns = -1;
    for (const auto& row : DeriveText(training.text(), Delivery::kInBatches, strings)) {
      if (strings.Text(row.kind) == "eval") continue;
      if (end_ns >= 0) {
        ASSERT_EQ(row.ts_ns, end_ns);
      }
      end_ns = row.ts_ns + row.dur_ns;
    }
  }
}

// ---- memory ------------------------------------------------------------------------------------

struct Flood {
  const char* name;
  std::function<void(uint64_t i,
                     const std::function<void(MarkKind, HookName, uint64_t, uint64_t)>&)>
      emit;
};

constexpr auto kBegin = MarkKind::kBegin;
constexpr auto kEnd = MarkKind::kEnd;

std::vector<Flood> Floods() {
  using enum HookName;
  return {
      {"a new iterator each time, never an optimizer",
       [](uint64_t i, const auto& emit) {
         emit(kBegin, kLoaderIter, 1, 0);
         emit(kEnd, kLoaderIter, 0, 0);
         emit(kBegin, kData, i & 0x7FFFFFFF, 9);
         emit(kEnd, kData, 0, 0);
       }},
      {"two iterators in turn, never an optimizer",
       [](uint64_t i, const auto& emit) {
         emit(kBegin, kData, 1 + i % 2, 0);
         emit(kEnd, kData, 0, 0);
       }},
      {"begins without ends", [](uint64_t, const auto& emit) { emit(kBegin, kUser, 0, 0); }},
      {"waits without ends", [](uint64_t i, const auto& emit) { emit(kBegin, kData, i, 7); }},
      {"a new optimizer each time",
       [](uint64_t i, const auto& emit) {
         emit(kBegin, kOptimizer, i, 0);
         emit(kEnd, kOptimizer, 0, 0);
       }},
      {"evaluation ranges without a step",
       [](uint64_t, const auto& emit) {
         emit(kBegin, kEvaluation, 0, 0);
         emit(kEnd, kEvaluation, 0, 0);
       }},
      {"waits for ever new workers in one step",
       [](uint64_t i, const auto& emit) {
         emit(kBegin, kData, 1, 1 + i % 1'000'000);
         emit(kEnd, kData, 0, 0);
       }},
      {"fetches that nobody waits for",
       [](uint64_t, const auto& emit) {
         emit(kBegin, kFetch, 0, 0);
         emit(kEnd, kFetch, 1, 1);
       }},
      {"announced steps while an evaluation goes on",
       [](uint64_t i, const auto& emit) {
         emit(kBegin, kData, 1 + i % 3, 0);
         emit(kEnd, kData, 0, 0);
         emit(MarkKind::kInstant, kStep, 0, 0);
       }},
      {"iterators that end at once",
       [](uint64_t i, const auto& emit) {
         emit(kBegin, kData, i & 0x7FFFFFFF, 0);
         emit(MarkKind::kInstant, kDataEnd, i & 0x7FFFFFFF, 0);
         emit(kEnd, kData, 0, 0);
       }},
  };
}

TEST(RankDeriverMemory, StaysBoundedInAFlood) {
  constexpr uint64_t kRounds = 30'000;
  constexpr size_t kMaxGrowthBytes = 2 << 20;
  for (const Flood& flood : Floods()) {
    SCOPED_TRACE(flood.name);
    store::StringTable strings;
    RankDeriver deriver({}, strings);
    int64_t now_ns = 0;
    const auto emit = [&](MarkKind kind, HookName name, uint64_t a, uint64_t b) {
      now_ns += 10;
      deriver.Add(
          {.ts_ns = now_ns, .pid = 1, .tid = 1, .kind = kind, .name = name, .a = a, .b = b});
    };
    size_t early_bytes = 0;
    for (uint64_t i = 0; i < kRounds; ++i) {
      flood.emit(i, emit);
      if (i % 1000 != 0) continue;
      deriver.Advance(now_ns);
      deriver.TakeSteps();
      deriver.TakeStages();
      if (i == kRounds / 10) early_bytes = HeldBytes();
    }
    const size_t late_bytes = HeldBytes();
    EXPECT_LT(late_bytes, early_bytes + kMaxGrowthBytes);
  }
}

TEST(RankDeriverMemory, ThreadsAndProcessesAreBounded) {
  store::StringTable strings;
  RankDeriver deriver({}, strings);
  for (int32_t i = 1; i < 200'000; ++i) {
    deriver.Add({.ts_ns = i, .pid = i, .tid = i, .kind = kBegin, .name = HookName::kFetch});
    if (i % 1000 == 0) deriver.Advance(i);
  }
  const size_t bytes = HeldBytes();
  EXPECT_LT(bytes, size_t{64} << 20);
  deriver.Finish(kForEver / 2);
}

}  // namespace
}  // namespace steptrace::analyze
