// SPDX-License-Identifier: Apache-2.0
// Of a TraceReader: what was lost, and the words for it.
#include <array>
#include <cstdint>
#include <string_view>

#include "import/kineto/trace_reader.h"

namespace steptrace::import {
namespace {

struct LossText {
  std::string_view cause;
  std::string_view table;
  std::string_view detail;
};
constexpr std::array<LossText, 13> kLossTexts = {
    LossText{"zero_timestamp", "slices", "events with ts 0 have no time; they are left out"},
    {"bad_timestamp", "slices", "events whose ts is absent, no number or too large are left out"},
    {"negative_duration", "slices", "events with a negative dur are kept with 0"},
    {"absent_duration", "slices", "complete events without a dur are kept with 0"},
    {"bad_duration", "slices",
     "complete events whose dur is no number, or over 73 years, are kept with 0"},
    {"begin_without_end", "slices", "ranges that were begun and not ended are left out"},
    {"end_without_begin", "slices", "ends of ranges that were not begun are left out"},
    {"not_a_number", "slices", "NaN, Infinity, N/A and the like among arguments became null"},
    {"invalid_utf8", "slices", "texts that are no UTF-8 have U+FFFD in place of the wrong bytes"},
    {"name_too_long", "tracks",
     "names of counters, or of their series, of more than 1024 bytes are cut"},
    {"unsupported_event", "slices", "no slices, instants, counters or flows: left out"},
    {"bad_memory_event", "memory",
     "[memory] events without Bytes, or with over 2^60, are left out"},
    {"bad_counter", "counters", "counters whose value is no number are left out"}};

}  // namespace

// Each text counts once, as far as a bounded list tells.
void TraceReader::NoteBadText(uint64_t hash) {
  constexpr size_t kMostBadTexts = 1 << 16;
  if (bad_texts_.size() < kMostBadTexts) {
    bad_texts_.insert(hash);
  } else if (!bad_texts_.contains(hash)) {
    ++lost_["invalid_utf8"];
  }
}

int64_t TraceReader::without_time() const {
  int64_t count = 0;
  for (const char* cause : {"bad_timestamp", "zero_timestamp"}) {
    if (const auto found = lost_.find(cause); found != lost_.end()) count += found->second;
  }
  return count;
}

void TraceReader::TellLosses() {
  for (const LossText& loss : kLossTexts) {
    auto found = lost_.find(loss.cause);
    if (found != lost_.end()) sink_.Loss(loss.table, loss.cause, found->second, loss.detail);
  }
}

}  // namespace steptrace::import
