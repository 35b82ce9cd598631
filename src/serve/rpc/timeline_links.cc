// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/timeline_links.h"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>

#include "base/shallow_json.h"
#include "base/time.h"
#include "serve/rpc/arrow_out.h"
#include "serve/rpc/json_out.h"
#include "serve/rpc/timeline.h"
#include "serve/rpc/timeline_parts.h"
#include "store/all_tables.h"
#include "store/columns_of.h"
#include "store/row_stream.h"
#include "timeline/label_name.h"

// What the index does not hold: arguments of a slice and what it is linked to, read from the run's
// own rows around it.
namespace steptrace::rpc {
namespace {

using Json = nlohmann::ordered_json;

// What a link joins is sought so far around a slice: work is launched this long ahead at most.
constexpr int64_t kNearNs = 2 * kNsPerSecond;
constexpr int64_t kFarNs = 120 * kNsPerSecond;
// Rows that one request may read.
constexpr int64_t kMaxRows = 2'000'000;
// Rows of a time range that are held to be joined.
constexpr int64_t kMaxJoinedRows = 250'000;
constexpr size_t kMaxCorrelated = 64;
constexpr size_t kMaxFrames = 200;

int64_t Plus(int64_t ns, int64_t more) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(ns, more, &sum)) return sum;
  return more > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

// Slices of a lane that begin in the same ns: instants without number may, and each would be
// compared with each.
constexpr uint64_t kMostAtOnce = 1024;

// Names as the index has them, each cut once: of a megabyte each, thousands of rows may have one.
class LabelNames {
 public:
  explicit LabelNames(const store::RunReader& run) : run_(run) {}

  std::string_view Of(store::StringId name) {
    const std::string& text = run_.Text(name);
    if (text.size() <= timeline::kMaxNameBytes) return text;
    const auto [found, added] = cut_.try_emplace(name);
    if (added) found->second = timeline::LabelName(text);
    return found->second;
  }

 private:
  const store::RunReader& run_;
  std::map<store::StringId, std::string> cut_;
};

// The row that a slice of the index is.
Result<std::optional<store::SliceRow>> RowOf(store::RunReader& run, int32_t track,
                                             const timeline::LaneSlice& slice,
                                             const timeline::LabelText& label) {
  store::ReadOptions options;
  options.from_ns = slice.ts_ns;
  options.to_ns = Plus(slice.ts_ns, 1);
  std::optional<store::SliceRow> found;
  STEPTRACE_RETURN_IF_ERROR(store::StreamRows<store::SliceRow>(
      run, options, [&](std::vector<store::SliceRow>&& rows) -> Status {
        for (auto& row : rows) {
          if (found || row.track != track || row.ts_ns != slice.ts_ns) continue;
          if (timeline::UsableDuration(row.ts_ns, row.dur_ns) != slice.dur_ns) continue;
          if (!timeline::IsLabelOf(run.Text(row.name), label.name)) continue;
          if (!timeline::IsLabelOf(run.Text(row.category), label.category)) continue;
          found = std::move(row);
        }
        return {};
      }));
  return found;
}

// What is no object of a usual depth is shown as it is written.
Json ParseObject(const std::string& text, const char* name) {
  Json json = ParseShallow<Json>(text);
  if (json.is_object()) return json;
  return text.empty() ? Json::object() : Json{{name, text}};
}

Json ArgsJson(const store::RunReader& run, const store::SliceRow& row) {
  Json args = ParseObject(run.Text(row.details), "details");
  const Json own = ParseObject(row.args, "args");
  for (const auto& [key, value] : own.items()) args[key] = value;
  store::ForEachField<store::SliceRow>([&](const auto& field) {
    const auto& value = row.*field.member;
    if constexpr (std::is_same_v<decltype(value), const std::optional<int64_t>&>) {
      const bool apart = field.member == &store::SliceRow::step;  // stands next to the arguments
      if (value && !apart) args[field.name] = *value;
    }
  });
  return args;
}

// "Call stack": innermost first, frames parted by ';'.
void AppendFrames(const Json& args, Json& stack) {
  const auto found = args.find("Call stack");
  if (found == args.end() || !found->is_string()) return;
  std::string_view text = found->get_ref<const std::string&>();
  while (!text.empty() && stack.size() < kMaxFrames) {
    const size_t end = std::min(text.find(';'), text.size());
    if (end > 0) stack.push_back(std::string(text.substr(0, end)));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
}

std::string_view CategoryOf(const timeline::Index& index, const timeline::SlicePlace& place) {
  return index.TextOf(index.LaneAt(place.track, place.lane).Label(place.at)).category;
}

// The innermost operator around a slice, itself included.
std::optional<timeline::SlicePlace> OperatorOf(const timeline::Index& index,
                                               std::optional<timeline::SlicePlace> place) {
  while (place && CategoryOf(index, *place) != "cpu_op") {
    place = timeline::ParentOf(index, *place);
  }
  return place;
}

std::string NameOf(const timeline::Index& index, const timeline::SlicePlace& place) {
  return std::string(index.TextOf(index.LaneAt(place.track, place.lane).Label(place.at)).name);
}

store::ReadOptions LinkColumns(int64_t from_ns, int64_t to_ns) {
  store::ReadOptions options;
  options.columns =
      store::SliceColumnsWith<&store::SliceRow::correlation, &store::SliceRow::flow_out,
                              &store::SliceRow::flow_in, &store::SliceRow::group,
                              &store::SliceRow::sequence, &store::SliceRow::external_id>();
  options.from_ns = from_ns;
  options.to_ns = to_ns;
  return options;
}

// How two rows are linked; nothing: they are not. Ids of the host hold within a rank.
std::optional<LinkKind> LinkOf(const store::SliceRow& a, const store::SliceRow& b) {
  if (a.rank == b.rank && a.correlation && a.correlation == b.correlation) {
    return LinkKind::kLaunch;
  }
  if (a.rank == b.rank && a.flow_out && a.flow_out == b.flow_in) return LinkKind::kFlow;
  if (a.rank == b.rank && a.flow_in && a.flow_in == b.flow_out) return LinkKind::kFlow;
  if (a.rank != b.rank && a.group && a.sequence && a.group == b.group && a.sequence == b.sequence &&
      a.name == b.name) {
    return LinkKind::kCollective;
  }
  return std::nullopt;
}

bool IsLinked(const store::SliceRow& row) {
  return row.correlation || row.flow_out || row.flow_in || (row.group && row.sequence);
}

struct LinkedRow {
  store::SliceRow row;
  LinkKind kind;
};

// What is linked to a row: near by first, then as far as kMaxRows allow.
Result<std::vector<LinkedRow>> LinkedTo(store::RunReader& run, const store::SliceRow& row) {
  std::vector<LinkedRow> found;
  if (!IsLinked(row)) return found;
  for (const int64_t around_ns : {kNearNs, kFarNs}) {
    auto options =
        LinkColumns(Plus(row.ts_ns, -around_ns), Plus(Plus(row.ts_ns, row.dur_ns), around_ns));
    if (store::SegmentRows(run, "slices", options) > kMaxRows && around_ns != kNearNs) break;
    STEPTRACE_RETURN_IF_ERROR(store::StreamRows<store::SliceRow>(
        run, options, [&](std::vector<store::SliceRow>&& rows) -> Status {
          for (auto& other : rows) {
            const auto kind = LinkOf(row, other);
            const bool itself = other.track == row.track && other.ts_ns == row.ts_ns &&
                                other.dur_ns == row.dur_ns && other.name == row.name;
            if (!kind || itself || found.size() == kMaxCorrelated) continue;
            found.push_back({std::move(other), *kind});
          }
          return {};
        }));
    if (!found.empty()) break;
  }
  return found;
}

// A row of `slices` as the index has it; `label`: its name, as timeline::LabelName cuts it.
std::optional<timeline::SliceId> IdOfRow(const RunTimeline& timeline, const store::SliceRow& row,
                                         std::string_view label) {
  const timeline::Index& index = timeline.index();
  const auto place = index.FindTrack(row.track);
  if (!place) return std::nullopt;
  const int64_t dur_ns = timeline::UsableDuration(row.ts_ns, row.dur_ns);
  for (uint32_t number = 0; number < index.tracks()[*place].lanes; ++number) {
    const timeline::Lane lane = index.LaneAt(*place, number);
    const uint64_t first = lane.LowerBound(row.ts_ns);
    const uint64_t end = std::min(lane.size(), first + kMostAtOnce);
    for (uint64_t i = first; i < end && lane.Ts(i) == row.ts_ns; ++i) {
      if (lane.Dur(i) != dur_ns || label != index.TextOf(lane.Label(i)).name) continue;
      return index.IdOf(*place, number, i);
    }
  }
  return std::nullopt;
}

// The step of its rank that holds the begin of a slice.
Result<Json> StepOf(store::RunReader& run, const store::SliceRow& row) {
  if (row.step) return Json(*row.step);
  Json step;
  store::ReadOptions options;
  options.columns = {"step", "dur_ns"};
  options.to_ns = Plus(row.ts_ns, 1);
  if (row.rank >= 0) options.rank = row.rank;
  STEPTRACE_RETURN_IF_ERROR(store::StreamRows<store::StepRow>(
      run, options, [&](std::vector<store::StepRow>&& steps) -> Status {
        for (const auto& one : steps) {
          if (one.ts_ns <= row.ts_ns && row.ts_ns - one.ts_ns < one.dur_ns) step = one.step;
        }
        return {};
      }));
  return step;
}

Json IdOrNull(const timeline::Index& index, const std::optional<timeline::SlicePlace>& place) {
  return place ? Json(index.IdOf(place->track, place->lane, place->at)) : Json();
}

struct Details {
  Json args = Json::object();
  Json stack = Json::array();
  Json correlated = Json::array();
  Json step;
  std::string name, category;
  std::optional<timeline::SlicePlace> op;
};

Result<Details> DetailsOf(const RunTimeline& timeline, const timeline::SlicePlace& place) {
  const timeline::Index& index = timeline.index();
  const timeline::LaneSlice slice = index.LaneAt(place.track, place.lane).At(place.at);
  const timeline::LabelText label = index.TextOf(slice.label);
  Details details;
  details.name = label.name;
  details.category = label.category;
  details.op = OperatorOf(index, place);
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(timeline.run()));
  STEPTRACE_ASSIGN_OR_RETURN(auto row, RowOf(run, index.tracks()[place.track].track, slice, label));
  if (!row) return details;  // the run moved on; the index will follow
  details.name = run.Text(row->name);
  details.args = ArgsJson(run, *row);
  STEPTRACE_ASSIGN_OR_RETURN(details.step, StepOf(run, *row));
  STEPTRACE_ASSIGN_OR_RETURN(auto linked, LinkedTo(run, *row));
  LabelNames names(run);
  for (const LinkedRow& other : linked) {
    const auto id = IdOfRow(timeline, other.row, names.Of(other.row.name));
    if (!id) continue;
    Json brief = BriefJson(timeline, *id);
    brief.erase("lane");
    brief["relation"] = NameOf(other.kind);
    details.correlated.push_back(std::move(brief));
    const auto there = index.Find(*id);
    if (!details.op && other.kind == LinkKind::kLaunch) {
      details.op = OperatorOf(index, there);
    }
  }
  AppendFrames(details.args, details.stack);
  if (details.stack.empty() && details.op) {  // a kernel's stack is that of its operator
    const timeline::LaneSlice op =
        index.LaneAt(details.op->track, details.op->lane).At(details.op->at);
    STEPTRACE_ASSIGN_OR_RETURN(auto op_row, RowOf(run, index.tracks()[details.op->track].track, op,
                                                  index.TextOf(op.label)));
    if (op_row) AppendFrames(ArgsJson(run, *op_row), details.stack);
  }
  return details;
}

// Without recorded frames: what lies around it, from the inside.
void AppendAncestors(const timeline::Index& index, timeline::SlicePlace place, Json& stack) {
  for (auto up = timeline::ParentOf(index, place); up && stack.size() < kMaxFrames;
       up = timeline::ParentOf(index, *up)) {
    stack.push_back(NameOf(index, *up));
  }
}

}  // namespace

Result<std::optional<std::string>> SliceJson(const RunTimeline& timeline, timeline::SliceId id) {
  const timeline::Index& index = timeline.index();
  const auto place = index.Find(id);
  if (!place) return std::optional<std::string>();
  const timeline::Lane lane = index.LaneAt(place->track, place->lane);
  const timeline::LaneSlice slice = lane.At(place->at);
  STEPTRACE_ASSIGN_OR_RETURN(Details details, DetailsOf(timeline, *place));
  if (details.stack.empty()) AppendAncestors(index, *place, details.stack);
  Json json;
  json["slice"] = id;
  json["track"] = index.tracks()[place->track].track;
  json["lane"] = place->lane;
  json["depth"] = timeline::DepthOf(index, *place);
  json["ts_ns"] = slice.ts_ns;
  json["dur_ns"] = slice.dur_ns;
  json["self_ns"] = timeline::SelfNs(index, *place);
  json["name"] = details.name;
  json["category"] = details.category;
  json["step"] = details.step;
  json["args"] = std::move(details.args);
  json["operator"] = details.op ? Json(NameOf(index, *details.op)) : Json();
  json["stack"] = std::move(details.stack);
  json["correlated"] = std::move(details.correlated);
  json["previous"] = place->at > 0 ? Json(id - 1) : Json();
  json["next"] = place->at + 1 < lane.size() ? Json(id + 1) : Json();
  json["parent"] = IdOrNull(index, timeline::ParentOf(index, *place));
  return std::optional<std::string>(ToText(json));
}

void LinkedRows::Add(const store::SliceRow& row) {
  if (row.correlation) launches_[{row.rank, *row.correlation}].push_back(row);
  if (row.flow_out) flows_[{row.rank, *row.flow_out}].first.push_back(row);
  if (row.flow_in) flows_[{row.rank, *row.flow_in}].second.push_back(row);
  if (row.group && row.sequence) {
    collectives_[{*row.group, *row.sequence, static_cast<int32_t>(row.name)}].push_back(row);
  }
}

void LinkedRows::Join(const LinkRequest& ask) {
  taken_ = 0;
  for (auto& [key, rows] : launches_) {
    if (Full(ask)) return;
    Chain(rows, LinkKind::kLaunch, Shape::kFan, ask);
  }
  for (const auto& [key, rows] : flows_) {
    if (Full(ask)) return;
    Cross(rows.first, rows.second, ask);
  }
  for (auto& [key, rows] : collectives_) {
    if (Full(ask)) return;
    Chain(rows, LinkKind::kCollective, Shape::kRanks, ask);
  }
}

void LinkedRows::Chain(Rows& rows, LinkKind kind, Shape shape, const LinkRequest& ask) {
  const bool fan = shape == Shape::kFan;
  std::stable_sort(rows.begin(), rows.end(), [fan](const auto& a, const auto& b) {
    return fan ? a.ts_ns < b.ts_ns : std::tie(a.rank, a.ts_ns) < std::tie(b.rank, b.ts_ns);
  });
  for (size_t i = 1; i < rows.size() && !Full(ask); ++i) {
    const store::SliceRow& from = fan ? rows[0] : rows[i - 1];
    const store::SliceRow& to = rows[i];
    if (fan ? from.track == to.track : from.rank == to.rank) continue;
    if (ask.wanted && !ask.wanted(from, to)) continue;
    const auto a = ask.end_of(from, false);
    const auto b = a ? ask.end_of(to, false) : std::nullopt;
    if (!b) continue;
    ask.take(*a, *b, kind);
    ++taken_;
  }
}

// Each end is sought once, and only those that are found are joined: pairs without an arrow would
// not count towards the limit, and there may be as many of them.
void LinkedRows::Cross(const Rows& from, const Rows& to, const LinkRequest& ask) {
  if (from.empty()) return;
  std::vector<std::pair<const store::SliceRow*, LinkEnd>> ends;
  for (const store::SliceRow& row : to) {
    if (!ask.wanted && ends.size() >= ask.limit - taken_) break;
    if (const auto end = ask.end_of(row, false)) ends.emplace_back(&row, *end);
  }
  if (ends.empty()) return;
  for (const store::SliceRow& row : from) {
    if (Full(ask)) return;
    const auto begin = ask.end_of(row, true);
    if (!begin) continue;
    for (const auto& [other, end] : ends) {
      if (Full(ask)) return;
      if (ask.wanted && !ask.wanted(row, *other)) continue;
      ask.take(*begin, end, LinkKind::kFlow);
      ++taken_;
    }
  }
}

namespace {

struct Arrows {
  TextNumbers kinds;
  std::vector<int32_t> from_track, from_lane, to_track, to_lane, kind;
  std::vector<int64_t> from_ns, to_ns;

  void Add(const LinkEnd& from, const LinkEnd& to, LinkKind link) {
    from_track.push_back(from.track);
    from_lane.push_back(from.lane);
    from_ns.push_back(from.ns);
    to_track.push_back(to.track);
    to_lane.push_back(to.lane);
    to_ns.push_back(to.ns);
    kind.push_back(kinds.Of(NameOf(link)));
  }
};

std::optional<LinkEnd> EndOf(const RunTimeline& timeline, LabelNames& names,
                             const store::SliceRow& row, bool at_end) {
  const auto id = IdOfRow(timeline, row, names.Of(row.name));
  const auto place = id ? timeline.index().Find(*id) : std::nullopt;
  if (!place) return std::nullopt;
  const int64_t dur_ns = timeline::UsableDuration(row.ts_ns, row.dur_ns);
  return LinkEnd{row.track, static_cast<int32_t>(place->lane),
                 at_end ? row.ts_ns + dur_ns : row.ts_ns};
}

LinkedRows::LinkRequest JoinRequestFor(const RunTimeline& timeline, LabelNames& names, size_t limit,
                                       LinkedRows::PairFilter wanted, Arrows& arrows) {
  return {limit, std::move(wanted),
          [&timeline, &names](const store::SliceRow& row, bool at_end) {
            return EndOf(timeline, names, row, at_end);
          },
          [&arrows](const LinkEnd& from, const LinkEnd& to, LinkKind kind) {
            arrows.Add(from, to, kind);
          }};
}

Result<std::string> ToArrow(const Arrows& arrows) {
  ArrowOut out;
  out.Add("from_track", arrows.from_track);
  out.Add("from_lane", arrows.from_lane);
  out.Add("from_ns", arrows.from_ns);
  out.Add("to_track", arrows.to_track);
  out.Add("to_lane", arrows.to_lane);
  out.Add("to_ns", arrows.to_ns);
  out.AddTexts("kind", arrows.kind, arrows.kinds.texts());
  return out.Finish();
}

// Only what one slice is linked to.
Status ArrowsOf(const RunTimeline& timeline, store::RunReader& run, timeline::SliceId id,
                size_t limit, Arrows& arrows) {
  const timeline::Index& index = timeline.index();
  const auto place = index.Find(id);
  if (!place) return {};
  const timeline::LaneSlice slice = index.LaneAt(place->track, place->lane).At(place->at);
  const int32_t track = index.tracks()[place->track].track;
  STEPTRACE_ASSIGN_OR_RETURN(auto row, RowOf(run, track, slice, index.TextOf(slice.label)));
  if (!row) return {};
  STEPTRACE_ASSIGN_OR_RETURN(auto linked, LinkedTo(run, *row));
  LinkedRows rows;
  rows.Add(*row);
  for (const LinkedRow& other : linked) rows.Add(other.row);
  const auto touches = [&](const store::SliceRow& a) {
    return a.track == row->track && a.ts_ns == row->ts_ns && a.dur_ns == row->dur_ns;
  };
  LabelNames names(run);
  rows.Join(JoinRequestFor(
      timeline, names, limit,
      [&](const auto& a, const auto& b) { return touches(a) || touches(b); }, arrows));
  return {};
}

}  // namespace

Result<std::string> FlowsArrow(const RunTimeline& timeline, const TimelineRange& range,
                               std::optional<timeline::SliceId> slice, int64_t limit) {
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(timeline.run()));
  Arrows arrows;
  if (slice) {
    STEPTRACE_RETURN_IF_ERROR(ArrowsOf(timeline, run, *slice, static_cast<size_t>(limit), arrows));
    return ToArrow(arrows);
  }
  const timeline::ViewRange time_range = TimeRangeOf(timeline, range);
  const auto options = LinkColumns(time_range.from_ns, time_range.to_ns);
  // So many arrows in one picture say nothing: only those of a slice are drawn then.
  if (store::SegmentRows(run, "slices", options) > kMaxJoinedRows) return ToArrow(arrows);
  std::set<int32_t> tracks;
  if (range.tracks) tracks.insert(range.tracks->begin(), range.tracks->end());
  LinkedRows linked;
  STEPTRACE_RETURN_IF_ERROR(store::StreamRows<store::SliceRow>(
      run, options, [&](std::vector<store::SliceRow>&& rows) -> Status {
        for (const auto& row : rows) {
          if (IsLinked(row) && (!range.tracks || tracks.contains(row.track))) linked.Add(row);
        }
        return {};
      }));
  LabelNames names(run);
  linked.Join(JoinRequestFor(timeline, names, static_cast<size_t>(limit), {}, arrows));
  return ToArrow(arrows);
}

}  // namespace steptrace::rpc
