// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/worker_log.h"

#include <algorithm>
#include <limits>

namespace steptrace::analyze {
namespace {

// A worker that idles less than an eighth of its last fetch before it begins the next is saturated:
// what a DataLoader needs to hand it the next batch is far less.
constexpr int64_t kIdleParts = 8;
constexpr int64_t kNotYet = std::numeric_limits<int64_t>::max();

// floor(part * share / whole) without overflow; `share` is cut to `whole`.
int64_t Prorate(int64_t part, uint64_t share, int64_t whole) {
  if (whole <= 0 || part <= 0) return 0;
  const auto cut = std::min(share, static_cast<uint64_t>(whole));
  return static_cast<int64_t>(static_cast<unsigned __int128>(part) * cut /
                              static_cast<unsigned __int128>(whole));
}

uint64_t BlockedNs(const Fetch& fetch) {
  if (fetch.cpu_ns == 0) return 0;
  const auto dur_ns = static_cast<uint64_t>(fetch.range.dur_ns());
  const uint64_t cpu_ns = std::min(fetch.cpu_ns, dur_ns);
  return dur_ns - cpu_ns - std::min(fetch.run_queue_ns, dur_ns - cpu_ns);
}

}  // namespace

TimeSpan Overlap(TimeSpan a, TimeSpan b) {
  const int64_t begin_ns = std::max(a.begin_ns, b.begin_ns);
  return {begin_ns, std::max(begin_ns, std::min(a.end_ns, b.end_ns))};
}

void AddFetchStages(const Fetch& fetch, int64_t getitem_ns, int64_t collate_ns, PhaseSums& sums) {
  const int64_t whole_ns = fetch.range.dur_ns();
  // The remainder of the division goes to the shortage of getitem: the parts sum exactly.
  const int64_t short_ns = Prorate(getitem_ns + collate_ns, fetch.run_queue_ns, whole_ns);
  const int64_t collate_short_ns = Prorate(collate_ns, fetch.run_queue_ns, whole_ns);
  const int64_t getitem_short_ns = std::min(getitem_ns, short_ns - collate_short_ns);
  sums[Stage::kCpuShortage] += collate_short_ns + getitem_short_ns;
  sums[Stage::kCollate] += collate_ns - collate_short_ns;
  sums[Stage::kGetitem] += getitem_ns - getitem_short_ns;
  sums.blocked_in_fetch_ns +=
      std::min(getitem_ns - getitem_short_ns, Prorate(getitem_ns, BlockedNs(fetch), whole_ns));
}

void AddFetchStages(const Fetch& fetch, TimeSpan part, PhaseSums& sums) {
  const int64_t collate_ns = Overlap(part, fetch.collate).dur_ns();
  AddFetchStages(fetch, part.dur_ns() - collate_ns, collate_ns, sums);
}

void WorkerLog::FetchBegan(int64_t begin_ns) {
  if (!began_) first_begin_ns_ = begin_ns;
  began_ = true;
  open_begin_ns_ = begin_ns;
  last_ns_ = std::max(last_ns_, begin_ns);
}

void WorkerLog::FetchEnded(const Fetch& fetch) {
  if (!began_) FetchBegan(fetch.range.begin_ns);
  open_begin_ns_.reset();
  Fetch ordered = fetch;
  if (!fetches_.empty()) {
    const int64_t last_end_ns = fetches_.back().range.end_ns;
    ordered.range.begin_ns = std::max(ordered.range.begin_ns, last_end_ns);
  }
  ordered.range.end_ns = std::max(ordered.range.end_ns, ordered.range.begin_ns);
  ordered.collate = Overlap(ordered.collate, ordered.range);
  fetches_.push_back(ordered);
  last_ns_ = std::max(last_ns_, ordered.range.end_ns);
  if (fetches_.size() > kMaxFetches) ForgetFirst();
}

void WorkerLog::ForgetFirst() {
  last_forgotten_ = fetches_.front();
  fetches_.pop_front();
  ++forgotten_;
}

std::optional<Fetch> WorkerLog::LastEndedBy(int64_t ts_ns) const {
  const auto known = static_cast<size_t>(EndedBy(ts_ns) - forgotten_);
  return known > 0 ? fetches_[known - 1] : last_forgotten_;
}

int64_t WorkerLog::SaturatedNs(TimeSpan part) const {
  int64_t saturated_ns = 0;
  std::optional<Fetch> before = LastEndedBy(part.begin_ns);
  const auto add = [&](TimeSpan fetch) {
    // A worker that had to wait for work is not what the training waits for.
    const bool at_once =
        before && (fetch.begin_ns - before->range.end_ns) * kIdleParts <= before->range.dur_ns();
    if (at_once) saturated_ns += Overlap(part, fetch).dur_ns();
  };
  for (size_t i = EndedBy(part.begin_ns) - forgotten_; i < fetches_.size(); ++i) {
    if (fetches_[i].range.begin_ns >= part.end_ns) break;
    add(fetches_[i].range);
    before = fetches_[i];
  }
  if (open_begin_ns_) add({*open_begin_ns_, kNotYet});
  return saturated_ns;
}

void WorkerLog::ProcessEnded(int64_t end_ns) {
  if (open_begin_ns_) {
    const int64_t begin_ns = *open_begin_ns_;
    FetchEnded({.range = {begin_ns, std::max(begin_ns, end_ns)}});
  }
  gone_ = true;
  gone_ns_ = end_ns;
}

uint64_t WorkerLog::EndedBy(int64_t ts_ns) const {
  const auto after = std::partition_point(fetches_.begin(), fetches_.end(),
                                          [&](const Fetch& f) { return f.range.end_ns <= ts_ns; });
  return forgotten_ + static_cast<uint64_t>(after - fetches_.begin());
}

uint64_t WorkerLog::EndedByPriming(int64_t primed_ns) const {
  uint64_t count = EndedBy(primed_ns);
  for (const auto& [since_ns, fetches] : forgotten_since_) {
    if (since_ns == primed_ns) count -= fetches;
  }
  return count;
}

void WorkerLog::BeginIterator(const BatchWait& wait) {
  const bool first = iterator_life_ == 0;
  iterator_life_ = wait.iterator_life;
  if (wait.primed_ns >= 0) {
    taken_ = EndedByPriming(wait.primed_ns);
  } else if (!first) {
    taken_ = EndedBy(wait.range.begin_ns);
  }
}

std::optional<Fetch> WorkerLog::Await(const BatchWait& wait) {
  if (wait.iterator_life > iterator_life_) BeginIterator(wait);
  last_ns_ = std::max(last_ns_, wait.range.end_ns);
  const uint64_t ended = EndedBy(wait.range.begin_ns);
  // With nothing in the queue it cannot have been there: the count is wrong, as it is once a batch
  // that came out of order was taken without a word of its worker.
  if (wait.queue_depth == 0) taken_ = std::max(taken_, ended);
  const bool was_there = ended > taken_;
  if (!wait.cut_off) {
    taken_ = std::min(taken_ + 1, std::max(EndedBy(wait.range.end_ns), forgotten_));
  }
  if (was_there) return std::nullopt;

  const size_t next = static_cast<size_t>(ended - forgotten_);
  const bool ended_later = next < fetches_.size();
  if (ended_later && fetches_[next].range.end_ns <= wait.range.end_ns) return fetches_[next];
  // A batch that came had been fetched before; one that did not may still have been in the making.
  if (!wait.cut_off) return std::nullopt;
  if (ended_later) return Fetch{.range = {fetches_[next].range.begin_ns, kNotYet}};
  if (open_begin_ns_) return Fetch{.range = {*open_begin_ns_, kNotYet}};
  return std::nullopt;
}

void WorkerLog::Forget(int64_t ts_ns, std::span<const int64_t> primed_ns) {
  std::erase_if(forgotten_since_, [&](const auto& entry) {
    return std::find(primed_ns.begin(), primed_ns.end(), entry.first) == primed_ns.end();
  });
  for (const int64_t since_ns : primed_ns) {
    const uint64_t fetches = EndedBy(ts_ns - 1) - EndedBy(since_ns);
    if (since_ns >= ts_ns || fetches == 0) continue;
    const auto known = std::find_if(forgotten_since_.begin(), forgotten_since_.end(),
                                    [&](const auto& entry) { return entry.first == since_ns; });
    if (known != forgotten_since_.end()) {
      known->second += fetches;
    } else {
      forgotten_since_.emplace_back(since_ns, fetches);
    }
  }
  while (!fetches_.empty() && fetches_.front().range.end_ns < ts_ns) ForgetFirst();
}

namespace {

// A batch that is made and not yet here. While its worker, without a pause, makes the next one,
// that is what holds it up: the thread that sends batches needs the worker's interpreter, which a
// fetch in Python keeps busy. Such time is shared out like the fetch of `made`. The rest is
// receiving: a training thread that cannot keep up leaves its workers with nothing to fetch.
void AddTransfer(TimeSpan part, const WorkerLog& worker, const std::optional<Fetch>& made,
                 Stage rest, PhaseSums& sums) {
  if (part.dur_ns() <= 0) return;
  const int64_t held_up_ns = made ? std::min(worker.SaturatedNs(part), part.dur_ns()) : 0;
  sums[rest] += part.dur_ns() - held_up_ns;
  if (held_up_ns == 0) return;
  const int64_t collate_ns =
      Prorate(held_up_ns, static_cast<uint64_t>(made->collate.dur_ns()), made->range.dur_ns());
  AddFetchStages(*made, held_up_ns - collate_ns, collate_ns, sums);
}

}  // namespace

void AddWaitStages(const BatchWait& wait, TimeSpan part, const WorkerLog& worker,
                   const std::optional<Fetch>& awaited, PhaseSums& sums) {
  if (!worker.StartedBefore(wait.range.end_ns)) {
    // A worker that never said a word and yet delivers runs without hooks: an empty queue is then
    // all there is to tell fetching from receiving.
    const Stage stage = wait.cut_off            ? Stage::kWorkerStart
                        : wait.queue_depth == 0 ? Stage::kGetitem
                                                : Stage::kReceive;
    sums[stage] += part.dur_ns();
    return;
  }
  // An iterator that ends sends its workers home: their life, not a batch's way.
  const Stage rest = wait.brought_none ? Stage::kWorkerStart : Stage::kReceive;
  const auto made = [&](const std::optional<Fetch>& fetch) {
    return wait.brought_none ? std::nullopt : fetch;
  };
  if (!awaited) {
    AddTransfer(part, worker, made(worker.LastEndedBy(wait.range.begin_ns)), rest, sums);
    return;
  }
  const TimeSpan before = Overlap(part, {part.begin_ns, awaited->range.begin_ns});
  const TimeSpan during = Overlap(part, awaited->range);
  const bool was_starting = !worker.StartedBefore(awaited->range.begin_ns);
  sums[was_starting ? Stage::kWorkerStart : rest] += before.dur_ns();
  AddFetchStages(*awaited, during, sums);
  AddTransfer(Overlap(part, {awaited->range.end_ns, part.end_ns}), worker, made(awaited), rest,
              sums);
}

}  // namespace steptrace::analyze
