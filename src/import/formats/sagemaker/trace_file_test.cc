// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/trace_file.h"

#include <gmock/gmock.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace steptrace::import::sagemaker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

struct Read {
  std::vector<TraceFileEvent> events;
  std::map<std::string, int64_t> losses;
};

Read ReadAll(std::initializer_list<const char*> objects) {
  Read read;
  TraceFile file([&](const TraceFileEvent& event) { read.events.push_back(event); });
  for (const char* object : objects) file.Add(object);
  file.Finish();
  for (const auto& [cause, count] : file.losses()) read.losses.emplace(NameOf(cause), count);
  EXPECT_EQ(file.events(), static_cast<int64_t>(read.events.size()));
  return read;
}

constexpr const char* kBase =
    R"({"name":"process_name","ph":"M","pid":0,"args":{"start_time_since_epoch_in_micros":1594662605425850}})";
constexpr const char* kTrain =
    R"({"name":"process_name","ph":"M","pid":1,"args":{"name":"Step:ModeKeys.TRAIN"}})";

TEST(TraceFile, ReadsAStepOfTheFramework) {
  const Read read = ReadAll(
      {kBase, kTrain,
       R"({"name":"Step:ModeKeys.TRAIN","pid":1,"ph":"X","ts":2664345,"dur":9020725,"args":{"pid":905,"step_num":"0","layer":"x\"y"}})"});
  ASSERT_EQ(read.events.size(), 1u);
  const TraceFileEvent& event = read.events[0];
  EXPECT_EQ(event.ts_ns, 1594662608090195000);
  EXPECT_EQ(event.dur_ns, 9020725000);
  EXPECT_EQ(event.line, "Step:ModeKeys.TRAIN");
  EXPECT_EQ(event.pid, 905);
  EXPECT_EQ(event.step, 0);
  EXPECT_EQ(event.args, R"({"layer":"x\"y"})");
  EXPECT_EQ(PlaceOfEvent(event, false).role, EventRole::kStep);
  EXPECT_THAT(read.losses, IsEmpty());
}

TEST(TraceFile, JoinsBeginsAndEndsByLine) {
  const Read read = ReadAll({
      R"({"name":"NEGOTIATE","pid":1,"ph":"B","ts":10})",
      R"({"name":"NEGOTIATE","pid":2,"ph":"B","ts":11})",
      R"({"name":"inner","pid":1,"ph":"B","ts":12,"args":{"dtype":"float"}})",
      R"({"ph":"E","pid":1,"ts":15})",
      R"({"ph":"E","pid":1,"ts":20.0005})",
      R"({"ph":"E","pid":1,"ts":21})",
      R"({"name":"CYCLE_START","ph":"i","ts":22,"s":"g"})",
  });
  ASSERT_EQ(read.events.size(), 3u);
  EXPECT_EQ(read.events[0].name, "inner");
  EXPECT_EQ(read.events[0].args, R"({"dtype":"float"})");
  EXPECT_EQ(read.events[0].dur_ns, 3000);
  EXPECT_EQ(read.events[1].name, "NEGOTIATE");
  EXPECT_EQ(read.events[1].ts_ns, 10000);
  EXPECT_EQ(read.events[1].dur_ns, 10001);  // half a ns is rounded away from 0
  EXPECT_TRUE(read.events[2].instant);
  EXPECT_THAT(read.losses, ElementsAre(Pair("begin_without_end", 1), Pair("end_without_begin", 1)));
}

TEST(TraceFile, CountsDamageByCause) {
  const Read read = ReadAll({
      R"({"name":"a","ph":"X","ts":NaN,"dur":1})",
      R"({"name":"b","ph":"X","ts":1e300,"dur":1})",
      R"({"name":"b","ph":"X","ts":4700000000000000,"dur":1})",
      R"({"name":"c","ph":"X","ts":1})",
      R"({"name":"d","ph":"X","ts":1,"dur":-5})",
      R"({"name":"e","ph":"X","ts":1,"dur":Infinity})",
      R"({"name":"f","ph":"X","ts":4000000000000000,"dur":4000000000000000})",
      R"({"name":"g","ts":1})",
      R"({"name":"h","ph":"C","ts":1})",
      R"({"name":"i","ph":"X","ts":1,"dur":1,"args":{"x":nonsense}})",
      R"({"name":"process_name","ph":"M","args":{"start_time_since_epoch_in_micros":"now"}})",
      "{}",
      R"({"name":"broken)",
  });
  EXPECT_EQ(read.events.size(), 5u);
  EXPECT_THAT(read.losses, ElementsAre(Pair("absent_duration", 1), Pair("args_damaged", 1),
                                       Pair("bad_base_time", 1), Pair("bad_duration", 2),
                                       Pair("bad_timestamp", 3), Pair("damaged_event", 1),
                                       Pair("event_without_phase", 1), Pair("negative_duration", 1),
                                       Pair("unsupported_event", 1)));
}

TEST(TraceFile, OfAKeyThatStandsTwiceTheLastCounts) {
  const Read read = ReadAll({R"({"name":"a","ph":"X","ts":1,"ts":2,"dur":3})",
                             "{\"name\":\"\xff\",\"ph\":\"X\",\"ts\":1,\"dur\":1}"});
  ASSERT_EQ(read.events.size(), 2u);
  EXPECT_EQ(read.events[0].ts_ns, 2000);
  EXPECT_THAT(read.losses, ElementsAre(Pair("duplicate_key", 1), Pair("invalid_utf8", 1)));
}

TEST(TraceFile, ABaseThatChangesHoldsForWhatFollows) {
  const Read read = ReadAll({
      R"({"name":"process_name","ph":"M","args":{"start_time_since_epoch_in_micros":100}})",
      R"({"name":"a","ph":"X","ts":1,"dur":1})",
      R"({"name":"process_name","ph":"M","args":{"start_time_since_epoch_in_micros":200}})",
      R"({"name":"a","ph":"X","ts":1,"dur":1})",
  });
  ASSERT_EQ(read.events.size(), 2u);
  EXPECT_EQ(read.events[0].ts_ns, 101000);
  EXPECT_EQ(read.events[1].ts_ns, 201000);
}

EventPlace PlaceOf(const char* name, const char* line, const char* thread, bool tensorflow) {
  TraceFileEvent event;
  event.name = name;
  event.line = line;
  event.thread_name = thread;
  return PlaceOfEvent(event, tensorflow);
}

TEST(PlaceOfEvent, KnowsWhatFrameworksWrite) {
  using R = EventRole;
  EXPECT_EQ(PlaceOf("Step:ModeKeys.EVAL", "Step:ModeKeys.EVAL", "", false).role, R::kStep);
  EXPECT_EQ(PlaceOf("DataLoaderIter", "DataLoaderIter", "", false).role, R::kDataWait);
  EXPECT_EQ(PlaceOf("DataLoaderIterInitialize", "x", "", false).role, R::kDataWork);
  EXPECT_EQ(PlaceOf("DataLoaderWorker", "x", "", false).role, R::kLoaderWorker);
  EXPECT_EQ(PlaceOf("IteratorGetNextOp::DoCompute", "DataIterator", "", false).role, R::kDataWait);
  EXPECT_EQ(PlaceOf("dataset::GetNext", "DataIterator", "", false).role, R::kDataWork);
  EXPECT_EQ(PlaceOf("ResNet", "Forward-SubModuleInternal", "", false).role, R::kForward);
  EXPECT_EQ(PlaceOf("x", "Backward(post-forward)", "", false).role, R::kBackward);
  EXPECT_EQ(PlaceOf("kAllReduce", "NcclManager", "", false).role, R::kCommunication);
  EXPECT_EQ(PlaceOf("aten::add", "cpu_functions", "", false).role, R::kHostOperator);
  EXPECT_EQ(PlaceOf("sgemm", "gpu_functions-dev:2", "", false).device, 2);
  EXPECT_EQ(PlaceOf("sgemm", "gpu_functions-dev:x", "", false).role, R::kOther);
}

TEST(PlaceOfEvent, KnowsTensorFlowsTimelines) {
  using R = EventRole;
  const auto place = PlaceOf("volta_sgemm", "/device:GPU:3", "stream #17", true);
  EXPECT_EQ(place.role, R::kDeviceOperator);
  EXPECT_EQ(place.device, 3);
  EXPECT_EQ(PlaceOf("MemcpyH2D", "/device:GPU:0", "Stream #1(Memcpy)", true).role, R::kDeviceCopy);
  EXPECT_EQ(PlaceOf("Memset 12", "/device:GPU:0", "stream 1", true).role, R::kDeviceSet);
  EXPECT_EQ(PlaceOf("dense/MatMul", "/device:GPU:0", "TensorFlow Ops", true).role, R::kDeviceLabel);
  EXPECT_EQ(PlaceOf("a/strided_slice:StridedSlice", "/host:CPU", "", true).role, R::kHostOperator);
  EXPECT_EQ(PlaceOf("ExecutorState::Process", "/host:CPU", "", true).role, R::kOther);
  EXPECT_EQ(PlaceOf("Iterator::Model::Map", "/host:CPU", "", true).role, R::kDataWork);
}

}  // namespace
}  // namespace steptrace::import::sagemaker
