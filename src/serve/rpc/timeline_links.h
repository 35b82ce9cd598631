// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "store/tables.h"

// Which rows of a time range are linked; private to rpc.
namespace steptrace::rpc {

// What joins two slices.
enum class LinkKind : uint8_t { kLaunch, kFlow, kCollective };

constexpr const char* NameOf(LinkKind kind) {  // as answers say it
  constexpr const char* kNames[] = {"launch", "flow", "collective"};
  return kNames[static_cast<size_t>(kind)];
}

// Where an arrow begins or ends.
struct LinkEnd {
  int32_t track = 0;
  int32_t lane = 0;
  int64_t ns = 0;
};

// Joins rows: each key's first row by time is where its arrows begin.
class LinkedRows {
 public:
  using PairFilter = std::function<bool(const store::SliceRow& from, const store::SliceRow& to)>;
  // Of what is not drawn: none. `at_end`: where the row ends, not where it begins.
  using EndOf = std::function<std::optional<LinkEnd>(const store::SliceRow& row, bool at_end)>;
  using Take = std::function<void(const LinkEnd& from, const LinkEnd& to, LinkKind kind)>;

  struct LinkRequest {
    size_t limit = 0;   // of arrows
    PairFilter wanted;  // none: all of them
    EndOf end_of;
    Take take;
  };

  void Add(const store::SliceRow& row);

  // Time linear in rows and arrows, whatever ids the rows have, where all are wanted: of one flow's
  // rows any two may be joined, so a file of a megabyte can ask for 10^10 arrows.
  void Join(const LinkRequest& ask);

 private:
  using Rows = std::vector<store::SliceRow>;
  enum class Shape { kFan, kRanks };

  void Chain(Rows& rows, LinkKind kind, Shape shape, const LinkRequest& ask);
  void Cross(const Rows& from, const Rows& to, const LinkRequest& ask);
  bool Full(const LinkRequest& ask) const { return taken_ >= ask.limit; }

  size_t taken_ = 0;
  std::map<std::tuple<int32_t, int64_t>, Rows> launches_;
  std::map<std::tuple<int32_t, int64_t>, std::pair<Rows, Rows>> flows_;
  std::map<std::tuple<int64_t, int64_t, int32_t>, Rows> collectives_;
};

}  // namespace steptrace::rpc
