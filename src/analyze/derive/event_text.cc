// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/event_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <type_traits>

#include "base/time.h"
#include "wire/vocabulary.h"

namespace steptrace::analyze {
namespace {

struct Line {
  int number = 0;
  size_t indent = 0;
  std::vector<std::string> words;
  std::optional<int64_t> duration_us;  // behind a colon
};

std::vector<std::string> SplitWords(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The hook whose records of this shape have that name.
std::optional<HookName> HookNamed(std::string_view word, bool instant) {
  for (const HookRecord& record : kHookRecords) {
    if (record.instant == instant && record.name == word && !word.empty()) return record.hook;
  }
  return std::nullopt;
}

std::optional<HookName> RangeName(std::string_view word) {
  if (word == "comm") return HookName::kCollective;
  if (word == "op" || word == "node") return HookName::kOperator;
  if (word == "user") return HookName::kUser;
  return HookNamed(word, /*instant=*/false);
}

std::optional<HookName> InstantName(std::string_view word) {
  if (word == "lost") return HookName::kRecordsLost;
  return HookNamed(word, /*instant=*/true);
}

// Interprets the tree of lines with one clock per thread.
class Interpreter {
 public:
  Interpreter(std::vector<Line> lines, EventText& out, store::StringTable& strings)
      : lines_(std::move(lines)), out_(out), strings_(strings) {}

  Status Run() {
    for (size_t i = 0; i < lines_.size();) {
      const Line& line = lines_[i];
      const size_t end = BlockEnd(i);
      if (line.words[0] == "thread") {
        STEPTRACE_RETURN_IF_ERROR(BeginThread(line));
        STEPTRACE_RETURN_IF_ERROR(Block(i + 1, end));
        out_.threads.push_back(std::move(events_));
        events_.clear();
        out_.end_ns = std::max(out_.end_ns, now_ns_);
      } else {
        STEPTRACE_RETURN_IF_ERROR(Option(line));
      }
      i = end;
    }
    return {};
  }

 private:
  static Error At(const Line& line, std::string_view what) {
    return Error{fmt::format("line {}: {}", line.number, what)};
  }

  size_t BlockEnd(size_t begin) const {
    size_t end = begin + 1;
    while (end < lines_.size() && lines_[end].indent > lines_[begin].indent) ++end;
    return end;
  }

  Status Option(const Line& line) {
    if (line.words[0] == "world_size" && line.words.size() == 2) {
      out_.options.world_size = static_cast<int32_t>(ParseNumber(line.words[1]).value_or(1));
    } else if (line.words[0] == "device_backward") {
      out_.options.backward_on_host = false;
    } else {
      return At(line, "neither a thread nor an option");
    }
    return {};
  }

  Status BeginThread(const Line& line) {
    const std::string who = line.words.size() > 1 ? line.words[1] : "";
    const size_t slash = who.find('/');
    const auto pid = ParseNumber(who.substr(0, slash));
    const auto tid = slash == std::string::npos ? pid : ParseNumber(who.substr(slash + 1));
    if (!pid || !tid) return At(line, "a thread needs PID or PID/TID");
    pid_ = static_cast<int32_t>(*pid);
    tid_ = static_cast<int32_t>(*tid);
    now_ns_ = 0;
    if (line.words.size() == 4 && line.words[2] == "at") {
      now_ns_ = ParseNumber(line.words[3]).value_or(0) * kNsPerUs;
    }
    return {};
  }

  Status Block(size_t begin, size_t end) {
    for (size_t i = begin; i < end; i = BlockEnd(i)) {
      STEPTRACE_RETURN_IF_ERROR(Statement(i, std::min(BlockEnd(i), end)));
    }
    return {};
  }

  Status Statement(size_t index, size_t end) {
    const Line& line = lines_[index];
    const std::string& word = line.words[0];
    if (const auto pause_us = ParseNumber(word)) {
      now_ns_ += *pause_us * kNsPerUs;
      return {};
    }
    if (word == "until") {
      now_ns_ = std::max(now_ns_, ParseNumber(line.words.at(1)).value_or(0) * kNsPerUs);
      return {};
    }
    if (word == "die") {
      out_.ends.push_back({pid_, now_ns_});
      return {};
    }
    if (word == "repeat") {
      const auto times = ParseNumber(line.words.size() > 1 ? line.words[1] : "");
      if (!times) return At(line, "repeat needs a number");
      for (int64_t i = 0; i < *times; ++i) STEPTRACE_RETURN_IF_ERROR(Block(index + 1, end));
      return {};
    }
    if (InstantName(word)) return EmitInstant(line);
    return Range(index, end);
  }

  struct Attributes {
    std::map<std::string, int64_t> values;
    std::vector<std::string> flags;
    int64_t Value(const std::string& key, int64_t otherwise = 0) const {
      const auto found = values.find(key);
      return found == values.end() ? otherwise : found->second;
    }
    bool Has(const std::string& flag) const {
      return std::find(flags.begin(), flags.end(), flag) != flags.end();
    }
  };

  static Attributes AttributesOf(const Line& line) {
    Attributes attributes;
    for (size_t i = 1; i < line.words.size(); ++i) {
      const std::string& word = line.words[i];
      const size_t equals = word.find('=');
      if (equals == std::string::npos) {
        attributes.flags.push_back(word);
      } else {
        attributes.values[word.substr(0, equals)] =
            ParseNumber(word.substr(equals + 1)).value_or(0);
      }
    }
    return attributes;
  }

  Event NewEvent(MarkKind kind, HookName name) const {
    return {.ts_ns = now_ns_, .pid = pid_, .tid = tid_, .kind = kind, .name = name};
  }

  Status EmitInstant(const Line& line) {
    Event event = NewEvent(MarkKind::kInstant, *InstantName(line.words[0]));
    event.a = event.name == HookName::kStep ? wire::kNoArgument
                                            : static_cast<uint64_t>(AttributesOf(line).Value("it"));
    event.b = static_cast<uint64_t>(AttributesOf(line).Value("worker"));
    events_.push_back(event);
    return {};
  }

  Event BeginOf(HookName name, const Line& line, const Attributes& attributes) {
    Event event = NewEvent(MarkKind::kBegin, name);
    if (name == HookName::kData) {
      const auto depth = static_cast<uint64_t>(
          attributes.Value("depth", static_cast<int64_t>(wire::kUnknownQueueDepth)));
      event.a = static_cast<uint64_t>(attributes.Value("it", 1)) | depth << 32;
      event.b = static_cast<uint64_t>(attributes.Value("worker"));
      if (attributes.Has("arrived")) event.b |= wire::kBatchArrived;
    } else if (name == HookName::kSend) {
      event.a = static_cast<uint64_t>(attributes.Value("cpu") * kNsPerUs);
    } else if (name == HookName::kOptimizer) {
      event.a = static_cast<uint64_t>(attributes.Value("opt", 1));
    } else if (name == HookName::kLoaderIter) {
      event.a = static_cast<uint64_t>(attributes.Value("loader", 1));
    } else if (name == HookName::kOperator) {
      event.a = line.words[0] == "op" ? 1 : 0;
    } else if (name == HookName::kUser || name == HookName::kCollective) {
      event.text = strings_.Intern(line.words.size() > 1 ? line.words[1] : "");
    }
    return event;
  }

  Status Range(size_t index, size_t end) {
    const Line& line = lines_[index];
    const auto name = RangeName(line.words[0]);
    if (!name) return At(line, fmt::format("no such range: {}", line.words[0]));
    const Attributes attributes = AttributesOf(line);
    if (!attributes.Has("lost_begin")) events_.push_back(BeginOf(*name, line, attributes));
    STEPTRACE_RETURN_IF_ERROR(Block(index + 1, end));
    now_ns_ += line.duration_us.value_or(0) * kNsPerUs;
    if (attributes.Has("end")) {
      Event stop = NewEvent(MarkKind::kInstant, HookName::kDataEnd);
      stop.a = static_cast<uint64_t>(attributes.Value("it", 1));
      events_.push_back(stop);
    }
    if (attributes.Has("open") || attributes.Has("lost_end")) return {};
    Event close = NewEvent(MarkKind::kEnd, *name);
    close.a = static_cast<uint64_t>(attributes.Value("cpu") * kNsPerUs);
    close.b = static_cast<uint64_t>(attributes.Value("rq") * kNsPerUs);
    if (*name == HookName::kLoaderIter) close.a = static_cast<uint64_t>(attributes.Value("it"));
    events_.push_back(close);
    return {};
  }

  std::vector<Line> lines_;
  EventText& out_;
  store::StringTable& strings_;
  std::vector<Event> events_;
  int32_t pid_ = 0;
  int32_t tid_ = 0;
  int64_t now_ns_ = 0;
};

Result<std::optional<Line>> ParseLine(std::string text, int number) {
  text.resize(std::min(text.size(), text.find('#')));
  Line line{
      .number = number, .indent = text.find_first_not_of(' '), .words = {}, .duration_us = {}};
  if (const size_t colon = text.rfind(':'); colon != std::string::npos) {
    const auto rest = SplitWords(text.substr(colon + 1));
    line.duration_us = rest.size() == 1 ? ParseNumber(rest[0]) : std::nullopt;
    if (!line.duration_us) return Error{fmt::format("line {}: a colon needs a number", number)};
    text.resize(colon);
  }
  line.words = SplitWords(text);
  if (line.words.empty()) return std::optional<Line>();
  return std::optional<Line>(std::move(line));
}

template <class T>
std::string ValueText(const T& value, bool is_time, const store::StringTable& strings) {
  if constexpr (std::is_same_v<T, store::StringId>) {
    return strings.Text(value).empty() ? "-" : strings.Text(value);
  } else if constexpr (std::is_same_v<T, std::optional<int32_t>> ||
                       std::is_same_v<T, std::optional<int64_t>>) {
    return value ? ValueText(*value, is_time, strings) : "-";
  } else if (is_time && value % kNsPerUs != 0) {
    return fmt::format("{:.3f}", static_cast<double>(value) / static_cast<double>(kNsPerUs));
  } else {
    return std::to_string(is_time ? value / kNsPerUs : value);
  }
}

bool IsColumn(std::string_view field, std::string_view column) {
  return field == column || (field.ends_with("_ns") && field.substr(0, field.size() - 3) == column);
}

}  // namespace

Result<EventText> ParseEventText(std::string_view text, store::StringTable& strings) {
  EventText out;
  std::vector<Line> lines;
  std::istringstream stream{std::string(text)};
  bool in_rows = false;
  int number = 0;
  for (std::string raw; std::getline(stream, raw);) {
    ++number;
    if (raw.starts_with("---")) {
      in_rows = true;
    } else if (in_rows) {
      raw.resize(std::min(raw.size(), raw.find('#')));
      auto words = SplitWords(raw);
      if (words.empty()) continue;
      if (out.columns.empty()) {
        out.columns = std::move(words);
      } else {
        out.rows.push_back(std::move(words));
      }
    } else {
      STEPTRACE_ASSIGN_OR_RETURN(auto line, ParseLine(raw, number));
      if (line) lines.push_back(std::move(*line));
    }
  }
  STEPTRACE_RETURN_IF_ERROR(Interpreter(std::move(lines), out, strings).Run());
  return out;
}

namespace {

std::vector<Event> ByTime(const EventText& text) {
  std::vector<Event> events;
  for (const auto& thread : text.threads) {
    events.insert(events.end(), thread.begin(), thread.end());
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.ts_ns < b.ts_ns; });
  return events;
}

// Tells the ends of processes in their place, before the events from `ts_ns` on.
void EndProcesses(const EventText& text, int64_t from_ns, int64_t to_ns, RankDeriver& deriver) {
  for (const auto& end : text.ends) {
    if (end.ts_ns >= from_ns && end.ts_ns < to_ns) deriver.ProcessEnded(end.pid, end.ts_ns);
  }
}

void DeliverByTime(const EventText& text, size_t batch, RankDeriver& deriver) {
  int64_t reported_ns = std::numeric_limits<int64_t>::min();
  size_t in_batch = 0;
  for (const Event& event : ByTime(text)) {
    if (in_batch++ % batch == 0) {
      EndProcesses(text, reported_ns, event.ts_ns, deriver);
      reported_ns = std::max(reported_ns, event.ts_ns);
      deriver.Advance(event.ts_ns);
    }
    deriver.Add(event);
  }
  EndProcesses(text, reported_ns, std::numeric_limits<int64_t>::max(), deriver);
}

void DeliverThreads(const EventText& text, bool reversed, RankDeriver& deriver) {
  auto threads = text.threads;
  if (reversed) std::reverse(threads.begin(), threads.end());
  for (const auto& thread : threads) {
    for (const Event& event : thread) deriver.Add(event);
  }
  EndProcesses(text, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(),
               deriver);
}

}  // namespace

std::vector<store::StepRow> DeriveText(const EventText& text, Delivery delivery,
                                       store::StringTable& strings) {
  constexpr size_t kBatch = 7;  // no divisor of what a loop's events come to
  RankDeriver deriver(text.options, strings);
  switch (delivery) {
    case Delivery::kByTime:
      DeliverByTime(text, 1, deriver);
      break;
    case Delivery::kInBatches:
      DeliverByTime(text, kBatch, deriver);
      break;
    case Delivery::kAtOnce:
      DeliverByTime(text, std::numeric_limits<size_t>::max(), deriver);
      break;
    case Delivery::kThreadByThread:
      DeliverThreads(text, /*reversed=*/true, deriver);
      break;
    case Delivery::kWorkersLast:
      DeliverThreads(text, /*reversed=*/false, deriver);
      break;
  }
  deriver.Finish(text.end_ns);
  return deriver.TakeSteps();
}

Result<std::string> CellText(const store::StepRow& row, std::string_view column,
                             const store::StringTable& strings) {
  std::optional<std::string> found;
  const auto look = [&](const auto& field) {
    if (found || !IsColumn(field.name, column)) return;
    found = ValueText(row.*(field.member), field.unit == store::Unit::kNs, strings);
  };
  std::apply([&](const auto&... fields) { (look(fields), ...); },
             store::TableOf<store::StepRow>::kFields);
  if (!found) return Error{fmt::format("no column {} in steps", column)};
  return *found;
}

namespace {

// Columns that say something in some row.
std::vector<std::string> InformativeColumns(const std::vector<store::StepRow>& rows,
                                            const store::StringTable& strings) {
  std::vector<std::string> columns;
  const auto look = [&](const auto& field) {
    std::string name = field.name;
    if (name.ends_with("_ns")) name.resize(name.size() - 3);
    const bool tells = std::any_of(rows.begin(), rows.end(), [&](const store::StepRow& row) {
      const auto text = CellText(row, name, strings);
      return name == "step" || name == "ts" || (*text != "0" && *text != "-");
    });
    if (tells) columns.push_back(name);
  };
  std::apply([&](const auto&... fields) { (look(fields), ...); },
             store::TableOf<store::StepRow>::kFields);
  return columns;
}

}  // namespace

std::string RowsText(const std::vector<store::StepRow>& rows, std::vector<std::string> columns,
                     const store::StringTable& strings) {
  if (columns.empty()) columns = InformativeColumns(rows, strings);
  std::vector<std::vector<std::string>> cells{columns};
  for (const store::StepRow& row : rows) {
    cells.emplace_back();
    for (const std::string& column : columns) {
      const auto cell = CellText(row, column, strings);
      cells.back().push_back(cell.ok() ? *cell : "?");
    }
  }
  std::string text;
  for (const auto& line : cells) {
    for (size_t i = 0; i < line.size(); ++i) {
      size_t width = 0;
      for (const auto& other : cells) width = std::max(width, other[i].size());
      text += i + 1 == line.size() ? line[i] : fmt::format("{:<{}}  ", line[i], width);
    }
    text += '\n';
  }
  return text;
}

}  // namespace steptrace::analyze
