// SPDX-License-Identifier: Apache-2.0
#include "import/formats/nsight/file_rows.h"

#include <limits>

namespace steptrace::import::nsight {
namespace {

// Beyond, sums of two times would overflow.
constexpr int64_t kMostNs = std::numeric_limits<int64_t>::max() / 4;
constexpr int64_t kRowsBetweenStops = 4096;  // some milliseconds

// What devices did, without which nothing is known of the host either: it waits for them.
bool IsOfDevice(std::string_view table) {
  for (const std::string_view kind : {"KERNEL", "GRAPH_TRACE", "MEMCPY", "MEMSET"}) {
    if (table.starts_with("CUPTI_ACTIVITY_KIND_") && table.ends_with(kind)) return true;
  }
  return false;
}

}  // namespace

std::optional<Times> TimesOf(const Cursor& row, FileRows& rows, int begin, int end) {
  const auto from = row.Integer(begin);
  const auto to = row.Integer(end);
  if (!from || *from < -kMostNs || *from > kMostNs) {
    ++rows.lost[LossCause::kBadTimestamp];
    return std::nullopt;
  }
  if (!to) {
    ++rows.lost[LossCause::kAbsentDuration];
    return std::nullopt;
  }
  if (*to < *from || *to > kMostNs) {
    ++rows.lost[*to < *from ? LossCause::kNegativeDuration : LossCause::kBadDuration];
    return std::nullopt;
  }
  return Times{*from, *to - *from};
}

Status Put(const RowPlace& place, Slice slice, FileRows& rows) {
  if (place.track < 0) return {};  // there are too many: said once, where the track was refused
  slice.track = place.track;
  ++rows.events;
  return place.part->Append(slice);
}

Status ForEachRow(std::string_view table, std::span<const char* const> columns, size_t needed,
                  FileRows& rows, const std::function<Status(const Cursor&)>& take) {
  auto selected = rows.database.Select(table, columns, needed);
  const auto damaged = [&](const Error& error) {
    const std::string said = std::string(table) + ": " + error.cause;
    if (rows.damage.empty()) rows.damage = said;
    if (rows.damaged_device.empty() && IsOfDevice(table)) rows.damaged_device = said;
  };
  if (!selected.ok()) {
    damaged(selected.error());
    return {};
  }
  if (!*selected) return {};
  Cursor& row = **selected;
  for (int64_t count = 0;; ++count) {
    if (rows.stopped && count % kRowsBetweenStops == 0 && rows.stopped()) return Error{"stopped"};
    const auto more = row.Next();
    if (!more.ok()) {
      damaged(more.error());
      return {};
    }
    if (!*more) return {};
    STEPTRACE_RETURN_IF_ERROR(take(row));
  }
}

}  // namespace steptrace::import::nsight
