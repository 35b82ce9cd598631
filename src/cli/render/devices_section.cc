// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cli/render/bars.h"
#include "cli/render/display_text.h"
#include "cli/render/report_blocks.h"
#include "present/words/quantity.h"

namespace steptrace::cli {
namespace {

using analyze::DeviceTimes;
using present::FormatCount;
using present::FormatDuration;
using present::FormatShare;

double Share(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string OrDash(const std::optional<double>& share) {
  return share ? FormatShare(*share) : "-";
}

void Part(Page& page, const char* name, int64_t ns, int64_t whole, Tint tint) {
  constexpr int kBar = 30;
  const double share = Share(ns, whole);
  page.Line({{PadRight(std::string("  ") + name, 26)},
             {PadRight(Bar(share, kBar, page.unicode()), kBar), tint},
             {PadLeft(FormatShare(share), 8) + PadLeft(FormatDuration(ns), 11)}});
}

void RenderWindow(const DeviceTimes& device, Page& page) {
  const analyze::BusyTimes& window = device.window;
  const std::string name = device.name.empty() ? "" : page.separator() + page.Safe(device.name);
  page.Line({{fmt::format("Rank {}, device {}", device.rank, device.device), Tint::kBold},
             {fmt::format("{}{}{}{} events", name, page.separator(), FormatDuration(window.span_ns),
                          page.separator() + FormatCount(device.events))}});
  Part(page, "computing", window.compute_ns, window.span_ns, Tint::kGreen);
  Part(page, "exposed communication", window.exposed_communication_ns, window.span_ns,
       Tint::kMagenta);
  Part(page, "exposed copies", window.exposed_memory_ns, window.span_ns, Tint::kYellow);
  Part(page, "idle", window.idle_ns, window.span_ns, Tint::kRed);
  page.Paragraph("  idle by cause   ", 18,
                 fmt::format("host {}, between kernels {}, other {}",
                             FormatShare(Share(device.idle.host_ns, window.idle_ns)),
                             FormatShare(Share(device.idle.kernel_wait_ns, window.idle_ns)),
                             FormatShare(Share(device.idle.other_ns, window.idle_ns))));
  page.Paragraph("  communication   ", 18,
                 fmt::format("{} in all, {} of it overlapped with computing",
                             FormatDuration(window.communication_ns),
                             FormatShare(Share(window.overlap_ns, window.communication_ns))));
  page.Paragraph("  in the steps    ", 18,
                 fmt::format("kernels {}, SM efficiency {} (estimated), occupancy {} (estimated)",
                             OrDash(device.utilization), OrDash(device.est_sm_efficiency),
                             OrDash(device.est_achieved_occupancy)));
  page.Paragraph(
      "  tensor cores    ", 18,
      fmt::format("{} of kernel time, {} of computing, by kernel names",
                  OrDash(device.tensor_cores.share), OrDash(device.tensor_cores.compute_share)));
}

void RenderStreams(const DeviceTimes& device, size_t top, Page& page) {
  page.Line({{PadRight("  stream", 12) + PadLeft("events", 9) + PadLeft("busy", 10) +
                  PadLeft("idle: host", 12) + PadLeft("kernels", 10) + PadLeft("other", 10) +
                  PadLeft("queue", 8) + PadLeft("max", 7),
              Tint::kBold}});
  for (size_t i = 0; i < std::min(top, device.streams.size()); ++i) {
    const analyze::StreamTimes& stream = device.streams[i];
    page.Line(
        {{PadRight(fmt::format("  {}", stream.stream), 12) +
          PadLeft(FormatCount(stream.events), 9) + PadLeft(FormatDuration(stream.busy_ns), 10) +
          PadLeft(FormatDuration(stream.idle.host_ns), 12) +
          PadLeft(FormatDuration(stream.idle.kernel_wait_ns), 10) +
          PadLeft(FormatDuration(stream.idle.other_ns), 10) +
          PadLeft(stream.queue_mean ? present::FormatNumber(*stream.queue_mean) : "-", 8) +
          PadLeft(FormatCount(stream.queue_max), 7)}});
    if (stream.overlapping > 0) {
      page.Line(
          {{fmt::format("    {} events overlap an earlier one for {}",
                        FormatCount(stream.overlapping), FormatDuration(stream.overlapping_ns)),
            Tint::kDim}});
    }
  }
}

void RenderLaunches(const DeviceTimes& device, size_t top, Page& page) {
  if (device.launches.empty()) return;
  page.Line({{PadRight("  launch call", 28) + PadLeft("calls", 9) + PadLeft("mean", 10) +
                  PadLeft("max", 10) + PadLeft("delay p50", 12) + PadLeft("short", 9),
              Tint::kBold}});
  for (size_t i = 0; i < std::min(top, device.launches.size()); ++i) {
    const analyze::LaunchTimes& launch = device.launches[i];
    page.Line(
        {{PadRight("  " + Cut(page.Safe(launch.call), 25, page.unicode()), 28) +
          PadLeft(FormatCount(launch.calls), 9) + PadLeft(FormatDuration(launch.call_ns.mean), 10) +
          PadLeft(FormatDuration(launch.call_ns.max), 10) +
          PadLeft(FormatDuration(launch.delay_ns.p50), 12) +
          PadLeft(FormatCount(launch.short_work), 9)}});
  }
  if (device.graph_launches > 0) {
    page.Line(
        {{fmt::format("  {} graph launches ran {} kernels", FormatCount(device.graph_launches),
                      FormatCount(device.graph_kernels))}});
  }
}

void RenderCopies(const DeviceTimes& device, size_t top, Page& page) {
  if (device.copies.empty()) return;
  page.Line({{PadRight("  copies", 20) + PadLeft("count", 9) + PadLeft("bytes", 12) +
                  PadLeft("busy", 11) + PadLeft("bytes/s", 13) + PadLeft("small", 9),
              Tint::kBold}});
  for (size_t i = 0; i < std::min(top, device.copies.size()); ++i) {
    const analyze::CopyTimes& copies = device.copies[i];
    const auto bytes = static_cast<double>(copies.bytes.value_or(0));
    const double rate = copies.bytes_per_s.value_or(0);
    page.Line({{PadRight("  " + Cut(page.Safe(copies.kind), 17, page.unicode()), 20) +
                PadLeft(FormatCount(copies.count), 9) +
                PadLeft(copies.bytes ? present::FormatBytes(bytes) : "-", 12) +
                PadLeft(FormatDuration(copies.busy_ns), 11) +
                PadLeft(copies.bytes_per_s ? present::FormatBytes(rate) + "/s" : "-", 13) +
                PadLeft(FormatCount(copies.small), 9)}});
  }
}

void RenderRoles(const analyze::DevicesSection& section, size_t top, Page& page) {
  if (section.roles.empty()) return;
  page.Blank();
  page.Line({{"Steps by role, each without those left of it", Tint::kBold}});
  page.Line(
      {{PadRight("  rank step", 13) + PadLeft("total", 9) + PadLeft("kernel", 8) +
            PadLeft("memcpy", 8) + PadLeft("memset", 8) + PadLeft("comm", 7) +
            PadLeft("runtime", 8) + PadLeft("loader", 7) + PadLeft("CPU", 6) + PadLeft("other", 6),
        Tint::kBold}});
  for (size_t i = 0; i < std::min(top, section.roles.size()); ++i) {
    const analyze::RoleRow& row = section.roles[i];
    const analyze::RoleTimes& times = row.times;
    const auto share = [&times](int64_t ns) { return FormatShare(Share(ns, times.total_ns)); };
    page.Line({{PadRight(fmt::format("  {:<4} {}", row.rank, row.step), 13) +
                PadLeft(FormatDuration(times.total_ns), 9) + PadLeft(share(times.kernel_ns), 8) +
                PadLeft(share(times.memcpy_ns), 8) + PadLeft(share(times.memset_ns), 8) +
                PadLeft(share(times.communication_ns), 7) + PadLeft(share(times.runtime_ns), 8) +
                PadLeft(share(times.dataloader_ns), 7) + PadLeft(share(times.cpu_ns), 6) +
                PadLeft(share(times.other_ns), 6)}});
  }
}

}  // namespace

void RenderDevices(const analyze::Report& report, int64_t top, Page& page) {
  if (!report.profile || report.profile->devices.devices.empty()) {
    page.Paragraph(
        "", 0,
        "devices: no device activity in this run; capture it while it runs (steptrace capture "
        "--capture kernels; see steptrace doctor), or import a profile that has "
        "it");
    return;
  }
  const auto rows = static_cast<size_t>(top);
  const analyze::DevicesSection& section = report.profile->devices;
  for (size_t i = 0; i < std::min(rows, section.devices.size()); ++i) {
    if (i > 0) page.Blank();
    RenderWindow(section.devices[i], page);
    RenderStreams(section.devices[i], rows, page);
    RenderLaunches(section.devices[i], rows, page);
    RenderCopies(section.devices[i], rows, page);
  }
  RenderRoles(section, rows, page);
}

}  // namespace steptrace::cli
