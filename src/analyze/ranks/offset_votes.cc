// SPDX-License-Identifier: Apache-2.0
#include "analyze/ranks/offset_votes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace steptrace::analyze {
namespace {

// Drift hardly shows within a time range; where one lies in what the other list lacks, others do
// not.
constexpr size_t kRanges = 4;
constexpr size_t kMostCallsOfRange = 128;
constexpr size_t kFewestCallsOfRange = 24;
constexpr size_t kPairsOfRange = 1 << 16;
constexpr size_t kVotesOfCall = 1 << 14;  // of a call, nearest to its place in the list
constexpr size_t kMostCandidates = 6;
// Ends of one collective scatter by some part of the gap, which nobody knows before.
constexpr int64_t kPartsOfGap[] = {256, 32, 6};

struct OffsetCandidate {
  int64_t offset_ns = 0;
  int64_t within_ns = 0;
  double weight = 0;
};

// The two narrow places that hold most differences.
void AddModes(const std::vector<int64_t>& sorted, int64_t within_ns, double weight,
              std::vector<OffsetCandidate>& candidates) {
  std::vector<size_t> ends(sorted.size());  // of the place that begins at each
  size_t end = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    while (end < sorted.size() && sorted[end] - sorted[i] <= within_ns) ++end;
    ends[i] = end;
  }
  int64_t taken = 0;
  for (int turn = 0; turn < 2; ++turn) {
    size_t best = sorted.size();
    for (size_t i = 0; i < sorted.size(); ++i) {
      if (turn == 1 && std::abs(sorted[i] - taken) <= 2 * within_ns) continue;
      if (best == sorted.size() || ends[i] - i > ends[best] - best) best = i;
    }
    if (best == sorted.size()) return;
    taken = sorted[best];
    const size_t votes = ends[best] - best;
    candidates.push_back(
        {sorted[best + votes / 2], within_ns, weight * static_cast<double>(votes)});
  }
}

std::vector<int64_t> EndDifferences(std::span<const TimedCall> a, std::span<const TimedCall> b,
                                    const MayBeOne& alike, size_t from, size_t to) {
  std::vector<int64_t> differences;
  const size_t partners = std::min(b.size(), kVotesOfCall);
  for (size_t i = from; i < to; ++i) {
    const size_t place = i * b.size() / a.size();
    const size_t first =
        std::min(place > partners / 2 ? place - partners / 2 : 0, b.size() - partners);
    for (size_t j = first; j < first + partners; ++j) {
      if (!alike(static_cast<int32_t>(i), static_cast<int32_t>(j))) continue;
      differences.push_back(b[j].end_ns - a[i].end_ns);
    }
  }
  std::sort(differences.begin(), differences.end());
  return differences;
}

}  // namespace

std::vector<int64_t> OffsetsByVote(std::span<const TimedCall> a, std::span<const TimedCall> b,
                                   const MayBeOne& alike, int64_t gap_ns) {
  std::vector<OffsetCandidate> candidates;
  const size_t partners = std::min(b.size(), kVotesOfCall);
  if (partners == 0) return {};
  const size_t length =
      std::clamp(kPairsOfRange / partners, kFewestCallsOfRange, kMostCallsOfRange);
  const size_t time_ranges = a.size() <= length ? 1 : kRanges;
  for (size_t s = 0; s < time_ranges; ++s) {
    const size_t from = time_ranges == 1 ? 0 : s * (a.size() - length) / (time_ranges - 1);
    const auto differences = EndDifferences(a, b, alike, from, std::min(a.size(), from + length));
    for (int64_t parts : kPartsOfGap) {
      AddModes(differences, gap_ns / parts, std::log(static_cast<double>(parts)), candidates);
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& x, const auto& y) { return x.weight > y.weight; });
  std::vector<OffsetCandidate> kept;
  for (const OffsetCandidate& candidate : candidates) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const OffsetCandidate& other) {
      return std::abs(other.offset_ns - candidate.offset_ns) <= other.within_ns;
    });
    if (!known) kept.push_back(candidate);
    if (kept.size() == kMostCandidates) break;
  }
  std::vector<int64_t> offsets_ns;
  for (const OffsetCandidate& candidate : kept) offsets_ns.push_back(candidate.offset_ns);
  return offsets_ns;
}

}  // namespace steptrace::analyze
