// SPDX-License-Identifier: Apache-2.0
#include "agent/system/self_reader.h"

#include <unistd.h>

#include "agent/system/kernel_text.h"
#include "base/time.h"

namespace steptrace::agent {

using store::Metric;

namespace {

int64_t RssOf(std::string_view statm) {
  TakeWord(statm);  // the address space, which costs nothing
  return static_cast<int64_t>(TakeU64(statm).value_or(0)) * ::sysconf(_SC_PAGESIZE);
}

}  // namespace

int64_t OwnRssBytes() {
  std::string buffer;
  return RssOf(KeptFile("/proc/self/statm").ReadOnce(buffer).value_or(""));
}

SelfUsage SelfReader::Read() {
  SelfUsage usage{.cpu_ns = ClockNowNs(CLOCK_PROCESS_CPUTIME_ID)};
  if (const auto text = statm_.Read(buffer_)) usage.rss_bytes = RssOf(*text);
  return usage;
}

void SelfReader::Sample(SampleContext& context) {
  const SelfUsage usage = Read();
  const std::optional<double> seconds = elapsed_.Advance(context.now_ns());
  if (usage.rss_bytes > 0) context.Emit(Metric::kAgentRss, static_cast<double>(usage.rss_bytes));
  if (const auto rate = cpu_ns_per_s_.Update(static_cast<uint64_t>(usage.cpu_ns), seconds)) {
    context.Emit(Metric::kAgentCpu, *rate / static_cast<double>(kNsPerSecond));
  }
}

}  // namespace steptrace::agent
