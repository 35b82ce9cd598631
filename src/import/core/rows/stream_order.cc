// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/stream_order.h"

#include <algorithm>
#include <utility>

namespace steptrace::import {
namespace {

constexpr int64_t kFew = 100;          // one in so many
constexpr int64_t kFewOfFew = 5;       // where what is late is longer than all the rest
constexpr size_t kMostLate = 1 << 16;  // one in a hundred of more work than a stream has

}  // namespace

// What `before_` holds is late if it ends after the work that follows it.
void StreamOrder::Judge(int64_t next_is_over_ns) {
  if (before_.empty() || now_.empty()) return;
  const int64_t bound_ns = now_.front().ts_ns;
  for (const StreamWork& work : before_) {
    if (work.end_ns - bound_ns <= kClocksErrNs) continue;
    ++beside_;
    if (work.end_ns < next_is_over_ns || late_.size() > kMostLate) continue;
    late_.push_back({work.row, work.ts_ns, work.end_ns, bound_ns, work.name});
    ++names_[work.name].late;
  }
  before_.clear();
}

void StreamOrder::Take(const StreamWork& work) {
  if (given_up_) return;
  if (count_++ == 0) first_ns_ = work.ts_ns;
  last_ns_ = work.ts_ns;
  ++names_[work.name].count;
  if (!now_.empty() && (work.launch == kNull || work.launch != now_.front().launch)) {
    Judge(std::min(now_.front().end_ns, work.ts_ns));
    before_ = std::exchange(now_, {});
  }
  now_.push_back(work);
  if (now_.size() <= kMostOfLaunch) return;
  given_up_ = true;
  before_ = {};
  now_ = {};
  late_ = {};
}

std::vector<StreamOrder::Late> StreamOrder::End() {
  if (!now_.empty()) Judge(now_.front().end_ns);
  return IsInOrder() ? std::move(late_) : std::vector<Late>();
}

bool StreamOrder::IsInOrder() const {
  if (late_.size() > kMostLate) return false;
  const auto longer_than_all = [this](const Late& late) {
    return late.end_ns - late.ts_ns > last_ns_ - first_ns_;
  };
  const bool few =
      beside_ * kFew < count_ ||
      (beside_ * kFewOfFew <= count_ && std::all_of(late_.begin(), late_.end(), longer_than_all));
  return few && std::none_of(names_.begin(), names_.end(), [](const auto& entry) {
           const OfName& name = entry.second;
           return name.count > 1 && name.late * 2 > name.count;
         });
}

}  // namespace steptrace::import
