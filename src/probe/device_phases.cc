// SPDX-License-Identifier: Apache-2.0
#include "probe/device_phases.h"

#include <pthread.h>
#include <string.h>

#include "probe/cuda_library.h"
#include "probe/device_clock.h"
#include "transport/writer/fixed_text.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

namespace steptrace::probe {
namespace {

namespace t = transport;
using wire::Category;

constexpr uint32_t kEvents = 64;     // of a device: ten steps that it may be behind
constexpr uint32_t kMaxDevices = 8;  // of one process
constexpr uint32_t kBatch = 6;       // events of a usual step: what one query asks for
// Our calls may take this part of a step's time; with more, steps are left out in between.
constexpr uint64_t kMostShare = 1000 / 3;  // 0.3 %, as 1 of so many
constexpr uint64_t kMaxRest = 255;         // steps left out behind one that was told
// A record that takes longer was waiting for room in the device's queue, as the next launch of the
// script's would have, or its thread had no core.
constexpr uint64_t kMostOfABoundaryNs = 20'000;
// What an event on an idle stream takes until the device has reached it.
constexpr int64_t kReachNs = 20'000;
// So long without work: the device waited for the host, not for its own queue.
constexpr int64_t kIdleNs = 50'000;
// Clocks that are closer than this part of a phase, or than so much, tell who was behind.
constexpr int64_t kCloseNs = 50'000;
constexpr int64_t kClosePart = 100;

enum Phase : uint32_t { kForward, kBackward, kOptimizer, kData, kOther, kPhases };
constexpr const char* kPhaseNames[kPhases] = {wire::kNameForward, wire::kNameBackward,
                                              wire::kNameOptimizer, wire::kNameData, "other"};

// What lies between two boundaries that follow each other. What ends where backward begins is
// forward, as of the host's phases, but for what an optimizer prepares before it calls a closure.
Phase Between(Boundary from, Boundary to) {
  if (from == Boundary::kDataBegin) return to == Boundary::kDataEnd ? kData : kOther;
  if (from == Boundary::kBackwardBegin) return kBackward;
  if (to == Boundary::kBackwardBegin) return kForward;
  if (from == Boundary::kOptimizerBegin || to == Boundary::kOptimizerEnd) return kOptimizer;
  return kOther;
}

struct Moment {
  cuda::Event event;
  Boundary boundary;
  uint64_t number;  // of all boundaries of the process: neighbours differ by one
  cuda::Stream stream;
  int64_t from_ns, to_ns;  // the host, before and after it recorded the event
  int64_t device_ns;       // since the device's first event, once it is read
};

// The life of an event: free ── recorded (RecordBoundary) ──► pending ── reached (Read) ──► the
// last that was read, from which the next is measured ──► free. They are taken in turn.
struct Device {
  cuda::Context context;
  uint32_t number;
  Moment moments[kEvents];
  uint64_t recorded;  // events so far
  uint64_t read;
  DeviceClock clock;
  uint64_t reported_to_ticks;  // no phase begins before the one before it has ended

  Moment& At(uint64_t index) { return moments[index % kEvents]; }
  uint64_t Pending() const { return recorded - read; }
  // The last one that was read stays as it is.
  bool HasRoom() const { return Pending() + 1 < kEvents; }
};

struct Phases {
  bool on = false;
  bool paused = false;
  bool forked = false;
  bool fork_handled = false;
  pthread_t thread{};
  cuda::Functions cuda{};
  uint64_t (*now_ns)() = nullptr;
  uint32_t names[kPhases]{};
  uint64_t base_ns = 0, base_ticks = 0;  // one moment
  uint64_t boundaries = 0;
  // Of the step that goes on.
  uint64_t step_began_ns = 0;
  uint64_t spent_ns = 0;
  uint64_t rest = 0;  // steps that are still left out
  DevicePhaseStats stats;
  uint32_t devices_known = 0;
  Device devices[kMaxDevices]{};
  char reason[200]{};
};
constinit Phases g_phases;

int64_t Now() {
  return static_cast<int64_t>(g_phases.now_ns());
}

// ---- clocks ----

// Takes both clocks at one moment.
void ReadBoth(uint64_t* ns, uint64_t* ticks) {
  *ticks = t::ClockTicks();
  *ns = g_phases.now_ns();
}

// A moment of the last seconds by the clock of the records: the line from the first moment at which
// both were read to now. With the tests' clock there is one alone.
class TicksOfNs {
 public:
  TicksOfNs() {
    ReadBoth(&now_ns_, &now_ticks_);
    const uint64_t passed_ns = now_ns_ - g_phases.base_ns;
    const uint64_t passed_ticks = now_ticks_ - g_phases.base_ticks;
    if (passed_ns > 0) {
      rate_ = static_cast<double>(passed_ticks) / static_cast<double>(passed_ns);
    }
  }
  uint64_t At(int64_t ns) const {
    if (g_phases.now_ns != t::MonotonicTicks) return static_cast<uint64_t>(ns);
    const double before = static_cast<double>(static_cast<int64_t>(now_ns_) - ns) * rate_;
    return now_ticks_ - static_cast<uint64_t>(static_cast<int64_t>(before));
  }

 private:
  uint64_t now_ns_ = 0, now_ticks_ = 0;
  double rate_ = 1;
};

// ---- reading ----

const char* GiveUp(const char* call, cuda::Result result) {
  g_phases.on = false;
  t::FixedText(g_phases.reason, sizeof g_phases.reason)
      .Add(call)
      .Add(" fails with CUDA error ")
      .Add(static_cast<uint64_t>(result < 0 ? 0 : result));
  return g_phases.reason;
}

// µs by which the device was behind the host at the end of a phase.
uint64_t BehindOf(const Device& device, const Moment& end, int64_t phase_ns) {
  const int64_t close_ns = kCloseNs > phase_ns / kClosePart ? kCloseNs : phase_ns / kClosePart;
  if (device.clock.UncertaintyNs() > close_ns) return wire::kUnknownBehind;
  const int64_t behind_ns = device.clock.ToHost(end.device_ns) - end.from_ns;
  if (behind_ns < 0) return 0;
  const int64_t us = behind_ns / 1000;
  return us < wire::kUnknownBehind ? static_cast<uint64_t>(us) : wire::kUnknownBehind - 1;
}

void RecordPhase(Device& device, const Moment& begin, const Moment& end, const TicksOfNs& ticks) {
  // Between them a boundary was left out, or the streams have no order.
  if (end.number != begin.number + 1 || end.stream != begin.stream) return;
  const int64_t phase_ns = end.device_ns - begin.device_ns;
  if (phase_ns < 0) return;
  uint64_t from = ticks.At(device.clock.ToHost(begin.device_ns));
  const uint64_t to = ticks.At(device.clock.ToHost(end.device_ns));
  if (from < device.reported_to_ticks) from = device.reported_to_ticks;
  if (to < from) return;
  device.reported_to_ticks = to;
  const Phase phase = Between(begin.boundary, end.boundary);
  const wire::Record record =
      wire::MakeRecord(wire::RecordKind::kComplete, from, g_phases.names[phase], 0,
                       device.number | BehindOf(device, end, phase_ns) << 32, to);
  t::WriteReady(&record, 1);
}

// The time of the device's next event, from the one before it. kNotReady: not yet.
cuda::Result Measure(Device& device, uint64_t index) {
  Moment& moment = device.At(index);
  if (index == 0) {
    moment.device_ns = 0;
    device.clock.AtLeast(moment.from_ns, 0);
    return g_phases.cuda.EventQuery(moment.event);
  }
  const Moment& before = device.At(index - 1);
  float ms = 0;
  const cuda::Result result = g_phases.cuda.EventElapsedTime(&ms, before.event, moment.event);
  if (result != cuda::kSuccess) return result;
  const double ns = static_cast<double>(ms) * 1e6;
  moment.device_ns = before.device_ns + static_cast<int64_t>(ns < 0 ? ns - 0.5 : ns + 0.5);
  device.clock.AtLeast(moment.from_ns, moment.device_ns);
  const bool waited = before.boundary == Boundary::kDataBegin &&
                      moment.boundary == Boundary::kDataEnd && moment.number == before.number + 1 &&
                      moment.stream == before.stream;
  if (waited && moment.device_ns - before.device_ns >= kIdleNs) {
    device.clock.AtMost(moment.to_ns + kReachNs, moment.device_ns);
  }
  return result;
}

// Reads the next `count` events, of which the last was reached by `seen_ns`. All bounds of the
// clock are taken before any phase is told by it.
const char* Read(Device& device, uint64_t count, int64_t seen_ns) {
  const uint64_t first = device.read;
  const char* reason = nullptr;
  uint64_t measured = 0;
  for (; measured < count; ++measured) {
    const cuda::Result result = Measure(device, first + measured);
    if (result == cuda::kNotReady) break;  // of another stream, which is behind
    if (result != cuda::kSuccess) {
      reason = GiveUp("cuEventElapsedTime", result);
      break;
    }
  }
  if (measured == 0) return reason;
  const uint64_t end = first + measured;
  device.clock.AtMost(seen_ns, device.At(end - 1).device_ns);
  const TicksOfNs ticks;
  for (uint64_t i = first; i < end; ++i) {
    if (i > 0) RecordPhase(device, device.At(i - 1), device.At(i), ticks);
  }
  device.read = end;
  return reason;
}

// Whether the device has reached the event `count` behind those that were read.
cuda::Result Reached(Device& device, uint64_t count) {
  return g_phases.cuda.EventQuery(device.At(device.read + count - 1).event);
}

// Where the host has just waited for the device all is there; else what a step or more ago was.
const char* Poll(Device& device) {
  uint64_t count = device.Pending();
  while (count > 0) {
    const cuda::Result result = Reached(device, count);
    if (result == cuda::kSuccess) {
      const uint64_t before = device.read;
      if (const char* reason = Read(device, count, Now())) return reason;
      if (device.read == before) return nullptr;
      count = device.Pending();
    } else if (result != cuda::kNotReady) {
      return GiveUp("cuEventQuery", result);
    } else if (count > kBatch) {
      count = kBatch;
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

// ---- recording ----

const char* CreateEvents(Device& device) {
  for (Moment& moment : device.moments) {
    const cuda::Result result = g_phases.cuda.EventCreate(&moment.event, 0);  // with times
    if (result != cuda::kSuccess) return GiveUp("cuEventCreate", result);
  }
  return nullptr;
}

// The device of the thread's current context; null: none is current, or too many were.
Device* CurrentDevice(const char** reason) {
  Phases& p = g_phases;
  cuda::Context context = nullptr;
  if (p.cuda.CtxGetCurrent(&context) != cuda::kSuccess || context == nullptr) return nullptr;
  for (uint32_t i = 0; i < p.devices_known; ++i) {
    if (p.devices[i].context == context) return &p.devices[i];
  }
  int number = 0;
  if (p.devices_known == kMaxDevices) return nullptr;
  if (p.cuda.CtxGetDevice(&number) != cuda::kSuccess || number < 0) return nullptr;
  Device& device = p.devices[p.devices_known];
  device.context = context;
  device.number = static_cast<uint32_t>(number);
  *reason = CreateEvents(device);
  if (*reason != nullptr) return nullptr;
  ++p.devices_known;
  return &device;
}

const char* RecordMoment(Device& device, Boundary boundary, cuda::Stream stream) {
  Phases& p = g_phases;
  if (!device.HasRoom()) {
    ++p.stats.no_event;
    return nullptr;
  }
  Moment& moment = device.At(device.recorded);
  moment.boundary = boundary;
  moment.number = p.boundaries;
  moment.stream = stream;
  moment.from_ns = Now();
  const cuda::Result result = p.cuda.EventRecord(moment.event, stream);
  if (result != cuda::kSuccess) return GiveUp("cuEventRecord", result);
  moment.to_ns = Now();
  ++device.recorded;
  ++p.stats.events;
  return nullptr;
}

bool IsCapturing(cuda::Stream stream) {
  cuda::Capture status = cuda::Capture::kNone;
  return g_phases.cuda.StreamIsCapturing(stream, &status) != cuda::kSuccess ||
         status != cuda::Capture::kNone;
}

const char* AtBoundary(Boundary boundary, cuda::Stream stream) {
  Phases& p = g_phases;
  const char* reason = nullptr;
  Device* device = CurrentDevice(&reason);
  if (device == nullptr) return reason;
  if (IsCapturing(stream)) {
    ++p.stats.captures;
    return nullptr;
  }
  const bool crowded = device->Pending() > kEvents / 2;
  if (boundary == Boundary::kDataBegin || boundary == Boundary::kOptimizerEnd || crowded) {
    reason = Poll(*device);
    if (reason != nullptr) return reason;
  }
  return RecordMoment(*device, boundary, stream);
}

// A step has ended that was told: what it cost decides how many are left out behind it.
void EndStep(uint64_t now_ns) {
  Phases& p = g_phases;
  const uint64_t passed_ns = now_ns - p.step_began_ns;
  if (p.step_began_ns != 0 && p.spent_ns * kMostShare > passed_ns) {
    const uint64_t steps = p.spent_ns * kMostShare / (passed_ns + 1);
    p.rest = steps < kMaxRest ? steps : kMaxRest;
  }
  p.step_began_ns = now_ns;
  p.spent_ns = 0;
}

// A step is left out as a whole, but for the event with which the next one begins.
bool Rests(Boundary boundary) {
  Phases& p = g_phases;
  if (p.rest == 0) return false;
  if (boundary != Boundary::kOptimizerEnd) return true;
  ++p.stats.rested_steps;
  if (--p.rest > 0) return true;
  p.step_began_ns = 0;  // the one that ends was not reported
  return false;
}

void ForkedPhases() {
  g_phases.forked = true;
  g_phases.on = false;
}

uint32_t PhaseName(const char* name) {
  return t::Name(name, strlen(name), static_cast<uint16_t>(Category::kDevicePhase));
}

// Whether it is on, and the thread the one that began it.
bool IsOurs() {
  const Phases& p = g_phases;
  return p.on && !p.forked && pthread_equal(pthread_self(), p.thread) != 0;
}

}  // namespace

const char* BeginDevicePhases() {
  Phases& p = g_phases;
  if (p.forked) return "CUDA cannot be used in a process that was forked from one that used it";
  if (p.on) return "they are on already";
  if (p.devices_known > 0) return "they have ended";
  if (const char* reason = FindCuda(&p.cuda)) return reason;
  if (!p.fork_handled) {
    p.fork_handled = pthread_atfork(nullptr, nullptr, ForkedPhases) == 0;
    if (!p.fork_handled) return "no memory to watch for forks";
  }
  if (p.now_ns == nullptr) p.now_ns = t::MonotonicTicks;
  for (uint32_t i = 0; i < kPhases; ++i) p.names[i] = PhaseName(kPhaseNames[i]);
  ReadBoth(&p.base_ns, &p.base_ticks);
  p.thread = pthread_self();
  p.on = true;
  return nullptr;
}

const char* RecordBoundary(Boundary boundary, StreamOf stream_of) {
  Phases& p = g_phases;
  if (!IsOurs()) return nullptr;
  ++p.boundaries;  // of each: a phase lies between two that follow each other
  if (p.paused || Rests(boundary)) return nullptr;
  const uint64_t before_ns = p.now_ns();
  uint64_t stream = 0;
  if (!stream_of(&stream)) return nullptr;
  cuda::CaptureMode mode = cuda::CaptureMode::kRelaxed;
  if (p.cuda.ThreadExchangeStreamCaptureMode(&mode) != cuda::kSuccess) return nullptr;
  const char* reason = AtBoundary(boundary, stream);
  (void)p.cuda.ThreadExchangeStreamCaptureMode(&mode);  // as it was
  const uint64_t after_ns = p.now_ns();
  const uint64_t took_ns = after_ns - before_ns;
  p.spent_ns += took_ns < kMostOfABoundaryNs ? took_ns : kMostOfABoundaryNs;
  if (boundary == Boundary::kOptimizerEnd) EndStep(after_ns);
  return reason;
}

void PauseDevicePhases(bool on) {
  g_phases.paused = on;
  g_phases.step_began_ns = 0;  // the step that goes on is no whole one
}

void EndDevicePhases() {
  Phases& p = g_phases;
  if (!IsOurs()) return;
  cuda::CaptureMode mode = cuda::CaptureMode::kRelaxed;
  if (!p.paused && p.cuda.ThreadExchangeStreamCaptureMode(&mode) == cuda::kSuccess) {
    for (uint32_t i = 0; i < p.devices_known && p.on; ++i) {
      Device& device = p.devices[i];
      if (Poll(device) != nullptr) break;
      while (device.Pending() > 0 && Reached(device, 1) == cuda::kSuccess) {
        const uint64_t before = device.read;
        if (Read(device, 1, Now()) != nullptr || device.read == before) break;
      }
    }
    (void)p.cuda.ThreadExchangeStreamCaptureMode(&mode);
  }
  p.on = false;
}

DevicePhaseStats GetDevicePhaseStats() {
  return g_phases.stats;
}

void ResetDevicePhasesForTesting(uint64_t (*now_ns)()) {
  const bool fork_handled = g_phases.fork_handled;
  g_phases = Phases{};
  g_phases.fork_handled = fork_handled;
  g_phases.now_ns = now_ns;
}

}  // namespace steptrace::probe
