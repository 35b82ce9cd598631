// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/device_caveats.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analyze/report/sentence.h"

namespace steptrace::analyze {
namespace {

Sentence LeftOutText(int64_t steps, bool profiled) {
  const char* counted = steps == 1 ? "it is not counted" : "they are not counted";
  return Phrase("{} {} lost slices with a damaged file: {}", figure::Count(steps),
                steps == 1 ? "step" : "steps",
                profiled ? counted : "what devices did in the others is too little to go by");
}

// A file is one rank's: what several processes or threads did in it is told as that of one, and
// processes number their launches alike.
std::optional<Evidence> TogetherCaveat(const RankTrace& rank) {
  std::set<int64_t> processes;
  std::set<int32_t> threads;
  for (const TraceStep& step : rank.steps) threads.insert(step.lane);
  for (const TraceEvent& event : rank.host) {
    if (event.kind != EventKind::kRuntime && event.kind != EventKind::kStep) continue;
    processes.insert(rank.lanes[static_cast<size_t>(event.lane)].pid);
  }
  const std::string where = fmt::format("rank = {}", rank.rank);
  if (processes.size() > 1) {
    return Evidence{
        fmt::format(
            "rank {} is {} processes in one file, told as one, and a kernel may stand below "
            "another's operator: import the profile of each process by itself",
            rank.rank, processes.size()),
        "tracks", where};
  }
  if (threads.size() > 1) {
    return Evidence{fmt::format("{} threads of rank {} mark steps: where these overlap, the time "
                                "counts in each",
                                threads.size(), rank.rank),
                    "steps", where};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Evidence> DeviceCaveats(const VerdictInput& input) {
  std::vector<Evidence> caveats;
  if (input.left_out > 0) {
    caveats.push_back(
        {LeftOutText(input.left_out, input.profiled), "losses", "cause = 'segment_damaged'"});
  }
  if (input.profiled && input.report.profile != nullptr && !input.report.profile_of_windows) {
    for (const RankTrace& rank : input.report.profile->ranks) {
      if (auto one = TogetherCaveat(rank)) caveats.push_back(*std::move(one));
    }
  }
  if (!MayUseDevice(input.facts)) return caveats;
  for (std::string& text : input.facts.gpus.Others()) {
    caveats.push_back({std::move(text), "facts", "kind = 'gpu'"});
  }
  for (std::string& text : input.facts.gpus.RanksTogether()) {
    caveats.push_back({std::move(text), "facts", "kind = 'device'"});
  }
  return caveats;
}

}  // namespace steptrace::analyze
