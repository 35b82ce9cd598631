// SPDX-License-Identifier: Apache-2.0
#include "store/salvage.h"

#include <arrow/table.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/unique_fd.h"
#include "store/arrow_support.h"
#include "store/parquet_file.h"
#include "store/row_columns.h"
#include "store/segment.h"
#include "store/segment_footer.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

bool FooterIsAsWritten(const fs::path& path, const SegmentInfo& segment) {
  if (!segment.footer_crc32) return true;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return fd.valid() && FooterChecksum(fd.get()) == segment.footer_crc32;
}

// Columns are known by name; `all`: each of the table's must be there, and no other.
arrow::Status CheckSchema(const arrow::Schema& found, const arrow::Schema& expected, bool all) {
  int known = 0;
  for (const auto& field : found.fields()) {
    const auto wanted = expected.GetFieldByName(field->name());
    if (wanted == nullptr) continue;
    if (!wanted->Equals(*field)) return arrow::Status::Invalid("its columns are of other types");
    ++known;
  }
  if (known == 0) return arrow::Status::Invalid("it has none of the table's columns");
  const bool same = known == found.num_fields() && known == expected.num_fields();
  return same || !all ? arrow::Status::OK() : arrow::Status::Invalid("its columns are others");
}

// A column of a group, valid through and through.
arrow::Result<std::shared_ptr<arrow::Array>> ReadColumn(parquet::arrow::FileReader& reader,
                                                        int group, int column, int64_t rows) {
  std::shared_ptr<arrow::Array> values;
  ARROW_RETURN_NOT_OK(WithoutExceptions([&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto table, reader.ReadRowGroup(group, {column}));
    if (table->num_rows() != rows) return arrow::Status::Invalid("rows are missing");
    ARROW_ASSIGN_OR_RAISE(const auto batch, table->CombineChunksToBatch(Pool()));
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
    values = batch->column(0);
    return arrow::Status::OK();
  }));
  return values;
}

// Whether rows without the column's values can stand, and what they have instead of them.
template <class Row>
bool FillLost(const std::string& column, StringTable& strings, std::span<Row> rows) {
  bool can = false;
  ForEachField<Row>([&]<class Member>(const Field<Row, Member>& field) {
    if (column != field.name) return;
    const char* text = field.unit == Unit::kJson ? kLostJson : kLostText;
    if constexpr (std::is_same_v<Member, StringId>) {
      const StringId lost = strings.Intern(text);
      for (Row& row : rows) row.*field.member = lost;
      can = true;
    } else if constexpr (std::is_same_v<Member, std::string>) {
      for (Row& row : rows) row.*field.member = text;
      can = true;
    } else {
      can = OptionalOf<Member>::kNullable;
    }
  });
  return can;
}

// Appends what is sound of a group; its rows are dropped where they cannot stand.
template <class Row>
arrow::Status SalvageGroup(parquet::arrow::FileReader& reader, int group,
                           const arrow::Schema& schema, StringTable& strings, Salvaged<Row>* kept) {
  ARROW_ASSIGN_OR_RAISE(const int64_t rows, RowsOfGroup(reader, group));
  const auto expected = SchemaOf<Row>(PathColumns::kLeaveOut);
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  std::vector<std::string> lost;
  for (int i = 0; i < schema.num_fields(); ++i) {
    if (expected->GetFieldByName(schema.field(i)->name()) == nullptr) continue;
    auto column = ReadColumn(reader, group, i, rows);
    if (column.status().IsOutOfMemory()) return column.status();
    if (!column.ok()) {
      lost.push_back(schema.field(i)->name());
      continue;
    }
    fields.push_back(schema.field(i));
    columns.push_back(*std::move(column));
  }
  const size_t before = kept->rows.size();
  RowDecoder<Row> decoder(strings);
  const auto batch = arrow::RecordBatch::Make(arrow::schema(fields), rows, columns);
  ARROW_RETURN_NOT_OK(decoder.Decode(*batch, {}, &kept->rows));
  const std::span<Row> added = std::span(kept->rows).subspan(before);
  for (const std::string& column : lost) {
    if (FillLost(column, strings, added)) continue;
    kept->rows.resize(before);
    return arrow::Status::OK();
  }
  for (std::string& column : lost) {
    if (std::find(kept->lost_columns.begin(), kept->lost_columns.end(), column) ==
        kept->lost_columns.end()) {
      kept->lost_columns.push_back(std::move(column));
    }
  }
  return arrow::Status::OK();
}

// Whether the rows are those of which the manifest tells.
template <class Row>
bool MatchManifest(const std::vector<Row>& rows, const SegmentInfo& segment) {
  if constexpr (kHasTime<Row>) {
    return !rows.empty() && static_cast<int64_t>(rows.size()) == segment.rows &&
           rows.front().ts_ns == segment.ts_min_ns && rows.back().ts_ns == segment.ts_max_ns;
  }
  return false;
}

template <class Row>
arrow::Status SalvageFile(const fs::path& path, const SegmentInfo& segment, StringTable& strings,
                          Salvaged<Row>* kept) {
  ParquetReader reader;
  ARROW_RETURN_NOT_OK(OpenParquet(path, &reader));
  std::shared_ptr<arrow::Schema> schema;
  ARROW_RETURN_NOT_OK(reader->GetSchema(&schema));
  const bool as_written = FooterIsAsWritten(path, segment);
  ARROW_RETURN_NOT_OK(
      CheckSchema(*schema, *SchemaOf<Row>(PathColumns::kLeaveOut), /*all=*/!as_written));
  for (int group = 0; group < reader->num_row_groups(); ++group) {
    ARROW_RETURN_NOT_OK(SalvageGroup(*reader, group, *schema, strings, kept));
  }
  if (!as_written && !MatchManifest(kept->rows, segment))
    return arrow::Status::Invalid("other rows");
  return arrow::Status::OK();
}

template <class Row>
arrow::Status Describe(const fs::path& path, SegmentInfo* segment) {
  ParquetReader reader;
  ARROW_RETURN_NOT_OK(OpenParquet(path, &reader));
  std::shared_ptr<arrow::Schema> schema;
  ARROW_RETURN_NOT_OK(reader->GetSchema(&schema));
  ARROW_RETURN_NOT_OK(CheckSchema(*schema, *SchemaOf<Row>(PathColumns::kLeaveOut), /*all=*/false));
  for (int group = 0; group < reader->num_row_groups(); ++group) {
    ARROW_ASSIGN_OR_RAISE(const int64_t rows, RowsOfGroup(*reader, group));
    segment->rows += rows;
  }
  return arrow::Status::OK();
}

}  // namespace

template <class Row>
Result<Salvaged<Row>> SalvageSegment(const fs::path& run, const SegmentInfo& segment,
                                     StringTable& strings) {
  Salvaged<Row> kept;
  const fs::path path = run / segment.file;
  const auto status = WithoutExceptions([&] { return SalvageFile(path, segment, strings, &kept); });
  if (status.IsOutOfMemory()) {
    return ArrowError("cannot read " + path.string(), status, "free some memory");
  }
  if (!status.ok()) return Salvaged<Row>();
  return kept;
}

template <class Row>
Result<SegmentInfo> DescribeSegment(const fs::path& run, SegmentInfo segment) {
  const fs::path path = run / segment.file;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (!fd.valid() || ::fstat(fd.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    return Error{path.string() + ": cannot be read"};
  }
  const auto status = WithoutExceptions([&] { return Describe<Row>(path, &segment); });
  if (!status.ok()) return ArrowError(path.string(), status, "restore it from a copy");
  segment.bytes = facts.st_size;
  segment.footer_crc32 = FooterChecksum(fd.get());
  if constexpr (kHasTime<Row>) {
    StringTable strings;
    std::vector<Row> rows;
    STEPTRACE_RETURN_IF_ERROR(ReadSegment(run, segment, {"ts_ns"}, strings, &rows));
    if (rows.empty()) return segment;
    const auto [least, most] = std::minmax_element(
        rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.ts_ns < b.ts_ns; });
    segment.ts_min_ns = least->ts_ns;
    segment.ts_max_ns = most->ts_ns;
  }
  return segment;
}

#define STEPTRACE_INSTANTIATE(Row)                                                   \
  template Result<Salvaged<Row>> SalvageSegment(const fs::path&, const SegmentInfo&, \
                                                StringTable&);                       \
  template Result<SegmentInfo> DescribeSegment<Row>(const fs::path&, SegmentInfo);
STEPTRACE_FOR_EACH_ROW(STEPTRACE_INSTANTIATE)
#undef STEPTRACE_INSTANTIATE

}  // namespace steptrace::store
