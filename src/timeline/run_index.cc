// SPDX-License-Identifier: Apache-2.0
#include "timeline/run_index.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/inherited_mode.h"
#include "base/unnamed_file.h"
#include "store/row_stream.h"
#include "store/run_parts.h"
#include "store/segment.h"
#include "timeline/format.h"
#include "timeline/index_builder.h"
#include "timeline/run_labels.h"

namespace steptrace::timeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTables[] = {"slices", "counters", "tracks"};
constexpr int kTries = 3;                        // a run closes but once
constexpr int64_t kMostRows = int64_t{1} << 40;  // of a part; the number comes from a file

// The rows of the slices' parts, which lie by their first time: once so many were read, none comes
// that begins before that moment.
struct Settled {
  int64_t rows = 0;  // of this part and those before it
  int64_t ts_ns = 0;
};

// Empty where rows wait in journals, which say nothing of times.
std::vector<Settled> SettledParts(const store::RunReader& run) {
  const auto parts = store::FindParts(run.run(), run.manifest(), "slices");
  if (!parts.journals.empty()) return {};
  constexpr int64_t kNothing = std::numeric_limits<int64_t>::min();
  std::vector<Settled> settled(parts.segments.size());
  int64_t rows = 0;
  for (size_t i = 0; i < settled.size(); ++i) {
    rows += std::clamp<int64_t>(parts.segments[i].rows, 0, kMostRows);
    settled[i] = {rows, std::numeric_limits<int64_t>::max()};
  }
  for (size_t i = settled.size(); i-- > 1;) {
    settled[i - 1].ts_ns =
        std::min(settled[i].ts_ns, parts.segments[i].ts_min_ns.value_or(kNothing));
  }
  return settled;
}

// Takes the slices of a run as they are read.
class SliceSink {
 public:
  SliceSink(IndexBuilder& builder, const store::StringTable& strings, std::vector<Settled> settled)
      : builder_(builder), labels_(builder.labels(), strings), settled_(std::move(settled)) {}

  Status Take(std::span<const store::SliceRow> rows) {
    for (const auto& row : rows) {
      STEPTRACE_RETURN_IF_ERROR(
          builder_.AddSlice(row.track, row.ts_ns, row.dur_ns, labels_.Of(row)));
    }
    rows_ += static_cast<int64_t>(rows.size());
    for (; part_ < settled_.size() && settled_[part_].rows <= rows_; ++part_) {
      STEPTRACE_RETURN_IF_ERROR(builder_.Settle(settled_[part_].ts_ns));
    }
    return {};
  }

 private:
  IndexBuilder& builder_;
  RunLabels labels_;
  std::vector<Settled> settled_;
  int64_t rows_ = 0;
  size_t part_ = 0;
};

Status Fill(store::RunReader& run, IndexBuilder& builder, std::vector<Settled> settled) {
  SliceSink sink(builder, run.strings(), std::move(settled));
  store::ReadOptions slices;
  slices.columns = IndexedColumns();
  // Of a closed run in batches, so that rows stay in the cache and a thread reads ahead.
  if (run.state() == store::RunState::kClosed) {
    STEPTRACE_RETURN_IF_ERROR(run.ReadBatches<store::SliceRow>(
        slices, [&sink](std::span<const store::SliceRow> rows) { return sink.Take(rows); }));
  } else {
    STEPTRACE_RETURN_IF_ERROR(store::StreamRows<store::SliceRow>(
        run, slices,
        [&sink](std::vector<store::SliceRow>&& rows) -> Status { return sink.Take(rows); }));
  }
  return store::StreamRows<store::CounterRow>(
      run, {}, [&](std::vector<store::CounterRow>&& rows) -> Status {
        for (const auto& row : rows) {
          STEPTRACE_RETURN_IF_ERROR(builder.AddValue(row.track, row.ts_ns, row.value));
        }
        return {};
      });
}

Status MakeOnce(store::RunReader& run, int fd, uint64_t fingerprint, std::vector<Settled> settled) {
  IndexBuilder::Options options;
  options.spill_folder = run.run();
  IndexBuilder builder(options);
  builder.Begin(fd, IndexPath(run.run()).string(), fingerprint);
  STEPTRACE_RETURN_IF_ERROR(Fill(run, builder, std::move(settled)));
  return builder.Finish();
}

Status Make(store::RunReader& run, int fd, uint64_t fingerprint) {
  const Status made = MakeOnce(run, fd, fingerprint, SettledParts(run));
  if (made.ok()) return made;
  // The manifest may tell times that its rows do not keep.
  if (::ftruncate(fd, 0) != 0) return made;
  return MakeOnce(run, fd, fingerprint, {});
}

Result<Index> OpenKept(const fs::path& path, uint64_t fingerprint) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid()) return Error{path.string() + ": absent", "it is made"};
  return Index::FromFd(std::move(fd), path.string(), fingerprint);
}

// Made under a name of its own and renamed: a reader sees a whole index or none. One without a part
// that turned out to be damaged is not kept: who restores the file from a copy sees it at once.
Result<Index> MakeKept(store::RunReader& run, uint64_t fingerprint) {
  const fs::path path = IndexPath(run.run());
  (void)::mkdir(path.parent_path().c_str(), FolderModeIn(run.run()));  // may be there
  fs::path pending = path;
  pending += fmt::format(".{}.partial", ::getpid());
  UniqueFd fd(::open(pending.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                     FileModeAt(path)));
  if (!fd.valid()) return Error{path.string() + ": cannot be written"};
  const size_t damaged = run.damaged().size();
  Status made = Make(run, fd.get(), fingerprint);
  const bool whole = run.damaged().size() == damaged;
  if (made.ok() && whole && ::rename(pending.c_str(), path.c_str()) != 0) {
    made = Error{path.string() + ": cannot be renamed"};
  }
  if (!made.ok() || !whole) ::unlink(pending.c_str());
  if (!made.ok()) return made.error();
  return Index::FromFd(std::move(fd), path.string(), fingerprint);
}

Result<Index> MakeUnnamed(store::RunReader& run, uint64_t fingerprint) {
  STEPTRACE_ASSIGN_OR_RETURN(UniqueFd fd, UnnamedFile(run.run()));
  STEPTRACE_RETURN_IF_ERROR(Make(run, fd.get(), fingerprint));
  return Index::FromFd(std::move(fd), IndexPath(run.run()).string(), fingerprint);
}

}  // namespace

fs::path IndexPath(const fs::path& run) {
  return run / "timeline" / "index";
}

uint64_t FingerprintOf(const store::RunReader& run) {
  const std::string parts = store::PartsText(run, kTables);
  return HashBytes(parts.data(), parts.size());
}

std::unordered_map<int32_t, TrackHome> HomesOf(store::RunReader& run) {
  std::unordered_map<int32_t, TrackHome> homes;
  const auto add = [&]<class Row>(std::vector<Row> rows) {
    constexpr const char* kTable = store::TableOf<Row>::kName;
    for (const auto& segment : store::FindParts(run.run(), run.manifest(), kTable).segments) {
      rows.clear();
      // What cannot be read is told by who made the index.
      if (!store::ReadSegment(run.run(), segment, {"track"}, run.strings(), &rows).ok()) continue;
      for (const Row& row : rows) {
        homes.try_emplace(row.track, TrackHome{segment.node, segment.rank.value_or(-1)});
      }
    }
  };
  add(std::vector<store::SliceRow>());
  add(std::vector<store::CounterRow>());
  return homes;
}

Result<Index> OpenRunIndex(store::RunReader& run, LiveRunIndex* live) {
  for (int tries = 1;; ++tries) {
    const uint64_t fingerprint = FingerprintOf(run);
    const bool closed = run.state() == store::RunState::kClosed;
    if (live != nullptr && run.state() != store::RunState::kLive) live->Forget();
    if (closed) {
      auto kept = OpenKept(IndexPath(run.run()), fingerprint);
      if (kept.ok()) return kept;
      kept = MakeKept(run, fingerprint);
      if (kept.ok()) return kept;
    }
    if (live != nullptr && run.state() == store::RunState::kLive) {
      auto grown = live->Open(run, fingerprint);
      if (grown.ok()) return grown;
    }
    auto made = MakeUnnamed(run, fingerprint);
    if (made.ok() || closed || tries == kTries) return made;
    STEPTRACE_RETURN_IF_ERROR(run.Refresh());
  }
}

}  // namespace steptrace::timeline
