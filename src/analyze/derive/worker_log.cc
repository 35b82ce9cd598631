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
constexpr uint64_t kNeverFetched = std::numeric_limits<uint64_t>::max();

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

// Calls visit(range, the range of the fetch before if one is known) for each fetch that may overlap
// `part`.
template <class Visit>
void WorkerLog::VisitFetches(TimeSpan part, Visit visit) const {
  std::optional<TimeSpan> before;
  if (const auto last = LastEndedBy(part.begin_ns)) before = last->range;
  for (size_t i = EndedBy(part.begin_ns) - forgotten_; i < fetches_.size(); ++i) {
    if (fetches_[i].range.begin_ns >= part.end_ns) break;
    visit(fetches_[i].range, before);
    before = fetches_[i].range;
  }
  if (open_begin_ns_) visit(TimeSpan{*open_begin_ns_, kNotYet}, before);
}

int64_t WorkerLog::SaturatedNs(TimeSpan part) const {
  int64_t saturated_ns = 0;
  VisitFetches(part, [&](TimeSpan fetch, const std::optional<TimeSpan>& before) {
    // A worker that had to wait for work is not what the training waits for.
    const bool at_once =
        before && (fetch.begin_ns - before->end_ns) * kIdleParts <= before->dur_ns();
    if (at_once) saturated_ns += Overlap(part, fetch).dur_ns();
  });
  return saturated_ns;
}

int64_t WorkerLog::FetchingNs(TimeSpan part) const {
  int64_t fetching_ns = 0;
  VisitFetches(part, [&](TimeSpan fetch, const std::optional<TimeSpan>&) {
    fetching_ns += Overlap(part, fetch).dur_ns();
  });
  return fetching_ns;
}

void WorkerLog::SendBegan(int64_t begin_ns, uint64_t pickle_cpu_ns) {
  if (!first_send_ns_) first_send_ns_ = begin_ns;
  last_ns_ = std::max(last_ns_, begin_ns);
  if (sends_.size() == kMaxSends) sends_.pop_front();
  sends_.push_back({begin_ns, pickle_cpu_ns});
}

void WorkerLog::MatchSends(int64_t ts_ns) {
  while (!sends_.empty() && sends_.front().begin_ns <= ts_ns) {
    const Send send = sends_.front();
    sends_.pop_front();
    sent_ = std::max(sent_, forgotten_);
    const auto next = static_cast<size_t>(sent_ - forgotten_);
    if (next >= fetches_.size() || fetches_[next].range.end_ns > send.begin_ns) continue;
    fetches_[next].sent_from_ns = send.begin_ns;
    fetches_[next].pickle_cpu_ns = send.pickle_cpu_ns;
    ++sent_;
  }
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

Awaited WorkerLog::AwaitedOf(const BatchWait& wait, std::optional<Fetch> making,
                             uint64_t made) const {
  Awaited said{.making = making,
               .made = {},
               .tells_sends = first_send_ns_ && *first_send_ns_ <= wait.range.end_ns};
  if (said.making) {
    said.made = said.making;
  } else if (made >= forgotten_ && made - forgotten_ < fetches_.size()) {
    const Fetch& fetch = fetches_[static_cast<size_t>(made - forgotten_)];
    // One sent unheard is as good as forgotten, which it may be by now.
    if (made >= sent_ || fetch.sent_from_ns >= 0) said.made = fetch;
  }
  return said;
}

// A batch that came was made, and was sent, heard of or not.
void WorkerLog::Took(const BatchWait& wait) {
  if (wait.cut_off) return;
  taken_ = std::min(taken_ + 1, std::max(EndedBy(wait.range.end_ns), forgotten_));
  if (!wait.brought_none) sent_ = std::max(sent_, taken_);
}

Awaited WorkerLog::Await(const BatchWait& wait) {
  if (wait.iterator_life > iterator_life_) BeginIterator(wait);
  last_ns_ = std::max(last_ns_, wait.range.end_ns);
  MatchSends(wait.range.end_ns);
  const uint64_t ended = EndedBy(wait.range.begin_ns);
  // With nothing in the queue it cannot have been there: the count is wrong, as it is once a batch
  // that came out of order was taken without a word of its worker.
  if (wait.queue_depth == 0) taken_ = std::max(taken_, ended);
  const uint64_t asked = taken_;
  if (ended > asked) {
    const Awaited said = AwaitedOf(wait, {}, asked);
    Took(wait);
    return said;
  }
  Took(wait);
  const size_t next = static_cast<size_t>(ended - forgotten_);
  const bool ended_later = next < fetches_.size();
  if (ended_later && fetches_[next].range.end_ns <= wait.range.end_ns) {
    return AwaitedOf(wait, fetches_[next], asked);
  }
  // A batch that came had been fetched before; one that did not may still have been in the making.
  if (!wait.cut_off) return AwaitedOf(wait, {}, kNeverFetched);
  if (ended_later) {
    return AwaitedOf(wait, Fetch{.range = {fetches_[next].range.begin_ns, kNotYet}}, asked);
  }
  if (open_begin_ns_) return AwaitedOf(wait, Fetch{.range = {*open_begin_ns_, kNotYet}}, asked);
  return AwaitedOf(wait, {}, kNeverFetched);
}

void WorkerLog::Forget(int64_t ts_ns, std::span<const int64_t> primed_ns) {
  MatchSends(ts_ns - 1);
  // A batch that was fetched and not sent will be asked for: when it is sent decides.
  size_t count = 0;
  const auto done = [&](size_t i) {
    return forgotten_ + i < sent_ || fetches_.size() - i > kMaxUnsent;
  };
  while (count < fetches_.size() && fetches_[count].range.end_ns < ts_ns && done(count)) ++count;
  std::erase_if(forgotten_since_, [&](const auto& entry) {
    return std::find(primed_ns.begin(), primed_ns.end(), entry.first) == primed_ns.end();
  });
  for (const int64_t since_ns : primed_ns) {
    const uint64_t ended_by = EndedBy(since_ns);
    if (since_ns >= ts_ns || forgotten_ + count <= ended_by) continue;
    const uint64_t fetches = forgotten_ + count - ended_by;
    const auto known = std::find_if(forgotten_since_.begin(), forgotten_since_.end(),
                                    [&](const auto& entry) { return entry.first == since_ns; });
    if (known != forgotten_since_.end()) {
      known->second += fetches;
    } else {
      forgotten_since_.emplace_back(since_ns, fetches);
    }
  }
  while (count-- > 0) ForgetFirst();
}

namespace {

// A part of a wait in which the batch of `made` was made and not here. Of it the worker was for
// `held_up_ns` at its next fetch, which keeps the interpreter busy that the sending thread needs:
// such time is shared out like the fetch of `made`. For `short_ns` the training thread could have
// taken the batch and had no core. The rest is receiving.
void AddTransfer(TimeSpan part, int64_t held_up_ns, int64_t short_ns,
                 const std::optional<Fetch>& made, Stage rest, PhaseSums& sums) {
  if (part.dur_ns() <= 0) return;
  const int64_t held_ns = made ? std::min(held_up_ns, part.dur_ns()) : 0;
  const int64_t without_core_ns = std::min(short_ns, part.dur_ns() - held_ns);
  sums[Stage::kCpuShortage] += without_core_ns;
  sums[rest] += part.dur_ns() - held_ns - without_core_ns;
  if (held_ns == 0) return;
  const int64_t collate_ns =
      Prorate(held_ns, static_cast<uint64_t>(made->collate.dur_ns()), made->range.dur_ns());
  AddFetchStages(*made, held_ns - collate_ns, collate_ns, sums);
}

// When the batch of `made` would have been in the pipe had its worker's sending thread worked on
// nothing but it: what it took to make the message lies between that and the send.
int64_t SendableNs(const Fetch& made) {
  if (made.sent_from_ns < 0) return kNotYet;
  const int64_t between_ns = made.sent_from_ns - made.range.end_ns;
  return made.sent_from_ns - Prorate(between_ns, made.pickle_cpu_ns, between_ns);
}

// What lies behind the fetch that made the awaited batch, or the whole wait if that is not known.
TimeSpan BehindFetch(const BatchWait& wait, const std::optional<Fetch>& made) {
  return made ? Overlap(wait.range, {made->range.end_ns, kNotYet}) : wait.range;
}

// How much of the worker's fetching in what lies behind the awaited fetch held the batch up: at
// most the time in which neither did the training thread run, which took the batch, nor the sending
// thread, which made a message of it. Both need the worker's interpreter: to send, and to hand over
// the memory of tensors when the training thread asks for it.
int64_t HeldUpNs(const BatchWait& wait, const Awaited& awaited, int64_t fetching_ns) {
  const TimeSpan behind = BehindFetch(wait, awaited.made);
  int64_t idle_ns = behind.dur_ns();
  if (awaited.made && awaited.made->sent_from_ns >= 0) {
    idle_ns -= Overlap(behind, {SendableNs(*awaited.made), awaited.made->sent_from_ns}).dur_ns();
  }
  for (const uint64_t ns : {wait.cpu_ns, wait.run_queue_ns}) {
    idle_ns -= static_cast<int64_t>(std::min(ns, static_cast<uint64_t>(idle_ns)));
  }
  return std::min(idle_ns, fetching_ns);
}

// `part` lies behind the fetch that made the awaited batch.
void AddSending(TimeSpan part, const BatchWait& wait, const WorkerLog& worker,
                const Awaited& awaited, Stage rest, PhaseSums& sums) {
  if (part.dur_ns() <= 0) return;
  const std::optional<Fetch>& made = awaited.made;
  const auto like = awaited.making ? made : worker.LastEndedBy(wait.range.begin_ns);
  // Without a word of sends, a training thread that cannot keep up is known by workers with nothing
  // to fetch: one that went on without a pause is what is waited for.
  const auto fetching_ns = [&](TimeSpan of) {
    return awaited.tells_sends ? worker.FetchingNs(of) : worker.SaturatedNs(of);
  };
  const TimeSpan behind = BehindFetch(wait, made);
  const int64_t short_ns = Prorate(part.dur_ns(), wait.run_queue_ns, behind.dur_ns());
  int64_t held_up_ns = 0;
  if (wait.cpu_ns != 0) {
    const int64_t all_ns = fetching_ns(behind);
    held_up_ns =
        Prorate(HeldUpNs(wait, awaited, all_ns), static_cast<uint64_t>(fetching_ns(part)), all_ns);
  } else if (awaited.tells_sends && (!made || made->sent_from_ns >= 0 || wait.cut_off)) {
    const int64_t until_ns = made ? SendableNs(*made) : part.begin_ns;
    held_up_ns = worker.FetchingNs(Overlap(part, {part.begin_ns, until_ns}));
  } else {
    held_up_ns = worker.SaturatedNs(part);
  }
  AddTransfer(part, held_up_ns, short_ns, like, rest, sums);
}

}  // namespace

void AddWaitStages(const BatchWait& wait, TimeSpan part, const WorkerLog& worker,
                   const Awaited& awaited, PhaseSums& sums) {
  if (wait.arrived) {
    sums[Stage::kReceive] += part.dur_ns();
    return;
  }
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
  const auto add_rest = [&](TimeSpan behind) {
    if (wait.brought_none) {
      sums[rest] += behind.dur_ns();
    } else {
      AddSending(behind, wait, worker, awaited, rest, sums);
    }
  };
  if (!awaited.making) return add_rest(part);
  const TimeSpan fetch = awaited.making->range;
  const bool was_starting = !worker.StartedBefore(fetch.begin_ns);
  sums[was_starting ? Stage::kWorkerStart : rest] +=
      Overlap(part, {part.begin_ns, fetch.begin_ns}).dur_ns();
  AddFetchStages(*awaited.making, Overlap(part, fetch), sums);
  add_rest(Overlap(part, {fetch.end_ns, part.end_ns}));
}

}  // namespace steptrace::analyze
