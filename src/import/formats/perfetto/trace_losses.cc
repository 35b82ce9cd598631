// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "import/formats/perfetto/trace_events.h"

namespace steptrace::import::perfetto {
namespace {

constexpr std::array<LossText, 16> kLossTexts = {
    LossText{LossCause::kDamagedPacket, "slices",
             "packets or events that are no sound protobuf were skipped"},
    {LossCause::kBadTimestamp, "slices",
     "events without a time, or with one beyond all clocks, are left out"},
    {LossCause::kClockNotJoined, "slices",
     "events by a clock that no snapshot joins to the trace's"},
    {LossCause::kNegativeDuration, "slices", "slices that end before they begin are kept with 0"},
    {LossCause::kBeginWithoutEnd, "slices", "slices that were begun and not ended are left out"},
    {LossCause::kEndWithoutBegin, "slices", "ends of slices that were not begun are left out"},
    {LossCause::kLateEvent, "slices",
     "events far behind others of later times: they may be paired wrongly"},
    {LossCause::kInternedTextMissing, "slices",
     "texts given by a number that the writer never told"},
    {LossCause::kTooDeep, "slices", "arguments nested beyond the limit became null: --max-depth"},
    {LossCause::kNotANumber, "slices", "NaN and Infinity among arguments became null"},
    {LossCause::kInvalidUtf8, "slices",
     "texts that are no UTF-8 have U+FFFD in place of the wrong bytes"},
    {LossCause::kUnsupportedEvent, "slices", "no slices, instants, counters or flows: left out"},
    {LossCause::kPacketsDropped, "slices", "the writer says that packets were lost before these"},
    {LossCause::kOtherData, "slices",
     "packets of data sources that are not read (system events, samples)"},
    {LossCause::kBadMemoryEvent, "memory", "[memory] events without Bytes are left out"},
    {LossCause::kMissingMetadata, "run_metadata",
     "device properties or distributedInfo that are no sound JSON, or nested too deep: left out"}};

}  // namespace

void TraceEvents::TellLosses() {
  AddLosses(sink_, kLossTexts, lost_);
}

}  // namespace steptrace::import::perfetto
