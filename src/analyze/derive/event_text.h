// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/derive/event.h"
#include "analyze/derive/rank_deriver.h"
#include "base/result.h"

// Events as text, for tests and for looking into a derivation; never part of what ships.
//
//     world_size 2                          # options: world_size, device_backward, order
//     thread 10                             # a process; 10/11: another thread of it; "at 500"
//       repeat 3
//         data it=1 depth=0 worker=20: 100  # a range of 100 µs; "end": it brought StopIteration
//         30                                # 30 µs pass
//         backward cpu=20 rq=5: 50
//         optimizer opt=1                   # a range around what is indented under it
//           10
//       step                                # instants: step, data_end it=1, and in a range data
//                                           # data_from it=1 worker=20
//       die                                 # the process ends here; "until 900": time goes on to
//     ---
//     step kind ts dur data forward         # columns of `steps`, times in µs
//     0    train 0 190 100 30
//
//       window_begin                      # and window_end, lost: instants of a window
//       hooks_aside                       # and hooks_back: between them nothing is said
//
// Ranges: the names of the vocabulary, `comm NAME` for collectives, `user NAME`; in windows `op`,
// an operator that computes, and `node`, one that leads to others. On any of them `lost_begin` and
// `lost_end` leave that event out, `open` too.
namespace steptrace::analyze {

struct EventText {
  struct ProcessEnd {
    int32_t pid;
    int64_t ts_ns;
  };
  RankDeriverOptions options;
  std::vector<std::vector<Event>> threads;
  std::vector<ProcessEnd> ends;
  int64_t end_ns = 0;
  std::vector<std::string> columns;  // of the expectation
  std::vector<std::vector<std::string>> rows;
};

Result<EventText> ParseEventText(std::string_view text, store::StringTable& strings);

// How the events of a text reach the deriver; the rows do not depend on it.
enum class Delivery { kByTime, kAtOnce, kThreadByThread, kWorkersLast, kInBatches };
std::vector<store::StepRow> DeriveText(const EventText& text, Delivery delivery,
                                       store::StringTable& strings);

// A cell of `steps`: the column's name, or the name without _ns for the time in µs.
Result<std::string> CellText(const store::StepRow& row, std::string_view column,
                             const store::StringTable& strings);
// Rows in columns; without columns those that are not 0 everywhere.
std::string RowsText(const std::vector<store::StepRow>& rows, std::vector<std::string> columns,
                     const store::StringTable& strings);

}  // namespace steptrace::analyze
