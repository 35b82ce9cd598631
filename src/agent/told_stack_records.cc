// SPDX-License-Identifier: Apache-2.0
#include "agent/record_converter.h"
#include "wire/vocabulary.h"

namespace steptrace::agent {

void RecordConverter::OnStack(const wire::Record& record, int64_t ts, RowBatch& out) {
  const uint64_t tid = record.b & ~wire::kStackRuns;
  if (record.a > UINT32_MAX || tid > INT32_MAX) {
    ++invalid_records_;
    return;
  }
  out.stacks.push_back({ts, static_cast<uint32_t>(record.a), static_cast<int32_t>(tid),
                        (record.b & wire::kStackRuns) != 0});
}

}  // namespace steptrace::agent
