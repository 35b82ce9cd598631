// SPDX-License-Identifier: Apache-2.0
#include "probe/itt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/unique_fd.h"
#include "probe/itt_abi.h"
#include "testing/rings.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

extern "C" void __itt_api_init(steptrace::probe::itt::Global* global, int groups);

namespace steptrace::probe {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using transport::testing::DrainAll;
using transport::testing::ProcessTrace;
using transport::testing::TestRingFolder;
using transport::testing::WhyNotNested;

// The static half of a program that links ITT: its table of functions, and the calls as its macros
// make them.
class Program {
 public:
  Program() {
    std::copy(std::begin(itt::kMagic), std::end(itt::kMagic), global_.magic);
    global_.version_major = itt::kMajorVersion;
    global_.api = entries_;
  }
  void Load() { __itt_api_init(&global_, -1); }

  itt::Domain* DomainOf(const char* name) {
    return reinterpret_cast<itt::Domain* (*)(const char*)>(domain_create_)(name);
  }
  itt::StringHandle* Handle(const char* text) {
    return reinterpret_cast<itt::StringHandle* (*)(const char*)>(string_create_)(text);
  }
  void Begin(itt::Domain* domain, itt::StringHandle* handle) {
    const itt::Id none{};
    reinterpret_cast<void (*)(const itt::Domain*, itt::Id, itt::Id, itt::StringHandle*)>(begin_)(
        domain, none, none, handle);
  }
  void Begin(itt::Domain* domain, const char* text) { Begin(domain, Handle(text)); }
  void End(itt::Domain* domain) { reinterpret_cast<void (*)(const itt::Domain*)>(end_)(domain); }
  itt::Global& global() { return global_; }
  void* begin() const { return begin_; }
  void* other() const { return other_; }

  static void Null() {}

 private:
  void* begin_ = nullptr;
  void* end_ = nullptr;
  void* domain_create_ = nullptr;
  void* string_create_ = nullptr;
  void* other_ = this;
  itt::ApiEntry entries_[6] = {
      {"__itt_domain_create", &domain_create_, nullptr, nullptr, 0},
      {"__itt_string_handle_create", &string_create_, nullptr, nullptr, 0},
      {"__itt_task_begin", &begin_, nullptr, nullptr, 0},
      {"__itt_frame_submit_v3", &other_, nullptr, reinterpret_cast<void*>(Null), 0},
      {"__itt_task_end", &end_, nullptr, nullptr, 0},
      {nullptr, nullptr, nullptr, nullptr, 0},
  };
  itt::Global global_{};
};

class IttTest : public ::testing::Test {
 protected:
  IttTest() {
    transport::Attach();
    program_.Load();
    torch_ = program_.DomainOf("PyTorch");
  }
  ~IttTest() override {
    RecordOperators(false);
    transport::DetachForTesting();
  }

  // Kind and name of the main thread's records, as "begin aten::add".
  std::vector<std::string> Records() {
    const ProcessTrace trace = DrainAll(folder_.OpenOnly());
    std::vector<std::string> texts;
    if (trace.threads.empty()) return texts;
    EXPECT_EQ(WhyNotNested(trace.threads[0].records), "");
    for (const wire::Record& record : trace.threads[0].records) {
      const auto kind = static_cast<wire::RecordKind>(record.kind);
      const char* word = kind == wire::RecordKind::kBegin ? "begin " : "end ";
      texts.push_back(word + trace.NameOf(record) + (record.category == 9 ? " (primitive)" : ""));
    }
    return texts;
  }

  TestRingFolder folder_;
  Program program_;
  itt::Domain* torch_ = nullptr;
};

TEST_F(IttTest, NothingIsRecordedOutsideAWindow) {
  program_.Begin(torch_, "aten::add");
  program_.End(torch_);
  itt::Domain* onednn = program_.DomainOf("dnnl::primitive::execute");
  program_.Begin(onednn, "convolution");
  program_.End(onednn);
  EXPECT_THAT(Records(), IsEmpty());
}

// A ring holds what fast operators say in less time than its reader rests.
TEST_F(IttTest, TheBeginOfAWindowWakesTheReaderAndItsEndDoesNot) {
  const UniqueFd notify(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  ASSERT_GE(inotify_add_watch(notify.get(), folder_.path().c_str(), IN_ATTRIB), 0);
  alignas(inotify_event) char buffer[4096];
  EXPECT_LT(read(notify.get(), buffer, sizeof buffer), 0) << "nothing has happened";
  RecordOperators(true);
  EXPECT_GT(read(notify.get(), buffer, sizeof buffer), 0);
  RecordOperators(false);
  EXPECT_LT(read(notify.get(), buffer, sizeof buffer), 0);
}

TEST_F(IttTest, TasksNestInTheThreadsOwnRangesAndTellTheirLibrary) {
  const uint32_t phase = transport::Name("backward", 8, 2);
  RecordOperators(true);
  transport::Begin(phase);
  program_.Begin(torch_, "aten::conv2d");
  itt::Domain* onednn = program_.DomainOf("dnnl::primitive::execute");
  program_.Begin(onednn, "convolution");
  program_.End(onednn);
  program_.End(torch_);
  transport::End();
  EXPECT_EQ(OperatorCount(), 2u);
  EXPECT_THAT(Records(),
              ElementsAre("begin backward", "begin aten::conv2d", "begin convolution (primitive)",
                          "end convolution (primitive)", "end aten::conv2d", "end backward"));
}

TEST_F(IttTest, EndsOfTasksFromBeforeTheWindowEndNothingElse) {
  program_.Begin(torch_, "Optimizer.step");
  transport::Begin(transport::Name("optimizer", 9, 2));
  RecordOperators(true);
  program_.End(torch_);  // its begin was not recorded
  transport::End();
  program_.Begin(torch_, "aten::add");
  program_.End(torch_);
  EXPECT_THAT(Records(),
              ElementsAre("begin optimizer", "end optimizer", "begin aten::add", "end aten::add"));
}

TEST_F(IttTest, LeavingEndsWhatIsOpenAndItsLateEndIsIgnored) {
  RecordOperators(true);
  program_.Begin(torch_, "outer");
  program_.Begin(torch_, "inner");
  RecordOperators(false);
  program_.End(torch_);
  program_.End(torch_);
  program_.Begin(torch_, "after");
  EXPECT_THAT(Records(), ElementsAre("begin outer", "begin inner", "end inner", "end outer"));
}

TEST_F(IttTest, AnEndThatCrossesARangeOfOursWaitsForIt) {
  RecordOperators(true);
  program_.Begin(torch_, "pushed by the script");
  transport::Begin(transport::Name("backward", 8, 2));
  program_.End(torch_);
  transport::End();
  program_.Begin(torch_, "next");
  program_.End(torch_);
  EXPECT_THAT(Records(), ElementsAre("begin pushed by the script", "begin backward", "end backward",
                                     "end pushed by the script", "begin next", "end next"));
}

TEST_F(IttTest, AnEndAfterTheWindowEndsWhatWaitedForARangeOfOurs) {
  RecordOperators(true);
  program_.Begin(torch_, "aten::outer");
  transport::Begin(transport::Name("saving", 6, 2));
  RecordOperators(false);
  transport::End();
  program_.End(torch_);
  EXPECT_THAT(Records(),
              ElementsAre("begin aten::outer", "begin saving", "end saving", "end aten::outer"));
}

TEST_F(IttTest, AStepFitsAsLongAsTheRingHasRoomForIt) {
  RecordOperators(true);
  constexpr uint32_t kHalf = wire::kLargeRingRecords / 4;  // a begin and an end each
  for (uint32_t i = 0; i < kHalf; ++i) {
    program_.Begin(torch_, "one");
    program_.End(torch_);
  }
  EXPECT_TRUE(HasRoomForOperators(kHalf / 2));
  EXPECT_FALSE(HasRoomForOperators(kHalf));
  DrainAll(folder_.OpenOnly());
  EXPECT_TRUE(HasRoomForOperators(uint64_t{1} << 40)) << "as much as a ring can hold";
}

TEST_F(IttTest, OfAStepNoMoreIsRecordedThanAllowedAndTheGapIsMarked) {
  RecordOperators(true);
  EXPECT_EQ(BeginOperatorStep(2), 0u);
  for (const char* name : {"first", "second", "third"}) program_.Begin(torch_, name);
  for (int i = 0; i < 3; ++i) program_.End(torch_);
  program_.Begin(torch_, "fourth");
  program_.End(torch_);
  const uint32_t mark = transport::Name("optimizer", 9, 2);
  transport::Begin(mark);
  transport::End();
  EXPECT_EQ(BeginOperatorStep(1), 2u);
  program_.Begin(torch_, "of the next step");
  program_.End(torch_);
  EXPECT_EQ(BeginOperatorStep(1), 0u);
  EXPECT_EQ(OperatorCount(), 5u);
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  std::vector<std::string> texts;
  for (const wire::Record& record : trace.threads.at(0).records) {
    const bool gap = (record.flags & wire::kFlagAfterLoss) != 0;
    texts.push_back((gap ? "gap, " : "") + trace.NameOf(record));
  }
  EXPECT_THAT(texts, ElementsAre("first", "second", "gap, second", "first", "gap, optimizer",
                                 "optimizer", "of the next step", "of the next step"));
}

TEST_F(IttTest, DeepNestingIsCutAndComesBackInOrder) {
  RecordOperators(true);
  for (int i = 0; i < 200; ++i) program_.Begin(torch_, "deep");
  for (int i = 0; i < 200; ++i) program_.End(torch_);
  program_.Begin(torch_, "after");
  program_.End(torch_);
  const auto records = Records();
  EXPECT_EQ(records.size(), 2u * 64 + 2);
  EXPECT_EQ(records.back(), "end after");
}

TEST_F(IttTest, HandlesFromBeforeTheLoadAreTakenByTheirText) {
  char text[] = "aten::relu";
  itt::StringHandle handle{text, nullptr, 0, nullptr, nullptr};
  RecordOperators(true);
  program_.Begin(torch_, &handle);
  program_.End(torch_);
  EXPECT_THAT(Records(), ElementsAre("begin aten::relu", "end aten::relu"));
  EXPECT_EQ(handle.extra1, 0) << "not ours to write";
}

TEST_F(IttTest, AHandleIsTheSameForTheSameTextAndOutlivesIt) {
  std::string text = "aten::mul";
  itt::StringHandle* handle = program_.Handle(text.c_str());
  text[0] = 'x';
  EXPECT_STREQ(handle->text, "aten::mul");
  EXPECT_EQ(program_.Handle("aten::mul"), handle);
  EXPECT_EQ(program_.Handle(nullptr), nullptr);
  EXPECT_EQ(program_.DomainOf("PyTorch"), torch_);
  EXPECT_EQ(torch_->flags, 1);
}

TEST_F(IttTest, ThreadsHaveTheirOwn) {
  RecordOperators(true);
  std::thread([this] {
    program_.Begin(torch_, "elsewhere");
    program_.End(torch_);
    EXPECT_EQ(OperatorCount(), 1u);
  }).join();
  EXPECT_EQ(OperatorCount(), 0u);
}

TEST_F(IttTest, AForkedChildRecordsNothing) {
  RecordOperators(true);
  program_.Begin(torch_, "aten::forked");
  const pid_t child = fork();
  if (child == 0) {
    program_.End(torch_);
    program_.Begin(torch_, "in the child");
    program_.End(torch_);
    _exit(OperatorCount() == 0 && transport::GetStats().records == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  program_.End(torch_);
  EXPECT_THAT(Records(), ElementsAre("begin aten::forked", "end aten::forked"));
}

TEST_F(IttTest, UnsupportedCallsDoNothing) {
  EXPECT_EQ(program_.other(), reinterpret_cast<void*>(Program::Null));
}

TEST_F(IttTest, AnotherInterfaceIsLeftAlone) {
  Program other;
  other.global().magic[0] = 0;
  other.Load();
  EXPECT_EQ(other.begin(), nullptr);
  Program later;
  later.global().version_major = itt::kMajorVersion + 1;
  later.Load();
  EXPECT_EQ(later.begin(), nullptr);
  __itt_api_init(nullptr, -1);
}

// The last one: the pool is the process's.
TEST_F(IttTest, TextsWithoutEndFillThePoolAndNoMore) {
  for (int i = 0; i < 20'000; ++i) program_.Handle(("name " + std::to_string(i)).c_str());
  itt::StringHandle* none = program_.Handle("one too many");
  EXPECT_EQ(none, nullptr);
  RecordOperators(true);
  program_.Begin(torch_, none);
  program_.End(torch_);
  EXPECT_THAT(Records(), IsEmpty());
  EXPECT_EQ(transport::GetStats().dropped_names, 1u);
}

}  // namespace
}  // namespace steptrace::probe
