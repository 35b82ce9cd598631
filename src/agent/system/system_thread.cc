// SPDX-License-Identifier: Apache-2.0
#include "agent/system/system_thread.h"

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "agent/system/system_sampler.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

// The owner takes them several times a second; if it is stopped, the oldest are enough to know.
constexpr size_t kMaxWaitingReadings = 256;

class CollectingSink : public MetricSink {
 public:
  explicit CollectingSink(SystemReadings& readings) : readings_(readings) {}
  void OnSample(const MetricSample& sample) override { readings_.samples.push_back(sample); }
  void OnUnavailable(const MissingSource& source) override {
    readings_.unavailable.push_back(source);
  }
  void OnGpu(const GpuUse& use) override { readings_.gpus.push_back(use); }
  void OnAllowedCores(const ProcessCores& cores) override {
    readings_.allowed_cores.push_back(cores);
  }

 private:
  SystemReadings& readings_;
};

}  // namespace

struct SystemThread::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  bool stop = false;
  bool asked = false;
  bool sampling = false;
  std::vector<JobRoot> roots;
  std::vector<SystemReadings> readings;

  static void Run(std::shared_ptr<Shared> self, int64_t interval_ns);
  void SampleOnce(SystemSampler& sampler);
};

void SystemThread::Shared::Run(std::shared_ptr<Shared> self, int64_t interval_ns) {
  pthread_setname_np(pthread_self(), "steptrace-sys");
  SystemSamplerOptions options;
  options.interval_ns = interval_ns;
  options.job_roots = [&self] {
    std::lock_guard lock(self->mutex);
    return self->roots;
  };
  auto sampler = SystemSampler::Create(std::move(options));
  if (!sampler.ok()) {
    std::lock_guard lock(self->mutex);
    SystemReadings failed;
    failed.monotonic_ns = MonotonicNowNs();
    failed.unavailable.push_back({"system", sampler.error().text(), ""});
    self->readings.push_back(std::move(failed));
    return;
  }
  for (;;) {
    {
      std::unique_lock lock(self->mutex);
      self->changed.wait(lock, [&] { return self->stop || self->asked; });
      if (self->stop) return;
      self->asked = false;
      self->sampling = true;
    }
    self->SampleOnce(**sampler);
  }
}

void SystemThread::Shared::SampleOnce(SystemSampler& sampler) {
  SystemReadings taken;
  taken.monotonic_ns = MonotonicNowNs();
  CollectingSink sink(taken);
  sampler.Sample(taken.monotonic_ns, sink);
  taken.driver_bytes = sampler.driver_bytes();
  taken.job = sampler.JobProcesses();
  {
    std::lock_guard lock(mutex);
    sampling = false;
    if (readings.size() < kMaxWaitingReadings) readings.push_back(std::move(taken));
  }
  changed.notify_all();
}

SystemThread::SystemThread(int64_t interval_ns) : shared_(std::make_shared<Shared>()) {
  std::thread(Shared::Run, shared_, interval_ns).detach();
}

SystemThread::~SystemThread() {
  {
    std::lock_guard lock(shared_->mutex);
    shared_->stop = true;
  }
  shared_->changed.notify_all();
}

void SystemThread::SetRoots(std::vector<JobRoot> roots) {
  std::lock_guard lock(shared_->mutex);
  shared_->roots = std::move(roots);
}

void SystemThread::Request() {
  {
    std::lock_guard lock(shared_->mutex);
    if (shared_->sampling) return;
    shared_->asked = true;
  }
  shared_->changed.notify_all();
}

std::vector<SystemReadings> SystemThread::Take() {
  std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->readings, {});
}

void SystemThread::RequestAndWait(int64_t at_most_ms) {
  Request();
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait_for(lock, std::chrono::milliseconds(at_most_ms),
                            [&] { return !shared_->asked && !shared_->sampling; });
}

}  // namespace steptrace::agent
