// SPDX-License-Identifier: Apache-2.0
#include "agent/rows/loss_book.h"

#include <algorithm>
#include <utility>

#include "agent/rows/finding_row.h"
#include "base/time.h"
#include "base/utf8.h"
#include "present/words/finding_sentence.h"

namespace steptrace::agent {
namespace {

constexpr int kRowsAtFullRate = 60;
constexpr int64_t kFirstGapNs = kNsPerSecond;
constexpr int64_t kLaterGapNs = 60 * kNsPerSecond;
// Hostile or unlucky: that many sentences say it all.
constexpr size_t kMaxOnceRows = 10'000;

}  // namespace

LossBook::Key LossBook::KeyOf(const LossSubject& subject, const Loss& loss) {
  return {subject.pid, subject.pid == 0 ? subject.rank : -1, loss.cause};
}

void LossBook::Set(const LossSubject& subject, const Loss& loss, int64_t count, int64_t now_ns) {
  if (count <= 0) return;
  auto [found, added] = entries_.try_emplace(KeyOf(subject, loss));
  Entry& entry = found->second;
  if (added) {
    entry.loss = loss;
    entry.from_ns = now_ns;
  }
  entry.rank = subject.rank;
  if (count <= entry.count) {
    if (entry.reported == entry.count) entry.from_ns = now_ns;
    return;
  }
  entry.count = count;
  entry.to_ns = now_ns;
}

void LossBook::Add(const LossSubject& subject, const Loss& loss, int64_t count, int64_t now_ns) {
  auto found = entries_.find(KeyOf(subject, loss));
  const int64_t before = found == entries_.end() ? 0 : found->second.count;
  Set(subject, loss, before + count, now_ns);
}

void LossBook::EndProcess(int32_t pid) {
  auto entry = entries_.lower_bound({pid, INT32_MIN, LossCause{}});
  while (entry != entries_.end() && std::get<0>(entry->first) == pid) {
    if (entry->second.count != entry->second.reported) {
      ended_.push_back(RowOf(entry->first, entry->second));
    }
    entry = entries_.erase(entry);
  }
}

void LossBook::Once(const LossSubject& subject, const Loss& loss, int64_t count, int64_t now_ns,
                    const model::Finding& what) {
  const size_t before = once_.size();
  Once(subject, loss, count, now_ns, CleanUtf8(present::SentenceOf(what).text));
  if (once_.size() > before) once_.back().evidence = EvidenceText(what);
}

void LossBook::Once(const LossSubject& subject, const Loss& loss, int64_t count, int64_t now_ns,
                    const std::string& detail) {
  if (once_.size() >= kMaxOnceRows) return;
  store::DataLossRow row = MakeRow(subject, loss);
  row.count = count;
  row.from_ns = now_ns;
  row.detail = detail.empty() ? std::string(store::DetailOf(loss.cause)) : detail;
  once_.push_back(std::move(row));
}

std::vector<store::DataLossRow> LossBook::TakeRows(int64_t now_ns, bool all) {
  std::vector<store::DataLossRow> rows = std::exchange(once_, {});
  rows.insert(rows.end(), ended_.begin(), ended_.end());
  ended_.clear();
  for (auto& [key, entry] : entries_) {
    if (entry.count == entry.reported || (!all && now_ns < entry.next_due_ns)) continue;
    rows.push_back(RowOf(key, entry));
    entry.reported = entry.count;
    entry.from_ns = entry.to_ns;
    entry.next_due_ns = now_ns + (++entry.rows < kRowsAtFullRate ? kFirstGapNs : kLaterGapNs);
  }
  return rows;
}

store::DataLossRow LossBook::RowOf(const Key& key, const Entry& entry) {
  store::DataLossRow row = MakeRow({entry.rank, std::get<0>(key)}, entry.loss);
  row.count = entry.count - entry.reported;
  row.from_ns = entry.from_ns;
  row.to_ns = entry.to_ns;
  row.detail = store::DetailOf(entry.loss.cause);
  return row;
}

store::DataLossRow LossBook::MakeRow(const LossSubject& subject, const Loss& loss) {
  store::DataLossRow row;
  row.node = node_;
  row.rank = subject.rank;
  if (subject.pid != 0) row.pid = subject.pid;
  row.table = strings_.Intern(loss.table);
  row.cause = strings_.Intern(NameOf(loss.cause));
  return row;
}

}  // namespace steptrace::agent
