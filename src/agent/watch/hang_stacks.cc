// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/hang_stacks.h"

#include <pthread.h>

#include <algorithm>
#include <ctime>
#include <mutex>
#include <thread>
#include <utility>

#include "base/time.h"

namespace steptrace::agent {
namespace {

// A thread that runs may be torn each time it is read; it gets a few chances.
constexpr int kSamples = 3;
constexpr timespec kBetweenSamples{0, 50 * kNsPerMs};
constexpr size_t kMaxFrames = 256;

std::vector<HangFrame> FramesOf(int32_t stack, const std::vector<NewStack>& stacks) {
  std::vector<HangFrame> frames;
  // A caller's number is smaller than its callee's, so this ends.
  for (std::optional<int32_t> at = stack; at && frames.size() < kMaxFrames;) {
    if (*at < 0 || static_cast<size_t>(*at) >= stacks.size()) break;
    const NewStack& one = stacks[static_cast<size_t>(*at)];
    frames.push_back({one.function, one.file, one.line});
    at = one.parent;
  }
  std::reverse(frames.begin(), frames.end());
  return frames;
}

}  // namespace

HangProcesses ProcessesOf(const StackReadings& readings) {
  HangProcesses processes;
  for (const UnreadProcess& unread : readings.unread) {
    HangProcess& process = processes[unread.process.pid];
    process.reason = unread.reason;
    if (!unread.remedy.empty()) process.reason += "; " + unread.remedy;
  }
  for (const StackSample& sample : readings.samples) {
    HangProcess& process = processes[sample.process.pid];
    process.reason.clear();
    const auto known = std::find_if(process.threads.begin(), process.threads.end(),
                                    [&](const HangThread& one) { return one.tid == sample.tid; });
    HangThread& thread = known == process.threads.end() ? process.threads.emplace_back() : *known;
    thread = {sample.tid, sample.running, FramesOf(sample.stack, readings.stacks)};
  }
  return processes;
}

struct HangStacks::Shared {
  std::vector<JobRoot> roots;  // of the thread alone
  std::mutex mutex;
  std::optional<HangProcesses> found;

  static void Run(const std::shared_ptr<Shared>& self) {
    pthread_setname_np(pthread_self(), "steptrace-hang");
    StackSamplerOptions options;
    options.names_calls = false;  // sources may have changed since the training began
    StackSampler sampler(std::move(options));
    sampler.SetProcesses(self->roots);
    StackReadings readings;
    for (int i = 0; i < kSamples; ++i) {
      if (i > 0) nanosleep(&kBetweenSamples, nullptr);
      sampler.Sample(MonotonicNowNs(), kNsPerSecond, readings);
    }
    std::lock_guard lock(self->mutex);
    self->found = ProcessesOf(readings);
  }
};

void HangStacks::Begin(std::vector<JobRoot> processes, int64_t now_ns) {
  shared_ = std::make_shared<Shared>();
  shared_->roots = std::move(processes);
  began_ns_ = now_ns;
  std::thread([shared = shared_] { Shared::Run(shared); }).detach();
}

std::optional<HangProcesses> HangStacks::Take(int64_t now_ns) {
  if (!shared_) return std::nullopt;
  std::optional<HangProcesses> found;
  {
    std::lock_guard lock(shared_->mutex);
    found = std::move(shared_->found);
  }
  if (!found && now_ns - began_ns_ < kPatienceNs) return std::nullopt;
  shared_.reset();  // a thread that still reads keeps its own
  return found ? std::move(found) : HangProcesses{};
}

}  // namespace steptrace::agent
