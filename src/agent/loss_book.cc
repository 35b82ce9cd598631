// SPDX-License-Identifier: Apache-2.0
#include "agent/loss_book.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/time.h"

namespace steptrace::agent {
namespace {

constexpr int kRowsAtFullRate = 60;
constexpr int64_t kFirstGapNs = kNsPerSecond;
constexpr int64_t kLaterGapNs = 60 * kNsPerSecond;
// Hostile or unlucky: that many sentences say it all.
constexpr size_t kMaxOnceRows = 10'000;

}  // namespace

void LossBook::Set(const LossSubject& subject, const LossCause& cause, int64_t count,
                   int64_t now_ns) {
  if (count <= 0) return;
  auto [found, added] = entries_.try_emplace({subject.rank, subject.pid, cause.cause});
  Entry& entry = found->second;
  if (added) {
    entry.cause = cause;
    entry.from_ns = now_ns;
  }
  if (count <= entry.count) {
    if (entry.told == entry.count) entry.from_ns = now_ns;
    return;
  }
  entry.count = count;
  entry.to_ns = now_ns;
}

void LossBook::Add(const LossSubject& subject, const LossCause& cause, int64_t count,
                   int64_t now_ns) {
  auto found = entries_.find({subject.rank, subject.pid, cause.cause});
  const int64_t before = found == entries_.end() ? 0 : found->second.count;
  Set(subject, cause, before + count, now_ns);
}

void LossBook::Once(const LossSubject& subject, const LossCause& cause, int64_t count,
                    int64_t now_ns, const std::string& detail) {
  if (once_.size() >= kMaxOnceRows) return;
  store::LossRow row = MakeRow(subject, cause);
  row.count = count;
  row.from_ns = now_ns;
  row.detail = detail.empty() ? cause.detail : detail;
  once_.push_back(std::move(row));
}

std::vector<store::LossRow> LossBook::TakeRows(int64_t now_ns, bool all) {
  std::vector<store::LossRow> rows = std::exchange(once_, {});
  for (auto& [key, entry] : entries_) {
    if (entry.count == entry.told || (!all && now_ns < entry.next_due_ns)) continue;
    store::LossRow row = MakeRow({std::get<0>(key), std::get<1>(key)}, entry.cause);
    row.count = entry.count - entry.told;
    row.from_ns = entry.from_ns;
    row.to_ns = entry.to_ns;
    row.detail = entry.cause.detail;
    rows.push_back(std::move(row));
    entry.told = entry.count;
    entry.from_ns = entry.to_ns;
    entry.next_due_ns = now_ns + (++entry.rows < kRowsAtFullRate ? kFirstGapNs : kLaterGapNs);
  }
  return rows;
}

store::LossRow LossBook::MakeRow(const LossSubject& subject, const LossCause& cause) {
  store::LossRow row;
  row.node = node_;
  row.rank = subject.rank;
  if (subject.pid != 0) row.pid = subject.pid;
  row.table = strings_.Intern(cause.table);
  row.cause = strings_.Intern(cause.cause);
  return row;
}

}  // namespace steptrace::agent
