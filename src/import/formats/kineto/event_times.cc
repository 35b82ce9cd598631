// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/event_times.h"

#include "import/formats/kineto/decimal.h"

namespace steptrace::import::kineto {
namespace {

// Times since 1970 lie in between: 2001 to 2096.
constexpr int64_t kUtcFromNs = 1'000'000'000 * kNsPerSecond;
constexpr int64_t kUtcToNs = 4'000'000'000 * kNsPerSecond;

}  // namespace

bool EventTimes::Of(const RawEvent& event, int64_t* ns) {
  constexpr int64_t kMostNs = int64_t{1} << 62;  // room for a duration behind it
  bool sound = event.ts && event.ts.kind != json::Value::Kind::kNested &&
               ParseMicroseconds(event.ts.text, ns);
  if (!sound || *ns >= kMostNs || *ns <= -kMostNs) {
    ++lost_[LossCause::kBadTimestamp];
    return false;
  }
  if (*ns == 0 && reads_ == Reads::kPiece) {  // whether that is a time is told by those before
    refused_ = true;
    return false;
  }
  if (*ns != 0 && first_ns_ == 0) first_ns_ = *ns;
  return true;
}

int64_t EventTimes::DurationOf(const RawEvent& event) {
  int64_t ns = 0;
  const bool timed = event.dur && event.dur.kind != json::Value::Kind::kNested &&
                     ParseMicroseconds(event.dur.text, &ns);
  constexpr int64_t kMostNs = int64_t{1} << 61;
  if (!timed || ns > kMostNs) {
    ++lost_[event.dur ? LossCause::kBadDuration : LossCause::kAbsentDuration];
    return 0;
  }
  if (ns >= 0) return ns;
  ++lost_[LossCause::kNegativeDuration];
  return 0;
}

bool EventTimes::counts_from_1970() const {
  return first_ns_ >= kUtcFromNs && first_ns_ < kUtcToNs;
}

int64_t EventTimes::left_out() const {
  int64_t count = 0;
  for (const LossCause cause : {LossCause::kBadTimestamp, LossCause::kZeroTimestamp}) {
    if (const auto found = lost_.find(cause); found != lost_.end()) count += found->second;
  }
  return count;
}

}  // namespace steptrace::import::kineto
