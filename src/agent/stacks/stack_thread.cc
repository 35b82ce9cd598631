// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/stack_thread.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "agent/stacks/wake_signal.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

constexpr int64_t kObserveIntervalNs = kNsPerSecond;

LimiterOptions LimitsOf(int64_t period_ns) {
  LimiterOptions limits;
  limits.interval_ns = period_ns;
  limits.cpu_budget_cores = StackThread::kBudgetCores;
  return limits;
}

StackSamplerOptions OptionsWith(std::shared_ptr<StackNumbers> numbers, size_t max_stacks) {
  StackSamplerOptions options;
  options.numbers = std::move(numbers);
  options.max_stacks = max_stacks;
  return options;
}

template <class Value>
void MoveTo(std::vector<Value>& from, std::vector<Value>& to) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
  from.clear();
}

}  // namespace

struct StackThread::Shared {
  std::mutex mutex;
  std::condition_variable has_ended;
  WakeSignal changed;
  bool stop = false;
  bool ended = false;
  bool training_began = false;
  std::optional<std::vector<JobRoot>> processes;  // new ones
  StackReadings readings;
  const size_t max_waiting_samples;

  // The rest belongs to the thread.
  StackSampler sampler;
  StackReadings taken;
  AgentLimiter limiter;
  std::minstd_rand random{std::random_device{}()};
  int64_t next_ns = 0;
  int64_t next_observe_ns = 0;
  int64_t quick_until_ns = INT64_MIN;
  uint32_t calls_seen = 0;

  Shared(int64_t period_ns, std::shared_ptr<StackNumbers> numbers, const StackLimits& limits)
      : max_waiting_samples(limits.max_waiting_samples),
        sampler(OptionsWith(std::move(numbers), limits.max_stacks)),
        limiter(LimitsOf(period_ns),
                [this](const LimiterEvent& event) { taken.limits.push_back(event); }) {}

  static void Run(std::shared_ptr<Shared> self);
  bool WaitUntilDue();
  bool TakeChanges();
  void Observe(int64_t now_ns);
  void HandOver();
  int64_t PeriodNs(int64_t now_ns) const {
    const int64_t period_ns = limiter.interval_ns();
    if (now_ns >= quick_until_ns) return period_ns;
    return std::min(period_ns, std::max(period_ns / kTimesAsOften, kQuickPeriodNs));
  }
  // Uniform in (least, most) periods.
  int64_t Jittered(int64_t period_ns, double least, double most) {
    return static_cast<int64_t>(std::uniform_real_distribution(least, most)(random) *
                                static_cast<double>(period_ns));
  }
};

void StackThread::Shared::Run(std::shared_ptr<Shared> self) {
  pthread_setname_np(pthread_self(), "steptrace-stk");
  while (self->WaitUntilDue()) {
    const int64_t now_ns = MonotonicNowNs();
    const int64_t period_ns = self->PeriodNs(now_ns);
    self->sampler.Sample(now_ns, period_ns, self->taken);
    // With nothing to read, the waking is all that there is to save.
    const int64_t idle_until_ns =
        std::min(self->sampler.IdleUntilNs(), now_ns + kObserveIntervalNs);
    self->next_ns = std::max(now_ns + self->Jittered(period_ns, 0.5, 1.5), idle_until_ns);
    if (now_ns >= self->next_observe_ns) self->Observe(now_ns);
    self->HandOver();
  }
  self->sampler.RecordLosses(self->taken);
  self->HandOver();
  std::lock_guard lock(self->mutex);
  self->ended = true;
  self->has_ended.notify_all();
}

// False: it is to stop.
bool StackThread::Shared::WaitUntilDue() {
  for (;;) {
    const uint32_t calls = changed.calls();
    if (std::exchange(calls_seen, calls) != calls && !TakeChanges()) return false;
    const int64_t wait_ns = next_ns - MonotonicNowNs();
    if (wait_ns <= 0) return true;
    changed.WaitFor(calls, wait_ns);
  }
}

// False: it is to stop.
bool StackThread::Shared::TakeChanges() {
  std::lock_guard lock(mutex);
  if (stop) return false;
  if (std::exchange(training_began, false)) {
    const int64_t now_ns = MonotonicNowNs();
    limiter.StartAnew(now_ns);
    quick_until_ns = now_ns + kQuickNs;
    next_ns = std::min(next_ns, now_ns + Jittered(PeriodNs(now_ns), 0, 0.5));
  }
  if (processes) {
    sampler.SetProcesses(*std::exchange(processes, std::nullopt));
    const int64_t now_ns = MonotonicNowNs();
    next_ns = std::min(next_ns, now_ns + Jittered(PeriodNs(now_ns), 0, 0.5));
  }
  return true;
}

void StackThread::Shared::Observe(int64_t now_ns) {
  next_observe_ns = now_ns + kObserveIntervalNs;
  sampler.RecordLosses(taken);
  if (now_ns < quick_until_ns) return;
  if (std::exchange(quick_until_ns, INT64_MIN) != INT64_MIN) {
    limiter.StartAnew(now_ns);
  }
  const int64_t processes_read = std::max<int64_t>(1, sampler.read_processes());
  limiter.SetCpuBudget(kBudgetCores * static_cast<double>(processes_read));
  limiter.Observe(now_ns, ClockNowNs(CLOCK_THREAD_CPUTIME_ID), 0);
}

void StackThread::Shared::HandOver() {
  std::lock_guard lock(mutex);
  if (readings.samples.size() + taken.samples.size() > max_waiting_samples) {
    readings.not_taken += static_cast<int64_t>(taken.samples.size());
    taken.samples.clear();
  }
  MoveTo(taken.samples, readings.samples);
  MoveTo(taken.stacks, readings.stacks);
  MoveTo(taken.unread, readings.unread);
  MoveTo(taken.changes, readings.changes);
  MoveTo(taken.limits, readings.limits);
  MoveTo(taken.losses, readings.losses);
  readings.too_many_stacks = taken.too_many_stacks;
}

StackThread::StackThread(int64_t period_ns, std::shared_ptr<StackNumbers> numbers,
                         const StackLimits& limits)
    : shared_(std::make_shared<Shared>(period_ns, std::move(numbers), limits)) {
  std::thread(Shared::Run, shared_).detach();
}

StackThread::~StackThread() {
  Stop(0);
}

void StackThread::SetProcesses(std::vector<JobRoot> processes) {
  {
    std::lock_guard lock(shared_->mutex);
    shared_->processes = std::move(processes);
  }
  shared_->changed.Call();
}

void StackThread::TrainingBegan() {
  {
    std::lock_guard lock(shared_->mutex);
    shared_->training_began = true;
  }
  shared_->changed.Call();
}

StackReadings StackThread::Take() {
  std::lock_guard lock(shared_->mutex);
  StackReadings taken = std::exchange(shared_->readings, {});
  shared_->readings.not_taken = taken.not_taken;
  shared_->readings.too_many_stacks = taken.too_many_stacks;
  return taken;
}

void StackThread::Stop(int64_t at_most_ms) {
  std::unique_lock lock(shared_->mutex);
  shared_->stop = true;
  shared_->changed.Call();
  shared_->has_ended.wait_for(lock, std::chrono::milliseconds(at_most_ms),
                              [&] { return shared_->ended; });
}

}  // namespace steptrace::agent
