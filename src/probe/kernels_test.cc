// SPDX-License-Identifier: Apache-2.0
#include "probe/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "testing/fake_cupti/kernels_fixture.h"

namespace steptrace::probe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using transport::testing::DrainAll;
using transport::testing::DrainInto;
using transport::testing::ProcessTrace;
using transport::testing::TestRingFolder;
using wire::Category;
using wire::RecordKind;

TEST_F(KernelsTest, AKernelIsToldWithItsCallItsPlaceAndItsTimes) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  const uint32_t correlation = fake_launch("_Z3addPf", 0, 7, 128, 256, 5 * kUs, 0, 0);
  fake_synchronize(7);
  EndAll();
  const All all = Drained();
  ASSERT_THAT(all.Of(Category::kKernel), SizeIs(1));
  const Seen kernel = all.Of(Category::kKernel)[0];
  EXPECT_EQ(kernel.name, "_Z3addPf");
  EXPECT_EQ(kernel.end - kernel.start, 5 * kUs);
  EXPECT_EQ(kernel.correlation, correlation);
  EXPECT_EQ(kernel.place, R"({"device":0,"context":1,"stream":7,"registers":38,"shared":1024,)"
                          R"("grid":[128,1,1],"block":[256,1,1]})");
  const auto calls = all.Of(Category::kRuntime);
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[0].name, "cudaLaunchKernel") << "without CUPTI's version of it";
  EXPECT_EQ(calls[0].correlation, correlation);
  EXPECT_EQ(calls[0].place, "{\"thread\":" + std::to_string(gettid()) + "}");
  EXPECT_EQ(calls[1].name, "cudaStreamSynchronize");
  EXPECT_GE(all.clocks, 2u);
  EXPECT_THAT(all.lost, IsEmpty());
}

TEST_F(KernelsTest, CopiesAndFillsHaveTheirBytes) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  fake_copy(0, 7, 1, 4096, kUs);
  fake_copy(0, 7, 2, uint64_t{5} << 32, kUs);
  fake_fill(0, 7, 512, kUs);
  fake_synchronize(7);
  EndAll();
  const All all = Drained();
  const auto copies = all.Of(Category::kMemcpy);
  ASSERT_THAT(copies, SizeIs(2));
  EXPECT_EQ(copies[0].name, "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(copies[0].bytes, 4096u);
  EXPECT_EQ(copies[0].place, R"({"device":0,"context":1,"stream":7})");
  EXPECT_EQ(copies[1].name, "Memcpy DtoH (Device -> Pinned)");
  EXPECT_EQ(copies[1].bytes, uint64_t{5} << 32);
  ASSERT_THAT(all.Of(Category::kMemset), SizeIs(1));
  EXPECT_EQ(all.Of(Category::kMemset)[0].name, "Memset (Device)");
  EXPECT_EQ(all.Of(Category::kMemset)[0].bytes, 512u);
}

TEST_F(KernelsTest, TheBytesOfACopyWithoutANameAreNotTheNextKernels) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  const auto launch = [] {
    fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
    fake_synchronize(7);
  };
  launch();
  for (int i = 0; i < 10'000 && KernelCount() < 3; ++i) DrainKernels(false);
  ASSERT_EQ(KernelCount(), 3u) << "the kernel's name and place are known";
  std::string text(wire::kMaxFactBytes, 'x');  // then nothing new finds room
  for (int i = 0; text.size() > 1; text.resize(text.size() / 2)) {
    const auto add = [&] {
      text.replace(0, std::min(text.size(), std::to_string(i).size()), std::to_string(i));
      return transport::Name(text.data(), text.size(), static_cast<uint16_t>(Category::kFact));
    };
    while (i < 100'000 && add() != 0) ++i;
  }
  fake_copy(0, 7, 1, 4096, kUs);
  launch();
  EndAll();
  const All all = Drained();
  EXPECT_THAT(all.Of(Category::kMemcpy), IsEmpty());
  const auto kernels = all.Of(Category::kKernel);
  ASSERT_THAT(kernels, SizeIs(2));
  for (const Seen& kernel : kernels) EXPECT_EQ(kernel.bytes, std::nullopt);
  EXPECT_GE(all.lost.at(static_cast<uint64_t>(wire::DeviceLoss::kNoPlace)), 1u);
}

TEST_F(KernelsTest, CallsThatSayNothingAreLeftOut) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  for (int i = 0; i < 100; ++i) fake_ask();
  EndAll();
  EXPECT_THAT(Drained().activities, IsEmpty());
}

TEST_F(KernelsTest, ACallOfAnotherThreadHasThatThreadsId) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  int tid = 0;
  std::thread other([&tid] {
    tid = gettid();
    fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
    fake_synchronize(7);
    EndAll();  // while the thread is there
  });
  other.join();
  const auto calls = Drained().Of(Category::kRuntime);
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[0].place, "{\"thread\":" + std::to_string(tid) + "}");
}

// As in a process that has mapped a device's memory between its stacks.
TEST_F(KernelsTest, AThreadsIdIsFoundWhereverItsStackLies) {
  constexpr size_t kStackBytes = 1 << 20;
  for (const uint64_t where : {uint64_t{0x200000000000}, uint64_t{0x330000000000}}) {
    void* stack = mmap(reinterpret_cast<void*>(where), kStackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    ASSERT_EQ(stack, reinterpret_cast<void*>(where));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, kStackBytes);
    struct Reported {
      std::atomic<int> tid{0};
      std::atomic<bool> seen{false};
    } reported;
    ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
    pthread_t thread;
    const auto launch = [](void* arg) -> void* {
      auto& to = *static_cast<Reported*>(arg);
      fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
      to.tid = gettid();
      while (!to.seen) usleep(100);
      return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, launch, &reported), 0);
    while (reported.tid == 0) usleep(100);
    EndAll();
    reported.seen = true;
    pthread_join(thread, nullptr);
    munmap(stack, kStackBytes);
    const auto calls = Drained().Of(Category::kRuntime);
    ASSERT_THAT(calls, Not(IsEmpty()));
    EXPECT_EQ(calls.back().place, "{\"thread\":" + std::to_string(reported.tid) + "}");
  }
}

TEST_F(KernelsTest, AGraphsKernelsTellTheirNodes) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  fake_launch("k", 1, 3, 1, 32, kUs, 9, 77);
  fake_stream_wait(1, 3, kUs);
  fake_synchronize(3);
  EndAll();
  const All all = Drained();
  ASSERT_THAT(all.Of(Category::kKernel), SizeIs(1));
  EXPECT_THAT(all.Of(Category::kKernel)[0].place, HasSubstr(R"("graph":9,"node":77})"));
  ASSERT_THAT(all.Of(Category::kDeviceSync), SizeIs(1));
  EXPECT_EQ(all.Of(Category::kDeviceSync)[0].name, "Stream Wait Event");
  EXPECT_THAT(all.Of(Category::kDeviceSync)[0].place, HasSubstr(R"("device":1)"));
}

TEST_F(KernelsTest, WhatRunsWhenTheWindowEndsIsStillTold) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  fake_launch("k", 0, 7, 1, 32, 10 * kMs, 0, 0);
  EndKernels();
  fake_launch("after", 0, 7, 1, 32, kUs, 0, 0);
  usleep(20'000);
  EndAll();
  const All all = Drained();
  EXPECT_THAT(all.Of(Category::kKernel), SizeIs(2));
  EXPECT_THAT(all.Of(Category::kRuntime), SizeIs(1)) << "calls end with the window";
  EXPECT_THAT(all.lost, IsEmpty());
}

TEST_F(KernelsTest, WhatHasNotEndedWhenAllIsTakenOffIsCounted) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  fake_launch("k", 0, 7, 1, 32, 60'000 * kMs, 0, 0);
  EndKernels();
  fake_launch("after", 0, 7, 1, 32, kMs, 0, 0);  // nobody's loss
  EXPECT_TRUE(DrainKernels(true));
  const All all = Drained();
  EXPECT_THAT(all.Of(Category::kKernel), IsEmpty());
  EXPECT_EQ(all.lost.at(static_cast<uint64_t>(wire::DeviceLoss::kIncomplete)), 1u);
}

TEST_F(KernelsTest, ABurstThatNoRingHoldsWaitsInBuffers) {
  auto file = folder_.OpenOnly();
  ProcessTrace trace;
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  constexpr size_t kMany = 20'000;
  for (size_t i = 0; i < kMany; ++i) fake_launch("k", 0, 7, 1, 32, 1, 0, 0);
  fake_synchronize(7);
  EndKernels();
  for (int i = 0; i < 1000 && !DrainKernels(true); ++i) {
    DrainInto(file, trace);
    usleep(1000);
  }
  DrainInto(file, trace);
  const All all = Read(trace);
  EXPECT_THAT(all.lost, IsEmpty());
  const auto kernels = all.Of(Category::kKernel);
  ASSERT_THAT(kernels, SizeIs(kMany));
  std::set<uint32_t> correlations;
  for (const Seen& kernel : kernels) correlations.insert(kernel.correlation);
  EXPECT_THAT(correlations, SizeIs(kMany)) << "each once";
}

TEST_F(KernelsTest, WithoutAReaderTheOldestAreGivenUpAndCounted) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  constexpr size_t kMany = 80'000;
  for (size_t i = 0; i < kMany; ++i) fake_launch("k", 0, 7, 1, 32, 1, 0, 0);
  fake_synchronize(7);
  EndKernels();
  for (int i = 0; i < 2000 && !DrainKernels(true); ++i) {
  }
  const All all = Drained();
  uint64_t lost = 0;
  for (const auto& [cause, count] : all.lost) lost += count;
  // The ring may have been too full to say so: but nothing is told twice, and nothing hangs.
  EXPECT_LT(all.activities.size() + lost, 2 * kMany + 2);
  EXPECT_GT(all.activities.size(), 1000u);
}

TEST_F(KernelsTest, BuffersThatComeLateAndOutOfOrderAreTaken) {
  auto file = folder_.OpenOnly();
  ProcessTrace trace;
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  fake_hold_buffers(1);
  for (int i = 0; i < 3000; ++i) fake_launch("k", 0, 7, 1, 32, 1, 0, 0);
  fake_synchronize(7);
  DrainKernels(false);
  EndKernels();
  fake_hold_buffers(0);
  for (int i = 0; i < 1000 && !DrainKernels(true); ++i) {
    DrainInto(file, trace);
    usleep(1000);
  }
  DrainInto(file, trace);
  EXPECT_THAT(Read(trace).Of(Category::kKernel), SizeIs(3000));
}

TEST_F(KernelsTest, WhetherTheDeviceIsPastTheWindowIsTold) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  fake_launch("first", 0, 7, 1, 32, kUs, 0, 0);
  fake_synchronize(7);  // what its context's device is is known from here on
  fake_launch("in", 0, 7, 1, 32, 150 * kMs, 0, 0);
  EndKernels();
  fake_host_stream_wait(0, 7);
  usleep(10'000);
  DrainKernels(false);
  EXPECT_FALSE(DeviceIsPastWindow()) << "it does what was launched in it";
  fake_launch("behind", 0, 7, 1, 32, kUs, 0, 0);
  fake_synchronize(7);
  bool past = false;
  for (int i = 0; i < 5000 && !past; ++i) {
    DrainKernels(false);
    past = DeviceIsPastWindow();
    usleep(1000);
  }
  EXPECT_TRUE(past);
  EndAll();
  EXPECT_THAT(Drained().lost, IsEmpty());
}

TEST_F(KernelsTest, WhatAThreadOfCuptisIsHandingOverIsWaitedFor) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  fake_hold_buffers(1);  // before there is anything that its thread could hand over by itself
  fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
  fake_synchronize(7);
  EndKernels();
  EXPECT_FALSE(DrainKernels(true));
  fake_hold_buffers(0);
  EXPECT_TRUE(DrainKernels(true));
  EXPECT_THAT(Drained().Of(Category::kKernel), SizeIs(1));
}

TEST_F(KernelsTest, WhatComesAfterAllWasTakenOffIsCountedInTheNextWindow) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  fake_hold_buffers(1);  // before there is anything that its thread could hand over by itself
  fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
  fake_synchronize(7);
  EndKernels();
  bool off = false;
  for (int i = 0; i < 5000 && !off; ++i) {
    usleep(1000);
    off = DrainKernels(true);
  }
  ASSERT_TRUE(off) << "a buffer that never comes holds nobody up";
  transport::Pause(true);  // as a ring that is full: nothing of it can be told now
  fake_hold_buffers(0);
  transport::Pause(false);
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  EndAll();
  const All all = Drained();
  EXPECT_EQ(all.lost.at(static_cast<uint64_t>(wire::DeviceLoss::kNoBuffer)), 3u);
  EXPECT_THAT(all.activities, IsEmpty());
}

TEST_F(KernelsTest, ThousandsOfStreamsAreRecorded) {
  auto file = folder_.OpenOnly();
  ProcessTrace trace;
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  constexpr uint32_t kStreams = 8000;
  for (uint32_t stream = 0; stream < kStreams; ++stream) {
    fake_launch("k", 0, stream, static_cast<int32_t>(stream) + 1, 32, 1, 0, 0);
  }
  fake_synchronize(kStreams - 1);
  EndKernels();
  for (int i = 0; i < 1000 && !DrainKernels(true); ++i) {
    DrainInto(file, trace);
    usleep(1000);
  }
  DrainInto(file, trace);
  const All all = Read(trace);
  uint64_t unnamed = 0;
  if (all.lost.contains(4)) unnamed = all.lost.at(4);
  EXPECT_EQ(all.Of(Category::kKernel).size() + unnamed, kStreams) << "told or counted";
  EXPECT_GE(all.Of(Category::kKernel).size(), 6000u);
}

TEST_F(KernelsTest, ASecondWindowBeginsAnew) {
  for (int window = 0; window < 3; ++window) {
    ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
    fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
    fake_synchronize(7);
    EndAll();
    EXPECT_EQ(KernelCount(), 3u);  // two calls and a kernel
  }
  EXPECT_THAT(Drained().Of(Category::kKernel), SizeIs(3));
}

TEST_F(KernelsTest, AnotherUserGetsNoneOfOursAndKeepsWhatHeTurnedOn) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  fake_launch("ours", 0, 7, 1, 32, kUs, 0, 0);
  fake_synchronize(7);
  EndKernels();
  ASSERT_TRUE(DrainKernels(true)) << "as when the script's profiler is about to begin";
  fake_other_begins();
  EXPECT_TRUE(DrainKernels(true));
  fake_launch("theirs", 0, 7, 1, 32, kUs, 0, 0);
  fake_synchronize(7);
  fake_other_ends();
  EXPECT_EQ(fake_other_records(), 1u);
  EXPECT_EQ(fake_other_unknown_buffers(), 0u);
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr) << "and ours again after it";
  fake_launch("ours", 0, 7, 1, 32, kUs, 0, 0);
  fake_synchronize(7);
  EndAll();
  EXPECT_THAT(Drained().Of(Category::kKernel), SizeIs(2));
}

TEST_F(KernelsTest, RefusalIsReported) {
  fake_refuse(39);
  const char* reason = BeginKernels(KnownUsers::kNobody);
  ASSERT_NE(reason, nullptr);
  EXPECT_STREQ(reason,
               "CUPTI is taken: cuptiActivityEnable refuses: "
               "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED (39)");
  EXPECT_TRUE(DrainKernels(true));
}

TEST_F(KernelsTest, AnotherToolGoesFirst) {
  setenv("CUDA_INJECTION64_PATH", "/opt/nsight/libToolsInjection64.so", 1);
  const char* reason = BeginKernels(KnownUsers::kNobody);
  unsetenv("CUDA_INJECTION64_PATH");
  ASSERT_NE(reason, nullptr);
  EXPECT_THAT(reason, HasSubstr("another tool"));
}

TEST_F(KernelsTest, AForkedChildLeavesCuptiAlone) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
  const pid_t child = fork();
  if (child == 0) {
    EndKernels();
    const bool off = DrainKernels(true);
    const bool refused = BeginKernels(KnownUsers::kNobody) != nullptr;
    _exit(off && refused && fake_misuse() == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EndAll();
  auto file = folder_.Files();
  EXPECT_THAT(file, SizeIs(1)) << "the child said nothing";
}

}  // namespace
}  // namespace steptrace::probe
