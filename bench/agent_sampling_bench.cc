// SPDX-License-Identifier: Apache-2.0
// What a sample of the system costs the agent, beside a training of 20 processes. Budget: 0.1 % of
// a core at 500 ms, which is 500 us a sample. Samples are taken 50 ms apart, so that caches are as
// cold as they are in practice: back to back they take a third.

#include <benchmark/benchmark.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <thread>
#include <vector>

#include "agent/system/system_sampler.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

using store::Metric;

bool g_answers_right = true;

void SleepMs(int ms) {
  ::poll(nullptr, 0, ms);
}

// A process with threads that wake up a few hundred times a second, as loader workers do.
[[noreturn]] void PretendToWork(int threads) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int i = 1; i < threads; ++i) {
    std::thread([i] {
      for (;;) SleepMs(i == 1 ? 5 : 1000);
    }).detach();
  }
  for (;;) SleepMs(5);
}

// A parent and its children, killed with the object.
class Tree {
 public:
  Tree(int processes, int threads) : root_(::fork()) {
    if (root_ < 0) std::abort();
    if (root_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 1; i < processes; ++i) {
      if (::fork() == 0) PretendToWork(threads);
    }
    PretendToWork(threads);
  }
  ~Tree() {
    if (root_ <= 0) return;
    ::kill(root_, SIGKILL);  // its children follow: PR_SET_PDEATHSIG
    ::waitpid(root_, nullptr, 0);
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  int32_t root() const { return root_; }

 private:
  pid_t root_;
};

class LastValues : public MetricSink {
 public:
  void OnSample(const MetricSample& sample) override {
    values_[sample.metric] = sample.value;
    ++rows_;
  }
  void OnUnavailable(const MissingSource&) override {}
  double Of(Metric metric) const {
    const auto found = values_.find(metric);
    return found == values_.end() ? -1 : found->second;
  }
  int64_t rows() const { return rows_; }

 private:
  std::map<Metric, double> values_;
  int64_t rows_ = 0;
};

void Expect(benchmark::State& state, bool holds, const char* what) {
  if (holds) return;
  g_answers_right = false;
  state.SkipWithError(what);
}

void SampleBesideTree(benchmark::State& state) {
  const int processes = static_cast<int>(state.range(0));
  const int threads = static_cast<int>(state.range(1));
  const Tree tree(processes, threads);
  SleepMs(500);
  SystemSamplerOptions options;
  options.nvml_library = "";
  options.job_roots = [&tree] { return std::vector<JobRoot>{{.pid = tree.root()}}; };
  auto sampler = *SystemSampler::Create(std::move(options));
  LastValues values;
  sampler->Sample(MonotonicNowNs(), values);
  const int64_t rows_before = values.rows();
  for (auto _ : state) {
    SleepMs(50);
    const int64_t begin_ns = ClockNowNs(CLOCK_THREAD_CPUTIME_ID);
    sampler->Sample(MonotonicNowNs(), values);
    const int64_t cost_ns = ClockNowNs(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
    state.SetIterationTime(static_cast<double>(cost_ns) / kNsPerSecond);
  }
  Expect(state, values.Of(Metric::kJobProcesses) == processes, "not all processes were seen");
  Expect(state, values.Of(Metric::kJobThreads) == processes * threads, "not all threads were seen");
  Expect(state, values.Of(Metric::kJobVoluntarySwitches) > processes * 20, "switches were missed");
  Expect(state, values.Of(Metric::kJobCpu) >= 0, "no CPU time was seen");
  state.counters["rows"] = benchmark::Counter(static_cast<double>(values.rows() - rows_before),
                                              benchmark::Counter::kAvgIterations);
}

BENCHMARK(SampleBesideTree)
    ->ArgNames({"processes", "threads"})
    ->Args({1, 4})
    ->Args({20, 8})
    ->Args({20, 64})
    ->UseManualTime()
    ->Iterations(60)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace steptrace::agent

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return steptrace::agent::g_answers_right ? 0 : 1;
}
