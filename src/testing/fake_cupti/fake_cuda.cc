// SPDX-License-Identifier: Apache-2.0
// A driver that is there, and its events: they are reached in the order of their stream, and nobody
// learns of one before it has been reached. The time of a device is its own.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#define FAKE_CUDA_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using Result = int;
constexpr Result kSuccess = 0;
constexpr Result kInvalidContext = 201;
constexpr Result kInvalidHandle = 400;
constexpr Result kNotReady = 600;
constexpr Result kCaptureUnsupported = 900;
constexpr Result kCapturedEvent = 907;
constexpr int kRelaxed = 2;
constexpr uint64_t kResolutionNs = 500;
constexpr uint64_t kReachNs = 3000;  // from the host's record until an idle stream is there
constexpr uint64_t kDeviceEpochNs = 77'000'000'000;

struct Stream {
  uint64_t end_ns = 0;  // by the host's clock
  bool captures = false;
};
struct Event {
  int device = 0;
  bool recorded = false;
  bool captured = false;
  uint64_t reached_ns = 0;  // by the host's clock
  double device_ns = 0;     // the same moment by the device's
};

struct Driver {
  std::mutex mutex;
  pid_t pid = getpid();
  uint64_t by_hand_ns = 0;
  double rate = 1;
  uint64_t rate_since_ns = 0;
  double device_at_ns = kDeviceEpochNs;
  std::map<std::pair<int, uint64_t>, Stream> streams;
  std::set<Event*> events;
  Result refusal = kSuccess;
  uint64_t calls = 0;
  uint64_t misuses = 0;
  std::string last_misuse;
};

Driver& It() {
  static Driver* driver = new Driver;
  return *driver;
}

thread_local int t_device = -1;
thread_local int t_mode = 0;  // global, as every thread begins

uint64_t HostNs() {
  if (It().by_hand_ns != 0) return It().by_hand_ns;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

double DeviceNs(uint64_t host_ns) {
  const Driver& driver = It();
  const auto since = static_cast<double>(static_cast<int64_t>(host_ns - driver.rate_since_ns));
  return driver.device_at_ns + since * driver.rate;
}

void Misuse(const std::string& what) {
  ++It().misuses;
  It().last_misuse = what;
}

// Counts a call; false: it must not come from here.
bool Called(const char* name) {
  ++It().calls;
  if (getpid() == It().pid) return true;
  Misuse(std::string(name) + " in a child that was forked");
  return false;
}

bool AnyCaptures() {
  return std::any_of(It().streams.begin(), It().streams.end(),
                     [](const auto& one) { return one.second.captures; });
}

// A call that may not be made beside a capture, but for a thread in the relaxed mode.
bool BreaksCapture(const char* name) {
  if (!AnyCaptures() || t_mode == kRelaxed) return false;
  Misuse(std::string(name) + " breaks a capture: cudaErrorStreamCaptureUnsupported");
  return true;
}

Event* Known(void* event) {
  auto* found = static_cast<Event*>(event);
  return It().events.count(found) != 0 ? found : nullptr;
}

}  // namespace

FAKE_CUDA_EXPORT int cuInit(unsigned int) {
  return kSuccess;
}

FAKE_CUDA_EXPORT Result cuCtxGetCurrent(void** context) {
  const std::lock_guard lock(It().mutex);
  if (!Called("cuCtxGetCurrent")) return kInvalidContext;
  // Any address that is the device's alone.
  static char contexts[64];
  *context = t_device < 0 ? nullptr : &contexts[t_device];
  return kSuccess;
}

FAKE_CUDA_EXPORT Result cuCtxGetDevice(int* device) {
  const std::lock_guard lock(It().mutex);
  if (!Called("cuCtxGetDevice") || t_device < 0) return kInvalidContext;
  *device = t_device;
  return kSuccess;
}

FAKE_CUDA_EXPORT Result cuEventCreate(void** event, unsigned int) {
  const std::lock_guard lock(It().mutex);
  if (!Called("cuEventCreate") || t_device < 0) return kInvalidContext;
  auto* made = new Event;
  made->device = t_device;
  It().events.insert(made);
  *event = made;
  return kSuccess;
}

FAKE_CUDA_EXPORT Result cuEventRecord(void* handle, void* stream) {
  const std::lock_guard lock(It().mutex);
  Driver& driver = It();
  if (!Called("cuEventRecord")) return kInvalidContext;
  if (driver.refusal != kSuccess) return driver.refusal;
  Event* event = Known(handle);
  if (event == nullptr || event->device != t_device) {
    Misuse("cuEventRecord of an event of another device");
    return kInvalidHandle;
  }
  Stream& on = driver.streams[{t_device, reinterpret_cast<uint64_t>(stream)}];
  event->captured = on.captures;
  if (on.captures) {
    Misuse("cuEventRecord into a capture: the script's graph has a node of ours");
    return kSuccess;
  }
  on.end_ns = std::max(on.end_ns, HostNs() + kReachNs);
  event->recorded = true;  // what it was recorded for before is forgotten
  event->reached_ns = on.end_ns;
  event->device_ns = DeviceNs(on.end_ns);
  return kSuccess;
}

FAKE_CUDA_EXPORT Result cuEventQuery(void* handle) {
  const std::lock_guard lock(It().mutex);
  if (!Called("cuEventQuery")) return kInvalidContext;
  if (BreaksCapture("cuEventQuery")) return kCaptureUnsupported;
  const Event* event = Known(handle);
  if (event == nullptr) return kInvalidHandle;
  if (event->captured) {
    Misuse("cuEventQuery of a captured event");
    return kCapturedEvent;
  }
  return !event->recorded || event->reached_ns <= HostNs() ? kSuccess : kNotReady;
}

FAKE_CUDA_EXPORT Result cuEventElapsedTime(float* ms, void* from, void* to) {
  const std::lock_guard lock(It().mutex);
  if (!Called("cuEventElapsedTime")) return kInvalidContext;
  const Event* begin = Known(from);
  const Event* end = Known(to);
  const bool sound = begin != nullptr && end != nullptr && begin->recorded && end->recorded &&
                     begin->device == end->device;
  if (!sound) {
    Misuse("cuEventElapsedTime of an event that was not recorded, or of two devices");
    return kInvalidHandle;
  }
  if (std::max(begin->reached_ns, end->reached_ns) > HostNs()) return kNotReady;
  const double ns = end->device_ns - begin->device_ns;
  const double steps = std::round(ns / static_cast<double>(kResolutionNs));
  *ms = static_cast<float>(steps * static_cast<double>(kResolutionNs) / 1e6);
  return kSuccess;
}

FAKE_CUDA_EXPORT Result cuStreamIsCapturing(void* stream, int* status) {
  const std::lock_guard lock(It().mutex);
  if (!Called("cuStreamIsCapturing")) return kInvalidContext;
  *status = It().streams[{t_device, reinterpret_cast<uint64_t>(stream)}].captures ? 1 : 0;
  return kSuccess;
}

FAKE_CUDA_EXPORT Result cuThreadExchangeStreamCaptureMode(int* mode) {
  const std::lock_guard lock(It().mutex);
  if (!Called("cuThreadExchangeStreamCaptureMode")) return kInvalidContext;
  std::swap(*mode, t_mode);
  return kSuccess;
}

// ---- what a test does with it ----

FAKE_CUDA_EXPORT void fake_cuda_use(int device) {
  t_device = device;
}

FAKE_CUDA_EXPORT void fake_cuda_work(uint64_t stream, uint64_t ns) {
  const std::lock_guard lock(It().mutex);
  Stream& on = It().streams[{t_device, stream}];
  if (!on.captures) on.end_ns = std::max(on.end_ns, HostNs() + kReachNs) + ns;
}

FAKE_CUDA_EXPORT void fake_cuda_wait(uint64_t stream) {
  uint64_t end_ns;
  {
    const std::lock_guard lock(It().mutex);
    end_ns = It().streams[{t_device, stream}].end_ns;
    if (It().by_hand_ns != 0) It().by_hand_ns = std::max(It().by_hand_ns, end_ns);
  }
  while (HostNs() < end_ns) usleep(20);
}

FAKE_CUDA_EXPORT void fake_cuda_capture(uint64_t stream, int on) {
  const std::lock_guard lock(It().mutex);
  It().streams[{t_device, stream}].captures = on != 0;
}

FAKE_CUDA_EXPORT void fake_cuda_refuse(int result) {
  It().refusal = result;
}

FAKE_CUDA_EXPORT void fake_cuda_set_time(uint64_t ns) {
  It().by_hand_ns = ns;
  It().rate_since_ns = HostNs();
}

FAKE_CUDA_EXPORT void fake_cuda_pass(uint64_t ns) {
  It().by_hand_ns += ns;
}

FAKE_CUDA_EXPORT uint64_t fake_cuda_now() {
  return HostNs();
}

FAKE_CUDA_EXPORT void fake_cuda_drift(int parts_per_million) {
  It().device_at_ns = DeviceNs(HostNs());
  It().rate_since_ns = HostNs();
  It().rate = 1 + parts_per_million * 1e-6;
}

FAKE_CUDA_EXPORT uint64_t fake_cuda_calls() {
  return It().calls;
}

FAKE_CUDA_EXPORT uint64_t fake_cuda_misuse() {
  return It().misuses;
}

FAKE_CUDA_EXPORT const char* fake_cuda_last_misuse() {
  return It().last_misuse.c_str();
}

FAKE_CUDA_EXPORT uint64_t fake_cuda_events() {
  return It().events.size();
}

FAKE_CUDA_EXPORT void fake_cuda_reset() {
  Driver& driver = It();
  driver.by_hand_ns = 0;
  driver.rate = 1;
  driver.streams.clear();
  driver.refusal = kSuccess;
  driver.calls = driver.misuses = 0;
  for (Event* event : driver.events) delete event;
  driver.events.clear();
  t_device = -1;
  t_mode = 0;
}
