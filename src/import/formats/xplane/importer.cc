// SPDX-License-Identifier: Apache-2.0
#include "import/formats/xplane/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "import/core/rank_in_name.h"
#include "import/core/watched_stream.h"
#include "import/formats/xplane/event_rows.h"
#include "import/formats/xplane/proto_fields.h"
#include "import/formats/xplane/space_layout.h"
#include "import/formats/xplane/space_stream.h"
#include "model/finding_kinds.h"
#include "store/metadata_keys.h"
#include "store/profile_writers.h"

namespace steptrace::import::xplane {
namespace finding = model::finding;

namespace {

using Json = nlohmann::json;

constexpr ReadFiles kReads[] = {
    {"XPlane profiles of JAX and TensorFlow (`*.xplane.pb`), CPU, GPU, TPU",
     "a row of planes, named `/host:…`, `/device:…`, `Task Environment`",
     "one rank a file, with all of its devices"},
};
constexpr const char* kEndings[] = {".xplane.pb", ".pb"};

// Times since 1970 lie in between: 2001 to 2096.
constexpr int64_t kDatesFromNs = 1'000'000'000 * kNsPerSecond;
constexpr int64_t kDatesToNs = 4'000'000'000 * kNsPerSecond;

std::string Dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Detection Detect(std::string_view head, const Source&) {
  return {LooksLikeSpace(head) ? Confidence::kEncoding : Confidence::kNone};
}

// What the planes of devices tell of them, as Kineto calls it.
Json DeviceFacts(const PlaneFacts& plane) {
  Json device;
  device["id"] = *plane.device;
  std::string vendor;
  for (const std::string& message : plane.stats) {
    Stat stat;
    try {
      stat = ReadStat(message);
    } catch (const protozero::exception&) {
      continue;
    }
    const StatMeta* meta = plane.StatOf(stat.metadata_id);
    if (meta == nullptr) continue;
    const std::string text(plane.TextOf(stat));
    if (meta->name == "device_vendor") vendor = text;
    if (meta->name == "device_type_string") device["name"] = text;
    for (const auto& [name, key] : {std::pair("core_count", "numSms"),
                                    {"memory_size", "totalGlobalMem"},
                                    {"compute_cap_major", "computeMajor"},
                                    {"compute_cap_minor", "computeMinor"}}) {
      if (meta->name == name && stat.Integer()) device[key] = *stat.Integer();
    }
  }
  if (!device.contains("name") && !vendor.empty()) device["name"] = vendor + " GPU";
  return device;
}

class FileImport {
 public:
  FileImport(const Source& source, const ImportContext& context, RunSink& sink)
      : source_(source), context_(context), sink_(sink), layout_(context.limits) {}

  Status Run() {
    STEPTRACE_RETURN_IF_ERROR(ReadLayout());
    sink_.BeginPart();
    Status status = ReadEvents();
    if (!status.ok()) sink_.DropPart();
    return status;
  }

 private:
  Status ReadLayout() {
    STEPTRACE_ASSIGN_OR_RETURN(auto stream, source_.Open());
    SpaceStream space(*stream, context_.limits);
    STEPTRACE_RETURN_IF_ERROR(space.Read(layout_));
    damage_ = space.damage();
    stream_damage_ = stream->damage();
    for (const PlaneFacts& plane : layout_.planes()) {
      if (plane.damaged && plane.kind == PlaneKind::kDevice) return NoDevice(plane);
    }
    return {};
  }

  // What is left of a device may be all or nearly nothing, and nothing tells which: of half of its
  // kernels a training looks like another one.
  Error NoDevice(const PlaneFacts& plane) const {
    const std::string what = damage_.cut_off ? "ends in the middle of it" : "it is damaged";
    return Error{fmt::format("{}: {}: {}", source_.path, plane.name, what),
                 "copy it again, or import the .trace.json.gz beside it alone"};
  }

  Status ReadEvents() {
    STEPTRACE_ASSIGN_OR_RETURN(auto stream, source_.Open());
    WatchedStream watched(*stream, context_);
    SpaceStream space(watched, context_.limits);
    EventRows rows(layout_, sink_.part());
    STEPTRACE_RETURN_IF_ERROR(space.Read(rows));
    damage_.too_long_parts += space.damage().too_long_parts;  // events, which the first skipped
    if (rows.events() == 0) return NoEvent();
    RecordSource(rows, space.bytes());
    RecordLosses(rows);
    sink_.EndPart(Facts(rows));
    return {};
  }

  Error NoEvent() const {
    if (!stream_damage_.empty()) {
      return Error{source_.path + ": " + stream_damage_, "copy it again"};
    }
    if (damage_.cut_off || damage_.gave_up) {
      const char* what = damage_.cut_off ? "ends in the middle of it" : "is damaged";
      return Error{fmt::format("{}: {}, before its first event", source_.path, what),
                   "copy it again"};
    }
    return Error{source_.path + ": holds no event",
                 "record some steps between start_trace and stop_trace of jax.profiler or "
                 "tf.profiler.experimental"};
  }

  void RecordSource(const EventRows& rows, int64_t bytes) {
    Json source;
    source["file"] = source_.path;
    source["format"] = NameOf(kXPlaneImporter.format);
    source["dialect"] = "xspace";
    if (rows.Writer() != store::ProfileWriter::kUnknown) {
      source["writer"] = InfoOf(rows.Writer()).id;
    }
    source["events"] = rows.events();
    source["bytes"] = bytes;
    sink_.Fact(std::nullopt, NameOf(store::MetadataKind::kSource), Dumped(source));
    if (const std::string jax = layout_.JaxVersion(); !jax.empty()) {
      sink_.part().Version("jax", jax);
    }
    std::vector<int32_t> told;  // a device may have several planes
    for (const PlaneFacts& plane : layout_.planes()) {
      if (plane.kind != PlaneKind::kDevice || plane.stats.empty()) continue;
      if (std::find(told.begin(), told.end(), *plane.device) != told.end()) continue;
      if (told.size() == kMostDevices) break;
      told.push_back(*plane.device);
      sink_.Fact(std::nullopt, NameOf(store::MetadataKind::kDevice), Dumped(DeviceFacts(plane)));
    }
  }

  void RecordLosses(const EventRows& rows) {
    const std::string& file = source_.path;
    if (damage_.cut_off) {
      sink_.Loss("slices", LossCause::kFileCutOff, 1,
                 Make(finding::LossFileCutOff{.at = damage_.ended_at,
                                              .packet = false,
                                              .line = false,
                                              .entry = false,
                                              .file = file,
                                              .damage = stream_damage_}));
    } else if (damage_.gave_up || !stream_damage_.empty()) {
      const std::string what = fmt::format("is not a profile from byte {} on", damage_.ended_at);
      sink_.Loss(
          "slices", LossCause::kFileDamaged, 1,
          Make(finding::LossFileDamaged{.whole = false,
                                        .file = file,
                                        .damage = stream_damage_.empty() ? what : stream_damage_}));
    }
    if (damage_.too_long_parts > 0) {
      sink_.Loss("slices", LossCause::kPacketTooLong, damage_.too_long_parts,
                 Make(finding::LossTooLarge{
                     .most = context_.limits.max_event_bytes, .packets = true, .file = file}));
    }
    if (layout_.warnings() > 0) {
      sink_.Loss("slices", LossCause::kProfilerWarned, layout_.warnings(),
                 Make(finding::LossProfilerWarned{.file = file, .said = layout_.first_warning()}));
    }
    LossCounts lost = layout_.lost();
    for (const auto& [cause, count] : rows.lost()) lost[cause] += count;
    if (damage_.damaged_parts > 0) lost[LossCause::kDamagedPacket] += damage_.damaged_parts;
    if (const auto beyond = lost.extract(LossCause::kTooManyTracks)) {
      sink_.Loss("tracks", LossCause::kTooManyTracks, beyond.mapped(),
                 Make(finding::LossBeyond{.most = static_cast<int64_t>(SpaceLayout::kMostLines),
                                          .descriptors = false,
                                          .snapshots = false,
                                          .texts = false,
                                          .file = file}));
    }
    AddLosses(sink_, lost, file);
  }

  // Writers give times since the recording began, and when that was; older ones since 1970.
  PartFacts Facts(const EventRows& rows) const {
    PartFacts facts;
    facts.rank = RankInName(source_.inside);
    facts.host = layout_.host();
    facts.pid = layout_.Pid().value_or(0);
    const auto is_date = [](int64_t ns) { return ns >= kDatesFromNs && ns < kDatesToNs; };
    if (is_date(rows.first_ns().value_or(0))) {
      facts.utc_offset_ns = 0;
    } else if (const auto begin = layout_.BeginNs(); begin && is_date(*begin)) {
      facts.utc_offset_ns = *begin;
    }
    facts.source = source_.path;
    facts.is_profile = true;
    return facts;
  }

  static constexpr size_t kMostDevices = 1024;

  const Source& source_;
  const ImportContext& context_;
  RunSink& sink_;
  SpaceLayout layout_;
  SpaceDamage damage_;
  std::string stream_damage_;
};

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

// The names that xprof and JAX give to what they make of a profile, in its folder.
std::vector<std::string> Copies(const Source& own) {
  constexpr std::string_view kEnd = ".xplane.pb";
  std::string_view path = own.path;
  if (path.ends_with(".gz")) path.remove_suffix(3);
  const size_t slash = path.rfind('/');
  const std::string folder(path.substr(0, slash == path.npos ? 0 : slash + 1));
  std::vector<std::string> copies = {folder + "perfetto_trace.json.gz",
                                     folder + "perfetto_trace.json"};
  if (path.ends_with(kEnd)) {
    path.remove_suffix(kEnd.size());
    for (const char* end : {".trace.json.gz", ".trace.json"}) {
      copies.push_back(std::string(path) + end);
    }
  }
  return copies;
}

}  // namespace

constinit const Importer kXPlaneImporter{.format = store::ProfileFormat::kXplane,
                                         .writer = "JAX and TensorFlow",
                                         .detect = Detect,
                                         .import = Import,
                                         .title = "XPlane (JAX, TensorFlow)",
                                         .reads = kReads,
                                         .endings = kEndings,
                                         .copies = Copies};

}  // namespace steptrace::import::xplane
