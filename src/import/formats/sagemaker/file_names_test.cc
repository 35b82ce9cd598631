// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/file_names.h"

#include <gmock/gmock.h>

#include "import/formats/sagemaker/detect.h"

namespace steptrace::import::sagemaker {
namespace {

TEST(Layout, ReadsNodesAndProcesses) {
  EXPECT_EQ(ParseNodeId("905-algo-1"), (ProcessName{"algo-1", 905}));
  EXPECT_EQ(ParseNodeId("algo-1"), (ProcessName{"algo-1", 0}));
  EXPECT_EQ(ParseNodeId("0001"), (ProcessName{"0001", 0}));
  EXPECT_EQ(EventFileProcess("a/2020071317/1594662624718694_905-b88ab_pythontimeline.json"),
            (ProcessName{"b88ab", 905}));
  EXPECT_EQ(EventFileProcess("1590461127873222_0001_model_timeline.json"),
            (ProcessName{"0001", 0}));
  EXPECT_EQ(EventFileProcess("horovod_timeline_small.json"), ProcessName());
  EXPECT_EQ(EventFileKindOf("x/1_2-algo-1_horovod_timeline.json.gz"), EventFileKind::kHorovod);
}

TEST(Layout, ReadsTheTimeBaseOfTensorFlow) {
  const auto name =
      ParseMetadataName("s/000/80807-h.ant.com_1596659864545103_1596659864854168.metadata");
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->process, (ProcessName{"h.ant.com", 80807}));
  EXPECT_EQ(name->start_ns, 1596659864545103000);
  EXPECT_EQ(name->end_ns, 1596659864854168000);
  for (const char* path : {"x.metadata", "_1_2.json", "a_b_c.metadata", "_.metadata", ""}) {
    EXPECT_FALSE(ParseMetadataName(path).has_value()) << path;
  }
  EXPECT_EQ(MetadataFolder("s/000/plugins/profile/2020/h.trace.json.gz"), "s/000");
  EXPECT_EQ(TimelineHost("s/plugins/profile/2020/ip-172.trace.json.gz"), "ip-172");
}

TEST(Layout, ReadsBothFormsOfProfileFolders) {
  auto window =
      ParseProfileWindow("c/1596585374963238.0_1596585376008161.5_151-algo-1_2/python_stats");
  EXPECT_EQ(window.process, (ProcessName{"algo-1", 151}));
  EXPECT_EQ(window.start_ns, 1596585374963238000);
  EXPECT_EQ(window.end_ns, 1596585376008161500);
  EXPECT_EQ(window.step, 2);
  window = ParseProfileWindow("c/1.0_2.0_151-algo-1_-1/python_stats");
  EXPECT_EQ(window.step, -1);
  window = ParseProfileWindow(
      "pytorch/cprofile/151-algo-2/"
      "train-9-stepstart-1600000000000001_train-9-stepend-1600000000000002/"
      "python_stats");
  EXPECT_EQ(window.process, (ProcessName{"algo-2", 151}));
  EXPECT_EQ(window.start_ns, 1600000000000001000);
  EXPECT_EQ(window.end_ns, 1600000000000002000);
  EXPECT_EQ(window.step, 9);
  window = ParseProfileWindow(
      "cprofile/1-h/global-*-prestepzero-100_train-0-stepstart-200/python_stats");
  EXPECT_EQ(window.start_ns, 100000);
  EXPECT_EQ(window.step, std::nullopt);
  for (const char* path : {"python_stats", "", "/", "a/python_stats", "_/x", "1_/x", "-_-/x"}) {
    EXPECT_FALSE(ParseProfileWindow(path).start_ns.has_value()) << path;
  }
}

TEST(Layout, SortsAsPeopleDo) {
  EXPECT_TRUE(NaturalLess("algo-2", "algo-10"));
  EXPECT_FALSE(NaturalLess("algo-10", "algo-2"));
  EXPECT_TRUE(NaturalLess("a", "b"));
  EXPECT_TRUE(NaturalLess("a", "a1"));
  EXPECT_FALSE(NaturalLess("a", "a"));
  EXPECT_NE(NaturalLess("a01", "a1"), NaturalLess("a1", "a01"));
}

std::optional<Dialect> DetectIn(const char* path, std::string_view head) {
  Source source;
  source.path = path;
  return DetectDialect(source, head);
}

TEST(DetectDialect, GoesByContent) {
  EXPECT_EQ(DetectIn("x", R"({"Type":"cpu","Dimension":"D","Value":1,"Timestamp":2.5})"),
            Dialect::kSystem);
  EXPECT_EQ(DetectIn("x", "{\"Type\":\"c\n{\"Name\":\"n\",\"Value\":1,\"Timestamp\":2.5}\n"),
            Dialect::kSystem);
  EXPECT_EQ(DetectIn("x", R"([{"ph":"M","args":{"start_time_since_epoch_in_micros":1}}])"),
            Dialect::kFramework);
  EXPECT_EQ(DetectIn("x", "[\n{\"ph\":\"B\",\"name\":\"NEGOTIATE_ALLREDUCE\""), Dialect::kHorovod);
  const char* timeline = R"({"traceEvents":[{"ph":"M","args":{"name":"/host:CPU"}}]})";
  EXPECT_EQ(DetectIn("detailed_profiling/1/x", timeline), Dialect::kTensorFlow);
  EXPECT_EQ(DetectIn("plugins/profile/1/x", timeline), std::nullopt);  // TensorFlow's, or JAX's
  EXPECT_EQ(DetectIn("1-h_1_2.metadata", ""), Dialect::kTensorFlow);
  for (const char* head : {"", "hello", "{}", "[]", R"([{"ph":"X","ts":1}])",
                           R"({"traceEvents":[{"ph":"X"}]})", "{\"a\":1}"}) {
    EXPECT_EQ(DetectIn("x", head), std::nullopt) << head;
  }
}

}  // namespace
}  // namespace steptrace::import::sagemaker
