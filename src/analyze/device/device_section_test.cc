// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/device_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;

class DeviceSectionTest : public ::testing::Test {
 protected:
  DevicesSection Build(std::string_view text) { return BuildDevices(DrawTrace(text, strings_)); }
  DeviceTimes One(std::string_view text) {
    const DevicesSection section = Build(text);
    EXPECT_EQ(section.devices.size(), 1u);
    return section.devices.at(0);
  }
  static std::vector<int64_t> Times(const BusyTimes& times) {
    return {
        times.span_ns,          times.busy_ns,   times.idle_ns,    times.compute_ns,
        times.communication_ns, times.memory_ns, times.overlap_ns, times.exposed_communication_ns,
        times.exposed_memory_ns};
  }

  store::StringTable strings_;
};

TEST_F(DeviceSectionTest, TimesSumExactlyToTheWindow) {
  const DeviceTimes device = One(R"(
s7 kernel gemm 100 200
s20 kernel ncclDevKernel_AllReduce 150 300
s7 memcpy "Memcpy HtoD" 250 350
s7 memset Memset 400 410
s7 sync "Stream Wait Event" 0 1000
s7 gpu_annotation around 0 1000
)");
  // span, busy, idle, compute, communication, memory, overlap, exposed communication and memory
  EXPECT_THAT(Times(device.window), ElementsAre(310, 260, 50, 100, 150, 110, 50, 100, 60));
  EXPECT_EQ(device.ts_ns, 100);
  EXPECT_EQ(device.events, 4);
}

TEST_F(DeviceSectionTest, EachDeviceStandsForItself) {
  const DevicesSection section = Build(R"(
rank 0
d0s7 kernel a 0 10
d3s7 kernel a 0 20
rank 1
d0s7 kernel a 5 10
fact device {"id": 0, "name": "a device", "numSms": 4}
)");
  ASSERT_EQ(section.devices.size(), 3u);
  EXPECT_EQ(section.devices[1].device, 3);
  EXPECT_EQ(section.devices[1].window.busy_ns, 20);
  EXPECT_EQ(section.devices[0].name, "");
  EXPECT_EQ(section.devices[2].name, "a device");
}

TEST_F(DeviceSectionTest, StepsHoldWhatFallsIntoThem) {
  const DeviceTimes device = One(R"(
t1 step ProfilerStep#1 0 100
t1 runtime cudaLaunchKernel 10 20 corr=1
t1 step ProfilerStep#2 100 200
t1 runtime cudaLaunchKernel 110 120 corr=2
s7 kernel a 50 150 corr=1
s7 kernel b 160 180 corr=2
)");
  ASSERT_EQ(device.steps.size(), 2u);
  EXPECT_THAT(Times(device.steps[0].times), ElementsAre(150, 100, 50, 100, 0, 0, 0, 0, 0));
  EXPECT_THAT(Times(device.steps[1].times), ElementsAre(50, 20, 30, 20, 0, 0, 0, 0, 0));
  EXPECT_EQ(device.steps_span_ns, 200);
  EXPECT_EQ(device.kernel_busy_ns, 120);
  EXPECT_DOUBLE_EQ(*device.utilization, 0.6);
}

TEST_F(DeviceSectionTest, RolesAreExclusiveByPriority) {
  const DevicesSection section = Build(R"(
t1 step ProfilerStep#1 0 1000
t1 op enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 0 100
t1 op aten::mm 100 300
t1 runtime cudaLaunchKernel 150 200 corr=1
t1 annotation nccl:all_reduce 400 450 ext=9
s7 kernel gemm 180 260 corr=1
s7 memcpy "Memcpy HtoD" 240 280
s7 memset Memset 270 285
s7 kernel ncclDevKernel 250 500
s7 kernel anonymous 600 610 ext=9
)");
  ASSERT_EQ(section.roles.size(), 1u);
  const RoleTimes& times = section.roles[0].times;
  EXPECT_EQ(times.kernel_ns, 80);
  EXPECT_EQ(times.memcpy_ns, 20);
  EXPECT_EQ(times.memset_ns, 5);
  EXPECT_EQ(times.communication_ns, 215 + 10);  // 285-500, the host's range in it; by external id
  EXPECT_EQ(times.runtime_ns, 30);
  EXPECT_EQ(times.dataloader_ns, 100);
  EXPECT_EQ(times.cpu_ns, 50);
  EXPECT_EQ(times.total_ns, 1000);
  EXPECT_EQ(times.other_ns, 1000 - 80 - 20 - 5 - 225 - 30 - 100 - 50);
}

TEST_F(DeviceSectionTest, PausesHaveACause) {
  const DeviceTimes device = One(R"(
t1 runtime cudaLaunchKernel 0 10 corr=1
t1 runtime cudaLaunchKernel 100010 100020 corr=2
t1 runtime cudaLaunchKernel 100020 100030 corr=3
t1 runtime cudaLaunchKernel 100030 100040 corr=4
s7 kernel a 20 100000 corr=1
s7 kernel late 100100 100200 corr=2
s7 kernel next 100300 100400 corr=3
s7 kernel waited 200400 200500 corr=4
)");
  EXPECT_EQ(device.idle.host_ns, 100);
  EXPECT_EQ(device.idle.kernel_wait_ns, 100);
  EXPECT_EQ(device.idle.other_ns, 100'000);
  EXPECT_EQ(device.window.idle_ns, 100'200);
  ASSERT_EQ(device.streams.size(), 1u);
  EXPECT_EQ(device.streams[0].idle.other_ns, 100'000);
}

TEST_F(DeviceSectionTest, OverlapWithinAStreamIsCounted) {
  const DeviceTimes device = One(R"(
s7 kernel a 0 100
s7 kernel b 90 120
s7 kernel c 110 115
s7 kernel d 120 130
)");
  EXPECT_EQ(device.streams[0].overlapping, 2);
  EXPECT_EQ(device.streams[0].overlapping_ns, 15);
  EXPECT_EQ(device.streams[0].busy_ns, 130);
}

TEST_F(DeviceSectionTest, QueuesAreWeighedByTime) {
  const DeviceTimes device = One(R"(
t1 runtime cudaLaunchKernel 0 10 corr=1
t1 runtime cudaLaunchKernel 20 30 corr=2
t1 driver cuLaunchKernelEx 40 50 corr=3
s7 kernel a 50 100 corr=1
s7 kernel b 100 110 corr=2
s7 kernel c 30 35 corr=3
)");
  const StreamTimes& stream = device.streams[0];
  EXPECT_EQ(stream.queue_sum_ns, 50 + 80);  // the third began before its call, by its clock
  EXPECT_EQ(stream.queue_span_ns, 100);
  EXPECT_EQ(stream.queue_max, 2);
  EXPECT_DOUBLE_EQ(*stream.queue_mean, 1.3);
  EXPECT_EQ(stream.queue_full_ns, 0);
}

TEST_F(DeviceSectionTest, LaunchesOfEveryMakerCount) {
  const DeviceTimes device = One(R"(
t1 runtime cudaLaunchKernel 0 10 corr=1
t1 runtime cudaLaunchKernel 20 80020 corr=2
t1 driver cuLaunchKernelEx 90000 90010 corr=3
t1 runtime hipLaunchKernel 90020 90030 corr=4
t1 runtime cudaGraphLaunch 90040 90050 corr=5
s7 kernel a 20 25 corr=1
s7 kernel b 80120 90000 corr=2
s7 kernel c 91000 91100 corr=3
s7 kernel d 300000 300100 corr=4
s7 kernel e 300100 300200 corr=5
s7 kernel f 300200 300300 corr=5
s7 kernel orphan 300300 300400 corr=77
)");
  ASSERT_EQ(device.launches.size(), 4u);
  const LaunchTimes& launch = device.launches[0];
  EXPECT_EQ(launch.call, "cudaLaunchKernel");
  EXPECT_EQ(launch.calls, 2);
  EXPECT_EQ(launch.call_ns.sum, 10 + 80'000);
  EXPECT_EQ(launch.delay_ns.min, 10);
  EXPECT_EQ(launch.delay_ns.max, 100);
  EXPECT_EQ(launch.short_work, 2);
  EXPECT_EQ(launch.slow_calls, 1);
  EXPECT_EQ(launch.late_starts, 0);
  EXPECT_EQ(device.graph_launches, 1);
  EXPECT_EQ(device.graph_kernels, 2);
  EXPECT_EQ(device.without_launch, 1);
}

TEST_F(DeviceSectionTest, CopiesByKindWithTheirRate) {
  const DeviceTimes device = One(R"(
s7 memcpy "Memcpy HtoD (Pinned -> Device) " 0 100 bytes=1000000
s8 memcpy "Memcpy HtoD (Pageable -> Device) " 50 150 bytes=500000
s7 memcpy CopyDeviceToHost 200 300 bytes=100
s7 memset Memset 300 310
)");
  ASSERT_EQ(device.copies.size(), 3u);
  EXPECT_EQ(device.copies[0].kind, "DtoH");
  EXPECT_EQ(device.copies[0].small, 1);
  EXPECT_EQ(device.copies[1].kind, "HtoD");
  EXPECT_EQ(device.copies[1].sum_ns, 200);
  EXPECT_EQ(device.copies[1].busy_ns, 150);
  EXPECT_DOUBLE_EQ(*device.copies[1].bytes_per_s, 1.5e6 / 150e-9);
  EXPECT_EQ(device.copies[1].bytes, 1'500'000);
  EXPECT_EQ(device.copies[2].kind, "Memset");
  EXPECT_FALSE(device.copies[2].bytes.has_value());  // nothing tells how many
}

TEST_F(DeviceSectionTest, RatesAreExactAndSizesStayAtTheLargestNumber) {
  const DeviceTimes device = One(R"(
s7 memcpy "Memcpy HtoD (Pinned -> Device) " 0 10000 bytes=4096
s7 memcpy "Memcpy DtoH (Device -> Pinned) " 10000 10010 bytes=9223372036854775807
s7 memcpy "Memcpy DtoH (Device -> Pinned) " 10010 10020 bytes=9223372036854775807
s7 memcpy "Memcpy DtoH (Device -> Pinned) " 10020 10030 bytes=-5
)");
  ASSERT_EQ(device.copies.size(), 2u);
  EXPECT_EQ(device.copies[0].bytes, INT64_MAX);
  EXPECT_EQ(device.copies[0].small, 0);  // a size below 0 is none
  EXPECT_EQ(device.copies[1].bytes_per_s, 409'600'000.0);
}

TEST_F(DeviceSectionTest, EfficiencyAndOccupancyAreWeighedByTime) {
  const DeviceTimes device = One(R"(
t1 step ProfilerStep#1 0 100
t1 runtime cudaLaunchKernel 0 1 corr=1
t1 runtime cudaLaunchKernel 1 2 corr=2
t1 runtime cudaLaunchKernel 2 3 corr=3 details={"grid": [2, 1, 1]}
s7 kernel a 10 50 corr=1 details={"blocks per SM": 0.5, "est. achieved occupancy %": 25}
s8 kernel b 30 70 corr=2 details={"blocks per SM": 0.75, "est. achieved occupancy %": 75}
s7 kernel c 80 90 corr=3
fact device {"device": 0, "multiprocessors": 4}
)");
  // 20 ns of 0.5, 20 of 1, 20 of 0.75, and 10 of 2 blocks on 4 processors.
  EXPECT_DOUBLE_EQ(*device.est_sm_efficiency, (20 * 0.5 + 20 * 1 + 20 * 0.75 + 10 * 0.5) / 100);
  EXPECT_DOUBLE_EQ(*device.est_achieved_occupancy, 0.5);
}

TEST_F(DeviceSectionTest, TensorCoreShareIsOfKernelTime) {
  const DeviceTimes device = One(R"(
s7 kernel volta_fp16_s884gemm 0 30
s7 kernel relu 30 60
s7 kernel ncclKernel 60 100
)");
  EXPECT_DOUBLE_EQ(*device.tensor_cores.share, 0.3);
  EXPECT_DOUBLE_EQ(*device.tensor_cores.compute_share, 0.5);
}

TEST_F(DeviceSectionTest, PrecisionsSumToWhatComputes) {
  const char* const profile = R"(
s7 kernel volta_fp16_s884gemm 0 30
s8 kernel volta_sgemm 10 50
s7 kernel relu 50 60
s7 kernel volta_sgemm 60 70
s7 kernel ncclDevKernel_AllReduce_Sum_bf16 70 100
s7 memset Memset 100 200
)";
  const DeviceTimes device = One(profile);
  ASSERT_EQ(device.precisions.size(), 3u);
  EXPECT_EQ(device.precisions[0].precision, Precision::kFp32);
  EXPECT_EQ(device.precisions[0].ns, 50);
  EXPECT_EQ(device.precisions[1].precision, Precision::kFp16);
  EXPECT_EQ(device.precisions[1].ns, 30);
  EXPECT_EQ(device.precisions[2].precision, Precision::kNotStated);
  EXPECT_EQ(device.precisions[2].ns, 10);
  EXPECT_EQ(device.tensor_cores.compute_kernel_ns, 90);
  EXPECT_DOUBLE_EQ(*device.precisions[0].share, 50.0 / 90);
  nlohmann::ordered_json report;
  AddDevicesJson(Build(profile), report);
  const auto& precisions = report["devices"][0]["precisions"];
  EXPECT_EQ(precisions[1]["precision"], "FP16");
  EXPECT_TRUE(precisions[2]["precision"].is_null()) << "not told";
}

TEST_F(DeviceSectionTest, JsonSaysWhatDoesNotApply) {
  nlohmann::ordered_json report;
  AddDevicesJson(Build("s7 memset Memset 0 5\n"), report);
  const auto& device = report["devices"][0];
  EXPECT_EQ(device["window"]["busy_ns"], 5);
  EXPECT_TRUE(device["utilization"].is_null());
  EXPECT_TRUE(device["tensor_cores"]["share"].is_null());
  EXPECT_TRUE(device["precisions"].empty());
  EXPECT_TRUE(report["roles"].empty());
}

// Every moment of a random profile, one by one.
TEST_F(DeviceSectionTest, AgreesWithCountingEveryNanosecond) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    constexpr int kMoments = 200;
    bool role[3][kMoments] = {};
    int first = kMoments;
    int last = 0;
    for (int i = 0; i < 12; ++i) {
      const int begin = static_cast<int>(random() % 150);
      const int end = begin + static_cast<int>(random() % 40);
      const size_t kind = random() % 3;
      const char* kinds[] = {"kernel gemm", "kernel ncclX", "memcpy Memcpy"};
      text += "s" + std::to_string(random() % 3) + " " + kinds[kind] + " " + std::to_string(begin) +
              " " + std::to_string(end) + "\n";
      for (int ns = begin; ns < end; ++ns) role[kind][ns] = true;
      first = std::min(first, begin);
      last = std::max(last, end);
    }
    BusyTimes expected;
    expected.span_ns = last - first;
    for (int ns = 0; ns < kMoments; ++ns) {
      const bool compute = role[0][ns];
      const bool communication = role[1][ns];
      const bool memory = role[2][ns];
      expected.compute_ns += compute;
      expected.communication_ns += communication;
      expected.memory_ns += memory;
      expected.busy_ns += compute || communication || memory;
      expected.overlap_ns += compute && communication;
      expected.exposed_communication_ns += communication && !compute;
      expected.exposed_memory_ns += memory && !compute && !communication;
    }
    expected.idle_ns = expected.span_ns - expected.busy_ns;
    const DeviceTimes device = One(text);
    EXPECT_EQ(Times(device.window), Times(expected)) << text;
    EXPECT_EQ(device.idle.host_ns + device.idle.kernel_wait_ns + device.idle.other_ns,
              expected.idle_ns);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace steptrace::analyze
