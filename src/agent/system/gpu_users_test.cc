// SPDX-License-Identifier: Apache-2.0
#include "agent/system/gpu_users.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "agent/system/gpu_reader.h"
#include "testing/capturing_sink.h"
#include "testing/fake_proc.h"

namespace steptrace::agent {
namespace {

using testing::CapturingSink;
using ::testing::ElementsAre;
using testing::FakeTree;
using testing::SampleClock;
using ::testing::SizeIs;

constexpr const char* kGpu = "devices 1\n0.name H200\n0.uuid GPU-1234\n";

// One GPU. Processes 10 to 19 are the job's.
class GpuUsersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("STEPTRACE_FAKE_NVML", tree_.path("state").c_str(), 1);
    Open(FAKE_NVML_PATH);
  }
  void TearDown() override {
    reader_.reset();
    EXPECT_FALSE(std::filesystem::exists(tree_.path("state.misuse")));
    ::unsetenv("STEPTRACE_FAKE_NVML");
  }
  void Open(const char* library) { reader_.emplace(library, tree_.root(), tree_.root()); }
  // Who is on the GPU in the samples to come, a second apart.
  void Sample(const std::string& processes, int times = 1, const char* more = "") {
    tree_.Write("state", std::string(kGpu) + "0.processes " + processes + "\n" + more);
    const std::set<int32_t> job = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
    for (int i = 0; i < times; ++i) clock_.Sample(*reader_, sink_, 1.0, job);
  }
  const GpuUse& Last() const { return sink_.gpus.back(); }

  FakeTree tree_;
  std::optional<GpuReader> reader_;
  CapturingSink sink_;
  SampleClock clock_;
};

TEST_F(GpuUsersTest, GpuUsedByThisRunOnlyIsReportedOnce) {
  Sample("0", 5);
  Sample("10 11", 60);
  ASSERT_THAT(sink_.gpus, SizeIs(2)) << "at first, and with its processes";
  EXPECT_EQ(sink_.gpus[0], (GpuUse{0, "H200", "GPU-1234", 0, 0, 0}));
  EXPECT_EQ(Last(), (GpuUse{0, "H200", "GPU-1234", 2, 2, 0}));
}

TEST_F(GpuUsersTest, OtherProcessesThatStayAreCounted) {
  Sample("10 4711", 2);
  EXPECT_EQ(Last(), (GpuUse{0, "H200", "GPU-1234", 2, 1, 1}));
  Sample("10 4711 4712 4713", 40);
  EXPECT_EQ(Last().others, 3);
  const size_t reported = sink_.gpus.size();
  Sample("10", 40);
  Sample("10 4711", 40);
  EXPECT_EQ(sink_.gpus.size(), reported) << "the most is told";
}

TEST_F(GpuUsersTest, ProcessSeenInOneSampleOnlyIsIgnored) {
  Sample("10", 3);
  Sample("10 4711", 1);  // may be the job's, found by it in its next sample
  Sample("10", 60);
  EXPECT_EQ(Last().others, 0);
  EXPECT_EQ(Last().processes, 1);
}

TEST_F(GpuUsersTest, WithoutAProcessOfTheJobNobodyIsKnownToBeAnother) {
  Sample("4711 4712", 60);
  EXPECT_EQ(Last(), (GpuUse{0, "H200", "GPU-1234", 2, 0, 0}))
      << "of another namespace, or of a GPU that the job does not use";
}

TEST_F(GpuUsersTest, TheDaemonOfMpsIsNoUser) {
  tree_.Write("4711/comm", "nvidia-cuda-mps-server\n");
  Sample("10 4711", 60);
  EXPECT_EQ(Last().others, 0);
}

TEST_F(GpuUsersTest, SamplesAreFarApart) {
  Sample("10", 3);
  Sample("10 4711", 5);
  EXPECT_EQ(Last().others, 0) << "a quarter of a minute has not passed";
  Sample("10 4711", 15);
  EXPECT_EQ(Last().others, 1);
}

TEST_F(GpuUsersTest, ListLongerThanTheBufferIsIgnored) {
  std::string many = "10";
  for (int pid = 1000; pid < 1100; ++pid) many += " " + std::to_string(pid);
  Sample(many, 60);
  EXPECT_EQ(Last(), (GpuUse{0, "H200", "GPU-1234", 0, 0, 0}));
}

TEST_F(GpuUsersTest, MigGpuOrGpuWithoutAListIsReportedWithoutUsers) {
  Sample("10 4711", 60, "0.mig yes\n");
  EXPECT_THAT(sink_.gpus, ElementsAre(GpuUse{0, "H200", "GPU-1234", 0, 0, 0}));
  Open(FAKE_NVML_PATH);
  Sample("!4", 60);
  EXPECT_THAT(sink_.gpus, SizeIs(2));
}

TEST_F(GpuUsersTest, OlderDriversHaveTheCallUnderItsNameOfBefore) {
  Open(FAKE_NVML_OLD_PATH);
  Sample("10 4711", 3);
  EXPECT_EQ(Last().others, 1);
}

}  // namespace
}  // namespace steptrace::agent
