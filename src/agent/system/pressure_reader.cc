// SPDX-License-Identifier: Apache-2.0
#include "agent/system/pressure_reader.h"

#include <algorithm>

#include "agent/system/kernel_text.h"

namespace steptrace::agent {

using store::Metric;

PressureTotals ParsePressure(std::string_view text) {
  PressureTotals totals;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    const std::string_view kind = TakeWord(line);
    if (kind != "some" && kind != "full") continue;
    while (!line.empty()) {
      constexpr std::string_view kTotal = "total=";
      std::string_view word = TakeWord(line);
      if (!word.starts_with(kTotal)) continue;
      word.remove_prefix(kTotal.size());
      (kind == "some" ? totals.some_us : totals.full_us) = ToU64(word);
    }
  }
  return totals;
}

PressureReader PressureReader::OfNode(const std::string& proc_root) {
  PressureReader reader("psi", "boot a kernel from 4.20 on with CONFIG_PSI and psi=1");
  reader.Add(proc_root + "/pressure/cpu", Metric::kPsiCpuSome, std::nullopt);
  reader.Add(proc_root + "/pressure/io", Metric::kPsiIoSome, Metric::kPsiIoFull);
  reader.Add(proc_root + "/pressure/memory", Metric::kPsiMemorySome, std::nullopt);
  return reader;
}

PressureReader PressureReader::OfCgroup(const std::string& folder) {
  // Without a remedy: it refines the node's, whose absence is reported with one.
  PressureReader reader("cgroup psi", "");
  reader.Add(folder + "/cpu.pressure", Metric::kCgroupPsiCpuSome, std::nullopt);
  reader.Add(folder + "/io.pressure", Metric::kCgroupPsiIoSome, std::nullopt);
  reader.Add(folder + "/memory.pressure", Metric::kCgroupPsiMemorySome, std::nullopt);
  return reader;
}

void PressureReader::Add(std::string path, Metric some, std::optional<Metric> full) {
  files_.push_back({.file = KeptFile(std::move(path)), .some = some, .full = full});
}

void PressureReader::SampleFile(SampleContext& context, File& file) {
  const std::optional<std::string_view> text = file.file.Read(buffer_);
  if (!text) {
    context.ReportOnce(source_, DescribeReadError(file.file.path(), file.file.error()), remedy_);
    file.elapsed.Reset();
    file.some_us_per_s.Reset();
    file.full_us_per_s.Reset();
    return;
  }
  const std::optional<double> seconds = file.elapsed.Advance(context.now_ns());
  const PressureTotals totals = ParsePressure(*text);
  // The kernel brings its totals up to date a little after or before we look: cap at the whole.
  const auto emit = [&](Metric metric, std::optional<double> us_per_s) {
    constexpr double kUsPerSecond = 1e6;
    if (us_per_s) context.Emit(metric, std::min(1.0, *us_per_s / kUsPerSecond));
  };
  if (totals.some_us) emit(file.some, file.some_us_per_s.Update(*totals.some_us, seconds));
  if (totals.full_us && file.full) {
    emit(*file.full, file.full_us_per_s.Update(*totals.full_us, seconds));
  }
}

void PressureReader::Sample(SampleContext& context) {
  for (File& file : files_) SampleFile(context, file);
}

}  // namespace steptrace::agent
