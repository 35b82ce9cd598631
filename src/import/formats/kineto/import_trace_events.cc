// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/import_trace_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "base/shallow_json.h"
#include "import/core/bytes/ahead_stream.h"
#include "import/core/bytes/out_of_memory.h"
#include "import/core/rank_in_name.h"
#include "import/core/rows/divide_part.h"
#include "import/core/watched_stream.h"
#include "import/formats/kineto/rank_mark.h"
#include "import/formats/kineto/split_reader.h"
#include "import/formats/kineto/trace_reader.h"
#include "model/finding_kinds.h"
#include "store/metadata_keys.h"

namespace steptrace::import::kineto {
namespace finding = model::finding;

namespace {

using Json = nlohmann::ordered_json;

Json Parsed(const std::string& text) {
  return text.empty() ? Json() : ParseShallow<Json>(text);
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
  FileImport(const Source& source, const ImportContext& context, PartSink& sink)
      : source_(source), context_(context), sink_(sink) {
    reader_.emplace(sink_, texts_);
  }

  // Of a merged file, once it was read.
  TraceTracks::MarkedRanks TakeRanks() { return std::move(marked_); }
  const NpuWork& npu_work() const { return reader_->npu_work(); }

  // Facts of the part; their node is still to be numbered. `threads` may work on the file.
  Result<PartFacts> Run(std::string_view format, size_t threads) {
    STEPTRACE_ASSIGN_OR_RETURN(PartFacts facts, Read(format, threads));
    if (!reader_->lines_came_late()) return facts;
    // Names that stand behind what they name: all of them are known now.
    LineNames lines = reader_->LinesSoFar();
    sink_.Restart();
    context_.advanced = {};
    texts_ = TextCache();
    reader_.emplace(sink_, texts_);
    reader_->KnowLines(std::move(lines));
    return Read(format, threads);
  }

 private:
  Result<PartFacts> Read(std::string_view format, size_t threads) {
    STEPTRACE_ASSIGN_OR_RETURN(auto stream, source_.Open());
    bool split_pays = threads > 1 && PaysToSplit(*stream);
    if (threads > 1 && stream->is_packed()) {
      int64_t kept = SplitReader::BytesInUse(threads, context_.parallel.piece_bytes);
      stream = AheadOf(std::move(stream), split_pays ? kept : 0);
    }
    WatchedStream watched(*stream, context_);
    StreamWindow window(watched, context_.limits.max_event_bytes);
    std::unique_ptr<SplitReader> split;
    if (split_pays) split = Split(*stream, threads);
    Document document(window, source_.path, context_.limits.max_depth, split.get());
    STEPTRACE_RETURN_IF_ERROR(document.Read(*reader_));
    STEPTRACE_RETURN_IF_ERROR(reader_->Finish());
    if (document.events() == 0) {
      return Error{
          source_.path + ": holds no event" + (document.damage().cut_off ? ": it is cut off" : ""),
          "record the profile again"};
    }
    if (sink_.part().rows == 0 && reader_->without_time() > 0) {
      return Error{fmt::format("{}: none of its events has a time below 2^62 ns", source_.path),
                   "record the profile again"};
    }
    RecordDamage(document.damage(), stream->damage());
    RecordFacts(document, stream->consumed(), format);
    return Facts();
  }

  // Whether several threads would have work of it. Text packs to a tenth, often.
  bool PaysToSplit(const ByteStream& stream) const {
    constexpr int64_t kLeastPieces = 4;  // fewer are read before a thread is awake
    constexpr int64_t kPackedTo = 8;
    int64_t least_bytes = kLeastPieces * context_.parallel.piece_bytes;
    return source_.bytes >= (stream.is_packed() ? least_bytes / kPackedTo : least_bytes);
  }

  std::unique_ptr<SplitReader> Split(ByteStream& stream, size_t threads) {
    if (stream.Range(0, 0) == nullptr) return nullptr;
    int64_t bytes = stream.is_packed() ? SplitReader::kUnknown : source_.bytes;
    SplitReader::Options options{threads, context_.parallel.piece_bytes, bytes, source_.path,
                                 context_.limits};
    return std::make_unique<SplitReader>(stream, std::move(options), sink_, *reader_);
  }

  void Lost(LossCause cause, int64_t count, model::Finding said) {
    sink_.Loss("slices", cause, count, std::move(said));
  }

  model::Finding Skipped(const Damage& damage, bool foreign) const {
    return Make(finding::LossSkippedBytes{.bytes = damage.skipped_bytes,
                                          .packets = false,
                                          .foreign = foreign,
                                          .too_long = false,
                                          .too_deep = false,
                                          .file = source_.path});
  }

  void RecordDamage(const Damage& damage, const std::string& stream_damage) {
    if (damage.cut_off) {
      Lost(LossCause::kFileCutOff, 1,
           Make(finding::LossFileCutOff{.at = damage.cut_off_at,
                                        .packet = false,
                                        .line = false,
                                        .entry = false,
                                        .file = source_.path,
                                        .damage = stream_damage}));
    } else if (!stream_damage.empty()) {
      Lost(LossCause::kFileDamaged, 1,
           Make(finding::LossFileDamaged{
               .whole = false, .file = source_.path, .damage = stream_damage}));
    }
    Lost(LossCause::kDamagedEvent, damage.damaged_events, Skipped(damage, false));
    Lost(LossCause::kForeignText, damage.foreign_texts, Skipped(damage, true));
    Lost(LossCause::kEventTooLong, damage.too_long_events,
         Make(finding::LossTooLarge{
             .most = context_.limits.max_event_bytes, .packets = false, .file = source_.path}));
    Lost(LossCause::kDuplicateKey, damage.duplicate_keys,
         Make(finding::LossDuplicateKey{.line = false, .file = source_.path}));
    Lost(LossCause::kTextAfterEnd, damage.bytes_after_end,
         InFile(source_.path, LossCause::kTextAfterEnd));
  }

  std::string Dialect() const {
    if (reader_->of_2021()) return "kineto of 2021";
    if (!reader_->is_kineto()) return "chrome";
    return reader_->members().Of("baseTimeNanoseconds").empty() ? "kineto, absolute times"
                                                                : "kineto, times since a base";
  }

  void RecordFacts(const Document& document, int64_t bytes, std::string_view format) {
    Json source;
    source["file"] = source_.path;
    source["format"] = format;
    source["dialect"] = Dialect();
    if (const auto writer = reader_->writer(); writer != store::ProfileWriter::kUnknown) {
      source["writer"] = InfoOf(writer).id;
    }
    source["events"] = document.events();
    source["bytes"] = bytes;
    sink_.Fact(std::nullopt, NameOf(store::MetadataKind::kSource), Dumped(source));
    if (reader_->members().has_bad_base()) {
      sink_.Loss("run_metadata", LossCause::kBadBaseTime, 1,
                 InFile(source_.path, LossCause::kBadBaseTime));
    }
    Json devices = Parsed(reader_->members().Of("deviceProperties"));
    if (devices.is_array()) {
      for (const Json& device : devices) {
        if (device.is_object())
          sink_.Fact(std::nullopt, NameOf(store::MetadataKind::kDevice), Dumped(device));
      }
    }
    if (reader_->has_device_events() && (!devices.is_array() || devices.empty())) {
      sink_.Loss("run_metadata", LossCause::kMissingMetadata, 1,
                 Make(finding::LossMissingMetadata{.devices = true, .file = source_.path}));
    }
    Json job = Parsed(reader_->members().Of("distributedInfo"));
    for (const char* number : {"rank", "world_size"}) {  // some launchers write them as text
      if (auto value = IntegerOf(job, number)) job[number] = *value;
    }
    if (job.is_object()) {
      sink_.Fact(std::nullopt, NameOf(store::MetadataKind::kJob), Dumped(job));
    } else if (!reader_->members().Of("distributedInfo").empty()) {
      sink_.Loss("run_metadata", LossCause::kMissingMetadata, 1,
                 Make(finding::LossMissingMetadata{.devices = false, .file = source_.path}));
    }
    for (const char* name : {"cuda_runtime_version", "cuda_driver_version", "cupti_version",
                             "hip_runtime_version", "hip_driver_version", "roctracer_version"}) {
      const std::string& text = reader_->members().Of(name);
      if (!text.empty() && text[0] != '{' && text[0] != '[') sink_.Version(name, text);
    }
  }

  static std::string Dumped(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  PartFacts Facts() {
    marked_ = reader_->tracks().Ranks();
    PartFacts facts;
    Json job = Parsed(reader_->members().Of("distributedInfo"));
    facts.rank = RankOf(IntegerOf(job, "rank"));
    if (!facts.rank) facts.rank = RankInName(source_.inside);
    facts.world_size = RankOf(IntegerOf(job, "world_size")).value_or(-1);
    facts.host = TextOf(reader_->members().Of("host_name"));
    facts.pid = reader_->tracks().first_pid();
    facts.utc_offset_ns = reader_->UtcOffsetNs();
    facts.source = source_.path;
    facts.job = TextOf(reader_->members().Of("PT_PROFILER_JOB_NAME"));
    facts.is_profile = true;
    return facts;
  }

  const Source& source_;
  ImportContext context_;
  PartSink& sink_;
  TextCache texts_;
  std::optional<TraceReader> reader_;
  TraceTracks::MarkedRanks marked_;
};

// Files are read by as many threads as there are cores, each file by one, or by more where there
// are fewer files; members of one archive, which is one stream, by one thread in their order.
class FilesImport {
 public:
  FilesImport(std::span<const DetectedSource> sources, std::string_view format,
              const ImportContext& context, RunSink& sink)
      : sources_(sources), format_(format), context_(context), sink_(sink) {}

  Status Run() {
    for (size_t i = 0; i < sources_.size(); ++i) {
      const bool follows = i > 0 && Archive(i) != nullptr && Archive(i) == Archive(i - 1);
      if (!follows) groups_.push_back(i);
      sinks_.push_back(&sink_.AddPart());
      results_.emplace_back(Error{});
    }
    marked_.resize(sources_.size());
    npu_work_.resize(sources_.size());
    groups_.push_back(sources_.size());
    constexpr size_t kMostThreads = 8;  // of a file: one thread puts together what they read
    size_t threads = context_.parallel.Threads();
    size_t workers = std::min(threads, groups_.size() - 1);
    sink_.SetWorkers(workers);
    size_t of_file = std::min((threads + workers - 1) / workers, kMostThreads);
    std::vector<std::jthread> others;
    try {
      for (size_t i = 1; i < workers; ++i) others.emplace_back([this, of_file] { Work(of_file); });
    } catch (const std::system_error&) {
      // Those that could be had do it.
    }
    Work(of_file);
    others.clear();
    return Conclude();
  }

 private:
  const void* Archive(size_t source) const { return sources_[source].source.archive.get(); }

  void Work(size_t threads) {
    for (size_t group; (group = next_++) + 1 < groups_.size();) {
      for (size_t i = groups_[group]; i < groups_[group + 1]; ++i) {
        try {
          FileImport file(sources_[i].source, context_, *sinks_[i]);
          results_[i] = file.Run(format_, threads);
          marked_[i] = file.TakeRanks();
          npu_work_[i] = file.npu_work();
        } catch (const std::bad_alloc&) {  // not even a text can be made now
          ran_out_ = true;
          next_ = groups_.size();
          return;
        }
        if (!results_[i].ok()) sinks_[i]->Drop();
        // What is to be divided stays open.
        if (results_[i].ok() && marked_[i].ranks.empty()) sinks_[i]->End(*results_[i]);
      }
    }
  }

  // What depends on the order of the files.
  Status Conclude() {
    if (ran_out_) {
      for (PartSink* sink : sinks_) sink->Drop();
      return OutOfMemory();
    }
    const std::vector<char> again = LeaveOutMsprof();
    std::map<std::string, int32_t> nodes;
    Status first_failure;
    bool any = false;
    for (size_t i = 0; i < results_.size(); ++i) {
      if (again[i] != 0) continue;
      if (results_[i].ok()) {
        any = true;
        auto number = static_cast<int32_t>(nodes.size());
        const int32_t node = nodes.try_emplace(results_[i]->host, number).first->second;
        sinks_[i]->SetNode(node);
        if (!marked_[i].ranks.empty()) STEPTRACE_RETURN_IF_ERROR(Divide(i, node));
        continue;
      }
      sink_.RunLoss("slices", LossCause::kFileRefused, 1,
                    Make(finding::LossFileRefused{.reason = results_[i].error().text()}));
      if (first_failure.ok()) first_failure = results_[i].error();
    }
    return any ? Status() : first_failure;
  }

  // The tasks of an Ascend device lie in msprof's file and, with what PyTorch did, in the one that
  // its own profiler makes of that: which are there again.
  std::vector<char> LeaveOutMsprof() {
    std::vector<char> again(results_.size());
    std::map<NpuWork, size_t> whole;
    for (size_t i = 0; i < results_.size(); ++i) {
      const bool is_rank = results_[i].ok() && marked_[i].ranks.empty();
      if (!is_rank || npu_work_[i].tasks == 0) continue;
      const auto [found, added] = whole.try_emplace(npu_work_[i], i);
      if (added) continue;
      size_t less = i;
      if (sinks_[i]->part().rows > sinks_[found->second]->part().rows) {
        std::swap(less, found->second);
      }
      again[less] = 1;
      sinks_[less]->Drop();
      sink_.RunLoss("slices", LossCause::kSameProfileTwice, 1,
                    Make(finding::LossSameProfile{.work = true,
                                                  .file = results_[less]->source,
                                                  .other = results_[found->second]->source}));
    }
    return again;
  }

  // The ranks of a merged file become parts; what has no mark is no rank's.
  Status Divide(size_t source, int32_t node) {
    const TraceTracks::MarkedRanks& marked = marked_[source];
    std::vector<PartSink*> parts;
    for (size_t i = 0; i <= marked.ranks.size(); ++i) parts.push_back(&sink_.AddPart());
    STEPTRACE_RETURN_IF_ERROR(DividePart(*sinks_[source], marked.places, parts, sink_.strings()));
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i == marked.ranks.size() && parts[i]->part().rows == 0) {
        parts[i]->Drop();
        break;
      }
      PartFacts facts = *results_[source];
      facts.node = node;
      facts.rank = -1;
      if (i < marked.ranks.size()) {
        facts.rank = RankOf(RankInMark(marked.ranks[i].mark));
        facts.pid = marked.ranks[i].first_pid;
      }
      parts[i]->End(std::move(facts));
    }
    return {};
  }

  std::span<const DetectedSource> sources_;
  std::string_view format_;
  const ImportContext& context_;
  RunSink& sink_;
  std::vector<size_t> groups_;  // the first source of each, and the end
  std::vector<PartSink*> sinks_;
  std::vector<Result<PartFacts>> results_;
  std::vector<TraceTracks::MarkedRanks> marked_;
  std::vector<NpuWork> npu_work_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> ran_out_ = false;  // of memory
};

}  // namespace

Status ImportTraceEvents(std::span<const DetectedSource> sources, std::string_view format,
                         const ImportContext& context, RunSink& sink) {
  return FilesImport(sources, format, context, sink).Run();
}

}  // namespace steptrace::import::kineto
