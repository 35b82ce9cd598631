// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "analyze/stages/stages.h"
#include "cli/render/bars.h"
#include "cli/render/display_text.h"
#include "cli/render/report_blocks.h"
#include "present/words/finding_sentence.h"
#include "present/words/quantity.h"

namespace steptrace::cli {
namespace {

using analyze::ProfileDistributed;
using present::FormatCount;
using present::FormatDuration;
using present::FormatShare;

std::string ShareText(int64_t part, int64_t whole) {
  return whole <= 0 ? "-" : FormatShare(static_cast<double>(part) / static_cast<double>(whole));
}

std::string Rate(const std::optional<double>& bytes_per_s) {
  return bytes_per_s ? present::FormatNumber(*bytes_per_s / 1e9) : "-";
}

// Whether its calls together are longer than the time in which any of them ran.
bool HasCallsAtOnce(const analyze::ProfileRank& rank) {
  return rank.transfer_ns + rank.wait_ns + rank.unmatched_ns >
         rank.times.overlap_ns + rank.times.exposed_ns;
}

void RenderRankTimes(const ProfileDistributed& section, size_t top, Page& page) {
  page.Line({{PadRight("Ranks", 10) + PadLeft("computing", 10) + PadLeft("overlap", 9) +
                  PadLeft("exposed", 9) + PadLeft("transfer", 10) + PadLeft("wait", 10) +
                  PadLeft("alone", 10) + PadLeft("made wait", 11),
              Tint::kBold}});
  for (size_t i = 0; i < std::min(top, section.ranks.size()); ++i) {
    const analyze::ProfileRank& rank = section.ranks[i];
    const int64_t total = rank.times.total_ns;
    const int64_t overlap_of = section.computing_known ? total : 0;  // 0: not known
    const auto reported = [&](int64_t ns) {
      return section.tells_waiting() ? FormatDuration(ns) : std::string("-");
    };
    page.Line({{PadRight(fmt::format("  {}", rank.rank), 10) +
                PadLeft(ShareText(rank.times.computation_ns, total), 10) +
                PadLeft(ShareText(rank.times.overlap_ns, overlap_of), 9) +
                PadLeft(ShareText(rank.times.exposed_ns, total), 9) +
                PadLeft(reported(rank.transfer_ns), 10) + PadLeft(reported(rank.wait_ns), 10) +
                PadLeft(FormatDuration(rank.unmatched_ns), 10) +
                PadLeft(reported(rank.caused_wait_ns), 11)}});
  }
  if (section.ranks.size() > top) {
    page.Line({{fmt::format("  and {} more ranks: --top N", section.ranks.size() - top)}});
  }
  if (section.source != analyze::RankSource::kSteps &&
      std::any_of(section.ranks.begin(), section.ranks.end(), HasCallsAtOnce)) {
    page.Paragraph("", 2,
                   "Transfer and wait are sums over calls, of which ranks had several at once: "
                   "they can be longer than the time that passed.",
                   Tint::kDim);
  }
  if (section.source == analyze::RankSource::kSteps) {
    page.Paragraph("", 2,
                   "Of the steady steps: the ranks wait more in them than in the calls that were "
                   "seen, as where DDP exchanges from within backward.",
                   Tint::kDim);
  }
}

void RenderPart(const analyze::BlamePartRow& part, const analyze::ProfileBlame& blame, Page& page) {
  std::string what = part.name;
  if (!part.op.empty()) what += (what.empty() ? "" : ", ") + part.op;
  if (what.empty() && part.cause == "late_launch") what = "between operators";
  if (what.empty() && part.cause == "host_work") what = "outside of phases and ranges";
  const std::string label = analyze::TitleOf(part.cause);
  const int room = page.width() - 52;
  page.Line({{"    " + PadLeft(FormatDuration(part.ns), 9) +
              PadLeft(ShareText(part.ns, blame.caused_wait_ns), 7) + "  " + PadRight(label, 22) +
              PadRight(part.before_step ? "before" : "in step", 8) +
              Cut(page.Safe(what), room, page.unicode())}});
}

std::string LateText(const ProfileDistributed& section, const analyze::ProfileBlame& blame) {
  const std::string caused =
      fmt::format("{} ({})", FormatDuration(blame.caused_wait_ns), FormatShare(blame.share));
  if (section.source == analyze::RankSource::kSteps) {
    return fmt::format("{} in {} step{}", caused, FormatCount(blame.steps),
                       blame.steps == 1 ? "" : "s");
  }
  return fmt::format("{} in {} collectives, {} from before", caused, FormatCount(blame.collectives),
                     ShareText(blame.before_step_ns, blame.caused_wait_ns));
}

void RenderBlame(const ProfileDistributed& section, size_t top, Page& page) {
  if (section.blame.empty()) return;
  page.Blank();
  page.Line({{"Which ranks the others waited for, and what those did meanwhile", Tint::kBold}});
  for (size_t i = 0; i < std::min(top, section.blame.size()); ++i) {
    const analyze::ProfileBlame& blame = section.blame[i];
    page.Line({{fmt::format("  rank {:<5}", blame.rank), Tint::kBold},
               {PadRight(Bar(blame.share, 12, page.unicode()), 13), Tint::kMagenta},
               {LateText(section, blame)}});
    constexpr size_t kMostParts = 4;
    for (size_t p = 0; p < std::min(kMostParts, blame.parts.size()); ++p) {
      RenderPart(blame.parts[p], blame, page);
    }
  }
}

void RenderOperations(const ProfileDistributed& section, size_t top, Page& page) {
  page.Blank();
  page.Line(
      {{PadRight("Collectives", 22) + PadLeft("group", 10) + PadLeft("size", 10) +
            PadLeft("calls", 7) + PadLeft("time", 9) + PadLeft("wait", 9) + PadLeft("bus GB/s", 12),
        Tint::kBold}});
  for (size_t i = 0; i < std::min(top, section.operations.size()); ++i) {
    const analyze::OperationRow& row = section.operations[i];
    const std::string size =
        row.bytes ? present::FormatBytes(static_cast<double>(*row.bytes)) : "-";
    const std::string bus = Rate(row.bus_bytes_per_s);
    const bool bound = row.bandwidth_holds_wait && row.bus_bytes_per_s;
    page.Line(
        {{PadRight("  " + Cut(page.Safe(row.name + " " + row.dtype), 19, page.unicode()), 22) +
          PadLeft(CutBeforeNumber(page.Safe(row.group), 9, page.unicode()), 10) +
          PadLeft(size, 10) + PadLeft(FormatCount(row.calls), 7) +
          PadLeft(FormatDuration(row.total_ns), 9) +
          PadLeft(row.unmatched_ns == row.total_ns ? "-" : FormatDuration(row.wait_ns), 9) +
          PadLeft((bound ? ">=" : "") + bus, 12)}});
  }
}

void RenderWaits(const ProfileDistributed& section, size_t top, Page& page) {
  if (section.collectives.empty()) return;
  page.Blank();
  page.Line({{PadRight("Most waiting", 24) + PadLeft("group", 10) + PadLeft("step", 8) +
                  PadLeft("transfer", 10) + PadLeft("wait", 10) + PadLeft("last", 7) +
                  PadLeft("late by", 10),
              Tint::kBold}});
  for (size_t i = 0; i < std::min(top, section.collectives.size()); ++i) {
    const analyze::CollectiveRow& row = section.collectives[i];
    page.Line(
        {{PadRight("  " + Cut(page.Safe(row.name), 21, page.unicode()), 24) +
          PadLeft(CutBeforeNumber(page.Safe(row.group), 9, page.unicode()), 10) +
          PadLeft(row.step ? std::to_string(*row.step) : "-", 8) +
          PadLeft(FormatDuration(row.transfer_ns), 10) + PadLeft(FormatDuration(row.wait_ns), 10) +
          PadLeft(std::to_string(row.last_rank), 7) +
          PadLeft(FormatDuration(row.late_by_ns), 10)}});
  }
}

void RenderClocks(const ProfileDistributed& section, Page& page) {
  for (const analyze::ClockOffset& clock : section.clocks) {
    if (clock.reference) continue;
    const int64_t ns = section.clocks_corrected ? clock.offset_ns : clock.measured_ns;
    const std::string drift =
        clock.drift_ppb == 0 ? ""
                             : fmt::format(" once it is taken off that it runs {:.1f} ppm too {}",
                                           std::abs(static_cast<double>(clock.drift_ppb)) / 1000,
                                           clock.drift_ppb > 0 ? "fast" : "slow");
    page.Paragraph(
        "", 2,
        fmt::format(
            "Clock of {} {}: {} {} the first's by the ends of {} collectives, {} left{}; {}.",
            clock.is_node ? "node" : "rank", clock.unit, FormatDuration(std::abs(ns)),
            ns < 0 ? "behind" : "ahead of", FormatCount(clock.pairs),
            FormatDuration(clock.residual_ns), drift,
            section.clocks_corrected ? "corrected" : "left as it is"),
        Tint::kDim);
  }
  if (section.impossible_starts > 0) {
    page.Paragraph("", 2,
                   fmt::format("{} parts of collectives start after another part ends: clocks "
                               "differ by more than could be corrected.",
                               FormatCount(section.impossible_starts)),
                   Tint::kYellow);
  }
}

void RenderUnmatched(const ProfileDistributed& section, size_t top, Page& page) {
  if (section.status == analyze::DistributedStatus::kOneRank) return;
  for (size_t i = 0; i < std::min(top, section.unmatched.size()); ++i) {
    const analyze::UnmatchedRow& row = section.unmatched[i];
    if (i == 0) {
      page.Blank();
      page.Line(
          {{fmt::format("Without a counterpart: {} calls", FormatCount(section.unmatched_count)),
            Tint::kYellow}});
    }
    page.Line({{fmt::format("  rank {}: {} {} of {}, {}", row.rank, FormatCount(row.calls),
                            page.Safe(row.name), page.Safe(row.group), FormatDuration(row.ns))}});
  }
}

std::string NotesOf(const ProfileDistributed& section) {
  return fmt::format("{}", fmt::join(present::TextsOf(section.notes), "; "));
}

}  // namespace

void RenderDistributed(const analyze::Report& report, int64_t top, Page& page) {
  using Status = analyze::DistributedStatus;
  if (!report.profile || report.profile->distributed.status == Status::kNoCollectives) {
    if (report.profile && !report.profile->distributed.notes.empty()) {
      page.Paragraph("", 0, "distributed: " + NotesOf(report.profile->distributed));
      return;
    }
    page.Paragraph(
        "", 0,
        "distributed: no collective of this run tells its group; call torch.distributed's "
        "functions in a script under `steptrace run`, or import the profiles of all ranks "
        "of a job");
    return;
  }
  const ProfileDistributed& section = report.profile->distributed;
  const auto rows = static_cast<size_t>(top);
  RenderRankTimes(section, rows, page);
  if (!section.notes.empty()) page.Paragraph("", 2, NotesOf(section), Tint::kYellow);
  RenderClocks(section, page);
  RenderBlame(section, rows, page);
  RenderOperations(section, rows, page);
  RenderWaits(section, rows, page);
  RenderUnmatched(section, rows, page);
}

}  // namespace steptrace::cli
