// SPDX-License-Identifier: Apache-2.0
#include "import/formats/perfetto/perfetto_importer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/time.h"
#include "import/core/rank_in_name.h"
#include "import/core/watched_stream.h"
#include "import/formats/perfetto/packet_stream.h"
#include "import/formats/perfetto/proto_fields.h"
#include "import/formats/perfetto/trace_events.h"
#include "model/finding_kinds.h"
#include "store/metadata_keys.h"
#include "store/profile_writers.h"

namespace steptrace::import::perfetto {
namespace finding = model::finding;

namespace {

constexpr ReadFiles kReads[] = {
    {"Perfetto's protobuf (`.pftrace`, `.perfetto-trace`), by any writer", "a row of packets",
     "one rank a file; of `export --format perfetto` the run that was exported"},
};
constexpr const char* kEndings[] = {".pftrace", ".perfetto-trace"};

using Json = nlohmann::json;

// Times since 1970 lie in between: 2001 to 2096.
constexpr int64_t kDatesFromNs = 1'000'000'000 * kNsPerSecond;
constexpr int64_t kDatesToNs = 4'000'000'000 * kNsPerSecond;

std::string Dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<int64_t> IntegerOf(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return std::nullopt;
  const Json& value = object[key];
  return value.is_number_integer() ? std::optional(value.get<int64_t>()) : std::nullopt;
}

// One file. It is read twice: first what holds for all of it, then the events; where the order of
// these does not tell how they pair, a third time.
class FileImport {
 public:
  FileImport(const Source& source, const ImportContext& context, RunSink& sink)
      : source_(source), context_(context), sink_(sink), layout_(sink) {}

  Status Run() {
    STEPTRACE_RETURN_IF_ERROR(ReadLayout());
    STEPTRACE_ASSIGN_OR_RETURN(bool paired, ReadEvents(/*sort=*/false));
    if (paired) return {};
    STEPTRACE_ASSIGN_OR_RETURN(paired, ReadEvents(/*sort=*/true));
    return {};
  }

 private:
  Status ReadLayout() {
    STEPTRACE_ASSIGN_OR_RETURN(auto stream, source_.Open());
    PacketStream packets(*stream, source_.path, source_.bytes, context_.limits);
    return packets.ForEach([this](std::string_view packet) -> Status {
      try {
        layout_.Take(packet);
      } catch (const protozero::exception&) {  // counted when the events are read
      }
      return {};
    });
  }

  // False: the events need sorting, and nothing of them was kept.
  Result<bool> ReadEvents(bool sort) {
    STEPTRACE_ASSIGN_OR_RETURN(auto stream, source_.Open());
    WatchedStream watched(*stream, sort ? unwatched_ : context_);
    PacketStream packets(watched, source_.path, source_.bytes, context_.limits);
    TrackLines lines(layout_, sink_);
    lines.Begin();
    Limits limits = context_.limits;
    limits.max_bytes = MostBytes(limits, source_.bytes);
    TraceEvents events(layout_, lines, sink_, limits, sort);
    bool needs_sorting = false;
    Status status = packets.ForEach([&](std::string_view packet) -> Status {
      STEPTRACE_RETURN_IF_ERROR(events.Take(packet));
      if (events.is_beyond_limit()) return TooManyTexts(limits.max_bytes);
      needs_sorting = !sort && events.needs_sorting();
      return needs_sorting ? Status(Error{"sort"}) : Status();
    });
    if (status.ok()) status = events.Finish();
    if (status.ok() && events.events() == 0) status = NoEvent(packets.damage());
    if (needs_sorting || !status.ok()) {
      lines.Drop();
      if (needs_sorting) return false;
      return status.error();
    }
    lines.SelectFirst();
    RecordDamage(packets.damage(), stream->damage());
    RecordFacts(events, lines, packets.packets(), stream->consumed());
    lines.End(Facts(events, lines));
    return true;
  }

  Error NoEvent(const PacketDamage& damage) const {
    return Error{
        source_.path + ": holds no event of a track" + (damage.cut_off ? ": it is cut off" : ""),
        "record the trace again, with track events"};
  }

  Error TooManyTexts(int64_t most) const {
    return Error{fmt::format("{}: its interned texts have more than {} bytes{}", source_.path, most,
                             WhyMostBytes(context_.limits)),
                 "if that is meant, raise --max-bytes"};
  }

  void Lost(const char* table, LossCause cause, int64_t count, model::Finding said) {
    sink_.Loss(table, cause, count, std::move(said));
  }

  void RecordDamage(const PacketDamage& damage, const std::string& stream_damage) {
    const std::string& file = source_.path;
    if (damage.cut_off) {
      Lost("slices", LossCause::kFileCutOff, 1,
           Make(finding::LossFileCutOff{.at = damage.ended_at,
                                        .packet = true,
                                        .line = false,
                                        .entry = false,
                                        .file = file,
                                        .damage = stream_damage}));
    } else if (damage.gave_up) {
      Lost("slices", LossCause::kFileDamaged, 1,
           Make(finding::LossFileDamaged{.at = damage.ended_at, .whole = false, .file = file}));
    } else if (!stream_damage.empty()) {
      Lost("slices", LossCause::kFileDamaged, 1,
           Make(finding::LossFileDamaged{.whole = false, .file = file, .damage = stream_damage}));
    }
    Lost("slices", LossCause::kDamagedPacket, damage.damaged_packets,
         Make(finding::LossSkippedBytes{.bytes = damage.skipped_bytes,
                                        .packets = true,
                                        .foreign = false,
                                        .too_long = false,
                                        .too_deep = false,
                                        .file = file}));
    Lost("slices", LossCause::kPacketTooLong, damage.too_long_packets,
         Make(finding::LossTooLarge{
             .most = context_.limits.max_event_bytes, .packets = true, .file = file}));
    Lost("tracks", LossCause::kDuplicateUuid, layout_.duplicate_uuids,
         InFile(file, LossCause::kDuplicateUuid));
    Lost("tracks", LossCause::kTooManyTracks, layout_.too_many_tracks,
         Make(finding::LossBeyond{.most = static_cast<int64_t>(kMostDescriptors),
                                  .descriptors = true,
                                  .snapshots = false,
                                  .texts = false,
                                  .file = file}));
    Lost("tracks", LossCause::kClockSnapshots, layout_.clocks.left_out(),
         Make(finding::LossBeyond{.most = static_cast<int64_t>(kMostSnapshots),
                                  .descriptors = false,
                                  .snapshots = true,
                                  .texts = false,
                                  .file = file}));
  }

  void RecordFacts(const TraceEvents& events, const TrackLines& lines, int64_t packets,
                   int64_t bytes) {
    Lost("tracks", LossCause::kTrackUndescribed, lines.undescribed(),
         InFile(source_.path, LossCause::kTrackUndescribed));
    Json source;
    source["file"] = source_.path;
    source["format"] = NameOf(kPerfettoImporter.format);
    source["dialect"] = layout_.is_own()     ? "perfetto, by steptrace export"
                        : events.is_kineto() ? "perfetto, by pytorch"
                                             : "perfetto";
    if (events.writer() != store::ProfileWriter::kUnknown) {
      source["writer"] = InfoOf(events.writer()).id;
    }
    source["events"] = events.events();
    source["packets"] = packets;
    source["bytes"] = bytes;
    sink_.Fact(std::nullopt, NameOf(store::MetadataKind::kSource), Dumped(source));
    for (const std::string& device : events.devices())
      sink_.Fact(std::nullopt, NameOf(store::MetadataKind::kDevice), device);
    if (!events.job().empty())
      sink_.Fact(std::nullopt, NameOf(store::MetadataKind::kJob), events.job());
  }

  PartFacts Facts(const TraceEvents& events, const TrackLines& lines) {
    PartFacts facts;
    Json job = events.job().empty() ? Json() : Json::parse(events.job(), nullptr, false);
    facts.rank = RankOf(IntegerOf(job, "rank"));
    if (!facts.rank) facts.rank = RankInName(source_.inside);
    facts.world_size = RankOf(IntegerOf(job, "world_size")).value_or(-1);
    facts.pid = lines.first_pid();
    facts.utc_offset_ns = layout_.clocks.UtcOffsetNs();
    const int64_t first_ns = events.first_time_ns().value_or(0);
    if (!facts.utc_offset_ns && first_ns >= kDatesFromNs && first_ns < kDatesToNs) {
      facts.utc_offset_ns = 0;
    }
    facts.source = source_.path;
    return facts;
  }

  const Source& source_;
  const ImportContext& context_;
  ImportContext unwatched_;
  RunSink& sink_;
  TraceLayout layout_;
};

Detection Detect(std::string_view head, const Source&) {
  return {LooksLikeTrace(head) ? Confidence::kEncoding : Confidence::kNone};
}

Status Import(std::span<const DetectedSource> sources, const ImportContext& context,
              RunSink& sink) {
  Status first_failure;
  bool any = false;
  for (const DetectedSource& detected : sources) {
    Status status = FileImport(detected.source, context, sink).Run();
    any = any || status.ok();
    if (status.ok()) continue;
    sink.RunLoss("slices", LossCause::kFileRefused, 1,
                 Make(finding::LossFileRefused{.reason = status.error().text()}));
    if (first_failure.ok()) first_failure = status;
  }
  return any ? Status() : first_failure;
}

}  // namespace

constinit const Importer kPerfettoImporter{.format = store::ProfileFormat::kPerfetto,
                                           .writer = "Perfetto",
                                           .detect = Detect,
                                           .import = Import,
                                           .title = "Perfetto",
                                           .reads = kReads,
                                           .endings = kEndings};

}  // namespace steptrace::import::perfetto
