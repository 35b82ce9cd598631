// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <type_traits>

#include "base/inert_text.h"
#include "base/shallow_json.h"
#include "base/text_hash.h"
#include "serve/export/formats.h"
#include "store/event_categories.h"

// PyTorch's dialect of Chrome's trace events: microseconds with three decimals since
// baseTimeNanoseconds, so that every nanosecond survives and a double holds every number.
namespace steptrace::exporter {
namespace {

void AppendQuoted(std::string& to, std::string_view text) {
  to += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') {
      to += '\\';
      to += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(to), "\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      to += c;
    }
  }
  to += '"';
}

void AppendMicroseconds(std::string& to, int64_t ns) {
  const bool negative = ns < 0;
  const uint64_t size =
      negative ? uint64_t{0} - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  fmt::format_to(std::back_inserter(to), "{}{}.{:03}", negative ? "-" : "", size / 1000,
                 size % 1000);
}

// What repeats is checked once: a run may come from somebody else.
class ObjectCheck {
 public:
  // The inside of a JSON object, without its braces; empty: it is none, or it is empty.
  std::string_view Inside(const std::string& text) {
    if (text.size() < 3) return {};
    if (known_.size() >= kMostKnown) known_.clear();
    auto [found, added] = known_.try_emplace(text, false);
    if (added) {
      found->second = text.front() == '{' && text.back() == '}' && nlohmann::json::accept(text) &&
                      text.find_first_not_of(" \t\r\n", 1) != text.size() - 1;
    }
    return found->second ? std::string_view(text).substr(1, text.size() - 2) : std::string_view();
  }

 private:
  static constexpr size_t kMostKnown = 1 << 14;
  SeededMap<std::string, bool> known_;
};

// The argument that tells a number of a slice, as the profiler spells it. Empty: another part of
// the trace tells it.
std::string_view ArgumentOf(std::string_view column, bool collective) {
  if (column == "external_id") return "External id";
  // Autograd numbers operators, a group its collectives.
  if (column == "sequence") return collective ? "Seq" : "Sequence number";
  if (column == "flow_out" || column == "flow_in") return {};  // events of their own
  if (column == "group") return {};                            // details name it
  if (column == "step") return {};                             // the marks of steps
  return column;
}
constexpr size_t kCellsThatAreNoNumber = 9;  // each with a place of its own in Slice()
static_assert(
    std::apply(
        [](const auto&... cell) {
          return (std::is_same_v<decltype(SliceCells().*cell.second), std::optional<int64_t>&&> +
                  ...);
        },
        kSliceCells) +
            kCellsThatAreNoNumber ==
        std::tuple_size_v<decltype(kSliceCells)>,
    "a column of slices has no place in Chrome's events");

class ChromeWriter {
 public:
  ChromeWriter(RunFrame& frame, RankFilter rank, Output& output)
      : frame_(frame), rank_(rank), output_(output) {}

  Status Write(const std::filesystem::path& run) {
    STEPTRACE_RETURN_IF_ERROR(output_.Write(InertJson(Head())));
    STEPTRACE_RETURN_IF_ERROR(Metadata());
    STEPTRACE_RETURN_IF_ERROR(ForEachSlice(
        {run, frame_.damaged}, rank_, [this](const SliceCells& slice) { return Slice(slice); }));
    STEPTRACE_RETURN_IF_ERROR(
        ForEachMemory({run, frame_.damaged}, rank_,
                      [this](const MemoryCells& memory) { return Memory(memory); }));
    STEPTRACE_RETURN_IF_ERROR(ForEachCounter(
        {run, frame_.damaged}, [this](const CounterCells& counter) { return Counter(counter); }));
    return output_.Write(
        InertJson(fmt::format("\n],\"traceName\":{}}}\n", Quoted(frame_.manifest.name))));
  }

 private:
  static std::string Quoted(std::string_view text) {
    std::string quoted;
    AppendQuoted(quoted, text);
    return quoted;
  }

  int32_t TheRank() const {
    if (rank_) return *rank_;
    return frame_.ranks.size() == 1 ? frame_.ranks[0] : -1;
  }

  std::string Head() const {
    std::string head = "{\"schemaVersion\":1";
    if (frame_.manifest.epoch_utc_ns != 0) {
      head += fmt::format(",\"baseTimeNanoseconds\":{}",
                          frame_.manifest.epoch_utc_ns - frame_.before_epoch_ns);
    }
    if (TheRank() >= 0) head += ",\"distributedInfo\":" + Job();
    const std::string host = Host();
    if (!host.empty()) head += ",\"host_name\":" + Quoted(host);
    auto devices = frame_.devices.find(TheRank());
    if (devices != frame_.devices.end()) {
      head += fmt::format(",\"deviceProperties\":[{}]", fmt::join(devices->second, ","));
    }
    return head + ",\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  }

  // The machine of the rank. By it alone files are told to be of several nodes, so of these each
  // has a name of its own.
  std::string Host() const {
    const store::Manifest& run = frame_.manifest;
    int32_t node = 0;
    for (const store::RankInfo& rank : run.ranks) {
      if (rank.rank == TheRank()) node = rank.node;
    }
    std::string host;
    std::set<std::string> hosts;
    for (const store::NodeInfo& info : run.nodes) {
      hosts.insert(info.host);
      if (info.node == node) host = info.host;
    }
    const bool told_apart = hosts.size() == run.nodes.size() && !hosts.contains("");
    if (run.nodes.size() < 2 || told_apart) return host;
    return host + (host.empty() ? "" : ".") + fmt::format("node{}", node);
  }

  std::string Job() const {
    auto job = frame_.jobs.find(TheRank());
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    if (job != frame_.jobs.end()) {
      json = ParseShallow<nlohmann::ordered_json>(job->second);
    }
    if (!json.is_object()) json = nlohmann::ordered_json::object();
    json["rank"] = TheRank();
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  bool Concerns(const ExportTrack& track) const { return !rank_ || track.rank == *rank_; }

  Status Event(std::string event) {
    STEPTRACE_RETURN_IF_ERROR(output_.Write(first_ ? "\n" : ",\n"));
    first_ = false;
    return output_.Write(InertJson(std::move(event)));
  }

  // Lines of a profiler's own have texts in place of ids, as in what was imported: the names of the
  // process and the thread, which may be empty.
  std::string PidOf(const ExportTrack& track) const {
    const ExportTrack* process = track.row.pid ? nullptr : ProcessOf(track);
    return process == nullptr ? std::to_string(track.pid) : Quoted(process->row.name);
  }
  std::string TidOf(const ExportTrack& track) const {
    const bool has_number = track.row.tid || ProcessOf(track) == nullptr;
    return has_number ? std::to_string(track.tid) : Quoted(track.name);
  }
  // The process that a thread is told to lie in.
  const ExportTrack* ProcessOf(const ExportTrack& track) const {
    auto parent = frame_.tracks.find(track.row.parent.value_or(-1));
    const bool known = track.kind == store::TrackKind::kThread && parent != frame_.tracks.end() &&
                       parent->second.kind == store::TrackKind::kProcess;
    return known ? &parent->second : nullptr;
  }

  Status Meta(const char* what, const ExportTrack& track, const char* key, std::string_view value) {
    return Event(
        fmt::format("{{\"ph\":\"M\",\"name\":\"{}\",\"ts\":0.000,\"pid\":{},\"tid\":{},\"args\":{{"
                    "\"{}\":{}}}}}",
                    what, PidOf(track), TidOf(track), key, Quoted(value)));
  }

  Status Metadata() {
    std::map<int32_t, const ExportTrack*> by_number;
    for (const auto& [number, track] : frame_.tracks) {
      if (Concerns(track) && !track.is_counter) by_number.emplace(number, &track);
    }
    std::set<std::pair<bool, std::string>> processes;
    for (const auto& [number, track] : by_number) {
      // The tracks of processes and devices are told by what lies in them.
      if (track->kind == store::TrackKind::kProcess || track->kind == store::TrackKind::kDevice)
        continue;
      if (processes.insert({track->on_device, PidOf(*track)}).second) {
        STEPTRACE_RETURN_IF_ERROR(Process(*track));
      }
      if (track->name.empty()) continue;
      STEPTRACE_RETURN_IF_ERROR(Meta("thread_name", *track, "name", track->name));
    }
    return {};
  }

  Status Process(const ExportTrack& track) {
    if (track.on_device) {
      return Meta("process_labels", track, "labels", fmt::format("GPU {}", track.pid));
    }
    const ExportTrack* process = ProcessOf(track);
    if (process == nullptr || process->row.name.empty()) return {};
    return Meta("process_name", track, "name", process->row.name);
  }

  void Place(std::string& event, const ExportTrack& track, int64_t ts_ns) const {
    fmt::format_to(std::back_inserter(event), ",\"pid\":{},\"tid\":{},\"ts\":", PidOf(track),
                   TidOf(track));
    AppendMicroseconds(event, ts_ns + frame_.before_epoch_ns);
  }

  // Of a track that no row declares: its name, when it is first met.
  Status NameUnknown(int32_t number, int32_t rank, RunFrame::Holds holds) {
    if (frame_.Knows(number)) return {};
    const ExportTrack& track = frame_.Track(number, rank, holds);
    return track.is_counter ? Status() : Meta("thread_name", track, "name", track.name);
  }

  Status Slice(const SliceCells& slice) {
    STEPTRACE_RETURN_IF_ERROR(NameUnknown(slice.track, slice.rank, RunFrame::Holds::kSlices));
    const ExportTrack& track = frame_.Track(slice.track);
    event_ = "{\"ph\":\"X\",\"cat\":";
    AppendQuoted(event_, slice.category);
    event_ += ",\"name\":";
    AppendQuoted(event_, slice.name);
    Place(event_, track, slice.ts_ns);
    event_ += ",\"dur\":";
    AppendMicroseconds(event_, slice.dur_ns);
    AppendArguments(slice, track);
    event_ += '}';
    STEPTRACE_RETURN_IF_ERROR(Event(event_));
    return Flows(slice, track);
  }

  void AppendArguments(const SliceCells& slice, const ExportTrack& track) {
    std::string_view separator = ",\"args\":{";
    auto put = [&](std::string_view key, const std::optional<int64_t>& value) {
      if (!value || key.empty()) return;
      fmt::format_to(std::back_inserter(event_), "{}\"{}\":{}", separator, key, *value);
      separator = ",";
    };
    if (track.on_device) {
      if (slice.details.find("\"device\":") == std::string::npos) put("device", track.pid);
      if (slice.details.find("\"stream\":") == std::string::npos) put("stream", track.tid);
    }
    const bool collective = track.on_device || slice.group || slice.name == "record_param_comms";
    slice.ForEachNumber([&](const char* column, const std::optional<int64_t>& value) {
      put(ArgumentOf(column, collective), value);
    });
    for (const std::string* object : {&slice.details, &slice.args}) {
      const std::string_view inside = objects_.Inside(*object);
      if (inside.empty()) continue;
      event_ += separator;
      event_ += inside;
      separator = ",";
    }
    if (separator == ",") event_ += '}';
  }

  Status Flow(const char* phase, const char* category, int64_t id, const ExportTrack& track,
              int64_t ts_ns) {
    event_ = fmt::format("{{\"ph\":\"{}\",\"cat\":\"{}\",\"name\":\"{}\",\"id\":{}", phase,
                         category, category, id);
    Place(event_, track, ts_ns);
    event_ += phase[0] == 'f' ? ",\"bp\":\"e\"}" : "}";
    return Event(event_);
  }

  Status Flows(const SliceCells& slice, const ExportTrack& track) {
    if (slice.correlation && store::IsRuntimeCall(slice.category)) {
      STEPTRACE_RETURN_IF_ERROR(Flow("s", "ac2g", *slice.correlation, track, slice.ts_ns));
    }
    if (slice.correlation && store::IsOnStream(slice.category)) {
      STEPTRACE_RETURN_IF_ERROR(Flow("f", "ac2g", *slice.correlation, track, slice.ts_ns));
    }
    if (slice.flow_out) {
      STEPTRACE_RETURN_IF_ERROR(Flow("s", "fwdbwd", *slice.flow_out, track, slice.ts_ns));
    }
    if (slice.flow_in) return Flow("f", "fwdbwd", *slice.flow_in, track, slice.ts_ns);
    return {};
  }

  Status Memory(const MemoryCells& memory) {
    const ExportTrack& track =
        frame_.Track(memory.track.value_or(-1), memory.track ? memory.rank : -1);
    event_ = "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\"";
    Place(event_, track, memory.ts_ns);
    fmt::format_to(std::back_inserter(event_),
                   ",\"args\":{{\"Device Type\":{},\"Device Id\":{},\"Addr\":{},\"Bytes\":{}",
                   memory.device < 0 ? 0 : 1, memory.device, memory.address, memory.bytes);
    if (memory.total_allocated_bytes) {
      fmt::format_to(std::back_inserter(event_), ",\"Total Allocated\":{}",
                     *memory.total_allocated_bytes);
    }
    if (memory.total_reserved_bytes) {
      fmt::format_to(std::back_inserter(event_), ",\"Total Reserved\":{}",
                     *memory.total_reserved_bytes);
    }
    event_ += "}}";
    return Event(event_);
  }

  Status Counter(const CounterCells& counter) {
    const ExportTrack& track = frame_.Track(counter.track, -1, RunFrame::Holds::kValues);
    if (!Concerns(track) && track.rank >= 0) return {};
    event_ = "{\"ph\":\"C\",\"cat\":\"counter\",\"name\":";
    AppendQuoted(event_, track.name);
    Place(event_, track, counter.ts_ns);
    fmt::format_to(std::back_inserter(event_), ",\"args\":{{\"value\":{}}}}}",
                   std::isfinite(counter.value) ? fmt::format("{}", counter.value) : "null");
    return Event(event_);
  }

  RunFrame& frame_;
  RankFilter rank_;
  Output& output_;
  ObjectCheck objects_;
  std::string event_;
  bool first_ = true;
};

}  // namespace

Status WriteChrome(const std::filesystem::path& run, RunFrame& frame, RankFilter rank,
                   Output& output) {
  return ChromeWriter(frame, rank, output).Write(run);
}

}  // namespace steptrace::exporter
