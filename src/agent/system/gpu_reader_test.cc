// SPDX-License-Identifier: Apache-2.0
#include "agent/system/gpu_reader.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "testing/capturing_sink.h"
#include "testing/fake_proc.h"

namespace steptrace::agent {
namespace {

using store::Metric;
using testing::CapturingSink;
using testing::FakeTree;
using testing::SampleClock;

constexpr const char* kTwoGpus =
    "devices 2\n"
    "0.name NVIDIA H200\n1.name NVIDIA A100-SXM4-80GB\n"
    "0.utilization 73 20\n1.utilization 5 1\n"
    "0.memory 1000 400\n1.memory 2000 500\n"
    "0.power 423500\n1.power !3\n"
    "0.sm_clock 1980\n0.memory_clock 3201\n0.temperature 61\n0.throttle 36\n"
    "0.field.197 1000\n0.field.198 2000\n0.field.138 10\n0.field.139 20\n0.field.3 7\n0.field.4 "
    "1\n";

class GpuReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("STEPTRACE_FAKE_NVML", tree_.path("state").c_str(), 1);
    tree_.Write("bus/pci/devices/0000:17:00.0/vendor", "0x10de\n");
    tree_.Write("bus/pci/devices/0000:17:00.0/class", "0x030200\n");
    reader_.emplace(FAKE_NVML_PATH, tree_.root());
  }
  void TearDown() override {
    reader_.reset();
    EXPECT_FALSE(std::filesystem::exists(tree_.path("state.misuse"))) << Misuse();
    ::unsetenv("STEPTRACE_FAKE_NVML");
  }
  std::string Misuse() const {
    std::ifstream file(tree_.path("state.misuse"));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Sample(const std::string& state, double seconds = 1.0) {
    tree_.Write("state", state);
    clock_.Sample(*reader_, sink_, seconds);
  }

  FakeTree tree_;
  std::optional<GpuReader> reader_;
  CapturingSink sink_;
  SampleClock clock_;
};

TEST_F(GpuReaderTest, ReadsGaugesOfEachGpu) {
  Sample(kTwoGpus);
  ASSERT_EQ(reader_->devices().size(), 2u);
  EXPECT_EQ(reader_->devices()[0].name, "NVIDIA H200");
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuUtilization, 0), 0.73);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuMemoryBusyShare, 0), 0.2);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuUtilization, 1), 0.05);
  EXPECT_EQ(sink_.Value(Metric::kGpuMemoryTotal, 0), 1000);
  EXPECT_EQ(sink_.Value(Metric::kGpuMemoryUsed, 0), 400);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuPower, 0), 423.5);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuSmClock, 0), 1.98e9);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuMemoryClock, 0), 3.201e9);
  EXPECT_EQ(sink_.Value(Metric::kGpuTemperature, 0), 61);
  EXPECT_EQ(sink_.Value(Metric::kGpuThrottleReasons, 0), 36);
}

TEST_F(GpuReaderTest, ThroughputIsGrowthInBytes) {
  Sample(kTwoGpus);
  EXPECT_FALSE(sink_.Has(Metric::kGpuPcieReceive, 0));
  Sample(std::string(kTwoGpus) +
             "0.field.197 5000\n0.field.198 2600\n0.field.138 14\n0.field.139 22\n",
         2.0);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuPcieSend, 0), 2000);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuPcieReceive, 0), 300);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuNvlinkSend, 0), 2048);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuNvlinkReceive, 0), 1024);
  Sample(std::string(kTwoGpus) + "0.field.197 10\n");
  EXPECT_FALSE(sink_.Has(Metric::kGpuPcieSend, 0)) << "it wrapped";
}

TEST_F(GpuReaderTest, EccCountsSinceSamplingBegan) {
  Sample(kTwoGpus);
  EXPECT_EQ(sink_.Value(Metric::kGpuEccErrors, 0), 0) << "those of before are not the run's";
  Sample(std::string(kTwoGpus) + "0.field.3 9\n0.field.4 2\n");
  EXPECT_EQ(sink_.Value(Metric::kGpuEccErrors, 0), 3);
}

TEST_F(GpuReaderTest, WhatAGpuDoesNotSupportIsToldOnceAndLeftOut) {
  Sample(kTwoGpus);
  Sample(kTwoGpus);
  EXPECT_FALSE(sink_.Has(Metric::kGpuPower, 1));
  ASSERT_TRUE(sink_.Unavailable("gpu 1 power"));
  EXPECT_EQ(sink_.Unavailable("gpu 1 power")->reason, "Not Supported (3)");
  EXPECT_TRUE(sink_.Unavailable("gpu 1 NVLink throughput"));
  EXPECT_FALSE(sink_.Unavailable("gpu 0 power"));
  size_t reported = 0;
  for (const auto& source : sink_.unavailable) reported += source.source == "gpu 1 power";
  EXPECT_EQ(reported, 1u);
  // It is not asked for again, even were there a value.
  Sample(std::string(kTwoGpus) + "1.power 5\n");
  EXPECT_FALSE(sink_.Has(Metric::kGpuPower, 1));
}

TEST_F(GpuReaderTest, TransientErrorIsRetried) {
  Sample(std::string(kTwoGpus) + "0.temperature !999\n");
  EXPECT_FALSE(sink_.Has(Metric::kGpuTemperature, 0));
  Sample(kTwoGpus);
  EXPECT_TRUE(sink_.Has(Metric::kGpuTemperature, 0));
}

TEST_F(GpuReaderTest, ALostGpuIsLeftAloneTheOthersGoOn) {
  Sample(kTwoGpus);
  Sample(std::string(kTwoGpus) + "0.lost yes\n");
  EXPECT_FALSE(sink_.Has(Metric::kGpuUtilization, 0));
  EXPECT_FALSE(sink_.Has(Metric::kGpuMemoryUsed, 0));
  EXPECT_TRUE(sink_.Has(Metric::kGpuUtilization, 1));
  ASSERT_TRUE(sink_.Unavailable("gpu 0 lost"));
  EXPECT_NE(sink_.Unavailable("gpu 0 lost")->remedy.find("XID"), std::string::npos);
  Sample(kTwoGpus);
  EXPECT_FALSE(sink_.Has(Metric::kGpuUtilization, 0))
      << "it is not asked again, even if it answers";
  EXPECT_TRUE(sink_.Has(Metric::kGpuUtilization, 1));
}

constexpr const char* kHopper =
    "devices 1\n0.name NVIDIA H100\n0.gpm yes\n0.gpm.2 62.5\n0.gpm.3 25\n0.gpm.5 40\n"
    "0.gpm.10 12.5\n0.gpm.20 2\n0.gpm.21 1\n0.gpm.60 3\n0.gpm.61 4\n"
    "0.field.197 1000\n0.field.198 2000\n0.field.138 10\n0.field.139 20\n";
constexpr double kGpmMib = 1 << 20;

TEST_F(GpuReaderTest, GpmTellsWhatLiesBetweenTwoSamples) {
  Sample(kHopper);
  EXPECT_TRUE(reader_->devices().at(0).gpm);
  EXPECT_FALSE(sink_.Has(Metric::kGpuSmActiveShare, 0)) << "one sample makes no metric";
  Sample(kHopper);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuSmActiveShare, 0), 0.625);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuSmOccupancyShare, 0), 0.25);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuTensorActiveShare, 0), 0.4);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuDramActiveShare, 0), 0.125);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuPcieSend, 0), 2 * kGpmMib);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuPcieReceive, 0), kGpmMib);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuNvlinkReceive, 0), 3 * kGpmMib);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuNvlinkSend, 0), 4 * kGpmMib);
  size_t sent = 0;
  for (const MetricSample& one : sink_.samples) sent += one.metric == Metric::kGpuPcieSend;
  EXPECT_EQ(sent, 1u) << "the driver's field is not asked as well";
  Sample(std::string(kHopper) + "0.gpm.2 100\n");
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuSmActiveShare, 0), 1) << "a third one follows on";
}

TEST_F(GpuReaderTest, GpmIsNotReadSoonerThanItIsRenewed) {
  Sample(kHopper);
  Sample(kHopper, 0.1);
  EXPECT_FALSE(sink_.Has(Metric::kGpuSmActiveShare, 0));
  Sample(kHopper, 0.1);
  EXPECT_TRUE(sink_.Has(Metric::kGpuSmActiveShare, 0)) << "0.2 s after the first";
}

TEST_F(GpuReaderTest, AMetricThatGpmLacksIsAskedForAsAField) {
  const std::string without = std::string(kHopper) + "0.gpm.60 !3\n0.gpm.5 !3\n";
  Sample(without);
  Sample(without);
  EXPECT_FALSE(sink_.Has(Metric::kGpuTensorActiveShare, 0));
  EXPECT_FALSE(sink_.Has(Metric::kGpuNvlinkReceive, 0)) << "the field's first reading";
  Sample(without + "0.field.139 22\n0.gpm.5 7\n");
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuNvlinkReceive, 0), 2048);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kGpuNvlinkSend, 0), 4 * kGpmMib);
  EXPECT_FALSE(sink_.Has(Metric::kGpuTensorActiveShare, 0)) << "it is not asked for again";
}

TEST_F(GpuReaderTest, WithoutGpmTheReasonIsToldAndTheRestStands) {
  const struct {
    const char* state;
    const char* reason;
  } kCases[] = {{"0.gpm !3\n", "Not Supported"}, {"0.mig yes\n", "MIG"}};
  for (const auto& one : kCases) {
    reader_.emplace(FAKE_NVML_PATH, tree_.root());
    clock_ = SampleClock();
    sink_.unavailable.clear();
    Sample(std::string(kHopper) + one.state);
    Sample(std::string(kHopper) + one.state + "0.field.197 5000\n");
    ASSERT_TRUE(sink_.Unavailable("gpu 0 GPM")) << one.state;
    EXPECT_NE(sink_.Unavailable("gpu 0 GPM")->reason.find(one.reason), std::string::npos);
    EXPECT_FALSE(reader_->devices().at(0).gpm);
    EXPECT_FALSE(sink_.Has(Metric::kGpuSmActiveShare, 0));
    EXPECT_TRUE(sink_.Has(Metric::kGpuPcieSend, 0)) << "by the driver's field";
  }
}

TEST_F(GpuReaderTest, AGpuBeforeHopperHasNoGpm) {
  Sample(kTwoGpus);
  ASSERT_TRUE(sink_.Unavailable("gpu 0 GPM"));
  EXPECT_NE(sink_.Unavailable("gpu 0 GPM")->reason.find("older than Hopper"), std::string::npos);
}

TEST_F(GpuReaderTest, GpmErrorIsRetriedOnlyABoundedNumberOfTimes) {
  const std::string fails = std::string(kHopper) + "0.gpm_metrics !999\n";
  Sample(kHopper);
  Sample(fails);
  EXPECT_FALSE(sink_.Has(Metric::kGpuSmActiveShare, 0));
  Sample(kHopper);
  EXPECT_FALSE(sink_.Has(Metric::kGpuSmActiveShare, 0)) << "a first sample again";
  Sample(kHopper);
  EXPECT_TRUE(sink_.Has(Metric::kGpuSmActiveShare, 0));
  for (int i = 0; i < 6; ++i) Sample(fails);
  ASSERT_TRUE(sink_.Unavailable("gpu 0 GPM"));
  Sample(kHopper);
  Sample(kHopper);
  EXPECT_FALSE(sink_.Has(Metric::kGpuSmActiveShare, 0));
}

TEST_F(GpuReaderTest, ImpossibleValueIsLeftOut) {
  Sample(kHopper);
  Sample(std::string(kHopper) + "0.gpm.2 nan\n0.gpm.3 -5\n0.gpm.10 1e300\n");
  EXPECT_FALSE(sink_.Has(Metric::kGpuSmActiveShare, 0));
  EXPECT_FALSE(sink_.Has(Metric::kGpuSmOccupancyShare, 0));
  EXPECT_FALSE(sink_.Has(Metric::kGpuDramActiveShare, 0));
  EXPECT_TRUE(sink_.Has(Metric::kGpuTensorActiveShare, 0));
}

TEST_F(GpuReaderTest, AGpuThatIsLostInTheMidstOfGpmIsLeftAlone) {
  Sample(kHopper);
  Sample(std::string(kHopper) + "0.lost yes\n");
  EXPECT_TRUE(sink_.Unavailable("gpu 0 lost"));
  Sample(kHopper);
  EXPECT_FALSE(sink_.Has(Metric::kGpuSmActiveShare, 0));
}

TEST_F(GpuReaderTest, EachXidIsOneSample) {
  Sample(kTwoGpus);
  EXPECT_FALSE(sink_.Has(Metric::kGpuXid, 0));
  const std::string events = "event 0 8 79\nevent 1 4 1\nevent 1 8 31\nevent 1 8 45\n";
  Sample(kTwoGpus + events);
  EXPECT_EQ(sink_.Value(Metric::kGpuXid, 0), 79);
  size_t xids = 0;
  for (const MetricSample& sample : sink_.samples) xids += sample.metric == Metric::kGpuXid;
  EXPECT_EQ(xids, 3u) << "a change of power state is none";
  Sample(kTwoGpus + events);
  EXPECT_FALSE(sink_.Has(Metric::kGpuXid, 1)) << "told once";
}

TEST_F(GpuReaderTest, NoPermissionForEventsCostsOnlyThem) {
  Sample(std::string(kTwoGpus) + "0.events !4\n1.events !4\n");
  EXPECT_TRUE(sink_.Unavailable("gpu 0 xid"));
  EXPECT_TRUE(sink_.Has(Metric::kGpuUtilization, 0));
}

TEST_F(GpuReaderTest, DriverThatDoesNotAnswer) {
  Sample("init !9\n");
  ASSERT_TRUE(sink_.Unavailable("gpu"));
  EXPECT_NE(sink_.Unavailable("gpu")->reason.find("Driver Not Loaded"), std::string::npos);
  EXPECT_TRUE(sink_.samples.empty());
  Sample(kTwoGpus);
  EXPECT_TRUE(sink_.samples.empty()) << "loading is tried once: it can take seconds";
}

TEST_F(GpuReaderTest, NoGpu) {
  Sample("devices 0\n");
  EXPECT_TRUE(sink_.Unavailable("gpu"));
}

TEST_F(GpuReaderTest, AGpuThatMustNotBeOpenedIsLeftOut) {
  Sample(std::string(kTwoGpus) + "0.handle !4\n");
  ASSERT_EQ(reader_->devices().size(), 1u);
  EXPECT_EQ(reader_->devices()[0].device, 1) << "numbers stay NVML's";
  EXPECT_TRUE(sink_.Has(Metric::kGpuUtilization, 1));
}

TEST_F(GpuReaderTest, OldDriversLackFunctions) {
  reader_.emplace(FAKE_NVML_OLD_PATH, tree_.root());
  Sample(kTwoGpus);
  EXPECT_EQ(sink_.Value(Metric::kGpuThrottleReasons, 0), 36) << "under its old name";
  EXPECT_TRUE(sink_.Has(Metric::kGpuUtilization, 0));
  EXPECT_FALSE(sink_.Has(Metric::kGpuEccErrors, 0));
  EXPECT_TRUE(sink_.Unavailable("gpu 0 field values"));
  EXPECT_TRUE(sink_.Unavailable("gpu xid"));
  ASSERT_TRUE(sink_.Unavailable("gpu 0 GPM"));
  EXPECT_NE(sink_.Unavailable("gpu 0 GPM")->reason.find("older than 525"), std::string::npos);
}

class GpuReaderWithoutLibrary : public ::testing::Test {
 protected:
  void AddPciDevice(const std::string& vendor, const std::string& device_class) {
    sys_.Write("bus/pci/devices/0000:17:00.0/vendor", vendor + "\n");
    sys_.Write("bus/pci/devices/0000:17:00.0/class", device_class + "\n");
  }
  void SampleTwice(const std::string& library) {
    GpuReader reader(library, sys_.root());
    clock_.Sample(reader, sink_);
    clock_.Sample(reader, sink_);
    EXPECT_TRUE(sink_.samples.empty());
  }
  FakeTree sys_;
  CapturingSink sink_;
  SampleClock clock_;
};

TEST_F(GpuReaderWithoutLibrary, AGpuWithoutADriverIsToldOnceWithTheRemedy) {
  AddPciDevice("0x10de", "0x030200");
  SampleTwice("libno-such-nvml.so.1");
  ASSERT_EQ(sink_.unavailable.size(), 1u);
  EXPECT_NE(sink_.unavailable[0].reason.find("libno-such-nvml.so.1"), std::string::npos);
  EXPECT_FALSE(sink_.unavailable[0].remedy.empty());
}

TEST_F(GpuReaderWithoutLibrary, MachineWithoutAGpuHasNoRemedy) {
  AddPciDevice("0x10de", "0x040300");  // the sound half of a card that was passed on
  SampleTwice("libno-such-nvml.so.1");
  ASSERT_EQ(sink_.unavailable.size(), 1u);
  EXPECT_TRUE(sink_.unavailable[0].remedy.empty());
}

TEST_F(GpuReaderWithoutLibrary, ALibraryThatIsNoNvmlIsRefused) {
  AddPciDevice("0x10de", "0x030200");
  SampleTwice("libm.so.6");
  ASSERT_TRUE(sink_.Unavailable("gpu"));
  EXPECT_NE(sink_.Unavailable("gpu")->reason.find("nvmlInit_v2"), std::string::npos);
}

TEST_F(GpuReaderWithoutLibrary, DisabledReaderReportsNothing) {
  AddPciDevice("0x10de", "0x030200");
  SampleTwice("");
  EXPECT_TRUE(sink_.unavailable.empty());
}

}  // namespace
}  // namespace steptrace::agent
