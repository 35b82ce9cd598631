// SPDX-License-Identifier: Apache-2.0
// Kineto's JSON in its dialects, and any other file of Chrome trace events: a file is a rank.
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "import/importer.h"
#include "import/kineto/trace_reader.h"
#include "import/rank_in_name.h"
#include "import/watched_stream.h"

namespace steptrace::import {
namespace {

using Json = nlohmann::ordered_json;

Json Parsed(const std::string& text) {
  return text.empty() ? Json() : Json::parse(text, nullptr, false);
}

std::optional<int64_t> IntegerOf(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return std::nullopt;
  const Json& value = object[key];
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool sound = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return sound ? std::optional<int64_t>(number) : std::nullopt;
}

std::string TextOf(const std::string& member) {
  Json value = Parsed(member);
  return value.is_string() ? value.get<std::string>() : std::string();
}

// One file.
class FileImport {
 public:
  FileImport(const Source& source, const ImportContext& context, RunSink& sink,
             std::map<std::string, int32_t>& nodes)
      : source_(source), context_(context), sink_(sink), nodes_(nodes), reader_(sink) {}

  Status Run(Format format) {
    STEPTRACE_ASSIGN_OR_RETURN(auto stream, source_.Open());
    WatchedStream watched(*stream, context_);
    Window window(watched, context_.limits.max_event_bytes);
    Document document(window, source_.path, context_.limits.max_depth);
    STEPTRACE_RETURN_IF_ERROR(document.Read(reader_));
    STEPTRACE_RETURN_IF_ERROR(reader_.Finish());
    if (document.events() == 0) {
      return Error{source_.path + ": holds no event" +
                   (document.damage().cut_off ? ": it is cut off" : "") +
                   "; record the profile again"};
    }
    TellDamage(document.damage(), stream->damage());
    TellFacts(document, stream->consumed(), format);
    sink_.EndPart(Facts());
    return {};
  }

 private:
  void Lost(std::string_view cause, int64_t count, std::string_view detail) {
    sink_.Loss("slices", cause, count, fmt::format("{}: {}", source_.path, detail));
  }

  void TellDamage(const Damage& damage, const std::string& stream_damage) {
    if (damage.cut_off) {
      Lost("file_cut_off", 1,
           fmt::format("ends at byte {} in the middle{}; what came later is missing",
                       damage.cut_off_at, stream_damage.empty() ? "" : " (" + stream_damage + ")"));
    } else if (!stream_damage.empty()) {
      Lost("file_damaged", 1, stream_damage + "; what came later is missing");
    }
    Lost("damaged_event", damage.damaged_events,
         fmt::format("events that are no JSON were skipped, {} bytes", damage.skipped_bytes));
    Lost("foreign_text", damage.foreign_texts,
         fmt::format("other text between the events was skipped, {} bytes", damage.skipped_bytes));
    Lost("event_too_long", damage.too_long_events,
         fmt::format("events of more than {} bytes were skipped", context_.limits.max_event_bytes));
    Lost("duplicate_key", damage.duplicate_keys, "a key stands twice in an event: the last counts");
    Lost("text_after_end", damage.bytes_after_end, "bytes after the end of the JSON were left out");
  }

  std::string Dialect() const {
    if (reader_.of_2021()) return "kineto of 2021";
    if (!reader_.is_kineto()) return "chrome";
    return reader_.Member("baseTimeNanoseconds").empty() ? "kineto, absolute times"
                                                         : "kineto, times since a base";
  }

  void TellFacts(const Document& document, int64_t bytes, Format format) {
    Json source;
    source["file"] = source_.path;
    source["format"] = NameOf(format);
    source["dialect"] = Dialect();
    source["events"] = document.events();
    source["bytes"] = bytes;
    sink_.Fact(std::nullopt, "source", Dumped(source));
    Json devices = Parsed(reader_.Member("deviceProperties"));
    if (devices.is_array()) {
      for (const Json& device : devices) {
        if (device.is_object()) sink_.Fact(std::nullopt, "device", Dumped(device));
      }
    }
    if (reader_.has_device_events() && (!devices.is_array() || devices.empty())) {
      sink_.Loss("facts", "missing_metadata", 1,
                 source_.path + ": no deviceProperties: what needs a device's size is left out");
    }
    Json job = Parsed(reader_.Member("distributedInfo"));
    if (job.is_object()) sink_.Fact(std::nullopt, "job", Dumped(job));
    for (const char* name : {"cuda_runtime_version", "cuda_driver_version", "cupti_version",
                             "hip_runtime_version", "hip_driver_version", "roctracer_version"}) {
      const std::string& text = reader_.Member(name);
      if (!text.empty() && text[0] != '{' && text[0] != '[') sink_.Version(name, text);
    }
  }

  static std::string Dumped(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  PartFacts Facts() {
    PartFacts facts;
    Json job = Parsed(reader_.Member("distributedInfo"));
    facts.rank = RankOf(IntegerOf(job, "rank"));
    if (!facts.rank) facts.rank = RankInName(source_.inside);
    facts.world_size = RankOf(IntegerOf(job, "world_size")).value_or(-1);
    facts.host = TextOf(reader_.Member("host_name"));
    facts.node = nodes_.try_emplace(facts.host, static_cast<int32_t>(nodes_.size())).first->second;
    facts.pid = reader_.tracks().first_pid();
    facts.utc_offset_ns = reader_.UtcOffsetNs();
    facts.source = source_.path;
    return facts;
  }

  const Source& source_;
  const ImportContext& context_;
  RunSink& sink_;
  std::map<std::string, int32_t>& nodes_;
  TraceReader reader_;
};

}  // namespace

Status ImportTraceEvents(std::span<const Source> sources, Format format,
                         const ImportContext& context, RunSink& sink) {
  std::map<std::string, int32_t> nodes;
  Status first_failure;
  bool any = false;
  for (const Source& source : sources) {
    sink.BeginPart();
    Status status = FileImport(source, context, sink, nodes).Run(format);
    any = any || status.ok();
    if (status.ok()) continue;
    sink.DropPart();
    sink.RunLoss("slices", "file_refused", 1, status.error().message);
    if (first_failure.ok()) first_failure = status;
  }
  return any ? Status() : first_failure;
}

}  // namespace steptrace::import
