// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "probe/cupti_abi.h"

#define FAKE_CUPTI_EXPORT extern "C" __attribute__((visibility("default")))

// What the stand-in's parts share: one library, one device under it.
namespace steptrace::testing::fake_cupti {

namespace cupti = steptrace::probe::cupti;
using cupti::Kind;

inline constexpr cupti::Result kInvalidParameter = 1;
inline constexpr cupti::Result kMaxLimitReached = 12;
inline constexpr cupti::Result kUnknown = 999;
#ifdef FAKE_CUPTI_13
inline constexpr uint32_t kVersion = 130500;  // CUDA 13.5: subscribers have calls of their own
#else
inline constexpr uint32_t kVersion = 26;  // CUDA 12.8: a buffer must not be refused
#endif
inline constexpr uint32_t kContext = 1;
inline constexpr uint64_t kLaunchNs = 2000;

inline constexpr size_t kKernelBytes = 208;  // ActivityKernel9
inline constexpr size_t kCopyBytes = 88;
inline constexpr size_t kFillBytes = 80;
inline constexpr size_t kCallBytes = 40;

enum Call : uint32_t {
  kGetDevice = 17,
  kCopyAsync = 41,
  kFillAsync = 51,
  kSynchronize = 131,
  kLaunchKernel = 211
};

using Requested = void (*)(uint8_t**, size_t*, size_t*);
using Completed = void (*)(void*, uint32_t, uint8_t*, size_t, size_t);

// A record as it will stand in a buffer.
struct Activity {
  Kind kind;
  std::vector<uint8_t> bytes;
  uint64_t end_ns = 0;  // when it has happened
};

struct Buffer {
  uint8_t* bytes = nullptr;
  size_t size = 0;
  size_t used = 0;
};

// Which activity calls the process has used: CUPTI refuses to mix them.
enum class Family { kNone, kGlobal, kSubscribers };

struct Subscription {
  cupti::OnCallback on_callback = nullptr;
  bool of_its_own_calls = false;            // made by cuptiSubscribe_v2
  bool allows_others = false;               // which only such a one may
  std::set<cupti::CallbackDomain> domains;  // that it hears of
};

struct Library {
  std::mutex mutex;
  pid_t pid = getpid();
  Requested requested = nullptr;
  Completed completed = nullptr;
  std::set<Kind> enabled;
  std::deque<Activity> under_way;
  // Of host calls and of device work; a thread has its own of the first in newer versions.
  Buffer buffers[2];
  size_t dropped = 0;
  uint32_t correlation = 0;
  std::map<uint32_t, uint64_t> stream_end_ns;
  uint32_t flush_period_ms = 0;
  std::thread worker;  // CUPTI's own
  std::atomic<bool> worker_runs{false};
  bool hold = false;
  std::vector<Buffer> held;
  cupti::Result refusal = cupti::kSuccess;
  uint64_t misuses = 0;
  std::string last_misuse;
  std::list<Subscription> subscriptions;
  cupti::Result subscribe_refusal = cupti::kSuccess;
  bool in_exit = false;  // of a call of the runtime's
  bool had_graphs = false;
  uint64_t finalized = 0;
  Family family = Family::kNone;
  std::set<Kind> subscribers_kinds;  // that were enabled by the calls of subscribers
  bool poisoned = false;             // by a finalization: no subscriber gets records any more
  uint64_t monitor_records = 0;
  std::vector<std::vector<uint8_t>> other_buffers;
  uint64_t other_records = 0;
  uint64_t other_unknown = 0;
};

// A buffer on its way to the user.
struct Delivery {
  Completed to;
  Buffer buffer;
};

Library& It();
uint64_t NowNs();
void Misuse(const std::string& what);
// Bytes of a record of that kind, as it stands in a buffer.
size_t BytesOf(Kind kind);
// Whether this is a forked child, in which CUPTI cannot be used: a misuse.
bool IsChild(const char* call);
// Keeps an activity whose kind is on until it has happened. With the lock held, as the next two.
void Report(Activity activity);
void Collect(bool forced, std::vector<Delivery>& out);
void FlushBuffers(std::vector<Delivery>& out);
// Calls the user's function. Without the lock: it calls back.
void Deliver(const std::vector<Delivery>& deliveries);
void StartWorker();
// A call of the runtime's has ended: the subscribers hear of it. Without the lock.
void TellSubscribers();
// An activity call of that family. False: the process has used the other, and CUPTI refuses. With
// the lock held, as the next two.
bool Uses(Family family);
// kSuccess and the handle, or why nobody may subscribe now.
cupti::Result Subscribe(const Subscription& subscription, cupti::Subscriber* handle);
// Null: no such subscriber.
Subscription* Find(cupti::Subscriber handle);
// Waits until it has ended.
void StopWorker();

}  // namespace steptrace::testing::fake_cupti
