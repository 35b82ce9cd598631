// SPDX-License-Identifier: Apache-2.0
#include "analyze/ranks/call_alignment.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "analyze/ranks/offset_votes.h"

namespace steptrace::analyze {
namespace {

using CallSpan = std::span<const TimedCall>;
using Pairs = std::vector<std::pair<int32_t, int32_t>>;

int64_t MedianOf(std::vector<int64_t>& values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// What of a difference of ends is much and what is nothing.
struct EndScale {
  int64_t gap_ns = 1;    // median between ends of following calls
  int64_t floor_ns = 1;  // ends of one collective scatter by so much anyway
  int64_t near_ns = 1;   // calls that belong together by chance end nearer in one case of four
};

EndScale EndScaleOf(CallSpan a, CallSpan b) {
  constexpr int64_t kScatterNs = 2'000;
  std::vector<int64_t> gaps;
  for (const CallSpan& calls : {a, b}) {
    for (size_t i = 1; i < calls.size(); ++i) {
      gaps.push_back(std::abs(calls[i].end_ns - calls[i - 1].end_ns));
    }
  }
  if (gaps.empty()) gaps = {a[0].end_ns - a[0].begin_ns, b[0].end_ns - b[0].begin_ns};
  EndScale scale;
  scale.gap_ns = std::max<int64_t>(1, MedianOf(gaps));
  scale.floor_ns = std::clamp<int64_t>(scale.gap_ns / 256, 1, kScatterNs);
  scale.near_ns = std::max<int64_t>(1, scale.gap_ns / 8);
  return scale;
}

bool Overlap(const TimedCall& a, const TimedCall& b, int64_t offset_ns, int64_t slack_ns) {
  return a.begin_ns - slack_ns <= b.end_ns - offset_ns &&
         b.begin_ns - offset_ns <= a.end_ns + slack_ns;
}

// A chain of pairs, ascending in both lists: more pairs first, of which one whose ends lie near
// counts for three; then ends that lie nearer.
struct PairChain {
  int64_t weight = 0;
  int64_t apart_ns = 0;
  int32_t last = -1;  // index of its last pair

  bool BetterThan(const PairChain& other) const {
    return weight != other.weight ? weight > other.weight : apart_ns < other.apart_ns;
  }
};

// Best chain among those that end before a place of list b (Fenwick tree of prefix maxima).
class BestChains {
 public:
  explicit BestChains(size_t places) : tree_(places + 1) {}
  PairChain Before(int32_t place) const {
    PairChain best;
    for (auto i = static_cast<size_t>(place); i > 0; i &= i - 1) {
      if (tree_[i].BetterThan(best)) best = tree_[i];
    }
    return best;
  }
  void Put(int32_t place, const PairChain& chain) {
    for (auto i = static_cast<size_t>(place) + 1; i < tree_.size(); i += i & (~i + 1)) {
      if (chain.BetterThan(tree_[i])) tree_[i] = chain;
    }
  }

 private:
  std::vector<PairChain> tree_;
};

// A call overlaps few of the other list: calls of a stream follow each other. Damaged input may
// claim otherwise, and is cut here.
constexpr int32_t kMostPartners = 64;

struct PairTolerance {
  int64_t slack_ns = 0;  // parts of a collective may miss each other by so much
  int64_t near_ns = 0;
};

// `offset_ns`: by index in a.
Pairs PairsInTime(CallSpan a, CallSpan b, const MayBeOne& alike, std::span<const int64_t> offset_ns,
                  PairTolerance tolerance) {
  Pairs candidates;
  std::vector<PairChain> chains;
  std::vector<int32_t> before;
  BestChains best(b.size());
  PairChain longest;
  size_t first = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const int64_t offset = offset_ns[i];
    const int64_t slack = tolerance.slack_ns;
    while (first < b.size() && b[first].end_ns - offset < a[i].begin_ns - slack) ++first;
    const size_t from = candidates.size();
    int32_t partners = 0;
    for (size_t j = first; j < b.size() && partners < kMostPartners; ++j) {
      if (b[j].begin_ns - offset > a[i].end_ns + slack) break;
      ++partners;
      const auto ai = static_cast<int32_t>(i);
      const auto bj = static_cast<int32_t>(j);
      if (!Overlap(a[i], b[j], offset, slack) || !alike(ai, bj)) continue;
      const int64_t apart = std::abs(a[i].end_ns - (b[j].end_ns - offset));
      PairChain chain = best.Before(bj);
      before.push_back(chain.last);
      chain.weight += apart <= tolerance.near_ns ? 3 : 1;
      chain.apart_ns += apart;
      chain.last = static_cast<int32_t>(candidates.size());
      candidates.emplace_back(ai, bj);
      chains.push_back(chain);
    }
    for (size_t c = from; c < candidates.size(); ++c) {
      best.Put(candidates[c].second, chains[c]);
      if (chains[c].BetterThan(longest)) longest = chains[c];
    }
  }
  Pairs pairs;
  for (int32_t c = longest.last; c != -1; c = before[static_cast<size_t>(c)]) {
    pairs.push_back(candidates[static_cast<size_t>(c)]);
  }
  std::reverse(pairs.begin(), pairs.end());
  return pairs;
}

// Pairs with what speaks for them.
struct CallFit {
  Pairs pairs;
  int64_t residual_ns = 0;  // median of what ends still differ by
  int64_t offset_ns = 0;    // median
  double evidence = 0;      // as a log-likelihood against chance
  bool all_together = true;
};

constexpr size_t kLocalPairs = 17;  // pairs that tell what the clocks differ by just there

class CallAligner {
 public:
  CallAligner(CallSpan a, CallSpan b, const MayBeOne& alike)
      : a_(a), b_(b), alike_(alike), scale_(EndScaleOf(a, b)) {}

  Alignment Align(OrderTrust trust, std::span<const int64_t> hints_ns) {
    const size_t shorter = std::min(a_.size(), b_.size());
    const auto in_order = InOrder();
    if (in_order && IsTight(*in_order)) return Sure(*in_order);
    const CallFit by_clocks = FitByClocks();
    const bool better = !in_order || by_clocks.evidence > in_order->evidence + kMuch;
    if (better && Settles(by_clocks)) return Sure(by_clocks);
    std::optional<CallFit> best = SettledBy(hints_ns);
    if (!best) {
      if (by_clocks.evidence > 0) best = by_clocks;
      for (int64_t offset_ns : OffsetsByVote(a_, b_, alike_, scale_.gap_ns)) {
        Take(FitNear(offset_ns), best);
      }
    }
    bool ambiguous = false;
    if (best && std::abs(best->offset_ns) > scale_.near_ns) ambiguous = CheckNeighbours(best);
    if (in_order) {
      const bool together = AllOverlapByClocks(in_order->pairs);
      // Calls that run at once, of several threads, may end nearest to a neighbour's. That speaks
      // for no fit that leaves calls alone where in order each has its counterpart.
      const bool leaves_some = best && best->pairs.size() < in_order->pairs.size();
      const bool contradicted = best && Convinces(*best) && !(together && leaves_some) &&
                                best->evidence > in_order->evidence + kMuch;
      const bool borne_out = trust == OrderTrust::kAlone || Convinces(*in_order) || together;
      if (!contradicted && borne_out) return Sure(*in_order);
    }
    if (best) {
      return {best->pairs, ambiguous ? Certainty::kAmbiguous : Certainty::kSure, best->offset_ns};
    }
    if (by_clocks.pairs.size() == shorter) return Sure(by_clocks);
    return {};
  }

 private:
  static constexpr double kMuch = 5;  // e^5, 150 to 1

  int64_t Difference(const std::pair<int32_t, int32_t>& pair) const {
    return b_[static_cast<size_t>(pair.second)].end_ns - a_[static_cast<size_t>(pair.first)].end_ns;
  }

  // By pair: the median over its neighbours, which follows clocks that drift.
  std::vector<int64_t> LocalOffsets(const Pairs& pairs) const {
    std::vector<int64_t> offsets_ns;
    std::vector<int64_t> some;
    const size_t count = std::min(pairs.size(), kLocalPairs);
    for (size_t p = 0; p < pairs.size(); ++p) {
      const size_t first = std::min(p > count / 2 ? p - count / 2 : 0, pairs.size() - count);
      some.clear();
      for (size_t q = first; q < first + count; ++q) some.push_back(Difference(pairs[q]));
      offsets_ns.push_back(MedianOf(some));
    }
    return offsets_ns;
  }

  int64_t Residual(const Pairs& pairs, const std::vector<int64_t>& offsets_ns) const {
    std::vector<int64_t> apart;
    for (size_t p = 0; p < pairs.size(); ++p) {
      apart.push_back(std::abs(Difference(pairs[p]) - offsets_ns[p]));
    }
    return apart.empty() ? 0 : MedianOf(apart);
  }

  int64_t Slack(int64_t residual_ns) const { return std::min(scale_.near_ns, 4 * residual_ns); }

  void Judge(CallFit& fit, const std::vector<int64_t>& offsets_ns) const {
    constexpr double kLeast = -1;        // of ends that lie apart: a broadcast's source ends early
    constexpr double kImpossible = -12;  // one that ended before the other began
    fit.residual_ns = Residual(fit.pairs, offsets_ns);
    fit.evidence = 0;
    fit.all_together = true;
    for (size_t p = 0; p < fit.pairs.size(); ++p) {
      const TimedCall& of_a = a_[static_cast<size_t>(fit.pairs[p].first)];
      const TimedCall& of_b = b_[static_cast<size_t>(fit.pairs[p].second)];
      const int64_t apart = std::abs(Difference(fit.pairs[p]) - offsets_ns[p]);
      if (!Overlap(of_a, of_b, offsets_ns[p], Slack(fit.residual_ns))) {
        fit.all_together = false;
        fit.evidence += kImpossible;
        continue;
      }
      const double ratio =
          static_cast<double>(scale_.gap_ns) / 8 / static_cast<double>(apart + scale_.floor_ns);
      fit.evidence += std::max(kLeast, std::log(ratio));
    }
    std::vector<int64_t> sorted = offsets_ns;
    fit.offset_ns = sorted.empty() ? 0 : MedianOf(sorted);
  }

  std::optional<CallFit> InOrder() const {
    if (a_.size() != b_.size()) return std::nullopt;
    CallFit fit;
    for (int32_t i = 0; i < static_cast<int32_t>(a_.size()); ++i) {
      if (!alike_(i, i)) return std::nullopt;
      fit.pairs.emplace_back(i, i);
    }
    Judge(fit, LocalOffsets(fit.pairs));
    return fit;
  }

  bool IsTight(const CallFit& fit) const {
    return fit.all_together && fit.residual_ns <= 4 * scale_.floor_ns && Convinces(fit);
  }

  // Nearly all of the shorter list, and tight: no other difference of the clocks does better.
  bool Settles(const CallFit& fit) const {
    return 10 * fit.pairs.size() >= 9 * std::min(a_.size(), b_.size()) && IsTight(fit);
  }

  std::optional<CallFit> SettledBy(std::span<const int64_t> hints_ns) const {
    for (const int64_t offset_ns : hints_ns) {
      if (!MayFit(offset_ns)) continue;
      CallFit fit = FitNear(offset_ns);
      if (Settles(fit)) return fit;
    }
    return std::nullopt;
  }

  // Whether most of some calls of b end when one of a does. Ends follow each other, nearly.
  bool MayFit(int64_t offset_ns) const {
    constexpr size_t kSome = 64;
    const size_t count = std::min(b_.size(), kSome);
    size_t near = 0;
    for (size_t k = 0; k < count; ++k) {
      const int64_t end_ns = b_[k * b_.size() / count].end_ns - offset_ns;
      auto at = std::partition_point(a_.begin(), a_.end(), [&](const TimedCall& call) {
        return call.end_ns < end_ns - scale_.near_ns;
      });
      near += at != a_.end() && at->end_ns <= end_ns + scale_.near_ns;
    }
    return 2 * near > count;
  }

  static Alignment Sure(const CallFit& fit) { return {fit.pairs, Certainty::kSure, fit.offset_ns}; }

  bool AllOverlapByClocks(const Pairs& pairs) const {
    return std::all_of(pairs.begin(), pairs.end(), [this](const auto& pair) {
      return Overlap(a_[static_cast<size_t>(pair.first)], b_[static_cast<size_t>(pair.second)], 0,
                     0);
    });
  }

  // By the clocks as they are.
  CallFit FitByClocks() const {
    CallFit fit;
    const std::vector<int64_t> zeros(a_.size());
    fit.pairs = PairsInTime(a_, b_, alike_, zeros, {0, scale_.near_ns});
    Judge(fit, std::vector<int64_t>(fit.pairs.size()));
    return fit;
  }

  CallFit FitNear(int64_t offset_ns) const {
    CallFit fit;
    std::vector<int64_t> offset_of_call(a_.size(), offset_ns);
    PairTolerance tolerance{0, scale_.near_ns};
    std::vector<int64_t> of_pair;
    for (int turn = 0; turn < 3; ++turn) {
      fit.pairs = PairsInTime(a_, b_, alike_, offset_of_call, tolerance);
      if (fit.pairs.empty()) return fit;
      of_pair = LocalOffsets(fit.pairs);
      size_t p = 0;
      for (size_t i = 0; i < a_.size(); ++i) {
        while (p + 1 < fit.pairs.size() && fit.pairs[p].first < static_cast<int32_t>(i)) ++p;
        offset_of_call[i] = of_pair[p];
      }
      const int64_t residual = Residual(fit.pairs, of_pair);
      tolerance.slack_ns = Slack(residual);
      tolerance.near_ns = std::clamp(8 * residual, scale_.floor_ns, scale_.near_ns);
    }
    Judge(fit, of_pair);
    return fit;
  }

  // Whether it is more than the best of as many tries by chance. What the offset was measured by
  // says nothing for it.
  bool Convinces(const CallFit& fit) const {
    if (fit.pairs.size() < 2) return false;
    const double own = 1.0 / static_cast<double>(std::min(fit.pairs.size(), kLocalPairs));
    const double tries = std::log(static_cast<double>(a_.size()) * static_cast<double>(b_.size()));
    return fit.evidence * (1 - own) > tries + kMuch;
  }

  void Take(CallFit fit, std::optional<CallFit>& best) const {
    if (!Convinces(fit)) return;
    if (!best || fit.evidence > best->evidence + kTie)
      best = std::move(fit);
    else if (fit.evidence > best->evidence - kTie && IsSimpler(fit, *best))
      best = std::move(fit);
  }
  static constexpr double kTie = 1;

  // Of equal evidence: fewer that stay alone, then clocks that differ less.
  static bool IsSimpler(const CallFit& fit, const CallFit& other) {
    if (fit.pairs.size() != other.pairs.size()) return fit.pairs.size() > other.pairs.size();
    return std::abs(fit.offset_ns) < std::abs(other.offset_ns);
  }

  // Slides the lists by a call against the best fit; whether that fits as well.
  bool CheckNeighbours(std::optional<CallFit>& best) const {
    const CallFit of = *best;
    bool ambiguous = false;
    for (int32_t slide : {-1, 1}) {
      std::vector<int64_t> differences;
      for (const auto& [i, j] : of.pairs) {
        if (j + slide < 0 || static_cast<size_t>(j + slide) >= b_.size()) continue;
        differences.push_back(Difference({i, j + slide}));
      }
      if (differences.empty()) continue;
      const CallFit other = FitNear(MedianOf(differences));
      if (std::abs(other.offset_ns - of.offset_ns) <= scale_.near_ns) continue;
      ambiguous = ambiguous ||
                  (other.evidence > of.evidence - kTie && other.pairs.size() >= of.pairs.size());
      Take(other, best);
    }
    return ambiguous;
  }

  const CallSpan a_;
  const CallSpan b_;
  const MayBeOne& alike_;
  const EndScale scale_;
};

}  // namespace

Alignment AlignCalls(CallSpan a, CallSpan b, const MayBeOne& alike, OrderTrust trust,
                     std::span<const int64_t> hints_ns) {
  if (a.empty() || b.empty()) return {};
  return CallAligner(a, b, alike).Align(trust, hints_ns);
}

}  // namespace steptrace::analyze
