// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/system_metrics.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace steptrace::import::sagemaker {
namespace {

std::string Line(std::string_view type, std::string_view name, std::string_view dimension,
                 std::string_view value, std::string_view timestamp) {
  std::string line = "{\"Type\":\"" + std::string(type) + "\"";
  if (!name.empty()) line += ", \"Name\":\"" + std::string(name) + "\"";
  line += ", \"Dimension\": \"" + std::string(dimension) + "\",\"Value\":" + std::string(value);
  return line + ",\"NodeId\":\"algo-2\",\"Timestamp\":" + std::string(timestamp) + "}";
}

SystemSample ParsedSample(std::string_view line) {
  SystemSample sample;
  EXPECT_EQ(ParseSystemLine(line, sample), LineFault::kNone) << line;
  return sample;
}

LineFault FaultOf(std::string_view line) {
  SystemSample sample;
  return ParseSystemLine(line, sample);
}

TEST(SystemMetrics, ReadsALineExactly) {
  const auto sample =
      ParsedSample(Line("cpu", "cpu5", "CPUUtilization", "1.36", "1591748109.2321954"));
  EXPECT_EQ(sample.ts_ns, 1591748109232195400);
  EXPECT_EQ(sample.value, 0.0136);
  EXPECT_EQ(sample.key, (MetricKey{"core.busy_share", 5}));
  EXPECT_EQ(sample.node, "algo-2");
  EXPECT_FALSE(sample.out_of_range);
}

TEST(SystemMetrics, CallsMetricsAsTheSamplerDoes) {
  struct Named {
    const char *type, *name, *dimension, *metric;
    std::optional<int32_t> device;
    bool percent;
  };
  for (const Named& one : std::vector<Named>{
           {"cpu", "cpu0", "I/OWaitPercentage", "core.iowait_share", 0, true},
           {"cpu", "", "CPUUtilization", "cpu.busy_share", {}, true},
           {"gpu", "gpu3", "GPUUtilization", "gpu.utilization_share", 3, true},
           {"gpu", "gpu3", "GPUMemoryUtilization", "gpu.memory_used_share", 3, true},
           {"memory", "MemoryUsedPercent", "", "memory.used_share", {}, true},
           {"whatever", "MemoryUsedPercent", "Platform", "memory.used_share", {}, true},
           {"i/o", "IOPS", "", "disk.operations_per_s", {}, false},
           {"i/o", "ReadThroughputInBytesPerSecond", "", "disk.read_bytes_per_s", {}, false},
           {"i/o", "WriteThroughputInBytesPerSecond", "", "disk.write_bytes_per_s", {}, false},
           {"network",
            "ReceiveBytesPerSecond",
            "Algorithm",
            "network.receive_bytes_per_s",
            {},
            false},
           {"network",
            "TransmitBytesPerSecond",
            "Platform",
            "network.platform_send_bytes_per_s",
            {},
            false},
           {"Odd Type", "x7", "SomeThing", "sagemaker.odd_type.some_thing.x", 7, false},
       }) {
    const MetricPlace place = PlaceOf(one.type, one.dimension, one.name);
    EXPECT_EQ(place.key, (MetricKey{one.metric, one.device})) << one.metric;
    EXPECT_EQ(place.percent, one.percent) << one.metric;
  }
}

TEST(SystemMetrics, OfAKeyThatStandsTwiceTheLastCounts) {
  const auto sample = ParsedSample(R"({"Name":"IOPS","Value":1,"Value":2,"Timestamp":1})");
  EXPECT_EQ(sample.value, 2);
  EXPECT_TRUE(sample.duplicate_key);
  EXPECT_FALSE(ParsedSample(R"({"Name":"IOPS","Value":1,"Timestamp":1})").duplicate_key);
}

TEST(SystemMetrics, KeepsValuesOutOfRange) {
  const auto sample = ParsedSample(Line("cpu", "cpu0", "CPUUtilization", "-19.61", "1.5"));
  EXPECT_EQ(sample.value, -0.1961);
  EXPECT_TRUE(sample.out_of_range);
  EXPECT_FALSE(ParsedSample(Line("i/o", "IOPS", "", "5357.94", "1.5")).out_of_range);
}

TEST(SystemMetrics, NamesWhatIsWrongWithALine) {
  EXPECT_EQ(FaultOf("{\"Type\": \"gpu\", \"Value\":47.76,\"NodeId\":\"algo-1\""),
            LineFault::kNoObject);
  EXPECT_EQ(FaultOf("hello"), LineFault::kNoObject);
  EXPECT_EQ(FaultOf("{\"Value\":1,\"Timestamp\":1}"), LineFault::kNoMetric);
  EXPECT_EQ(FaultOf(Line("cpu", "cpu0", "CPUUtilization", "1", "NaN")), LineFault::kBadTime);
  EXPECT_EQ(FaultOf(Line("cpu", "cpu0", "CPUUtilization", "1", "1e300")), LineFault::kBadTime);
  EXPECT_EQ(FaultOf(Line("cpu", "cpu0", "CPUUtilization", "NaN", "1")), LineFault::kBadValue);
  EXPECT_EQ(FaultOf(Line("cpu", "cpu0", "CPUUtilization", "null", "1")), LineFault::kBadValue);
}

TEST(CoreMeans, TakesMomentsAtWhichAllCoresWereRead) {
  CoreMeans means;
  const int64_t ms = 1'000'000;
  means.Add(0, 0, 0.2);
  means.Add(5 * ms, 1, 0.4);
  means.Add(500 * ms, 1, 1.0);  // core 0 is missing
  means.Add(1000 * ms, 0, 0.5);
  means.Add(1020 * ms, 1, 0.7);
  means.Add(1021 * ms, 1, 0.9);  // a new moment: core 1 was read already
  means.Add(1022 * ms, 0, 0.1);
  const auto rows = means.Take();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].ts_ns, 0);
  EXPECT_EQ(rows[0].value, (0.2 + 0.4) / 2);
  EXPECT_EQ(rows[1].ts_ns, 1000 * ms);
  EXPECT_EQ(rows[2].ts_ns, 1021 * ms);
  EXPECT_EQ(means.cores(), 2u);
}

TEST(CoreMeans, IgnoresCoreNumbersThatNoMachineHas) {
  CoreMeans means;
  means.Add(0, 2'000'000'000, 1);
  means.Add(0, -1, 1);
  EXPECT_TRUE(means.Take().empty());
}

}  // namespace
}  // namespace steptrace::import::sagemaker
