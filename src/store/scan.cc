// SPDX-License-Identifier: Apache-2.0
#include "store/scan.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

#include "store/all_tables.h"
#include "store/arrow_support.h"
#include "store/journal_reader.h"
#include "store/row_columns.h"
#include "store/row_filter.h"
#include "store/run_parts.h"
#include "store/segment.h"
#include "store/table_sink.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBatchRows = 1 << 14;

template <class Row>
int64_t TimeOf(const Row& row) {
  if constexpr (kHasTime<Row>) return row.ts_ns;
  return 0;
}

// Encodes rows, keeps the chosen columns and hands batches on, up to the limit.
template <class Row>
class RowOutput {
 public:
  static Result<RowOutput> Make(const ScanOptions& options, const StringTable& strings, int fd) {
    auto schema = SchemaOf<Row>(PathColumns::kInclude);
    std::vector<int> chosen;
    arrow::FieldVector fields;
    for (int i = 0; i < schema->num_fields(); ++i) {
      bool all = options.columns.empty();
      auto begin = options.columns.begin();
      auto end = options.columns.end();
      if (!all && std::find(begin, end, schema->field(i)->name()) == end) continue;
      chosen.push_back(i);
      fields.push_back(schema->field(i));
    }
    return RowOutput(std::move(chosen), options.limit, strings,
                     TableSink::Make(options.format, fd, arrow::schema(fields)));
  }

  bool full() const { return limit_ && written_ + static_cast<int64_t>(rows_.size()) >= *limit_; }

  Status Add(Row&& row) {
    if (full()) return {};
    rows_.push_back(std::move(row));
    return rows_.size() < kBatchRows ? Status() : WriteRows();
  }
  Status Finish() {
    STEPTRACE_RETURN_IF_ERROR(WriteRows());
    return sink_->Finish();
  }

 private:
  RowOutput(std::vector<int> chosen, std::optional<int64_t> limit, const StringTable& strings,
            std::unique_ptr<TableSink> sink)
      : chosen_(std::move(chosen)), limit_(limit), strings_(&strings), sink_(std::move(sink)) {}

  Status WriteRows() {
    if (rows_.empty()) return {};
    // Each batch has dictionaries of its own: not all readers know dictionaries that grow.
    RowEncoder<Row> encoder(PathColumns::kInclude);
    auto batch = encoder.Encode({rows_, {}}, *strings_);
    if (batch.ok()) batch = (*batch)->SelectColumns(chosen_);
    if (!batch.ok()) {
      return ArrowError("cannot encode the table", batch.status(), "report this as a bug");
    }
    written_ += static_cast<int64_t>(rows_.size());
    rows_.clear();
    return sink_->Write(**batch);
  }

  std::vector<int> chosen_;
  std::optional<int64_t> limit_;
  const StringTable* strings_;
  std::unique_ptr<TableSink> sink_;
  std::vector<Row> rows_;
  int64_t written_ = 0;
};

// Merges segments, each sorted, by time. A segment is loaded when its first time is reached, so
// that only those that overlap are in memory together.
template <class Row>
class SegmentMerge {
 public:
  using Load = std::function<Result<std::vector<Row>>(const SegmentInfo&)>;
  SegmentMerge(std::vector<SegmentInfo> segments, Load load)
      : segments_(std::move(segments)), load_(std::move(load)), loaded_(segments_.size()) {}

  // The next row into `row`; false at the end.
  Result<bool> Next(Row* row) {
    while (next_segment_ < segments_.size() && (queue_.empty() || NextBegins() <= TopTime())) {
      STEPTRACE_RETURN_IF_ERROR(LoadNext());
    }
    if (queue_.empty()) return false;
    size_t segment = queue_.top().second;
    queue_.pop();
    Cursor& cursor = loaded_[segment];
    *row = std::move(cursor.rows[cursor.at++]);
    if (cursor.at < cursor.rows.size()) {
      Push(segment);
    } else {
      cursor = {};
    }
    return true;
  }

 private:
  struct Cursor {
    std::vector<Row> rows;
    size_t at = 0;
  };
  using Entry = std::pair<int64_t, size_t>;  // time of a segment's next row, the segment

  int64_t NextBegins() const { return segments_[next_segment_].ts_min_ns.value_or(0); }
  int64_t TopTime() const { return queue_.top().first; }
  void Push(size_t segment) {
    Cursor& cursor = loaded_[segment];
    queue_.emplace(TimeOf(cursor.rows[cursor.at]), segment);
  }
  Status LoadNext() {
    size_t segment = next_segment_++;
    STEPTRACE_ASSIGN_OR_RETURN(loaded_[segment].rows, load_(segments_[segment]));
    if (!loaded_[segment].rows.empty()) Push(segment);
    return {};
  }

  std::vector<SegmentInfo> segments_;
  Load load_;
  std::vector<Cursor> loaded_;
  size_t next_segment_ = 0;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

// One scan of one table.
template <class Row>
class TableScan {
 public:
  TableScan(const fs::path& run, StringTable& strings, std::function<bool(const Row&)> filter,
            std::vector<ColumnText> texts, RowOutput<Row> output, const ScanHooks& hooks)
      : run_(run),
        hooks_(hooks),
        strings_(strings),
        filter_(std::move(filter)),
        texts_(std::move(texts)),
        output_(std::move(output)) {}

  Status Run(PartsOfTable parts, const std::vector<std::string>& columns) {
    columns_ = columns;
    STEPTRACE_RETURN_IF_ERROR(ScanSegments(std::move(parts.segments)));
    for (const JournalFile& file : parts.journals) {
      if (output_.full()) break;
      STEPTRACE_RETURN_IF_ERROR(ScanJournal(file));
    }
    if constexpr (std::is_same_v<Row, DataLossRow>) {
      std::vector<DataLossRow> more;
      STEPTRACE_RETURN_IF_ERROR(hooks_.more_losses(&more));
      for (DataLossRow& row : more) {
        if (filter_(row)) STEPTRACE_RETURN_IF_ERROR(output_.Add(std::move(row)));
      }
    }
    return output_.Finish();
  }

 private:
  Status ScanSegments(std::vector<SegmentInfo> segments) {
    SegmentMerge<Row> merge(std::move(segments),
                            [this](const SegmentInfo& segment) { return LoadSegment(segment); });
    Row row;
    while (!output_.full()) {
      STEPTRACE_ASSIGN_OR_RETURN(bool more, merge.Next(&row));
      if (!more) break;
      STEPTRACE_RETURN_IF_ERROR(output_.Add(std::move(row)));
    }
    return {};
  }

  Result<std::vector<Row>> LoadSegment(const SegmentInfo& segment) {
    std::vector<Row> rows;
    if (!MayHoldTexts(run_, segment, texts_)) return rows;
    const Status read = ReadSegment(run_, segment, columns_, strings_, &rows);
    if (!read.ok()) STEPTRACE_RETURN_IF_ERROR(hooks_.failed(segment, read.error()));
    std::erase_if(rows, [this](const Row& row) { return !filter_(row); });
    return rows;
  }

  Status ScanJournal(const JournalFile& file) {
    auto reader =
        ReadJournal<Row>(file, strings_, columns_, [this](std::vector<Row>&& rows) -> Status {
          SortByTime(&rows);
          for (Row& row : rows) {
            if (filter_(row)) STEPTRACE_RETURN_IF_ERROR(output_.Add(std::move(row)));
          }
          return {};
        });
    if (!reader.ok()) return reader.error();
    return {};
  }

  const fs::path& run_;
  const ScanHooks& hooks_;
  StringTable& strings_;
  std::function<bool(const Row&)> filter_;
  std::vector<ColumnText> texts_;  // that the filter asks for
  RowOutput<Row> output_;
  std::vector<std::string> columns_;
};

// Conditions on names that a segment without the name cannot meet.
template <class Row>
std::vector<ColumnText> WantedTexts(const std::vector<ScanCondition>& conditions) {
  std::vector<ColumnText> texts;
  for (const ScanCondition& condition : conditions) {
    // No text at all is no entry of a dictionary.
    if (condition.compare != ScanCompare::kEqual || condition.value.empty()) continue;
    ForEachField<Row>([&](const auto& field) {
      constexpr bool kIsName =
          std::is_same_v<std::remove_cvref_t<decltype(std::declval<Row>().*field.member)>,
                         StringId>;
      if (kIsName && condition.column == field.name) {
        texts.push_back({condition.column, condition.value});
      }
    });
  }
  return texts;
}

template <class Row>
Status ScanRows(const fs::path& run, const Manifest& manifest, StringTable& strings,
                const ScanHooks& hooks, const ScanOptions& options, int fd) {
  STEPTRACE_RETURN_IF_ERROR(CheckColumns<Row>(options.columns));
  STEPTRACE_ASSIGN_OR_RETURN(auto filter, MakeFilter<Row>(options.where, strings));
  STEPTRACE_ASSIGN_OR_RETURN(auto output, RowOutput<Row>::Make(options, strings, fd));
  std::vector<std::string> asked = options.columns;
  if (!asked.empty()) {
    for (const ScanCondition& condition : options.where) asked.push_back(condition.column);
  }
  TableScan<Row> scan(run, strings, std::move(filter), WantedTexts<Row>(options.where),
                      std::move(output), hooks);
  return scan.Run(FindParts(run, manifest, TableOf<Row>::kName), ColumnsToRead<Row>(asked));
}

}  // namespace

Status ScanTable(const fs::path& run, const Manifest& manifest, StringTable& strings,
                 const std::string& table, const ScanHooks& hooks, const ScanOptions& options,
                 int fd) {
  Status status;
  bool known = VisitTable(table, [&]<class Row>() {
    status = ScanRows<Row>(run, manifest, strings, hooks, options, fd);
  });
  if (known) return status;
  std::string names;
  for (const std::string& name : TableNames()) names += (names.empty() ? "" : ", ") + name;
  return Error{"no table '" + table + "'", "the tables are " + names};
}

}  // namespace steptrace::store
