// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/finding.h"
#include "store/loss_causes.h"
#include "store/tables.h"

namespace steptrace::agent {

using store::LossCause;

// What is lost for a cause: rows of the table that the cause is about first, unless another is
// named.
struct Loss {
  Loss(LossCause of) : Loss(of, store::FirstTableOf(of)) {}  // implicit: mostly the cause says it
  Loss(LossCause of, std::string_view rows_of) : cause(of), table(rows_of) {}

  LossCause cause;
  std::string_view table;
};

// Who lost something.
struct LossSubject {
  int32_t rank = -1;
  int32_t pid = 0;  // 0: nobody in particular
};

// Turns growing counts of loss into rows: each row tells what was added in one time range.
// At first a row a second at most for one subject and cause, later one a minute, so that a loss
// that never ends does not fill the table. Passive, one thread.
class LossBook {
 public:
  LossBook(int32_t node, store::StringTable& strings) : node_(node), strings_(strings) {}

  // The count of that process and cause so far. It never falls; 0 is no loss. Another rank than
  // before is a better guess about the same process.
  void Set(const LossSubject& subject, const Loss& loss, int64_t count, int64_t now_ns);
  void Add(const LossSubject& subject, const Loss& loss, int64_t count, int64_t now_ns);
  // A loss that happens once; -1: not countable.
  void Once(const LossSubject& subject, const Loss& loss, int64_t count, int64_t now_ns,
            const model::Finding& what);
  // With a sentence that somebody else made; empty: that of the cause.
  void Once(const LossSubject& subject, const Loss& loss, int64_t count, int64_t now_ns,
            const std::string& detail);

  // The process is gone: its counts stand, and the pid is free for another.
  void EndProcess(int32_t pid);

  // The rows that are due; at the end (`all`) whatever is left.
  std::vector<store::DataLossRow> TakeRows(int64_t now_ns, bool all);

 private:
  struct Entry {
    Loss loss{LossCause{}};
    int32_t rank = -1;
    int64_t count = 0;
    int64_t reported = 0;
    int64_t from_ns = 0;  // of what was not reported yet
    int64_t to_ns = 0;
    int64_t next_due_ns = 0;
    int rows = 0;
  };
  // Processes by pid, what belongs to none by rank.
  using Key = std::tuple<int32_t, int32_t, LossCause>;
  static Key KeyOf(const LossSubject& subject, const Loss& loss);
  store::DataLossRow MakeRow(const LossSubject& subject, const Loss& loss);
  store::DataLossRow RowOf(const Key& key, const Entry& entry);

  int32_t node_;
  store::StringTable& strings_;
  std::map<Key, Entry> entries_;
  std::vector<store::DataLossRow> once_;
  std::vector<store::DataLossRow> ended_;  // of processes that are gone
};

}  // namespace steptrace::agent
