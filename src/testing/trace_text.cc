// SPDX-License-Identifier: Apache-2.0
#include "testing/trace_text.h"

#include <charconv>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace steptrace::analyze {
namespace {

const std::map<std::string_view, std::string_view> kCategories = {
    {"op", "cpu_op"},
    {"annotation", "user_annotation"},
    {"step", "user_annotation"},
    {"runtime", "cuda_runtime"},
    {"driver", "cuda_driver"},
    {"python", "python_function"},
    {"overhead", "overhead"},
    {"host", "host"},
    {"kernel", "kernel"},
    {"memcpy", "gpu_memcpy"},
    {"memset", "gpu_memset"},
    {"sync", "cuda_sync"},
    {"gpu_annotation", "gpu_user_annotation"},
};

[[noreturn]] void Refuse(std::string_view line, std::string_view why) {
  throw std::invalid_argument("drawn trace: \"" + std::string(line) + "\": " + std::string(why));
}

// Takes the words of one line from left to right.
class Words {
 public:
  explicit Words(std::string_view line) : line_(line), rest_(line) {}

  std::string_view line() const { return line_; }
  bool empty() {
    Skip();
    return rest_.empty();
  }
  std::string_view Rest() { return std::exchange(rest_, {}); }
  std::string_view Next(const char* what) {
    if (empty()) Refuse(line_, std::string("ends before its ") + what);
    if (rest_.front() == '"') return Quoted();
    if (rest_.starts_with("details=")) return Rest();
    size_t end = std::min(rest_.find(' '), rest_.size());
    std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }
  int64_t Number(std::string_view word) const {
    int64_t value = 0;
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) Refuse(line_, "not a number");
    return value;
  }
  int64_t NextNumber(const char* what) { return Number(Next(what)); }

 private:
  void Skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
  std::string_view Quoted() {
    size_t end = rest_.find('"', 1);
    if (end == rest_.npos) Refuse(line_, "a quote does not end");
    std::string_view word = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return word;
  }

  std::string_view line_;
  std::string_view rest_;
};

class Drawing {
 public:
  explicit Drawing(store::StringTable& strings) : strings_(strings) {}

  void Add(Words& words) {
    std::string_view first = words.Next("lane");
    if (first == "rank") return Begin(static_cast<int32_t>(words.NextNumber("number")));
    if (first == "fact") return AddFact(words);
    if (rows_.ranks.empty()) Begin(0);
    int32_t track = TrackOf(first, words);
    std::string_view kind = words.Next("kind");
    if (kind == "memory") return AddMemory(words, track);
    AddSlice(words, track, kind);
  }
  DrawnRows Take() { return std::move(rows_); }

 private:
  void Begin(int32_t rank) {
    rows_.ranks.push_back({});
    rows_.ranks.back().rank = rank;
    lanes_.clear();
  }
  void AddFact(Words& words) {
    store::RunMetadataRow fact;
    fact.kind = strings_.Intern(words.Next("kind"));
    fact.rank = rows_.ranks.empty() ? 0 : rows_.ranks.back().rank;
    words.empty();
    fact.json = std::string(words.Rest());
    rows_.facts.push_back(std::move(fact));
  }
  int32_t TrackOf(std::string_view lane, const Words& words) {
    auto [found, added] = lanes_.try_emplace(std::string(lane), next_track_);
    if (!added) return found->second;
    store::TrackRow track;
    track.track = next_track_++;
    track.rank = rows_.ranks.back().rank;
    size_t stream = lane.find('s');
    if (lane.starts_with('t')) {
      track.kind = strings_.Intern("thread");
      track.pid = 1;
      track.tid = words.Number(lane.substr(1));
      track.name = "thread " + std::string(lane.substr(1));
    } else if (stream != lane.npos) {
      track.kind = strings_.Intern("stream");
      track.device =
          stream == 0 ? 0 : static_cast<int32_t>(words.Number(lane.substr(1, stream - 1)));
      track.stream = words.Number(lane.substr(stream + 1));
      track.name = "stream " + std::string(lane.substr(stream + 1));
    } else {
      Refuse(words.line(), "a lane is tN, sN or dMsN");
    }
    rows_.ranks.back().tracks.push_back(track);
    return track.track;
  }
  void AddSlice(Words& words, int32_t track, std::string_view kind) {
    auto category = kCategories.find(kind);
    if (category == kCategories.end() && !kind.starts_with("cat:")) {
      Refuse(words.line(), "no such kind");
    }
    store::SliceRow row;
    row.rank = rows_.ranks.back().rank;
    row.track = track;
    row.category =
        strings_.Intern(category == kCategories.end() ? kind.substr(4) : category->second);
    row.name = strings_.Intern(words.Next("name"));
    row.ts_ns = words.NextNumber("begin");
    row.dur_ns = words.NextNumber("end") - row.ts_ns;
    while (!words.empty()) SetKey(row, words);
    rows_.ranks.back().slices.push_back(std::move(row));
  }
  void SetKey(store::SliceRow& row, Words& words) {
    static const std::map<std::string_view, std::optional<int64_t> store::SliceRow::*> kKeys = {
        {"corr", &store::SliceRow::correlation}, {"ext", &store::SliceRow::external_id},
        {"seq", &store::SliceRow::sequence},     {"bytes", &store::SliceRow::bytes},
        {"group", &store::SliceRow::group},      {"flow_out", &store::SliceRow::flow_out},
        {"flow_in", &store::SliceRow::flow_in},
    };
    auto [key, value] = KeyValue(words);
    if (key == "details") {
      row.details = strings_.Intern(value);
      return;
    }
    auto found = kKeys.find(key);
    if (found == kKeys.end()) Refuse(words.line(), "no such key");
    row.*(found->second) = words.Number(value);
  }
  void AddMemory(Words& words, int32_t track) {
    store::MemoryRow row;
    row.rank = rows_.ranks.back().rank;
    row.track = track;
    row.ts_ns = words.NextNumber("time");
    while (!words.empty()) {
      auto [key, value] = KeyValue(words);
      const int64_t number = words.Number(value);
      if (key == "bytes") {
        row.bytes = number;
      } else if (key == "address") {
        row.address = number;
      } else if (key == "device") {
        row.device = static_cast<int32_t>(number);
      } else if (key == "allocated") {
        row.total_allocated_bytes = number;
      } else if (key == "reserved") {
        row.total_reserved_bytes = number;
      } else {
        Refuse(words.line(), "no such key");
      }
    }
    rows_.ranks.back().memory.push_back(row);
  }
  static std::pair<std::string_view, std::string_view> KeyValue(Words& words) {
    std::string_view word = words.Next("key");
    size_t equals = word.find('=');
    if (equals == word.npos) Refuse(words.line(), "a key without a value");
    return {word.substr(0, equals), word.substr(equals + 1)};
  }

  store::StringTable& strings_;
  DrawnRows rows_;
  std::map<std::string, int32_t> lanes_;
  int32_t next_track_ = 0;
};

}  // namespace

DrawnRows DrawRows(std::string_view text, store::StringTable& strings) {
  Drawing drawing(strings);
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find(" # "));
    line = line.substr(0, line.find_last_not_of(" \t") + 1);
    Words words(line);
    if (!words.empty() && !line.starts_with('#')) drawing.Add(words);
  }
  return drawing.Take();
}

Trace DrawTrace(std::string_view text, store::StringTable& strings) {
  DrawnRows rows = DrawRows(text, strings);
  Trace trace;
  trace.strings = &strings;
  for (const DrawnRank& rank : rows.ranks) {
    trace.ranks.push_back(
        BuildRankTrace(rank.rank, rank.slices, rank.tracks, rank.memory, strings));
  }
  trace.facts = std::move(rows.facts);
  return trace;
}

RankTrace DrawRank(std::string_view text, store::StringTable& strings) {
  Trace trace = DrawTrace(text, strings);
  if (trace.ranks.empty()) throw std::invalid_argument("drawn trace: no event");
  return std::move(trace.ranks.front());
}

}  // namespace steptrace::analyze
