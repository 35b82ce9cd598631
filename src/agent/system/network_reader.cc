// SPDX-License-Identifier: Apache-2.0
#include "agent/system/network_reader.h"

#include <filesystem>

#include "agent/system/kernel_text.h"

namespace steptrace::agent {
namespace {

using store::Metric;

constexpr size_t kMaxInterfaces = 4096;

}  // namespace

// "  eth0: received packets errs drop fifo frame compressed multicast sent …" after two headings
void ParseNetDev(std::string_view text, std::vector<InterfaceCounters>& out) {
  constexpr int kColumnsBetween = 7;
  out.clear();
  while (!text.empty() && out.size() < kMaxInterfaces) {
    std::string_view line = TakeLine(text);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view head = line.substr(0, colon);
    InterfaceCounters interface { .name = TakeWord(head) };
    line.remove_prefix(colon + 1);
    const std::optional<uint64_t> received = TakeU64(line);
    for (int skipped = 0; skipped < kColumnsBetween; ++skipped) TakeWord(line);
    const std::optional<uint64_t> sent = TakeU64(line);
    if (interface.name.empty() || !received || !sent) continue;
    interface.received_bytes = *received;
    interface.sent_bytes = *sent;
    out.push_back(interface);
  }
}

void NetworkReader::Add(const InterfaceCounters& counters, Growths& physical, Growths& others) {
  if (counters.name == "lo") return;
  auto entry = interfaces_.find(counters.name);
  if (entry == interfaces_.end()) {
    // Containers that come and go leave names behind; the current ones come back at once.
    if (interfaces_.size() >= kMaxInterfaces) interfaces_.clear();
    entry = interfaces_.emplace(counters.name, Interface{}).first;
    std::error_code ignored;
    entry->second.physical = std::filesystem::exists(
        std::filesystem::path(sys_root_) / "class/net" / counters.name / "device", ignored);
  }
  Interface& interface = entry->second;
  const Interface before = interface;
  interface.sample = sample_;
  interface.received_bytes = counters.received_bytes;
  interface.sent_bytes = counters.sent_bytes;
  Growths& growths = interface.physical ? physical : others;
  if (before.sample != sample_ - 1) return;
  growths.any = true;
  growths.received_bytes += GrowthOrZero(before.received_bytes, interface.received_bytes);
  growths.sent_bytes += GrowthOrZero(before.sent_bytes, interface.sent_bytes);
}

void NetworkReader::Sample(SampleContext& context) {
  const std::optional<std::string_view> text = file_.Read(buffer_);
  ++sample_;
  if (!text) {
    context.ReportOnce("network", DescribeReadError(file_.path(), file_.error()),
                       "mount /proc where the agent runs");
    elapsed_.Reset();
    return;
  }
  const std::optional<double> seconds = elapsed_.Advance(context.now_ns());
  ParseNetDev(*text, now_);
  Growths physical, others;
  for (const InterfaceCounters& interface : now_) Add(interface, physical, others);
  const Growths& growths = physical.any ? physical : others;
  if (!growths.any || !seconds) return;
  context.Emit(Metric::kNetworkReceive, static_cast<double>(growths.received_bytes) / *seconds);
  context.Emit(Metric::kNetworkSend, static_cast<double>(growths.sent_bytes) / *seconds);
}

}  // namespace steptrace::agent
