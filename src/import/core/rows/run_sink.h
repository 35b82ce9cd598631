// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/redactor.h"
#include "base/result.h"
#include "import/core/bytes/byte_stream.h"
#include "import/core/rows/part_sink.h"
#include "store/manifest.h"

namespace steptrace::import {

struct SinkSummary {
  int64_t ranks = 0;
  int64_t losses = 0;             // rows of the table
  std::set<std::string> sources;  // of what is in the run; of several files of a process the first
  std::set<std::string> doubles;  // of which all was left out: others are the same profiles
  std::vector<std::string> notes;
};

// Makes a run of what importers read. Rows wait in memory, beyond a limit in a file, until all
// sources are read: only then are the epoch (the earliest event) and the ranks known.
//
// Parts are filled by one thread each (PartSink), in the order of AddPart when it comes to who was
// first. All else is for one thread, and what is called on the sink goes to the part that BeginPart
// opened or SelectPart chose. Finish once.
class RunSink {
 public:
  // `folder` is the run being made: it exists and is empty.
  RunSink(std::filesystem::path folder, const Limits& limits, Redactor redactor = Redactor());
  ~RunSink();
  RunSink(const RunSink&) = delete;
  RunSink& operator=(const RunSink&) = delete;

  // A part for a thread to fill and to end. Lives as long as the sink.
  PartSink& AddPart();
  // How many parts are filled at the same time: they share the memory for rows.
  void SetWorkers(size_t workers);

  // The rows that follow belong to one rank of one node. Its number, for SelectPart.
  size_t BeginPart();
  // The rows that follow belong to this part, which has been begun and not ended.
  void SelectPart(size_t part);
  PartSink& part() { return *open_; }
  void EndPart(PartFacts facts) { open_->End(std::move(facts)); }
  void DropPart() { open_->Drop(); }

  // Of the open part; PartSink says more. Texts may come before any part.
  store::StringId Intern(std::string_view text);
  int32_t AddTrack(store::TrackRow row, store::TrackKind kind) {
    return open_->AddTrack(std::move(row), kind);
  }
  store::TrackRow& Track(int32_t track) { return open_->Track(track); }
  Status Append(const Slice& slice) { return open_->Append(slice); }
  Status AppendMark(const Slice& slice) { return open_->AppendMark(slice); }
  Status AddFlow(int32_t track, int64_t ts_ns, int64_t id, bool out) {
    return open_->AddFlow(track, ts_ns, id, out);
  }
  Status Append(const store::CounterRow& row) { return open_->Append(row); }
  Status Append(const store::MemoryRow& row) { return open_->Append(row); }
  Status Append(const store::StepRow& row) { return open_->Append(row); }
  void Fact(std::optional<int64_t> ts_ns, std::string_view kind, std::string json,
            int64_t pid = 0) {
    open_->Fact(ts_ns, kind, std::move(json), pid);
  }
  void Loss(std::string_view table, LossCause cause, int64_t count,
            std::optional<model::Finding> said = std::nullopt) {
    open_->Loss(table, cause, count, std::move(said));
  }

  // The parent of a track of the open part where it may be in another part.
  void SetParent(int32_t track, size_t parent_part, int32_t parent);
  // While no part is filled by another thread.
  const store::StringTable& strings() const;

  // Without a part: of the run.
  void RunLoss(std::string_view table, LossCause cause, int64_t count,
               std::optional<model::Finding> said = std::nullopt);

  int64_t rows() const;  // of all parts that were not dropped or left out

  // Sets epoch, ranks and end of the manifest, writes all tables and the manifest. An error, too,
  // when `stopped` says so; threads ask it.
  Result<SinkSummary> Finish(store::Manifest manifest, const std::function<bool()>& stopped = {});

 private:
  struct Impl;

  std::unique_ptr<Impl> impl_;
  PartSink* open_ = nullptr;
};

}  // namespace steptrace::import
