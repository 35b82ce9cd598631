// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/process_stacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <random>

#include "agent/stacks/stack_table.h"
#include "base/time.h"
#include "testing/python_child.h"

namespace steptrace::agent {
namespace {

using steptrace::testing::PythonChild;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;

// "function:line" of each frame, outermost first.
std::vector<std::string> Words(const ThreadSample& sample, const CodeTexts& texts) {
  std::vector<std::string> words;
  for (const FrameFacts& frame : sample.stack->frames) {
    words.push_back(texts.Text(frame.function) + ":" + std::to_string(frame.line));
  }
  return words;
}

// A thread that waits in a known stack of calls of every kind; another that works; one whose names
// are of other scripts; deep recursion when asked for.
constexpr const char* kProgram = R"(import threading, time, sys
class Thing:
    def method(self):
        return self.inner(
            1)
    def inner(self, n):
        return list(map(lambda x: outer_generator(x), [n]))
def generator():
    yield 1
    time.sleep(1000)
def outer_generator(x):
    for _ in generator():
        pass
def größe_名前_𐀀():
    time.sleep(1000)
def work():
    while True:
        sum(range(1000))
def deep(n):
    if n == 0:
        time.sleep(1000)
    deep(n - 1)
sys.setrecursionlimit(10000)
for target, args in ((größe_名前_𐀀, ()), (work, ()), (deep, (700,))):
    threading.Thread(target=target, args=args, daemon=True).start()
print("there", flush=True)
Thing().method()
)";

class EveryPython : public ::testing::TestWithParam<int> {
 protected:
  std::unique_ptr<ProcessStacks> Open(int32_t pid,
                                      std::unique_ptr<ProcessMemory> memory = nullptr) {
    LiveMemory live(pid);
    NoPython why;
    const auto runtime = finder_.Find(pid, live, why);
    EXPECT_TRUE(runtime.has_value()) << why.reason;
    if (!runtime) return nullptr;
    if (!memory) memory = std::make_unique<LiveMemory>(pid);
    return std::make_unique<ProcessStacks>(pid, std::move(memory), *runtime, texts_, sources_);
  }
  // The stack whose innermost frame is that one, once it is there; with a line, once it waits
  // there.
  std::optional<ThreadSample> Find(ProcessStacks& stacks, const std::string& function,
                                   int32_t waits_in_line = 0) {
    for (int tries = 0; tries < 2000; ++tries) {
      std::vector<ThreadSample> samples;
      EXPECT_EQ(stacks.Sample(samples), ReadOutcome::kOk);
      for (const ThreadSample& sample : samples) {
        const FrameFacts& frame = sample.stack->frames.back();
        const bool waits = !sample.running && frame.line == waits_in_line;
        if (texts_.Text(frame.function) != function || (waits_in_line != 0 && !waits)) continue;
        return sample;
      }
      usleep(1000);
    }
    return std::nullopt;
  }

  PythonFinder finder_;
  CodeTexts texts_;
  SourceCalls sources_{UtcNowNs()};
};

TEST_P(EveryPython, KnownStacksOfAllThreadsAreRead) {
  const auto pythons = steptrace::testing::Pythons(GetParam());
  if (pythons.empty()) GTEST_SKIP() << "no Python 3." << GetParam() << " here";
  for (const std::string& python : pythons) {
    SCOPED_TRACE(python);
    PythonChild child(python, kProgram);
    auto stacks = Open(child.pid());
    ASSERT_NE(stacks, nullptr);
    const auto main = Find(*stacks, "generator", 10);
    ASSERT_TRUE(main.has_value());
    EXPECT_THAT(Words(*main, texts_), ElementsAre("<module>:27", "Thing.method:4", "Thing.inner:7",
                                                  "Thing.inner.<locals>.<lambda>:7",
                                                  "outer_generator:12", "generator:10"));
    EXPECT_EQ(main->tid, child.pid());
    EXPECT_FALSE(main->running);
    EXPECT_EQ(texts_.Text(main->stack->frames.front().file), "<string>");
    const auto named = Find(*stacks, "größe_名前_𐀀", 15);
    ASSERT_TRUE(named.has_value());
    EXPECT_EQ(named->stack->frames.back().line, 15);
    EXPECT_NE(named->tid, child.pid());
    const auto works = Find(*stacks, "work");
    ASSERT_TRUE(works.has_value());
    EXPECT_GE(works->stack->frames.back().line, 17);
    EXPECT_LE(works->stack->frames.back().line, 18);
    const auto deep = Find(*stacks, "deep", 21);
    ASSERT_TRUE(deep.has_value());
    EXPECT_TRUE(deep->stack->cut);
    EXPECT_EQ(deep->stack->frames.size(), FrameChain::kMaxFrames);
    EXPECT_EQ(deep->stack->frames.back().line, 21);
    EXPECT_EQ(deep->stack->frames.front().line, 22);
    child.Kill();
    std::vector<ThreadSample> samples;
    EXPECT_EQ(stacks->Sample(samples), ReadOutcome::kGone);
    EXPECT_TRUE(samples.empty());
  }
}

// Another process's memory in which the frames by which C enters Python 3.12 have lost their owner.
class OverwrittenOwners : public ProcessMemory {
 public:
  OverwrittenOwners(int32_t pid, const PythonRuntime& runtime, int64_t& lost)
      : live_(pid), runtime_(runtime), lost_(lost) {}

  ReadOutcome Read(std::span<const MemoryPiece> pieces) override {
    const ReadOutcome outcome = live_.Read(pieces);
    if (outcome != ReadOutcome::kOk) return outcome;
    const size_t frame_bytes = runtime_.layout.frame_bytes();
    for (const MemoryPiece& piece : pieces) {
      for (size_t at = 0; at + frame_bytes <= piece.bytes; at += 8) Corrupt(piece.into + at);
    }
    return outcome;
  }

 private:
  void Corrupt(std::byte* bytes) {
    const auto& frame = runtime_.layout.frame;
    if (bytes[frame.owner] != std::byte{frame.first_shim_owner}) return;
    if (Load<uint64_t>(bytes + frame.previous) == 0) return;  // outermost: the stack is whole
    const auto code = Load<uint64_t>(bytes + frame.code);
    uint64_t type = 0;
    const ReadOutcome read = ReadValue(live_, code + runtime_.layout.object.type, type);
    if (read != ReadOutcome::kOk || type != runtime_.code_type) return;
    bytes[frame.owner] = std::byte{0};
    ++lost_;
  }

  LiveMemory live_;
  const PythonRuntime runtime_;
  int64_t& lost_;
};

TEST_P(EveryPython, WhereCEntersIsNoFrameOfTheProgram) {
  if (GetParam() != 12) GTEST_SKIP() << "its frames of that kind have no code";
  const auto pythons = steptrace::testing::Pythons(GetParam());
  if (pythons.empty()) GTEST_SKIP() << "no Python 3." << GetParam() << " here";
  PythonChild child(pythons.front(), kProgram);
  LiveMemory live(child.pid());
  NoPython why;
  const auto runtime = finder_.Find(child.pid(), live, why);
  ASSERT_TRUE(runtime.has_value()) << why.reason;
  int64_t lost = 0;
  auto stacks = Open(child.pid(), std::make_unique<OverwrittenOwners>(child.pid(), *runtime, lost));
  ASSERT_NE(stacks, nullptr);
  const auto main = Find(*stacks, "generator", 10);
  ASSERT_TRUE(main.has_value());
  EXPECT_THAT(Words(*main, texts_),
              ElementsAre("<module>:27", "Thing.method:4", "Thing.inner:7",
                          "Thing.inner.<locals>.<lambda>:7", "outer_generator:12", "generator:10"));
  EXPECT_GT(lost, 0);
}

// Code comes and goes at the same addresses: a name is never that of the code that was there.
TEST_P(EveryPython, SeesAnAddressTakenByOtherCode) {
  const auto pythons = steptrace::testing::Pythons(GetParam());
  if (pythons.empty()) GTEST_SKIP() << "no Python 3." << GetParam() << " here";
  PythonChild child(pythons.front(), R"(
import time
def run(name, lines):
    space = {"time": time}
    exec("\n" * lines + f"def {name}():\n    time.sleep(0.002)\n" * 1, space)
    space[name]()
print("there", flush=True)
while True:
    for number in range(50):
        run(f"name_{number}", number)
)");
  auto stacks = Open(child.pid());
  ASSERT_NE(stacks, nullptr);
  int seen = 0;
  for (int tries = 0; tries < 3000 && seen < 300; ++tries) {
    std::vector<ThreadSample> samples;
    ASSERT_EQ(stacks->Sample(samples), ReadOutcome::kOk);
    for (const ThreadSample& sample : samples) {
      const std::string& name = texts_.Text(sample.stack->frames.back().function);
      if (!name.starts_with("name_")) continue;
      ++seen;
      const int number = std::stoi(name.substr(5));
      EXPECT_GE(sample.stack->frames.back().line, number + 1) << name;
      EXPECT_LE(sample.stack->frames.back().line, number + 2) << name;
    }
    usleep(1000);
  }
  EXPECT_GE(seen, 100);
}

// What calls without a pause is sampled as often as what holds still for as long, and ends in the
// function that calls where its callees come and go too fast to be proven.
TEST_P(EveryPython, ConstantlyCallingThreadIsSampledAsOften) {
  const auto pythons = steptrace::testing::Pythons(GetParam());
  if (pythons.empty()) GTEST_SKIP() << "no Python 3." << GetParam() << " here";
  // How long each takes is chance without a memory, 2 ms in the mean, and looks are 4 ms of its CPU
  // time apart: in which it is then has nothing to do with the look before, nor with how long the
  // system gives a process a core at once.
  PythonChild child(pythons.front(), R"(
import random, time
def leaf(n):
    return n + 1
def calls():
    end = time.thread_time() + random.expovariate(500)
    while time.thread_time() < end:
        sum(leaf(n) for n in range(20))
def holds():
    end = time.thread_time() + random.expovariate(500)
    while time.thread_time() < end:
        sum(range(2000))
print("there", flush=True)
while True:
    calls()
    holds()
)");
  auto stacks = Open(child.pid());
  ASSERT_NE(stacks, nullptr);
  std::mt19937 random(1);
  constexpr int kReads = 300;
  int calling = 0, holding = 0;
  bool began = false;  // it may be in the call still that told us
  clockid_t cpu{};
  ASSERT_EQ(clock_getcpuclockid(child.pid(), &cpu), 0);
  int64_t sampled_at_ns = 0;
  for (int tries = 0; tries < 20'000 && calling + holding < kReads; ++tries) {
    usleep(static_cast<useconds_t>(2000 + random() % 4000));
    // Without a core it does neither, for as long as others have it.
    const int64_t cpu_ns = ClockNowNs(cpu);
    if (cpu_ns - sampled_at_ns < 4'000'000) continue;
    sampled_at_ns = cpu_ns;
    std::vector<ThreadSample> samples;
    ASSERT_EQ(stacks->Sample(samples), ReadOutcome::kOk);
    for (const ThreadSample& sample : samples) {
      const auto words = Words(sample, texts_);
      ASSERT_FALSE(words.empty());
      began = began || words.front() != "<module>:13";
      if (!began) continue;
      EXPECT_THAT(words.front(), AnyOf("<module>:15", "<module>:16"));
      if (words.size() < 2) continue;
      if (words[1].starts_with("calls:")) ++calling;
      if (words[1].starts_with("holds:")) ++holding;
    }
  }
  ASSERT_GE(calling + holding, kReads);
  // Four times what chance makes of so many looks.
  EXPECT_NEAR(calling / static_cast<double>(kReads), 0.5, 0.12);
}

// A function that is called for some microseconds has the time that it takes, though no two copies
// find the same call.
TEST_P(EveryPython, AQuickFunctionHasItsTime) {
  const auto pythons = steptrace::testing::Pythons(GetParam());
  if (pythons.empty()) GTEST_SKIP() << "no Python 3." << GetParam() << " here";
  const std::string script = ::testing::TempDir() + "quick_" + std::to_string(getpid()) + ".py";
  std::ofstream(script) << R"(
def quick_1(values):
    return sum(values)
def quick_2(values):
    return sum(values)
def quick_3(values):
    return sum(values)
def quick_4(values):
    return sum(values)
def loop(values):
    while True:
        quick_1(values)
        quick_2(values)
        quick_3(values)
        quick_4(values)
print("there", flush=True)
loop(list(range(1000)))
)";
  SourceCalls sources{UtcNowNs() + kNsPerSecond};
  PythonChild child(pythons.front(), "import runpy; runpy.run_path('" + script + "')");
  LiveMemory live(child.pid());
  NoPython why;
  const auto runtime = finder_.Find(child.pid(), live, why);
  ASSERT_TRUE(runtime.has_value()) << why.reason;
  ProcessStacks stacks(child.pid(), std::make_unique<LiveMemory>(child.pid()), *runtime, texts_,
                       sources);
  int of_loop = 0, in_quick = 0;
  for (int tries = 0; tries < 5000 && of_loop < 200; ++tries) {
    std::vector<ThreadSample> samples;
    ASSERT_EQ(stacks.Sample(samples), ReadOutcome::kOk);
    for (const ThreadSample& sample : samples) {
      const auto words = Words(sample, texts_);
      const auto loop = std::find_if(words.begin(), words.end(),
                                     [](const auto& word) { return word.starts_with("loop:"); });
      if (loop == words.end()) continue;
      ++of_loop;
      if (loop + 1 != words.end() && (loop + 1)->starts_with("quick_")) ++in_quick;
    }
    usleep(500);
  }
  std::remove(script.c_str());
  ASSERT_GE(of_loop, 200);
  // Nine tenths of its time and more. Where the thread went on within the first look, what that
  // found of the caller and of the called need not fit, and the caller alone is named.
  EXPECT_GE(in_quick, of_loop * 6 / 10);
}

// Another process's memory with bytes that are not what they were.
class DamagedMemory : public ProcessMemory {
 public:
  DamagedMemory(int32_t pid, uint64_t seed, int one_in)
      : live_(pid), random_(seed), one_in_(one_in) {}

  ReadOutcome Read(std::span<const MemoryPiece> pieces) override {
    ++reads;
    for (const MemoryPiece& piece : pieces) bytes += piece.bytes;
    if (random_() % 64 == 0) return ReadOutcome::kFault;
    const ReadOutcome outcome = live_.Read(pieces);
    if (outcome != ReadOutcome::kOk) return outcome;
    for (const MemoryPiece& piece : pieces) Damage(piece);
    return outcome;
  }

  int64_t reads = 0;
  int64_t bytes = 0;

 private:
  // Words become others: anything, nothing, all ones, a neighbour, or one that was read before.
  void Damage(const MemoryPiece& piece) {
    for (size_t at = 0; at + 8 <= piece.bytes; at += 8) {
      const auto word = Load<uint64_t>(piece.into + at);
      if (random_() % static_cast<uint64_t>(one_in_) != 0) {
        if (random_() % 16 == 0) before_ = word;
        continue;
      }
      const uint64_t wild[] = {random_(), 0, UINT64_MAX, word + 8, before_, uint64_t{1} << 40};
      const uint64_t other = wild[random_() % 6];
      std::memcpy(piece.into + at, &other, sizeof other);
    }
  }

  LiveMemory live_;
  std::mt19937_64 random_;
  int one_in_;
  uint64_t before_ = 0;
};

TEST_P(EveryPython, DamagedMemoryCostsNothingButTheSample) {
  const auto pythons = steptrace::testing::Pythons(GetParam());
  if (pythons.empty()) GTEST_SKIP() << "no Python 3." << GetParam() << " here";
  PythonChild child(pythons.front(), kProgram);
  for (int one_in : {4, 50, 2000}) {
    for (uint64_t seed = 0; seed < 30; ++seed) {
      auto memory = std::make_unique<DamagedMemory>(child.pid(), seed, one_in);
      DamagedMemory& counts = *memory;
      auto stacks = Open(child.pid(), std::move(memory));
      ASSERT_NE(stacks, nullptr);
      StackTable table(texts_);
      for (int round = 0; round < 5; ++round) {
        counts.reads = counts.bytes = 0;
        std::vector<ThreadSample> samples;
        (void)stacks->Sample(samples);
        EXPECT_LE(samples.size(), ThreadList::kMaxThreads);
        EXPECT_LT(counts.reads, 200'000);
        EXPECT_LT(counts.bytes, int64_t{1} << 30);
        for (const ThreadSample& sample : samples) {
          EXPECT_LE(sample.stack->frames.size(), FrameChain::kMaxFrames);
          table.Intern(*sample.stack);
        }
      }
    }
  }
}

// Counts the reads of another process's memory.
class CountedMemory : public ProcessMemory {
 public:
  CountedMemory(int32_t pid, int64_t& reads) : live_(pid), reads_(reads) {}
  ReadOutcome Read(std::span<const MemoryPiece> pieces) override {
    ++reads_;
    return live_.Read(pieces);
  }

 private:
  LiveMemory live_;
  int64_t& reads_;
};

// All looks at a stack that is as it was known, and the marks that are due, come of one read.
TEST_P(EveryPython, AKnownStackTakesOneRead) {
  const auto pythons = steptrace::testing::Pythons(GetParam());
  if (pythons.empty()) GTEST_SKIP() << "no Python 3." << GetParam() << " here";
  PythonChild child(pythons.front(), R"(
def down(n):
    if n > 0: return down(n - 1)
    print("there", flush=True)
    while True: n += 1
down(20)
)");
  int64_t reads = 0;
  auto stacks = Open(child.pid(), std::make_unique<CountedMemory>(child.pid(), reads));
  ASSERT_NE(stacks, nullptr);
  ASSERT_TRUE(Find(*stacks, "down").has_value());
  constexpr int kRounds = 400;
  int64_t with_one = 0, taken = 0;
  for (int round = 0; round < kRounds; ++round) {
    reads = 0;
    std::vector<ThreadSample> samples;
    ASSERT_EQ(stacks->Sample(samples), ReadOutcome::kOk);
    if (reads == 1) ++with_one;
    for (const ThreadSample& sample : samples) {
      ++taken;
      EXPECT_EQ(sample.stack->frames.size(), 22u);
      EXPECT_TRUE(sample.running);
    }
  }
  EXPECT_EQ(taken, kRounds);
  EXPECT_GE(with_one, kRounds / 4) << "more for the list of threads, and what is known anew";
}

INSTANTIATE_TEST_SUITE_P(Versions, EveryPython, ::testing::Values(11, 12, 13, 14),
                         [](const auto& version) {
                           return "Python3" + std::to_string(version.param);
                         });

TEST(PythonFinder, ReportsWhyAProcessCannotBeRead) {
  PythonFinder finder;
  NoPython why;
  PythonChild shell("/bin/sh", "echo; exec sleep 1000");
  LiveMemory memory(shell.pid());
  EXPECT_FALSE(finder.Find(shell.pid(), memory, why).has_value());
  EXPECT_THAT(why.reason, ::testing::HasSubstr("not CPython"));
  for (int minor : {8, 10}) {
    for (const std::string& python : steptrace::testing::Pythons(minor)) {
      PythonChild old(python, "import time; print('', flush=True); time.sleep(1000)");
      LiveMemory its_memory(old.pid());
      EXPECT_FALSE(finder.Find(old.pid(), its_memory, why).has_value());
      EXPECT_THAT(why.reason, ::testing::HasSubstr("CPython before 3.11")) << python;
      EXPECT_FALSE(why.may_change);
    }
  }
  EXPECT_FALSE(finder.Find(INT32_MAX, memory, why).has_value());
  EXPECT_TRUE(why.gone);
}

TEST(PythonFiles, AreTheProgramAndItsLibrary) {
  constexpr const char* kMaps =
      "400000-41f000 r--p 00000000 08:01 11 /usr/bin/python3.13\n"
      "41f000-6c0000 r-xp 0001f000 08:01 11 /usr/bin/python3.13\n"
      "7f0000000000-7f0000100000 r--p 00000000 08:01 12 /opt/a b/libpython3.13.so.1.0\n"
      "7f0000100000-7f0000200000 r--p 00000000 08:01 13 /usr/lib/libc.so.6\n"
      "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]\n"
      "damaged\n\n- - - - - /libpython3\n";
  const auto files = PythonFiles(kMaps, "/usr/bin/python3.13");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].path, "/opt/a b/libpython3.13.so.1.0") << "the library before the program";
  EXPECT_EQ(files[0].address, 0x7f0000000000u);
  EXPECT_EQ(files[1].address, 0x400000u);
}

}  // namespace
}  // namespace steptrace::agent
