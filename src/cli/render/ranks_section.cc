// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analyze/stages/stages.h"
#include "cli/render/display_text.h"
#include "cli/render/report_blocks.h"
#include "present/words/quantity.h"

namespace steptrace::cli {
namespace {

// More are told by the JSON form; the ones that make the others wait come first.
constexpr size_t kMostRanks = 8;

const analyze::BlameRow* BlameOf(const analyze::DistributedSection& section, int32_t rank) {
  for (const analyze::BlameRow& row : section.blame) {
    if (row.rank == rank) return &row;
  }
  return nullptr;
}

int64_t CausedWait(const analyze::DistributedSection& section, int32_t rank) {
  const analyze::BlameRow* blame = BlameOf(section, rank);
  return blame == nullptr ? 0 : blame->caused_wait_ns;
}

std::string ShareOf(const analyze::RankSection& rank, analyze::SuspectId suspect) {
  for (const analyze::SuspectRow& entry : rank.suspects) {
    if (entry.name == SuspectName(suspect)) return present::FormatShare(entry.share);
  }
  return "-";
}

std::vector<analyze::RankSection> ShownRanks(const analyze::DistributedSection& section) {
  std::vector<analyze::RankSection> ranks = section.ranks;
  if (ranks.size() > kMostRanks) {
    std::stable_sort(ranks.begin(), ranks.end(), [&](const auto& a, const auto& b) {
      return CausedWait(section, a.rank) > CausedWait(section, b.rank);
    });
    ranks.resize(kMostRanks);
  }
  return ranks;
}

}  // namespace

void RenderRanks(const analyze::Report& report, Page& page) {
  const analyze::DistributedSection& section = report.distributed;
  if (!section.applicable) return;
  const auto row = [&page](const std::string& name, const std::string& step,
                           const std::string& data, const std::string& model,
                           const std::string& communication, const std::string& blame, Tint tint) {
    page.Line({{PadRight(name, 10) + PadLeft(step, 9) + PadLeft(data, 7) + PadLeft(model, 7) +
                    PadLeft(communication, 15) + "   " + blame,
                tint}});
  };
  row("Ranks", "step", "data", "model", "communication", "others waited", Tint::kBold);
  for (const analyze::RankSection& rank : ShownRanks(section)) {
    const analyze::BlameRow* blame = BlameOf(section, rank.rank);
    const std::string blamed =
        blame == nullptr ? "-"
                         : fmt::format("{} ({})", present::FormatDuration(blame->caused_wait_ns),
                                       analyze::TitleOf(blame->cause));
    row(fmt::format("  rank {}", rank.rank), present::FormatDuration(rank.mean_step_ns),
        ShareOf(rank, analyze::SuspectId::kDataPipeline), ShareOf(rank, analyze::SuspectId::kModel),
        ShareOf(rank, analyze::SuspectId::kCommunication), blamed, Tint::kPlain);
  }
  if (section.ranks.size() > kMostRanks) {
    page.Command(fmt::format("  and {} more ranks: steptrace report {} --json",
                             section.ranks.size() - kMostRanks, RunToType(report, page)));
  }
}

}  // namespace steptrace::cli
