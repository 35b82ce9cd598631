// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/process_import.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "import/formats/sagemaker/read_source.h"
#include "import/json/elements.h"
#include "model/finding_kinds.h"
#include "store/metadata_keys.h"
#include "store/stored_words.h"

namespace steptrace::import::sagemaker {
namespace finding = model::finding;

namespace {

// cProfile's file of a whole training is below 1 MiB.
constexpr size_t kMaxPythonStatsBytes = 16 << 20;

std::string Dump(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Of Debugger's own files it is known; a timeline of TensorFlow's form may be JAX's.
WriterMarks MarksOf(Dialect dialect) {
  WriterMarks marks;
  if (dialect == Dialect::kHorovod) marks.Is(store::ProfileWriter::kHorovod);
  if (dialect != Dialect::kHorovod && dialect != Dialect::kTensorFlow) {
    marks.Is(store::ProfileWriter::kSagemaker);
  }
  return marks;
}

// In the middle of an event, or of an entry of a Python profile.
model::Finding CutOff(const std::string& path, bool entry) {
  return Make(
      finding::LossFileCutOff{.packet = false, .line = false, .entry = entry, .file = path});
}

model::Finding Damaged(const std::string& path, const std::string& damage) {
  return Make(finding::LossFileDamaged{.whole = true, .file = path, .damage = damage});
}

void RecordElementLosses(const json::Elements& elements, const std::string& path, RunSink& sink) {
  const json::ElementLosses& losses = elements.losses();
  const auto skipped = [&](bool too_long, bool too_deep) {
    return Make(finding::LossSkippedBytes{.bytes = losses.skipped_bytes,
                                          .packets = false,
                                          .foreign = false,
                                          .too_long = too_long,
                                          .too_deep = too_deep,
                                          .file = path});
  };
  sink.Loss("slices", LossCause::kDamagedEvent, losses.damaged, skipped(false, false));
  sink.Loss("slices", LossCause::kEventTooLong, losses.too_long, skipped(true, false));
  sink.Loss("slices", LossCause::kArgumentsTooDeep, losses.too_deep, skipped(false, true));
  sink.Loss("slices", LossCause::kFileCutOff, losses.cut_off ? 1 : 0, CutOff(path, false));
  sink.Loss("slices", LossCause::kTextAfterEnd, losses.trailing_bytes,
            InFile(path, LossCause::kTextAfterEnd));
  sink.Loss("slices", LossCause::kNoEvents, elements.found() ? 0 : 1,
            InFile(path, LossCause::kNoEvents));
}

}  // namespace

ProcessImport::ProcessImport(const PlannedProcess& plan, const ImportContext& context,
                             RunSink& sink)
    : plan_(plan), context_(context), sink_(sink) {}

void ProcessImport::AddFile(const PlannedFile& file) {
  if (file.dialect == Dialect::kPythonStats) return AddPythonStats(file);
  AddEvents(file);
}

void ProcessImport::RecordSource(const PlannedFile& file, const WriterMarks& marks, int64_t events,
                                 int64_t bytes) {
  nlohmann::ordered_json fact{{"file", file.source->path},
                              {"format", NameOf(store::ProfileFormat::kSagemaker)},
                              {"dialect", NameOf(file.dialect)},
                              {"events", events},
                              {"bytes", bytes}};
  if (const auto writer = marks.Writer(); writer != store::ProfileWriter::kUnknown) {
    fact["writer"] = InfoOf(writer).id;
  }
  sink_.Fact({}, NameOf(store::MetadataKind::kSource), Dump(fact), plan_.process.pid);
}

void ProcessImport::AddEvents(const PlannedFile& file) {
  const std::string& path = file.source->path;
  WriterMarks marks = MarksOf(file.dialect);
  TraceFile trace([&](const TraceFileEvent& event) {
    marks.Line(event.line);
    marks.EventName(event.name);
    AddEvent(event, file.dialect);
  });
  if (file.base_ns) trace.SetBase(*file.base_ns);
  json::Elements elements(static_cast<size_t>(context_.limits.max_event_bytes),
                          static_cast<size_t>(context_.limits.max_depth),
                          [&](std::string_view object) { trace.Add(object); });
  const ReadEnd end = ReadPieces(*file.source, context_, [&](auto bytes) { elements.Push(bytes); });
  elements.Finish();
  trace.Finish();
  RecordElementLosses(elements, path, sink_);  // first: of a cause's details the first stays
  AddLosses(sink_, trace.losses(), path);
  if (!end.damage.empty())
    sink_.Loss("slices", LossCause::kFileDamaged, 1, Damaged(path, end.damage));
  RecordSource(file, marks, trace.events(), end.bytes);
}

int32_t ProcessImport::TrackOf(const TraceFileEvent& event, const EventPlace& place) {
  const int64_t pid = event.pid.value_or(plan_.process.pid);
  const int64_t tid = event.tid.value_or(event.line_tid.value_or(kNull));
  TrackKey key{place.device, pid, tid, event.line_id, event.line};
  if (const auto found = tracks_.find(key); found != tracks_.end()) return found->second;
  store::TrackRow row;
  row.name = event.thread_name.empty() ? event.line : event.thread_name;
  if (place.device >= 0) {
    row.device = place.device;
    row.stream = tid == kNull ? 0 : tid;
  } else {
    if (pid > 0) row.pid = pid;
    if (tid != kNull) row.tid = tid;
  }
  const int32_t track = sink_.AddTrack(
      std::move(row), place.device >= 0 ? store::TrackKind::kStream : store::TrackKind::kThread);
  // One that was refused is asked for again: a file may name ever more of them.
  if (track >= 0) tracks_.emplace(std::move(key), track);
  return track;
}

void ProcessImport::AddEvent(const TraceFileEvent& event, Dialect dialect) {
  const EventPlace place = PlaceOfEvent(event, dialect == Dialect::kTensorFlow);
  steps_.Add(event, place.role);
  Slice slice;
  slice.track = TrackOf(event, place);
  if (slice.track < 0) return;
  slice.ts_ns = event.ts_ns;
  slice.dur_ns = event.dur_ns;
  slice.name = sink_.Intern(event.name);
  slice.category = sink_.Intern(dialect == Dialect::kHorovod ? "horovod" : CategoryOf(place.role));
  slice.step = event.step.value_or(kNull);
  slice.bytes = event.bytes.value_or(kNull);
  if (!event.args.empty()) slice.args = sink_.Intern(event.args);
  if (!sink_.Append(slice).ok()) return;
  ++events_;
  if (place.role == EventRole::kLoaderWorker) ++worker_events_;
}

void ProcessImport::AddPythonStats(const PlannedFile& file) {
  const std::string& path = file.source->path;
  const auto content = ReadAll(*file.source, kMaxPythonStatsBytes);
  if (!content.ok())
    return sink_.Loss("run_metadata", LossCause::kFileRefused, 1,
                      Make(finding::LossFileRefused{.reason = content.error().text()}));
  if (context_.advanced) context_.advanced(file.source->bytes);
  const auto stats = ParsePythonStats(*content);
  if (!stats.ok()) {
    return sink_.Loss("run_metadata", LossCause::kFileDamaged, 1,
                      Damaged(path, stats.error().text()));
  }
  sink_.Loss("run_metadata", LossCause::kFileCutOff, stats->cut_off ? 1 : 0, CutOff(path, true));
  for (const auto& [cause, count] : {std::pair(LossCause::kProfileEntryDamaged, stats->bad_entries),
                                     std::pair(LossCause::kNameTooLong, stats->cut_names),
                                     std::pair(LossCause::kTextAfterEnd, stats->bytes_left)}) {
    sink_.Loss("run_metadata", cause, count, InFile(path, cause));
  }
  const ProfileWindow window = ParseProfileWindow(path);
  RecordProfile(window, *stats);
  RecordFunctions(window, *stats);
  events_ += static_cast<int64_t>(stats->functions.size());
  RecordSource(file, MarksOf(file.dialect), static_cast<int64_t>(stats->functions.size()),
               static_cast<int64_t>(content->size()));
}

// The time range that a profile is about: a slice where it is known, and a fact in any case.
void ProcessImport::RecordProfile(const ProfileWindow& window, const PythonStats& stats) {
  nlohmann::ordered_json fact{{"profile", window.name}, {"functions", stats.functions.size()}};
  int64_t self_ns = 0;
  for (const PythonCalls& calls : stats.totals) {
    if (__builtin_add_overflow(self_ns, calls.self_ns, &self_ns)) break;
  }
  fact["self_ns"] = self_ns;
  if (window.step) fact["step"] = *window.step;
  if (window.start_ns && window.end_ns && *window.end_ns >= *window.start_ns) {
    fact["dur_ns"] = *window.end_ns - *window.start_ns;
    if (profile_track_ < 0) {
      store::TrackRow row;
      row.name = "Python profile";
      if (plan_.process.pid > 0) row.pid = plan_.process.pid;
      profile_track_ = sink_.AddTrack(std::move(row), store::TrackKind::kThread);
    }
    Slice slice;
    slice.track = profile_track_;
    slice.ts_ns = *window.start_ns;
    slice.dur_ns = *window.end_ns - *window.start_ns;
    slice.name = sink_.Intern("Python profile");
    slice.category = sink_.Intern("python_profile");
    slice.step = window.step.value_or(kNull);
    slice.args = sink_.Intern(Dump(fact));
    if (slice.track >= 0) (void)sink_.Append(slice).ok();
  }
  sink_.Fact(window.start_ns, NameOf(store::MetadataKind::kPythonProfile), Dump(fact),
             plan_.process.pid);
}

// What a profile counted has no moments: a fact for each function, its callers inside.
void ProcessImport::RecordFunctions(const ProfileWindow& window, const PythonStats& stats) {
  const auto json_of = [&](size_t function, const PythonCalls& calls) {
    const PythonFunction& at = stats.functions[function];
    return nlohmann::ordered_json{{"file", at.file},
                                  {"line", at.line},
                                  {"function", at.name},
                                  {"calls", calls.calls},
                                  {"primitive_calls", calls.primitive_calls},
                                  {"self_ns", calls.self_ns},
                                  {"total_ns", calls.total_ns}};
  };
  std::vector<nlohmann::ordered_json> facts;
  for (size_t i = 0; i < stats.functions.size(); ++i) {
    facts.push_back({{"profile", window.name}});
    facts.back().update(json_of(i, stats.totals[i]));
    facts.back()["callers"] = nlohmann::ordered_json::array();
  }
  for (const PythonStats::Edge& edge : stats.edges) {
    facts[edge.callee]["callers"].push_back(json_of(edge.caller, edge.calls));
  }
  for (const auto& fact : facts) {
    sink_.Fact(window.start_ns, NameOf(store::MetadataKind::kPythonFunction), Dump(fact),
               plan_.process.pid);
  }
}

bool ProcessImport::Finish() {
  const bool any_steps = steps_.any();
  const StepMarks::Kinds kinds{sink_.Intern(store::NameOf(store::StepKind::kTrain)),
                               sink_.Intern(store::NameOf(store::StepKind::kEval)),
                               sink_.Intern(store::NameOf(store::StepKind::kWarmUp))};
  for (const auto& row : steps_.Take(kinds)) {
    if (!sink_.Append(row).ok()) break;  // the sink fails the run
  }
  sink_.Loss("steps", LossCause::kStepTwice, steps_.doubles());
  return events_ > 0 || any_steps;
}

}  // namespace steptrace::import::sagemaker
