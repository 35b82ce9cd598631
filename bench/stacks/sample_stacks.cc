// SPDX-License-Identifier: Apache-2.0
// Samples the stacks of processes as the agent does, and says what that cost a process and whether
// the stacks were right. Run by stacks_bench.py.
//
//   sample_stacks PID[,PID...] COUNT RATE SOURCE
//     RATE 0: without a pause; SOURCE: the program that knows_its_stack.py wrote, "-" checks
//     nothing
#include <poll.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "agent/stacks/process_stacks.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

std::vector<std::string> LinesOf(const char* path) {
  std::vector<std::string> lines = {""};  // they are counted from 1
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Whether the line of each frame of the program names the function of the next.
bool IsRight(const ThreadSample& sample, const CodeTexts& texts,
             const std::vector<std::string>& source, const std::string& file) {
  bool seen = false;
  for (size_t i = 0; i < sample.stack->frames.size(); ++i) {
    if (texts.Text(sample.stack->frames[i].file) != file) continue;
    seen = true;
    if (i + 1 == sample.stack->frames.size()) break;
    const std::string& callee = texts.Text(sample.stack->frames[i + 1].function);
    const auto line = static_cast<size_t>(sample.stack->frames[i].line);
    if (line == 0 || line >= source.size()) return false;
    const std::string& text = source[line];
    const size_t at = text.find(callee);
    if (at == text.npos || (text[at + callee.size()] != '(' && text[at + callee.size()] != ',')) {
      return false;
    }
  }
  return seen;
}

void Print(const ThreadSample& sample, const CodeTexts& texts) {
  for (const FrameFacts& frame : sample.stack->frames) {
    fprintf(stderr, "%s:%d ", texts.Text(frame.function).c_str(), frame.line);
  }
  fprintf(stderr, "\n");
}

void Pause(double rate) {
  const timespec pause{0, static_cast<long>(kNsPerSecond / rate)};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
}

double MicrosecondsSince(int64_t begin_cpu_ns, int64_t count) {
  const int64_t cpu_ns = ClockNowNs(CLOCK_THREAD_CPUTIME_ID) - begin_cpu_ns;
  return static_cast<double>(cpu_ns) / 1000 / static_cast<double>(std::max<int64_t>(1, count));
}

// What the pauses cost with so little after each: the machine's floor of whatever happens so often.
template <class Work>
double Floor(int64_t count, double rate, Work work) {
  if (rate <= 0) return 0;
  const int64_t begin_ns = ClockNowNs(CLOCK_THREAD_CPUTIME_ID);
  for (int64_t i = 0; i < count; ++i) {
    Pause(rate);
    work();
  }
  return MicrosecondsSince(begin_ns, count);
}

std::vector<int32_t> PidsOf(const char* list) {
  std::vector<int32_t> pids;
  std::stringstream words(list);
  for (std::string word; std::getline(words, word, ',');) pids.push_back(std::stoi(word));
  return pids;
}

int Run(const std::vector<int32_t>& pids, int64_t count, double rate, const char* path) {
  PythonFinder finder;
  CodeTexts texts;
  NoPython why;
  SourceCalls sources(UtcNowNs());
  std::vector<std::unique_ptr<ProcessStacks>> processes;
  std::optional<PythonRuntime> runtime;
  for (const int32_t pid : pids) {
    auto memory = std::make_unique<LiveMemory>(pid);
    runtime = finder.Find(pid, *memory, why);
    if (!runtime) return fprintf(stderr, "%s\n", why.reason.c_str()), 1;
    processes.push_back(
        std::make_unique<ProcessStacks>(pid, std::move(memory), *runtime, texts, sources));
  }
  const bool check = std::string(path) != "-";
  const std::vector<std::string> source = check ? LinesOf(path) : std::vector<std::string>();
  std::vector<ThreadSample> samples;
  int64_t taken = 0, wrong = 0, rounds = 0, frames = 0;
  // What is read once is not what a sample costs.
  for (auto& stacks : processes) stacks->Sample(samples);
  const int64_t begin_ns = ClockNowNs(CLOCK_THREAD_CPUTIME_ID);
  const int64_t wall_begin_ns = MonotonicNowNs();
  for (; rounds < count; ++rounds) {
    samples.clear();
    for (auto& stacks : processes) {
      if (stacks->Sample(samples) != ReadOutcome::kOk) return fprintf(stderr, "gone\n"), 1;
    }
    for (const ThreadSample& sample : samples) {
      ++taken;
      frames += static_cast<int64_t>(sample.stack->frames.size());
      if (!check || IsRight(sample, texts, source, path)) continue;
      if (++wrong <= 5) Print(sample, texts);
    }
    if (rate > 0) Pause(rate);
  }
  const auto of_processes = static_cast<double>(processes.size());
  const double each_us = MicrosecondsSince(begin_ns, rounds) / of_processes;
  const auto wall_us = static_cast<double>(MonotonicNowNs() - wall_begin_ns) / 1000;
  int64_t torn = 0;
  for (const auto& stacks : processes) torn += stacks->losses().torn;
  const int64_t some = std::max<int64_t>(1, count / 4);
  const double sleeping_us = Floor(some, rate, [] {});
  uint64_t word = 0;
  LiveMemory last(pids.back());
  const double reading_us =
      Floor(some, rate, [&] { (void)ReadValue(last, runtime->runtime, word); });
  printf(
      "{\"rounds\": %ld, \"taken\": %ld, \"wrong\": %ld, \"torn\": %ld, \"frames\": %.1f, "
      "\"cpu_us_a_round\": %.2f, \"share_of_a_core\": %.6f, \"sleeping_alone_us\": %.2f, "
      "\"reading_a_word_us\": %.2f}\n",
      rounds, taken, wrong, torn,
      taken > 0 ? static_cast<double>(frames) / static_cast<double>(taken) : 0.0, each_us,
      each_us * static_cast<double>(rounds) / wall_us, sleeping_us, reading_us);
  return 0;
}

}  // namespace
}  // namespace steptrace::agent

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  return steptrace::agent::Run(steptrace::agent::PidsOf(argv[1]), atoll(argv[2]), atof(argv[3]),
                               argv[4]);
}
