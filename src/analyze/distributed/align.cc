// SPDX-License-Identifier: Apache-2.0
#include "analyze/distributed/align.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace steptrace::analyze {
namespace {

using Pairs = std::vector<std::pair<int32_t, int32_t>>;
using Alike = std::function<bool(int32_t, int32_t)>;

bool Overlap(const TimedCall& a, const TimedCall& b, int64_t offset_ns) {
  return a.begin_ns <= b.end_ns - offset_ns && b.begin_ns - offset_ns <= a.end_ns;
}

// A chain of pairs, ascending in both lists: more pairs first, then ends that lie nearer.
struct Chain {
  int32_t pairs = 0;
  int64_t apart_ns = 0;
  int32_t last = -1;  // index of its last pair

  bool BetterThan(const Chain& other) const {
    return pairs != other.pairs ? pairs > other.pairs : apart_ns < other.apart_ns;
  }
};

// Best chain among those that end before a place of list b (Fenwick tree of prefix maxima).
class BestChains {
 public:
  explicit BestChains(size_t places) : tree_(places + 1) {}
  Chain Before(int32_t place) const {
    Chain best;
    for (auto i = static_cast<size_t>(place); i > 0; i &= i - 1) {
      if (tree_[i].BetterThan(best)) best = tree_[i];
    }
    return best;
  }
  void Put(int32_t place, const Chain& chain) {
    for (auto i = static_cast<size_t>(place) + 1; i < tree_.size(); i += i & (~i + 1)) {
      if (chain.BetterThan(tree_[i])) tree_[i] = chain;
    }
  }

 private:
  std::vector<Chain> tree_;
};

// A call overlaps few of the other list: calls of a stream follow each other. Damaged input may
// claim otherwise, and is cut here.
constexpr int32_t kMostPartners = 64;

Pairs PairsInTime(std::span<const TimedCall> a, std::span<const TimedCall> b, const Alike& alike,
                  int64_t offset_ns) {
  Pairs candidates;
  std::vector<Chain> chains;
  std::vector<int32_t> before;
  BestChains best(b.size());
  Chain longest;
  size_t first = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    while (first < b.size() && b[first].end_ns - offset_ns < a[i].begin_ns) ++first;
    const size_t from = candidates.size();
    int32_t partners = 0;
    for (size_t j = first; j < b.size() && partners < kMostPartners; ++j) {
      if (b[j].begin_ns - offset_ns > a[i].end_ns) break;
      ++partners;
      const auto ai = static_cast<int32_t>(i);
      const auto bj = static_cast<int32_t>(j);
      if (!Overlap(a[i], b[j], offset_ns) || !alike(ai, bj)) continue;
      Chain chain = best.Before(bj);
      before.push_back(chain.last);
      chain.pairs += 1;
      chain.apart_ns += std::abs(a[i].end_ns - (b[j].end_ns - offset_ns));
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

int64_t MedianOf(std::vector<int64_t>& values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// One list slid along the other: how well pairs (i, i + lag) agree.
struct Slide {
  int32_t lag = 0;
  size_t pairs = 0;     // that both lists have at this lag
  size_t alike = 0;     // of them
  size_t together = 0;  // alike, and at the same time once the clocks differ by offset_ns
  int64_t offset_ns = 0;
  int64_t residual_ns = 0;
};

Slide TrySlide(std::span<const TimedCall> a, std::span<const TimedCall> b, const Alike& alike,
               int32_t lag) {
  Slide slide{.lag = lag};
  std::vector<int64_t> differences;
  std::vector<size_t> places;
  for (size_t i = 0; i < a.size(); ++i) {
    const int64_t j = static_cast<int64_t>(i) + lag;
    if (j < 0 || j >= static_cast<int64_t>(b.size())) continue;
    ++slide.pairs;
    if (!alike(static_cast<int32_t>(i), static_cast<int32_t>(j))) continue;
    differences.push_back(b[static_cast<size_t>(j)].end_ns - a[i].end_ns);
    places.push_back(i);
  }
  slide.alike = differences.size();
  if (differences.empty()) return slide;
  std::vector<int64_t> sorted = differences;
  slide.offset_ns = MedianOf(sorted);
  for (size_t k = 0; k < differences.size(); ++k) {
    const size_t i = places[k];
    const TimedCall& other = b[static_cast<size_t>(static_cast<int64_t>(i) + lag)];
    if (Overlap(a[i], other, slide.offset_ns)) ++slide.together;
    sorted[k] = std::abs(differences[k] - slide.offset_ns);
  }
  slide.residual_ns = MedianOf(sorted);
  return slide;
}

int64_t MedianDuration(std::span<const TimedCall> calls) {
  std::vector<int64_t> durations;
  for (const TimedCall& call : calls) durations.push_back(call.end_ns - call.begin_ns);
  return durations.empty() ? 0 : MedianOf(durations);
}

// A difference of clocks explains the lists when nearly all pairs at one lag then run together,
// and end together within a fraction of their length.
bool Explains(const Slide& slide, size_t shorter, int64_t duration_ns) {
  return slide.together >= 3 && slide.together * 2 >= shorter &&
         slide.together * 10 >= slide.pairs * 9 && slide.residual_ns * 2 <= duration_ns;
}

constexpr int32_t kMostLag = 64;  // a window that was begun so many calls later is looked for

std::optional<Slide> BestSlide(std::span<const TimedCall> a, std::span<const TimedCall> b,
                               const Alike& alike) {
  const size_t shorter = std::min(a.size(), b.size());
  const int64_t duration_ns = MedianDuration(a);
  const auto difference = static_cast<int32_t>(
      std::min<size_t>(kMostLag, a.size() > b.size() ? a.size() - b.size() : b.size() - a.size()));
  const int32_t reach = std::min<int32_t>(kMostLag, difference + 8);
  std::optional<Slide> best;
  for (int32_t lag = -reach; lag <= reach; ++lag) {
    const Slide slide = TrySlide(a, b, alike, lag);
    if (!Explains(slide, shorter, duration_ns)) continue;
    const bool better = !best || slide.together > best->together ||
                        (slide.together == best->together && slide.residual_ns < best->residual_ns);
    if (better) best = slide;
  }
  return best;
}

bool AllAlike(size_t count, const Alike& alike) {
  for (size_t i = 0; i < count; ++i) {
    if (!alike(static_cast<int32_t>(i), static_cast<int32_t>(i))) return false;
  }
  return true;
}

Pairs InOrder(size_t count) {
  Pairs pairs;
  for (size_t i = 0; i < count; ++i) {
    pairs.emplace_back(static_cast<int32_t>(i), static_cast<int32_t>(i));
  }
  return pairs;
}

}  // namespace

Pairs AlignCalls(std::span<const TimedCall> a, std::span<const TimedCall> b, const Alike& alike,
                 OrderTrust trust) {
  const size_t shorter = std::min(a.size(), b.size());
  if (a.size() == b.size() && AllAlike(shorter, alike)) {
    bool together = true;
    for (size_t i = 0; i < shorter && together; ++i) together = Overlap(a[i], b[i], 0);
    if (together || trust == OrderTrust::kAlone) return InOrder(shorter);
  }
  Pairs pairs = PairsInTime(a, b, alike, 0);
  if (pairs.size() == shorter) return pairs;
  const auto slide = BestSlide(a, b, alike);
  if (!slide || slide->together <= pairs.size()) return pairs;
  Pairs shifted = PairsInTime(a, b, alike, slide->offset_ns);
  return shifted.size() > pairs.size() ? shifted : pairs;
}

}  // namespace steptrace::analyze
