// SPDX-License-Identifier: Apache-2.0
// The device, and the calls that give it work.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "testing/fake_cupti/fake_cupti.h"
#include "testing/fake_cupti/fake_library.h"

using namespace steptrace::testing::fake_cupti;

namespace {

template <class Record>
Activity Make(Kind kind, const Record& record, uint64_t end_ns) {
  Activity activity{kind, std::vector<uint8_t>(BytesOf(kind)), end_ns};
  std::memcpy(activity.bytes.data(), &record, std::min(sizeof record, activity.bytes.size()));
  return activity;
}

void TellCall(uint32_t call, uint64_t start_ns, uint64_t end_ns, uint32_t correlation) {
  cupti::Api api{};
  api.kind = static_cast<uint32_t>(Kind::kRuntime);
  api.call = call;
  api.start = start_ns;
  api.end = end_ns;
  api.process = static_cast<uint32_t>(getpid());
  api.thread = static_cast<uint32_t>(pthread_self());
  api.correlation = correlation;
  Report(Make(Kind::kRuntime, api, end_ns));
}

// The time range of the stream's next work.
uint64_t StartOn(uint32_t stream, uint64_t ns, uint64_t after_ns) {
  uint64_t& end = It().stream_end_ns[stream];
  const uint64_t start = std::max(end, after_ns);
  end = start + ns;
  return start;
}

// A host's call of kLaunchNs, and the work that it starts.
template <class MakeWork>
uint32_t Start(uint32_t call, uint32_t stream, uint64_t ns, MakeWork make) {
  uint32_t correlation = 0;
  {
    const std::lock_guard lock(It().mutex);
    const uint64_t begin = NowNs();
    correlation = ++It().correlation;
    TellCall(call, begin, begin + kLaunchNs, correlation);
    const uint64_t start = StartOn(stream, ns, begin + kLaunchNs);
    Report(make(correlation, start, start + ns));
  }
  TellSubscribers();
  return correlation;
}

}  // namespace

FAKE_CUPTI_EXPORT uint32_t fake_launch(const char* name, uint32_t device, uint32_t stream,
                                       int32_t blocks, int32_t threads, uint64_t ns, uint32_t graph,
                                       uint64_t node) {
  return Start(kLaunchKernel, stream, ns, [&](uint32_t correlation, uint64_t start, uint64_t end) {
    It().had_graphs = It().had_graphs || graph != 0;
    static std::set<std::string>* names = new std::set<std::string>;
    cupti::KernelInGraph record{};
    cupti::Kernel& kernel = record.kernel;
    kernel.kind = static_cast<uint32_t>(Kind::kConcurrentKernel);
    kernel.registers = 38;
    kernel.start = start;
    kernel.end = end;
    kernel.device = device;
    kernel.context = kContext + device;
    kernel.stream = stream;
    kernel.grid[0] = blocks;
    kernel.block[0] = threads;
    kernel.grid[1] = kernel.grid[2] = kernel.block[1] = kernel.block[2] = 1;
    kernel.static_shared = 512;
    kernel.dynamic_shared = 512;
    kernel.correlation = correlation;
    kernel.name = names->insert(name).first->c_str();
    record.graph = graph;
    record.graph_node = node;
    return Make(Kind::kConcurrentKernel, record, end);
  });
}

FAKE_CUPTI_EXPORT uint32_t fake_copy(uint32_t device, uint32_t stream, uint8_t kind, uint64_t bytes,
                                     uint64_t ns) {
  return Start(kCopyAsync, stream, ns, [&](uint32_t correlation, uint64_t start, uint64_t end) {
    constexpr uint8_t kPinned = 2, kDevice = 3;
    cupti::Memcpy copy{};
    copy.kind = static_cast<uint32_t>(Kind::kMemcpy);
    copy.copy_kind = kind;
    copy.source_kind = kind == 1 ? kPinned : kDevice;
    copy.destination_kind = kind == 1 ? kDevice : kPinned;
    copy.bytes = bytes;
    copy.start = start;
    copy.end = end;
    copy.device = device;
    copy.context = kContext + device;
    copy.stream = stream;
    copy.correlation = correlation;
    return Make(Kind::kMemcpy, copy, end);
  });
}

FAKE_CUPTI_EXPORT uint32_t fake_fill(uint32_t device, uint32_t stream, uint64_t bytes,
                                     uint64_t ns) {
  return Start(kFillAsync, stream, ns, [&](uint32_t correlation, uint64_t start, uint64_t end) {
    cupti::Memset fill{};
    fill.kind = static_cast<uint32_t>(Kind::kMemset);
    fill.bytes = bytes;
    fill.start = start;
    fill.end = end;
    fill.device = device;
    fill.context = kContext + device;
    fill.stream = stream;
    fill.correlation = correlation;
    fill.memory_kind = 3;
    return Make(Kind::kMemset, fill, end);
  });
}

FAKE_CUPTI_EXPORT void fake_ask() {
  const std::lock_guard lock(It().mutex);
  TellCall(kGetDevice, NowNs(), NowNs(), ++It().correlation);
}

FAKE_CUPTI_EXPORT void fake_synchronize(uint32_t stream) {
  uint64_t end_ns;
  const uint64_t begin = NowNs();
  {
    const std::lock_guard lock(It().mutex);
    end_ns = It().stream_end_ns[stream];
  }
  while (NowNs() < end_ns) usleep(50);
  const std::lock_guard lock(It().mutex);
  TellCall(kSynchronize, begin, NowNs(), ++It().correlation);
}

// With the lock held.
static void TellStreamWait(uint32_t device, uint32_t stream, uint64_t start, uint64_t ns) {
  cupti::Synchronization wait{};
  wait.kind = static_cast<uint32_t>(Kind::kSynchronization);
  wait.type = 2;
  wait.start = start;
  wait.end = start + ns;
  wait.correlation = ++It().correlation;
  wait.context = kContext + device;
  wait.stream = stream;
  Report(Make(Kind::kSynchronization, wait, wait.end));
}

FAKE_CUPTI_EXPORT void fake_stream_wait(uint32_t device, uint32_t stream, uint64_t ns) {
  const std::lock_guard lock(It().mutex);
  TellStreamWait(device, stream, StartOn(stream, ns, NowNs()), ns);
}

FAKE_CUPTI_EXPORT void fake_host_stream_wait(uint32_t device, uint32_t stream) {
  const std::lock_guard lock(It().mutex);
  TellStreamWait(device, stream, NowNs(), 1000);
}
