// SPDX-License-Identifier: Apache-2.0
#include "import/formats/nsight/file_rows.h"

#include <limits>

namespace steptrace::import::nsight {
namespace {

// Beyond, sums of two times would overflow.
constexpr int64_t kMostNs = std::numeric_limits<int64_t>::max() / 4;

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

Status Put(const Place& place, Slice slice, FileRows& rows) {
  if (place.track < 0) return {};  // there are too many: said once, where the track was refused
  slice.track = place.track;
  ++rows.events;
  return place.part->Append(slice);
}

Status ForEachRow(std::string_view table, std::span<const char* const> columns, size_t needed,
                  FileRows& rows, const std::function<Status(const Cursor&)>& take) {
  auto selected = rows.database.Select(table, columns, needed);
  const auto damaged = [&](const Error& error) {
    ++rows.lost[LossCause::kFileDamaged];
    if (rows.damage.empty()) rows.damage = std::string(table) + ": " + error.cause;
  };
  if (!selected.ok()) {
    damaged(selected.error());
    return {};
  }
  if (!*selected) return {};
  Cursor& row = **selected;
  while (true) {
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
