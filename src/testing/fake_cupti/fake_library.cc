// SPDX-License-Identifier: Apache-2.0
#include "testing/fake_cupti/fake_library.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace steptrace::testing::fake_cupti {

Library& It() {
  static Library* library = new Library;  // CUPTI's thread outlives main()
  return *library;
}

uint64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

void Misuse(const std::string& what) {
  ++It().misuses;
  It().last_misuse = what;
}

size_t BytesOf(Kind kind) {
  switch (kind) {
    case Kind::kConcurrentKernel:
      return kKernelBytes;
    case Kind::kMemcpy:
      return kCopyBytes;
    case Kind::kMemset:
      return kFillBytes;
    default:
      return kCallBytes;
  }
}

static void HandOver(Buffer& buffer, std::vector<Delivery>& out) {
  if (buffer.bytes == nullptr) return;
  if (It().hold) {
    It().held.push_back(buffer);
  } else {
    out.push_back({It().completed, buffer});
  }
  buffer = {};
}

void Deliver(const std::vector<Delivery>& deliveries) {
  for (const Delivery& one : deliveries) {
    one.to(nullptr, 0, one.buffer.bytes, one.buffer.size, one.buffer.used);
  }
}

static Buffer Request() {
  Buffer buffer;
  size_t most = 0;
  It().requested(&buffer.bytes, &buffer.size, &most);
  if (buffer.bytes != nullptr && reinterpret_cast<uintptr_t>(buffer.bytes) % 8 != 0) {
    Misuse("a buffer is not aligned to 8 bytes");
  }
  if (buffer.bytes != nullptr && buffer.size < kKernelBytes) Misuse("a buffer takes no record");
  return buffer;
}

static void Put(const Activity& activity, std::vector<Delivery>& out) {
  const bool host = activity.kind == Kind::kRuntime || activity.kind == Kind::kDriver;
  Buffer& buffer = It().buffers[host ? 0 : 1];
  if (buffer.bytes != nullptr && buffer.used + activity.bytes.size() > buffer.size) {
    HandOver(buffer, out);
  }
  if (buffer.bytes == nullptr) buffer = Request();
  if (buffer.bytes == nullptr) {
    ++It().dropped;
    return;
  }
  std::memcpy(buffer.bytes + buffer.used, activity.bytes.data(), activity.bytes.size());
  buffer.used += activity.bytes.size();
}

// What has happened goes to buffers in the order in which it ended, whatever its stream. `forced`:
// the rest as well, without its times.
void Collect(bool forced, std::vector<Delivery>& out) {
  auto& under_way = It().under_way;
  const uint64_t now = NowNs();
  std::stable_sort(under_way.begin(), under_way.end(),
                   [](const auto& a, const auto& b) { return a.end_ns < b.end_ns; });
  while (!under_way.empty() && (forced || under_way.front().end_ns <= now)) {
    Activity& activity = under_way.front();
    if (activity.end_ns > now) {
      const size_t at = activity.kind == Kind::kSynchronization || activity.kind == Kind::kRuntime
                            ? offsetof(cupti::Api, start)
                            : offsetof(cupti::Kernel, start);
      std::memset(activity.bytes.data() + at, 0, 16);
    }
    if (It().completed != nullptr) Put(activity, out);
    under_way.pop_front();
  }
}

void FlushBuffers(std::vector<Delivery>& out) {
  for (Buffer& buffer : It().buffers) HandOver(buffer, out);
}

static void Work() {
  uint64_t last_flush_ns = NowNs();
  while (It().worker_runs) {
    usleep(1000);
    std::vector<Delivery> out;
    {
      const std::lock_guard lock(It().mutex);
      Collect(false, out);
      const uint64_t period_ns = uint64_t{It().flush_period_ms} * 1'000'000;
      if (period_ns > 0 && NowNs() - last_flush_ns >= period_ns) {
        FlushBuffers(out);
        last_flush_ns = NowNs();
      }
    }
    Deliver(out);
  }
}

void StartWorker() {
  if (It().worker_runs.exchange(true)) return;
  It().worker = std::thread(Work);
}

void StopWorker() {
  if (It().worker_runs.exchange(false)) It().worker.join();
}

void TellSubscribers() {
  std::vector<cupti::OnCallback> to;
  {
    const std::lock_guard lock(It().mutex);
    for (const Subscription& one : It().subscriptions) {
      if (one.domains.count(cupti::CallbackDomain::kRuntime) != 0) to.push_back(one.on_callback);
    }
  }
  for (const cupti::OnCallback tell : to) {
    for (const auto site : {cupti::CallbackSite::kEnter, cupti::CallbackSite::kExit}) {
      const cupti::CallbackData data{site};
      It().in_exit = site == cupti::CallbackSite::kExit;
      tell(nullptr, cupti::CallbackDomain::kRuntime, kLaunchKernel, &data);
      It().in_exit = false;
    }
  }
}

bool IsChild(const char* call) {
  if (getpid() == It().pid) return false;
  Misuse(std::string(call) + " in a forked child");
  return true;
}

void Report(Activity activity) {
  if (It().subscribers_kinds.count(activity.kind) != 0 && !It().poisoned) ++It().monitor_records;
  if (It().enabled.count(activity.kind) != 0) It().under_way.push_back(std::move(activity));
}

}  // namespace steptrace::testing::fake_cupti
