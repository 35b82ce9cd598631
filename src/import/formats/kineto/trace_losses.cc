// SPDX-License-Identifier: Apache-2.0
// Of a TraceReader: what was lost, and the words for it.
#include <array>
#include <cstdint>
#include <string_view>

#include "import/formats/kineto/trace_reader.h"

namespace steptrace::import::kineto {
namespace {

constexpr std::array<LossText, 13> kLossTexts = {
    LossText{LossCause::kZeroTimestamp, "slices",
             "events with ts 0 have no time; they are left out"},
    {LossCause::kBadTimestamp, "slices",
     "events whose ts is absent, no number or too large are left out"},
    {LossCause::kNegativeDuration, "slices", "events with a negative dur are kept with 0"},
    {LossCause::kAbsentDuration, "slices", "complete events without a dur are kept with 0"},
    {LossCause::kBadDuration, "slices",
     "complete events whose dur is no number, or over 73 years, are kept with 0"},
    {LossCause::kBeginWithoutEnd, "slices", "ranges that were begun and not ended are left out"},
    {LossCause::kEndWithoutBegin, "slices", "ends of ranges that were not begun are left out"},
    {LossCause::kNotANumber, "slices",
     "NaN, Infinity, N/A and the like among arguments became null"},
    {LossCause::kInvalidUtf8, "slices",
     "texts that are no UTF-8 have U+FFFD in place of the wrong bytes"},
    {LossCause::kNameTooLong, "tracks",
     "names of counters, or of their series, of more than 1024 bytes are cut"},
    {LossCause::kUnsupportedEvent, "slices", "no slices, instants, counters or flows: left out"},
    {LossCause::kBadMemoryEvent, "memory",
     "[memory] events without Bytes, or with over 2^60, are left out"},
    {LossCause::kBadCounter, "counters", "counters whose value is no number are left out"}};

}  // namespace

// Each text counts once, as far as a bounded list tells.
void TraceReader::NoteBadText(uint64_t hash) {
  constexpr size_t kMostBadTexts = 1 << 16;
  if (bad_texts_.size() < kMostBadTexts) {
    bad_texts_.insert(hash);
  } else if (!bad_texts_.contains(hash)) {
    ++lost_[LossCause::kInvalidUtf8];
  }
}

int64_t TraceReader::without_time() const {
  int64_t count = 0;
  for (const LossCause cause : {LossCause::kBadTimestamp, LossCause::kZeroTimestamp}) {
    if (const auto found = lost_.find(cause); found != lost_.end()) count += found->second;
  }
  return count;
}

void TraceReader::TellLosses() {
  AddLosses(sink_, kLossTexts, lost_);
}

}  // namespace steptrace::import::kineto
