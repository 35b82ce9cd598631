// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/sink_share.h"

#include <utility>

namespace steptrace::import {
namespace {

constexpr std::string_view kTextPlaceholder = "(text left out)";

}  // namespace

CachedText InternInRun(SinkShare& share, std::string_view text) {
  std::lock_guard lock(share.mutex);
  store::StringId id{};
  if (!share.strings.Find(text, &id)) {
    if (share.text_bytes > share.limits.max_text_bytes) {
      AddLoss(share.losses, "slices", LossCause::kTextLimit, 1);
      return {0, {}, share.strings.Intern(kTextPlaceholder)};
    }
    id = share.strings.Intern(text);
    share.text_bytes += static_cast<int64_t>(text.size()) + 96;  // and what is kept beside it
  }
  return {0, share.strings.Text(id), id};
}

void SpillEnded(SinkShare& share) {
  auto note = [&](const Status& spilled) {
    if (!spilled.ok() && share.failed.ok()) share.failed = spilled;
  };
  if (share.ended.bytes >= share.ended_bytes()) {
    for (Part* part : std::exchange(share.ended, {}).parts) {
      note(part->slices.Spill(share.spill));
      part->row_bytes = 0;
    }
  }
  if (share.ended_others.bytes >= SinkShare::OfOthers(share.ended_bytes())) {
    for (Part* part : std::exchange(share.ended_others, {}).parts) {
      note(SpillOthers(*part, share.spill));
      TrimOthers(*part);
    }
  }
}

}  // namespace steptrace::import
