// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/record_converter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <iterator>
#include <limits>
#include <map>

namespace steptrace::agent {
namespace {

using wire::Category;
using wire::Record;
using wire::RecordKind;

// Records of one process with CLOCK_MONOTONIC readings; the run began at 1000.
class RecordConverterTest : public testing::Test {
 protected:
  RecordConverterTest() {
    clock_.epoch_monotonic_ns = 1000;
    RecordConverter::Settings settings;
    settings.pid = 42;
    settings.process_name = "python";
    settings.name_of = [this](uint32_t id) -> std::optional<RecordConverter::Name> {
      auto found = names_.find(id);
      if (found == names_.end()) return std::nullopt;
      return found->second;
    };
    settings.rank_of = [this](int32_t reported, bool trains) {
      ++ranks_asked_;
      if (reported >= 0) return reported;
      return trains ? 3 : 0;
    };
    settings.thread_name_of = [](int32_t) { return "main"; };
    converter_ = std::make_unique<RecordConverter>(std::move(settings), strings_, tracks_);
    thread_.tid = 7;
    Name(1, Category::kPhase, "backward");
    Name(2, Category::kUser, "mine");
    Name(3, Category::kFact, "loader");
    Name(4, Category::kPhase, "data");
    Name(5, Category::kCommunication, "all_reduce");
    Name(6, Category::kWorker, "fetch");
  }

  void Name(uint32_t id, Category category, std::string text) {
    names_[id] = {std::move(text), static_cast<uint16_t>(category)};
  }
  void Feed(RecordKind kind, uint64_t clock, uint32_t name, uint64_t a = 0, uint64_t b = 0) {
    const Record record = wire::MakeRecord(kind, clock, name, 0, a, b);
    converter_->Convert(thread_, std::span(&record, 1), clock_, out_);
  }
  std::string Text(store::StringId id) { return strings_.Text(id); }

  store::StringTable strings_;
  TrackRegistry tracks_{0, strings_};
  std::map<uint32_t, RecordConverter::Name> names_;
  int ranks_asked_ = 0;
  RunClock clock_;
  std::unique_ptr<RecordConverter> converter_;
  ThreadState thread_;
  RowBatch out_;
};

TEST_F(RecordConverterTest, ARangeBecomesASliceAndTwoEvents) {
  Feed(RecordKind::kBegin, 1100, 1);
  Feed(RecordKind::kEnd, 1400, 1, 250, 10);
  ASSERT_EQ(out_.slices.size(), 1u);
  const store::SliceRow& slice = out_.slices[0];
  EXPECT_EQ(slice.ts_ns, 100);
  EXPECT_EQ(slice.dur_ns, 300);
  EXPECT_EQ(Text(slice.name), "backward");
  EXPECT_EQ(Text(slice.category), "phase");
  EXPECT_EQ(slice.rank, 3);
  EXPECT_EQ(slice.args, R"({"cpu_ns":250,"run_queue_ns":10})");
  ASSERT_EQ(out_.events.size(), 2u);
  EXPECT_EQ(out_.events[0].kind, analyze::MarkKind::kBegin);
  EXPECT_EQ(out_.events[0].name, analyze::HookName::kBackward);
  EXPECT_EQ(out_.events[1].kind, analyze::MarkKind::kEnd);
  EXPECT_EQ(out_.events[1].a, 250u);
  EXPECT_EQ(out_.events[1].ts_ns, 400);
  EXPECT_TRUE(converter_->trains());
}

TEST_F(RecordConverterTest, AStackOfTheProcesssOwnIsHandedOn) {
  Name(9, Category::kStack, "stack");
  Feed(RecordKind::kPayload, 1100, 9, 5, 7 | wire::kStackRuns);
  Feed(RecordKind::kPayload, 1200, 9, 6, 0);
  Feed(RecordKind::kPayload, 1300, 9, uint64_t{1} << 32, 7);
  Feed(RecordKind::kPayload, 1400, 9, 5, uint64_t{1} << 31);
  Feed(RecordKind::kPayload, 1500, 9, 5, 7 | wire::kStackRuns << 1);
  Feed(RecordKind::kBegin, 1600, 9);
  EXPECT_EQ(converter_->invalid_records(), 4);
  ASSERT_EQ(out_.stacks.size(), 2u);
  EXPECT_EQ(out_.stacks[0].ts_ns, 100);
  EXPECT_EQ(out_.stacks[0].text, 5u);
  EXPECT_EQ(out_.stacks[0].tid, 7);
  EXPECT_TRUE(out_.stacks[0].running);
  EXPECT_EQ(out_.stacks[1].tid, 0);
  EXPECT_FALSE(out_.stacks[1].running);
  EXPECT_TRUE(out_.slices.empty());
  EXPECT_TRUE(out_.events.empty());
  EXPECT_FALSE(converter_->settled()) << "says nothing of its role";
}

TEST_F(RecordConverterTest, TheRankIsSettledByTheFirstPhase) {
  Feed(RecordKind::kInstant, 1100, 2);
  EXPECT_EQ(out_.slices.back().rank, 0) << "a guess";
  Feed(RecordKind::kBegin, 1200, 4);
  Feed(RecordKind::kEnd, 1300, 4);
  EXPECT_EQ(out_.slices.back().rank, 3);
  const int asked = ranks_asked_;
  Feed(RecordKind::kInstant, 1400, 2);
  EXPECT_EQ(ranks_asked_, asked);
}

TEST_F(RecordConverterTest, ProcessAndThreadGetTracksOnce) {
  Feed(RecordKind::kInstant, 1100, 2);
  Feed(RecordKind::kInstant, 1200, 2);
  auto rows = tracks_.TakeRows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(Text(rows[1].kind), "process");
  EXPECT_EQ(rows[1].name, "python");
  EXPECT_EQ(Text(rows[2].kind), "thread");
  EXPECT_EQ(rows[2].parent, rows[1].track);
  EXPECT_EQ(rows[2].tid, 7);
  EXPECT_EQ(out_.slices[0].track, rows[2].track);
}

TEST_F(RecordConverterTest, AWorkerIsNamedSo) {
  Feed(RecordKind::kBegin, 1100, 6);
  Feed(RecordKind::kEnd, 1200, 6);
  EXPECT_TRUE(converter_->is_worker());
  EXPECT_EQ(Text(tracks_.TakeRows()[1].kind), "worker");
}

// A spawned worker imports torch, and has slices of it, before it says what it is.
TEST_F(RecordConverterTest, AWorkerThatIsKnownLateIsNamedSo) {
  Feed(RecordKind::kInstant, 1100, 2);
  for (const auto& row : tracks_.TakeSettledRows(0)) EXPECT_NE(Text(row.kind), "process");
  Feed(RecordKind::kBegin, 1200, 6);
  Feed(RecordKind::kEnd, 1300, 6);
  const auto rows = tracks_.TakeSettledRows(1);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(Text(rows[0].kind), "worker");
  EXPECT_EQ(rows[0].pid, 42);
  EXPECT_TRUE(tracks_.TakeRows().empty()) << "once";
}

TEST_F(RecordConverterTest, AProcessThatNeverTellsIsAProcessAfterAWhile) {
  Feed(RecordKind::kInstant, 1100, 2);
  EXPECT_EQ(tracks_.TakeSettledRows(5).size(), 2u) << "the node and the thread";
  EXPECT_TRUE(tracks_.TakeSettledRows(5 + TrackRegistry::kRoleWaitNs - 1).empty());
  const auto rows = tracks_.TakeSettledRows(5 + TrackRegistry::kRoleWaitNs);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(Text(rows[0].kind), "process");
  Feed(RecordKind::kBegin, 1200, 6);
  Feed(RecordKind::kEnd, 1300, 6);
  EXPECT_TRUE(tracks_.TakeRows().empty()) << "what was told stays";
}

TEST_F(RecordConverterTest, CollectivesCarryBytes) {
  Feed(RecordKind::kBegin, 1100, 5, 4096);
  Feed(RecordKind::kEnd, 1200, 5);
  EXPECT_EQ(out_.slices[0].bytes, 4096);
  EXPECT_EQ(out_.events[0].name, analyze::HookName::kCollective);
  EXPECT_EQ(Text(out_.events[0].text), "all_reduce");
  Feed(RecordKind::kBegin, 1300, 5, ~0ull);  // more than any machine has: damage
  Feed(RecordKind::kEnd, 1350, 5);
  ASSERT_EQ(out_.slices.size(), 2u);
  EXPECT_FALSE(out_.slices[1].bytes.has_value());
}

TEST_F(RecordConverterTest, DataTellsQueueAndWorker) {
  Feed(RecordKind::kBegin, 1100, 4, 9 | (2ull << 32), 77);
  Feed(RecordKind::kEnd, 1200, 4);
  EXPECT_EQ(out_.slices[0].args, R"({"iterator":9,"queue_depth":2,"worker_pid":77})");
  Feed(RecordKind::kBegin, 1300, 4, 9 | (uint64_t{wire::kUnknownQueueDepth} << 32));
  Feed(RecordKind::kEnd, 1400, 4);
  EXPECT_EQ(out_.slices[1].args, R"({"iterator":9})");
  Feed(RecordKind::kBegin, 1500, 4, 9 | (2ull << 32), 77 | wire::kBatchArrived);
  Feed(RecordKind::kEnd, 1600, 4, 40, 7);
  EXPECT_EQ(out_.slices[2].args, R"({"iterator":9,"queue_depth":2,"worker_pid":77,"arrived":true,)"
                                 R"("cpu_ns":40,"run_queue_ns":7})");
}

TEST_F(RecordConverterTest, CountersInstantsAndFlows) {
  Feed(RecordKind::kCounter, 1100, 2, std::bit_cast<uint64_t>(0.25));
  ASSERT_EQ(out_.counters.size(), 1u);
  EXPECT_EQ(out_.counters[0].value, 0.25);
  Feed(RecordKind::kBegin, 1200, 2);
  Feed(RecordKind::kFlowOut, 1210, 2, 5);
  Feed(RecordKind::kEnd, 1300, 2);
  EXPECT_EQ(out_.slices[0].flow_out, 5);
  Feed(RecordKind::kComplete, 1400, 2, 0, 1450);
  EXPECT_EQ(out_.slices[1].dur_ns, 50);
}

TEST_F(RecordConverterTest, DeviceMemoryIsACounterOfItsDevice) {
  Name(60, Category::kDeviceMemory, "1:allocated_bytes");
  Feed(RecordKind::kCounter, 1100, 60, std::bit_cast<uint64_t>(1e9));
  Feed(RecordKind::kCounter, 1200, 60, std::bit_cast<uint64_t>(2e9));
  ASSERT_EQ(out_.counters.size(), 2u);
  ASSERT_EQ(out_.device_memory.size(), 2u);
  EXPECT_EQ(out_.device_memory[1].device, 1);
  EXPECT_EQ(out_.device_memory[1].value, 2e9);
  EXPECT_EQ(Text(out_.device_memory[1].metric), "torch_cuda.allocated_bytes");
  const auto rows = tracks_.TakeRows();
  EXPECT_EQ(rows.back().name, "torch_cuda.allocated_bytes");
  EXPECT_EQ(rows.back().device, 1);
  EXPECT_EQ(rows.back().pid, 42);
  EXPECT_FALSE(converter_->trains());
  EXPECT_EQ(converter_->invalid_records(), 0);
}

TEST_F(RecordConverterTest, DeviceMemoryThatCannotBeIsCounted) {
  const char* kTexts[] = {"allocated_bytes", "-1:x", "99999:x", ":x", "1", ""};
  for (uint32_t i = 0; i < std::size(kTexts); ++i) {
    Name(60 + i, Category::kDeviceMemory, kTexts[i]);
    Feed(RecordKind::kCounter, 1100, 60 + i, std::bit_cast<uint64_t>(1.0));
  }
  Name(70, Category::kDeviceMemory, "1:ok");
  for (double value : {-1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    Feed(RecordKind::kCounter, 1100, 70, std::bit_cast<uint64_t>(value));
  }
  Feed(RecordKind::kBegin, 1100, 70);
  EXPECT_TRUE(out_.counters.empty());
  EXPECT_TRUE(out_.device_memory.empty());
  EXPECT_EQ(converter_->invalid_records(), 10);
}

TEST_F(RecordConverterTest, FactsAreJsonObjects) {
  Name(50, Category::kFact, R"({"workers": 4})");
  Feed(RecordKind::kPayload, 1100, 3, 50);
  ASSERT_EQ(out_.facts.size(), 1u);
  EXPECT_EQ(Text(out_.facts[0].kind), "loader");
  EXPECT_EQ(out_.facts[0].json, R"({"workers":4})");
  EXPECT_EQ(out_.facts[0].pid, 42);
}

TEST_F(RecordConverterTest, AJobFactTellsTheRank) {
  Name(8, Category::kFact, "job");
  Name(51, Category::kFact, R"({"rank": 5, "world_size": 8, "backend": "gloo"})");
  Name(52, Category::kFact, R"({"rank": 9, "world_size": 8})");
  Feed(RecordKind::kPayload, 1050, 8, 52);
  EXPECT_EQ(converter_->world_size(), -1) << "a rank beyond its world is no rank";
  Feed(RecordKind::kPayload, 1060, 8, 51);
  Feed(RecordKind::kBegin, 1100, 1);
  Feed(RecordKind::kEnd, 1200, 1);
  EXPECT_EQ(out_.slices[0].rank, 5);
  EXPECT_EQ(converter_->world_size(), 8);
}

TEST_F(RecordConverterTest, WhatIsOpenAtTheEndIsClosedForTheDeriverToo) {
  Feed(RecordKind::kBegin, 1100, 4);
  Feed(RecordKind::kBegin, 1200, 2);
  converter_->EndThread(thread_, 500, out_);
  ASSERT_EQ(out_.slices.size(), 2u);
  EXPECT_EQ(out_.slices[0].dur_ns, 300);
  EXPECT_EQ(out_.slices[1].dur_ns, 400);
  EXPECT_EQ(out_.events.size(), 4u);
}

TEST_F(RecordConverterTest, MaliceInvalidFactsAreCounted) {
  const std::string deep = "{\"a\":" + std::string(30'000, '[') + std::string(30'000, ']') + "}";
  for (const char* text : {"", "[1]", "{\"a\":", "7", "{\"a\":\xff}", "{} {}", deep.c_str()}) {
    Name(60, Category::kFact, text);
    Feed(RecordKind::kPayload, 1100, 3, 60);
  }
  Name(61, Category::kFact, std::string(100'000, '[') + std::string(100'000, ']'));
  Feed(RecordKind::kPayload, 1100, 3, 61);
  Feed(RecordKind::kPayload, 1100, 3, 999);
  Feed(RecordKind::kPayload, 1100, 3, ~0ull);
  Feed(RecordKind::kPayload, 1100, 2, 60);
  EXPECT_TRUE(out_.facts.empty());
  EXPECT_EQ(converter_->invalid_facts(), 11);
}

TEST_F(RecordConverterTest, MaliceUnknownNamesKindsAndUnmatchedEnds) {
  Feed(RecordKind::kBegin, 1100, 77);
  Feed(static_cast<RecordKind>(200), 1100, 1);
  Feed(RecordKind::kEnd, 1200, 1);
  Feed(RecordKind::kBegin, 1200, 3);
  EXPECT_TRUE(out_.slices.empty());
  EXPECT_TRUE(out_.events.empty());
  EXPECT_EQ(converter_->invalid_records(), 3);
}

TEST_F(RecordConverterTest, MaliceTimesBeyondReason) {
  Feed(RecordKind::kBegin, ~0ull, 1);
  Feed(RecordKind::kEnd, 0, 1);
  Feed(RecordKind::kComplete, 1ull << 63, 2, 0, 5);
  for (const store::SliceRow& slice : out_.slices) EXPECT_GE(slice.dur_ns, 0);
}

TEST_F(RecordConverterTest, MaliceInvalidTimeLeavesOtherRecordsIntact) {
  clock_.latest_ns = 10'000;
  Feed(RecordKind::kBegin, 1100, 1);
  Feed(RecordKind::kBegin, ~0ull >> 1, 2);
  Feed(RecordKind::kEnd, 1300, 2);
  Feed(RecordKind::kEnd, 1400, 1);
  Feed(RecordKind::kBegin, 1ull << 63, 1);
  Feed(RecordKind::kEnd, 1600, 1);
  ASSERT_EQ(out_.slices.size(), 3u);
  EXPECT_EQ(out_.slices[0].ts_ns, 100) << "where the thread was last";
  EXPECT_EQ(out_.slices[0].dur_ns, 200);
  EXPECT_EQ(out_.slices[1].dur_ns, 300) << "not lifted to it";
  EXPECT_EQ(out_.slices[2].ts_ns, 400);
  EXPECT_EQ(converter_->invalid_records(), 2);
}

TEST_F(RecordConverterTest, NamesBecomeValidUtf8) {
  Name(70, Category::kUser, "caf\xC3\xA9 \xFF\x1b[2J");
  Feed(RecordKind::kInstant, 1100, 70);
  EXPECT_EQ(Text(out_.slices[0].name), "caf\xC3\xA9 \xEF\xBF\xBD\x1b[2J");
}

// ---- windows ----

TEST_F(RecordConverterTest, OperatorsNestInPhasesAndTellWhatComputes) {
  Name(10, Category::kOperator, "aten::conv2d");
  Name(11, Category::kPrimitive, "convolution");
  Name(12, Category::kOperator, "ConvolutionBackward0");
  Feed(RecordKind::kBegin, 1100, 1);
  Feed(RecordKind::kBegin, 1110, 12);
  Feed(RecordKind::kBegin, 1120, 10);
  Feed(RecordKind::kBegin, 1130, 11);
  for (uint64_t clock : {1140, 1150, 1160, 1170}) Feed(RecordKind::kEnd, clock, 1);
  ASSERT_EQ(out_.slices.size(), 4u);
  EXPECT_EQ(Text(out_.slices[0].category), "primitive");
  EXPECT_EQ(out_.slices[0].depth, 3);
  EXPECT_EQ(Text(out_.slices[1].category), "operator");
  EXPECT_EQ(Text(out_.slices[1].name), "aten::conv2d");
  EXPECT_EQ(out_.slices[1].dur_ns, 30);
  EXPECT_EQ(out_.slices[1].args, "");
  ASSERT_EQ(out_.events.size(), 8u);
  EXPECT_EQ(out_.events[1].name, analyze::HookName::kOperator);
  EXPECT_EQ(out_.events[1].a, 0u) << "a node of autograd leads to operators";
  EXPECT_EQ(out_.events[2].a, 1u);
  EXPECT_EQ(out_.events[3].a, 1u);
  EXPECT_EQ(out_.events[4].name, analyze::HookName::kOperator);
  EXPECT_EQ(out_.events[7].name, analyze::HookName::kBackward);
}

TEST_F(RecordConverterTest, WindowMarksAreReportedAndMakeNoSlices) {
  Name(10, Category::kWindow, "window_begin");
  Name(11, Category::kWindow, "window_end");
  Name(12, Category::kWindow, "window_of_opportunity");
  Feed(RecordKind::kInstant, 1100, 10, 7, 1 | uint64_t{300} << 32);
  Feed(RecordKind::kInstant, 1200, 11, 7, 20 | uint64_t{4} << 32);
  ASSERT_EQ(out_.windows.size(), 2u);
  EXPECT_TRUE(out_.windows[0].begins);
  EXPECT_EQ(out_.windows[0].ts_ns, 100);
  EXPECT_EQ(out_.windows[0].request, 7u);
  EXPECT_EQ(out_.windows[0].kinds, 1u);
  EXPECT_EQ(out_.windows[0].first_step, 300u);
  EXPECT_FALSE(out_.windows[1].begins);
  EXPECT_EQ(out_.windows[1].steps, 20u);
  EXPECT_EQ(out_.windows[1].end, wire::WindowEnd::kFull);
  EXPECT_EQ(out_.events[0].name, analyze::HookName::kWindowBegin);
  EXPECT_EQ(out_.events[1].name, analyze::HookName::kWindowEnd);
  Feed(RecordKind::kInstant, 1300, 12, 7, 1);
  EXPECT_EQ(out_.windows.size(), 2u);
  EXPECT_EQ(converter_->invalid_records(), 1);
  Feed(RecordKind::kBegin, 1400, 10);
  EXPECT_EQ(converter_->invalid_records(), 2) << "it is an instant";
  EXPECT_TRUE(out_.slices.empty());
}

TEST_F(RecordConverterTest, LostRecordsAreReportedToTheDerivation) {
  Record record = wire::MakeRecord(RecordKind::kBegin, 1100, 1, wire::kFlagAfterLoss, 0, 0);
  converter_->Convert(thread_, std::span(&record, 1), clock_, out_);
  ASSERT_EQ(out_.events.size(), 2u);
  EXPECT_EQ(out_.events[0].name, analyze::HookName::kRecordsLost);
  EXPECT_EQ(out_.events[0].kind, analyze::MarkKind::kInstant);
  EXPECT_EQ(out_.events[1].name, analyze::HookName::kBackward);
}

TEST_F(RecordConverterTest, MaliceUnknownCategoriesAreCounted) {
  for (const uint16_t category : std::initializer_list<uint16_t>{0, 6, 7, 24, 65535}) {
    names_[20 + category] = {"aten::add", category};
    Feed(RecordKind::kBegin, 1100, 20u + category);
  }
  EXPECT_EQ(converter_->invalid_records(), 5);
  EXPECT_TRUE(out_.events.empty());
}

TEST(OperatorNames, ComputingOperatorsAreToldFromWrappers) {
  for (const char* name : {"aten::add", "aten::_softmax.out", "c10d::allreduce_", "my_lib::op",
                           "torch::autograd::AccumulateGrad", "## Call CompiledFxGraph fabc ##"}) {
    EXPECT_TRUE(Computes(Category::kOperator, name)) << name;
  }
  for (const char* name :
       {"AddmmBackward0", "autograd::engine::evaluate_function: AddmmBackward0",
        "Optimizer.step#SGD.step", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
        "my block", "", "::", "a range: of mine :: with colons"}) {
    EXPECT_FALSE(Computes(Category::kOperator, name)) << name;
  }
  EXPECT_TRUE(Computes(Category::kPrimitive, "convolution"));
  EXPECT_FALSE(Computes(Category::kUser, "aten::add"));
}

// ---- tensors ----

TEST_F(RecordConverterTest, ATensorIsTakenWithItsPartsAndIsNoSlice) {
  Name(20, Category::kTensor, "fc.weight");
  const auto half = std::bit_cast<uint64_t>(0.5);
  Feed(RecordKind::kTensor, 1100, 20, wire::TensorHeader(3, 2, 2, 4), 2);
  Feed(RecordKind::kTensorPart, 0, 20, 0, 0);
  Feed(RecordKind::kTensorPart, 0, 20, half, half);
  Feed(RecordKind::kTensorPart, std::bit_cast<uint64_t>(1.0), 20, std::bit_cast<uint64_t>(1.0),
       half);
  Feed(RecordKind::kTensorPart, wire::TensorBin(39, 2), 20);
  ASSERT_EQ(out_.tensors.size(), 1u);
  EXPECT_EQ(Text(out_.tensors[0].name), "fc.weight");
  EXPECT_EQ(out_.tensors[0].ts_ns, 100);
  EXPECT_TRUE(out_.slices.empty() && out_.events.empty());
  Feed(RecordKind::kTensor, 1100, 1, wire::TensorHeader(3, 2, 2, 3), 2);  // a name of no tensor
  EXPECT_EQ(converter_->invalid_records(), 1);
}

// ---- which call of which group ----

constexpr const char* kOfGroup = R"({"Process Group Name":"12","Group size":2})";

TEST_F(RecordConverterTest, ACollectiveTellsItsGroupAndItsNumberInIt) {
  Name(20, Category::kDetails, kOfGroup);
  Feed(RecordKind::kBegin, 1100, 5, 4096, uint64_t{7} << 24 | 20);
  Feed(RecordKind::kEnd, 1200, 5);
  ASSERT_EQ(out_.slices.size(), 1u);
  EXPECT_EQ(out_.slices[0].bytes, 4096);
  EXPECT_EQ(out_.slices[0].group, 12);
  EXPECT_EQ(out_.slices[0].sequence, 7);
  EXPECT_EQ(Text(out_.slices[0].details), kOfGroup);
  EXPECT_EQ(converter_->invalid_records(), 0);
}

TEST_F(RecordConverterTest, CollectiveWithoutDetailsHasNoGroup) {
  Feed(RecordKind::kBegin, 1100, 5, 4096);
  Feed(RecordKind::kEnd, 1200, 5);
  ASSERT_EQ(out_.slices.size(), 1u);
  EXPECT_FALSE(out_.slices[0].group);
  EXPECT_FALSE(out_.slices[0].sequence);
  EXPECT_EQ(Text(out_.slices[0].details), "");
}

TEST_F(RecordConverterTest, DamagedDetailsCostTheDetailsAndNotTheCall) {
  Name(20, Category::kDetails, "{\"Process Group");
  Name(21, Category::kUser, kOfGroup);
  for (const uint64_t details : {20u, 21u, 99u}) {
    Feed(RecordKind::kBegin, 1100, 5, 4096, uint64_t{7} << 24 | details);
    Feed(RecordKind::kEnd, 1200, 5);
  }
  ASSERT_EQ(out_.slices.size(), 3u);
  for (const auto& slice : out_.slices) {
    EXPECT_FALSE(slice.group);
    EXPECT_FALSE(slice.sequence);
  }
  EXPECT_EQ(converter_->invalid_records(), 3);
}

TEST_F(RecordConverterTest, ADetailBelongsToTheCompleteRightBehindIt) {
  Name(20, Category::kDetails, kOfGroup);
  Name(21, Category::kNccl, "all_reduce");
  Feed(RecordKind::kDetail, 1100, 20, 5, 800);
  Feed(RecordKind::kComplete, 1100, 21, 0, 1300);
  Feed(RecordKind::kComplete, 1300, 21, 0, 1400);  // its own was dropped
  Feed(RecordKind::kDetail, 1400, 20, 7, 800);     // of one that was dropped
  Feed(RecordKind::kInstant, 1450, 2);
  Feed(RecordKind::kComplete, 1400, 21, 0, 1500);
  ASSERT_EQ(out_.slices.size(), 4u);
  const auto& reported = out_.slices[0];
  EXPECT_EQ(Text(reported.category), "nccl");
  EXPECT_EQ(reported.ts_ns, 100);
  EXPECT_EQ(reported.dur_ns, 200);
  EXPECT_EQ(reported.sequence, 5);
  EXPECT_EQ(reported.group, 12);
  EXPECT_EQ(reported.bytes, 800);
  EXPECT_FALSE(out_.slices[1].sequence);
  EXPECT_FALSE(out_.slices[3].sequence);
  EXPECT_EQ(converter_->invalid_records(), 0);
}

TEST_F(RecordConverterTest, AsynchronousRangesHaveTheirOwnTrack) {
  Name(20, Category::kDetails, kOfGroup);
  Name(21, Category::kNccl, "all_reduce");
  Name(22, Category::kAsync, "load");
  Name(23, Category::kNcclProxyStep, "send step: network");
  Feed(RecordKind::kBegin, 1050, 2);
  Feed(RecordKind::kDetail, 1100, 20, 5, 800);
  Feed(RecordKind::kComplete, 1100, 21, 0, 1300);
  Feed(RecordKind::kComplete, 1150, 22, 0, 1350);
  Feed(RecordKind::kDetail, 1150, 20, 5, 512);
  Feed(RecordKind::kComplete, 1150, 23, 0, 1380);
  Feed(RecordKind::kEnd, 1400, 2);
  ASSERT_EQ(out_.slices.size(), 4u);
  EXPECT_NE(out_.slices[0].track, out_.slices[1].track);
  EXPECT_NE(out_.slices[0].track, out_.slices[3].track);
  EXPECT_EQ(out_.slices[0].depth, 0);
  EXPECT_EQ(out_.slices[2].bytes, 512);
  EXPECT_EQ(Text(out_.slices[1].category), "user");
  std::map<int32_t, std::string> names;
  for (const auto& track : tracks_.TakeRows()) names[track.track] = track.name;
  EXPECT_EQ(names[out_.slices[0].track], "NCCL 12");
  EXPECT_EQ(names[out_.slices[1].track], "NVTX");
  EXPECT_EQ(names[out_.slices[2].track], "NCCL proxy steps 12");
}

}  // namespace
}  // namespace steptrace::agent
