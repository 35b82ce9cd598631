// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "probe/nccl_mask.h"
#include "probe/nccl_steps.h"
#include "probe/nccl_v1.h"
#include "probe/nccl_v2.h"
#include "probe/nccl_v3.h"
#include "probe/nccl_v4.h"
#include "probe/nccl_v5.h"
#include "probe/nccl_v6.h"
#include "testing/rings.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

namespace steptrace::probe {
extern "C" {
extern nccl::v1::Profiler ncclProfiler_v1;
extern nccl::v2::Profiler ncclProfiler_v2;
extern nccl::v3::Profiler ncclProfiler_v3;
extern nccl::v4::Profiler ncclProfiler_v4;
extern nccl::v5::Profiler ncclProfiler_v5;
extern nccl::v6::Profiler ncclProfiler_v6;
}

namespace {

using ::testing::ElementsAre;
using transport::testing::DrainAll;
using transport::testing::ProcessTrace;
using transport::testing::TestRingFolder;

constexpr int32_t kSendGpuWait = 8, kSendWait = 9, kReceiveWait = 10, kReceiveFlushWait = 11,
                  kReceiveGpuWait = 12, kSendPeerWait = 20;
constexpr uint64_t kHash = 0xABCD;

// What a version calls its own.
template <int kNumber>
struct VersionOf;
template <>
struct VersionOf<1> {
  using Descriptor = nccl::v1::Descriptor;
  static auto& Plugin() { return ncclProfiler_v1; }
};
template <>
struct VersionOf<2> {
  using Descriptor = nccl::v2::Descriptor;
  static auto& Plugin() { return ncclProfiler_v2; }
};
template <>
struct VersionOf<3> {
  using Descriptor = nccl::v3::Descriptor;
  static auto& Plugin() { return ncclProfiler_v3; }
};
template <>
struct VersionOf<4> {
  using Descriptor = nccl::v4::Descriptor;
  static auto& Plugin() { return ncclProfiler_v4; }
};
template <>
struct VersionOf<5> {
  using Descriptor = nccl::v5::Descriptor;
  static auto& Plugin() { return ncclProfiler_v5; }
};
template <>
struct VersionOf<6> {
  using Descriptor = nccl::v6::Descriptor;
  static auto& Plugin() { return ncclProfiler_v6; }
};

// NCCL as a plugin sees it (src/plugin/profiler.cc there): one mask for all communicators, read
// when a call is enqueued and kept with it; nothing is said of an event without a handle.
template <int kNumber>
class StandInNccl {
 public:
  using V = VersionOf<kNumber>;
  static constexpr bool kTold = kNumber >= 4;

  struct Task {
    int32_t mask = 0;
    void* handle = nullptr;
  };

  void* Init(uint64_t hash = kHash) {
    void* context = nullptr;
    if constexpr (kNumber <= 3) {
      EXPECT_EQ(V::Plugin().init(&context, &mask_), 0);
    } else if constexpr (kNumber == 4) {
      EXPECT_EQ(V::Plugin().init(&context, &mask_, "pair", hash, 1, 2, 0, nullptr), 0);
    } else {
      EXPECT_EQ(V::Plugin().init(&context, hash, &mask_, "pair", 1, 2, 0, nullptr), 0);
    }
    return context_ = context;
  }
  void Finalize(void* context) {
    if (context == nullptr) return;
    EXPECT_EQ(V::Plugin().finalize(context), 0);
  }
  int32_t mask() const { return mask_; }

  Task Enqueue() {
    Task task{.mask = mask_};
    if ((task.mask & nccl::kCollective) == 0) return task;
    typename V::Descriptor descriptor{};
    descriptor.type = nccl::kCollective;
    descriptor.collective.sequence = sequence_++;
    descriptor.collective.count = 1000;
    descriptor.collective.channels = 1;
    if constexpr (kNumber == 1) {
      descriptor.collective.function = 4;
      descriptor.collective.datatype = 7;
    } else {
      descriptor.collective.function = "AllReduce";
      descriptor.collective.datatype = "ncclFloat32";
    }
    if constexpr (!kTold) {
      descriptor.collective.communicator = kHash;
      descriptor.collective.name = "pair";
    }
    task.handle = Start(descriptor);
    Stop(task.handle);
    return task;
  }
  void* StartOp(const Task& task, bool sends, int32_t pid = ::getpid()) {
    if ((task.mask & (nccl::kProxyOp | nccl::kProxyStep)) == 0) return nullptr;
    typename V::Descriptor descriptor{};
    descriptor.type = nccl::kProxyOp;
    descriptor.parent = task.handle;
    descriptor.proxy_op.pid = pid;
    descriptor.proxy_op.peer = 1;
    descriptor.proxy_op.is_send = sends ? 1 : 0;
    return Start(descriptor);
  }
  // Of versions that tell them. The collective lasts until its channels have stopped.
  void* StartChannel(const Task& task) {
    if ((task.mask & nccl::kKernelChannel) == 0) return nullptr;
    typename V::Descriptor descriptor{};
    descriptor.type = nccl::kKernelChannel;
    descriptor.parent = task.handle;
    return Start(descriptor);
  }
  void* StartStep(const Task& task, void* op) {
    if ((task.mask & nccl::kProxyStep) == 0) return nullptr;
    ++steps_told_;
    typename V::Descriptor descriptor{};
    descriptor.type = nccl::kProxyStep;
    descriptor.parent = op;
    return Start(descriptor);
  }
  void Record(void* step, int32_t state, size_t bytes) {
    if (step == nullptr) return;
    if (kNumber < 4 && state == kSendPeerWait) return;  // not known there
    uint64_t arguments[2] = {kNumber >= 4 ? bytes : 0, 0};
    ++states_told_;
    EXPECT_EQ(V::Plugin().record_event_state(step, state, arguments), 0);
  }
  void Stop(void* handle) {
    if (handle == nullptr) return;
    EXPECT_EQ(V::Plugin().stop_event(handle), 0);
  }
  // Sending one chunk, as the proxy comes through it.
  void Send(const Task& task, void* op, size_t bytes) {
    void* step = StartStep(task, op);
    Record(step, kSendGpuWait, 0);
    Record(step, kSendPeerWait, 0);
    Record(step, kSendWait, bytes);
    Stop(step);
  }
  void Receive(const Task& task, void* op, size_t bytes) {
    void* step = StartStep(task, op);
    Record(step, kReceiveWait, 0);
    Record(step, kReceiveFlushWait, bytes);
    Record(step, kReceiveGpuWait, bytes);
    Stop(step);
  }
  int steps_told() const { return steps_told_; }
  int states_told() const { return states_told_; }

 private:
  void* Start(typename V::Descriptor& descriptor) {
    void* handle = nullptr;
    EXPECT_EQ(V::Plugin().start_event(context_, &handle, &descriptor), 0);
    return handle;
  }
  int32_t mask_ = 0;
  void* context_ = nullptr;
  uint64_t sequence_ = 0;
  int steps_told_ = 0;
  int states_told_ = 0;
};

class NcclRing : public ::testing::Test {
 protected:
  NcclRing() { transport::Attach(); }
  ~NcclRing() override {
    EnableNcclSteps(false);
    transport::DetachForTesting();
  }

  // "name" of each complete record of the proxy, with "/bytes" where it tells some.
  static std::vector<std::string> Steps(const ProcessTrace& trace) {
    std::vector<std::string> steps;
    for (const auto& thread : trace.threads) {
      uint64_t bytes = 0;
      for (const wire::Record& record : thread.records) {
        const auto kind = static_cast<wire::RecordKind>(record.kind);
        if (kind == wire::RecordKind::kDetail) bytes = record.b;
        if (kind != wire::RecordKind::kComplete) continue;
        EXPECT_LE(record.tsc, record.b);
        const std::string name = trace.NameOf(record);
        if (name.find(" step: ") != name.npos) {
          steps.push_back(bytes == 0 ? name : name + "/" + std::to_string(bytes));
        }
        bytes = 0;
      }
    }
    return steps;
  }

  TestRingFolder folder_;
};

template <class Number>
class NcclSteps : public NcclRing {
 protected:
  StandInNccl<Number::value> nccl_;
};
template <int kNumber>
using Number = std::integral_constant<int, kNumber>;
using Versions = ::testing::Types<Number<1>, Number<2>, Number<3>, Number<4>, Number<5>, Number<6>>;
TYPED_TEST_SUITE(NcclSteps, Versions);

TYPED_TEST(NcclSteps, AreStretchesOfWhatTheProxyWaitsFor) {
  EnableNcclSteps(true);
  auto& nccl = this->nccl_;
  void* comm = nccl.Init();
  const auto task = nccl.Enqueue();
  void* channel = nccl.StartChannel(task);
  void* send = nccl.StartOp(task, true);
  void* receive = nccl.StartOp(task, false);
  nccl.Send(task, send, 4096);
  nccl.Receive(task, receive, 2048);
  nccl.Stop(send);
  nccl.Stop(receive);
  nccl.Stop(channel);
  nccl.Finalize(comm);
  const ProcessTrace trace = DrainAll(this->folder_.OpenOnly());
  if (TypeParam::value < 4) {
    EXPECT_THAT(this->Steps(trace),
                ElementsAre("send step: device", "send step: network", "receive step: network",
                            "receive step: flush", "receive step: device"));
  } else {
    EXPECT_THAT(
        this->Steps(trace),
        ElementsAre("send step: device", "send step: peer", "send step: network/4096",
                    "receive step: network/2048", "receive step: flush", "receive step: device"));
  }
  EXPECT_EQ(trace.CountOf("send to 1", wire::RecordKind::kComplete), 1u);
  EXPECT_EQ(trace.CountOf("receive from 1", wire::RecordKind::kComplete), 1u);
  EXPECT_EQ(trace.CountOf("all_reduce", wire::RecordKind::kComplete), 1u);
  EXPECT_EQ(nccl.mask() & nccl::kProxyStep, nccl::kProxyStep);
}

TYPED_TEST(NcclSteps, AreToldInWindowsAlone) {
  auto& nccl = this->nccl_;
  void* comm = nccl.Init();
  EXPECT_EQ(nccl.mask() & nccl::kProxyStep, 0u);
  const auto before = nccl.Enqueue();
  void* op = nccl.StartOp(before, true);
  EnableNcclSteps(true);
  nccl.Send(before, op, 1);
  nccl.Stop(op);
  EXPECT_EQ(nccl.steps_told(), 0) << "of a call of before NCCL tells none";
  const auto within = nccl.Enqueue();
  EnableNcclSteps(false);
  op = nccl.StartOp(within, true);
  nccl.Send(within, op, 1);
  nccl.Stop(op);
  EXPECT_EQ(nccl.steps_told(), 1) << "what was under way goes on";
  EXPECT_EQ(nccl.mask() & nccl::kProxyStep, 0u);
  EXPECT_NE(nccl.mask() & nccl::kCollective, 0u);
  nccl.Finalize(comm);
  EXPECT_EQ(this->Steps(DrainAll(this->folder_.OpenOnly())).size(), TypeParam::value < 4 ? 2u : 3u);
}

TYPED_TEST(NcclSteps, HaveABudgetACollective) {
  EnableNcclSteps(true);
  auto& nccl = this->nccl_;
  void* comm = nccl.Init();
  for (int call = 0; call < 2; ++call) {
    const auto task = nccl.Enqueue();
    void* channel = nccl.StartChannel(task);
    void* ops[] = {nccl.StartOp(task, true), nccl.StartOp(task, true)};
    for (uint32_t i = 0; i < kMostNcclSteps; ++i) {
      for (void* op : ops) nccl.Send(task, op, 1);
    }
    for (void* op : ops) nccl.Stop(op);
    nccl.Stop(channel);
  }
  nccl.Finalize(comm);
  // Without channels a collective is over once it is enqueued: each operation has the budget then.
  const size_t states = TypeParam::value >= 4 ? 3 : TypeParam::value == 3 ? 2 : 4;
  EXPECT_EQ(nccl.states_told(), static_cast<int>(2 * kMostNcclSteps * states))
      << "NCCL asks no more of those beyond it";
  EXPECT_EQ(this->Steps(DrainAll(this->folder_.OpenOnly())).size(), 2 * kMostNcclSteps * states);
}

TYPED_TEST(NcclSteps, OfAnotherProcesssOperationHaveItsBudget) {
  EnableNcclSteps(true);
  auto& nccl = this->nccl_;
  void* comm = nccl.Init();
  const auto task = nccl.Enqueue();
  void* op = nccl.StartOp(task, true, ::getpid() + 1);
  for (uint32_t i = 0; i < 2 * kMostNcclSteps; ++i) nccl.Send(task, op, 0);
  nccl.Stop(op);
  nccl.Finalize(comm);
  EXPECT_EQ(this->Steps(DrainAll(this->folder_.OpenOnly())).size(),
            kMostNcclSteps * (TypeParam::value < 4 ? 2 : 3));
}

// The proxy posts its operations as the host enqueues; a device that is behind begins much later.
TYPED_TEST(NcclSteps, ACollectiveBeginsWithItsFirstChannelWhereThoseReport) {
  auto& nccl = this->nccl_;
  void* comm = nccl.Init();
  const auto task = nccl.Enqueue();
  void* send = nccl.StartOp(task, true);
  usleep(20'000);
  void* channel = nccl.StartChannel(task);
  nccl.Stop(channel);
  nccl.Stop(send);
  nccl.Finalize(comm);
  const ProcessTrace trace = DrainAll(this->folder_.OpenOnly());
  std::map<std::string, uint64_t> begins;
  for (const wire::Record& record : trace.threads.at(0).records) {
    if (static_cast<wire::RecordKind>(record.kind) == wire::RecordKind::kComplete) {
      begins[trace.NameOf(record)] = record.tsc;
    }
  }
  if (channel == nullptr) {
    EXPECT_LE(begins.at("all_reduce"), begins.at("send to 1"));
  } else {
    EXPECT_GT(begins.at("all_reduce"), begins.at("send to 1"));
  }
}

// Kinds of calls that differ in one thing each have their own details, again and again.
TEST_F(NcclRing, DetailsAreOfTheCall) {
  void* context = nullptr;
  int32_t mask = 0;
  ASSERT_EQ(ncclProfiler_v4.init(&context, &mask, "pair", kHash, 1, 2, 0, nullptr), 0);
  const struct {
    const char* function;
    const char* datatype;
    const char* algorithm;
    uint8_t channels;
  } kCalls[] = {{"AllReduce", "ncclFloat32", "RING", 2}, {"AllGather", "ncclFloat32", "RING", 2},
                {"AllReduce", "ncclFloat16", "RING", 2}, {"AllReduce", "ncclFloat32", "TREE", 2},
                {"AllReduce", "ncclFloat32", "RING", 3}, {nullptr, nullptr, nullptr, 0}};
  for (int round = 0; round < 2; ++round) {
    for (const auto& call : kCalls) {
      nccl::v4::Descriptor descriptor{};
      descriptor.type = nccl::kCollective;
      descriptor.collective.function = call.function;
      descriptor.collective.datatype = call.datatype;
      descriptor.collective.algorithm = call.algorithm;
      descriptor.collective.channels = call.channels;
      void* handle = nullptr;
      ASSERT_EQ(ncclProfiler_v4.start_event(context, &handle, &descriptor), 0);
      ASSERT_EQ(ncclProfiler_v4.stop_event(handle), 0);
    }
  }
  ASSERT_EQ(ncclProfiler_v4.finalize(context), 0);
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  std::vector<std::string> details;
  for (const wire::Record& record : trace.threads.at(0).records) {
    if (static_cast<wire::RecordKind>(record.kind) == wire::RecordKind::kDetail) {
      details.push_back(trace.NameOf(record));
    }
  }
  ASSERT_EQ(details.size(), 12u);
  // They are written by their ends: those that wait for no channel first.
  std::map<std::string, int> times;
  for (const std::string& text : details) ++times[text];
  EXPECT_EQ(times.size(), 6u);
  for (const auto& [text, count] : times) EXPECT_EQ(count, 2) << text;
}

class NcclMalice : public NcclRing {
 protected:
  StandInNccl<6> nccl_;
};

TEST_F(NcclMalice, StepsOfNothingAndStatesThatAreNoneAreNothing) {
  EnableNcclSteps(true);
  void* comm = nccl_.Init();
  const auto task = nccl_.Enqueue();
  EXPECT_EQ(nccl_.StartStep(task, nullptr), nullptr);
  EXPECT_EQ(nccl_.StartStep(task, reinterpret_cast<void*>(0x123456789ABC)), nullptr);
  EXPECT_EQ(nccl_.StartStep(task, task.handle), nullptr) << "a collective is no operation";
  void* op = nccl_.StartOp(task, true);
  void* step = nccl_.StartStep(task, op);
  ASSERT_NE(step, nullptr);
  for (int32_t state : {0, -1, 256, 999, 1 << 30, 19, 22}) nccl_.Record(step, state, 7);
  nccl_.Record(op, kSendWait, 7);
  EXPECT_EQ(ncclProfiler_v6.record_event_state(step, kSendWait, nullptr), 0);
  nccl_.Stop(op);
  nccl_.Record(step, kSendGpuWait, 7);
  nccl_.Stop(step);
  nccl_.Stop(step);
  nccl_.Record(step, kSendWait, 7);
  nccl_.Finalize(comm);
  EXPECT_THAT(Steps(DrainAll(folder_.OpenOnly())),
              ElementsAre("send step: network", "send step: device"));
}

TEST_F(NcclMalice, ACommunicatorTooManyDoesNotSilenceTheOthers) {
  std::vector<void*> comms;
  for (uint64_t i = 0; i < 256; ++i) comms.push_back(nccl_.Init(kHash + i));
  EXPECT_NE(comms.back(), nullptr);
  EXPECT_EQ(nccl_.Init(kHash + 1000), nullptr);
  EXPECT_NE(nccl_.mask() & nccl::kCollective, 0u);
  for (void* comm : comms) nccl_.Finalize(comm);
}

// NCCL may be unloaded when its last communicator is gone: nothing is written to its word then.
TEST_F(NcclMalice, TheMaskIsLeftAloneAfterTheLastCommunicator) {
  void* first = nccl_.Init();
  void* second = nccl_.Init(kHash + 1);
  nccl_.Finalize(first);
  EnableNcclSteps(true);
  EXPECT_NE(nccl_.mask() & nccl::kProxyStep, 0u);
  nccl_.Finalize(second);
  EnableNcclSteps(false);
  EXPECT_NE(nccl_.mask() & nccl::kProxyStep, 0u) << "as it was";
}

// Communicators of a library that come and go in threads: nobody's word is forgotten, or kept.
TEST(NcclMask, MaskIsKnownWhileACommunicatorHoldsIt) {
  constexpr int kRounds = 200'000;
  int32_t word = 0;
  const auto come_and_go = [&word] {
    for (int round = 0; round < kRounds; ++round) {
      JoinNcclMask(&word, 1);
      LeaveNcclMask(&word);
    }
  };
  std::thread other(come_and_go);
  come_and_go();
  other.join();
  const auto steps = [&word] {
    EnableNcclSteps(true);
    const bool reported = (word & static_cast<int32_t>(nccl::kProxyStep)) != 0;
    EnableNcclSteps(false);
    return reported;
  };
  JoinNcclMask(&word, 1);
  EXPECT_TRUE(steps());
  LeaveNcclMask(&word);
  EXPECT_FALSE(steps());
}

TEST(NcclWithoutARun, NoEventsAreRequested) {
  StandInNccl<6> nccl;
  void* comm = nccl.Init();
  EnableNcclSteps(true);
  EXPECT_EQ(nccl.mask(), 0);
  EnableNcclSteps(false);
  nccl.Finalize(comm);
}

}  // namespace
}  // namespace steptrace::probe
