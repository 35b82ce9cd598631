// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/kernel_class_times.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "base/saturating.h"

namespace steptrace::analyze {
namespace {

using TimeByName = std::unordered_map<store::StringId, int64_t>;

void AddBytes(const RankTrace& rank, const TraceEvent& event, KernelClassTime& to) {
  if (event.kind == EventKind::kKernel) return;
  const int64_t bytes = rank.NumbersOf(event).bytes;
  if (bytes < 0) return;
  to.bytes = SaturatingAdd(to.bytes.value_or(0), bytes);
  to.bytes_ns = SaturatingAdd(to.bytes_ns, event.dur_ns);
}

void AddNames(const TimeByName& names, const store::StringTable& strings, KernelClassTime& of) {
  of.kernels = static_cast<int64_t>(names.size());
  int64_t most_ns = -1;
  for (const auto& [name, ns] : names) {
    const std::string& text = strings.Text(name);
    if (std::tuple(-ns, std::string_view(text)) <
        std::tuple(-most_ns, std::string_view(of.largest))) {
      most_ns = ns;
      of.largest = text;
    }
  }
}

double PartOf(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::optional<double> KernelClassTime::bytes_per_s() const {
  if (!bytes || bytes_ns <= 0) return std::nullopt;
  return static_cast<double>(*bytes) / (static_cast<double>(bytes_ns) / 1e9);
}

std::optional<double> KernelClassTime::flops_per_s() const {
  if (!flops || flops_ns <= 0) return std::nullopt;
  return *flops / (static_cast<double>(flops_ns) / 1e9);
}

double KernelClassTimes::Share(KernelClass of) const {
  const auto found = std::ranges::find(classes, of, &KernelClassTime::of);
  return found == classes.end() ? 0 : found->share;
}

double KernelClassTimes::MemoryBoundShare() const {
  return PartOf(memory_bound_ns, compute_ns);
}

KernelClassTimes SumKernelClasses(const Trace& trace) {
  KernelClassTimes sums;
  std::array<KernelClassTime, kKernelClassCount> by_class;
  std::array<TimeByName, kKernelClassCount> names;
  KernelClassReader reader(*trace.strings);
  for (const RankTrace& rank : trace.ranks) {
    for (const TraceEvent& event : rank.device) {
      if (!IsDeviceWork(event)) continue;
      const KernelClass of = reader.Of(event);
      KernelClassTime& one = by_class[static_cast<size_t>(of)];
      one.calls += 1;
      one.total_ns = SaturatingAdd(one.total_ns, event.dur_ns);
      AddBytes(rank, event, one);
      sums.total_ns = SaturatingAdd(sums.total_ns, event.dur_ns);
      if (event.kind != EventKind::kKernel) continue;
      AddSaturating(one.kernel_ns, event.dur_ns);
      int64_t& of_name = names[static_cast<size_t>(of)][event.name];
      of_name = SaturatingAdd(of_name, event.dur_ns);
      if (of == KernelClass::kCommunication) continue;
      sums.compute_ns = SaturatingAdd(sums.compute_ns, event.dur_ns);
      if (InfoOf(of).memory_bound) {
        sums.memory_bound_ns = SaturatingAdd(sums.memory_bound_ns, event.dur_ns);
      }
    }
  }
  for (size_t i = 0; i < kKernelClassCount; ++i) {
    KernelClassTime& one = by_class[i];
    if (one.calls == 0) continue;
    one.of = static_cast<KernelClass>(i);
    one.share = PartOf(one.total_ns, sums.total_ns);
    AddNames(names[i], *trace.strings, one);
    sums.classes.push_back(std::move(one));
  }
  std::ranges::stable_sort(sums.classes, std::greater(), &KernelClassTime::total_ns);
  return sums;
}

}  // namespace steptrace::analyze
