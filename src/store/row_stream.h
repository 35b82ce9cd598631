// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/run_reader.h"

namespace steptrace::store {

// Hands the wanted rows on part by part, as they lie in the files: by time within a segment, in the
// order of writing within a journal, parts in no order. Bounded memory: at most one part. Texts are
// in run.strings(). `take` may end the stream early by returning an error. Fails when the writer
// moved the rows meanwhile: refresh the run and begin again.
template <class Row>
Status StreamRows(RunReader& run, const ReadOptions& options,
                  const std::function<Status(std::vector<Row>&&)>& take);

// Hands all wanted rows on batch by batch, in bounded memory whatever became of the run; those of a
// closed one by time within a part. `begin` is called before the first, and once more where the run
// was closed meanwhile and all of them come again.
template <class Row>
Status StreamTable(RunReader& run, const ReadOptions& options, const std::function<void()>& begin,
                   const std::function<void(std::span<const Row>)>& take);

// What files hold the tables' rows, and how much of each: equal texts, equal rows.
std::string PartsText(const RunReader& run, std::span<const char* const> tables);

// Rows of the table's parts that may hold what is asked for, journals left out: an upper bound of
// what reading them costs.
int64_t SegmentRows(const RunReader& run, const std::string& table, const ReadOptions& options);

}  // namespace steptrace::store
