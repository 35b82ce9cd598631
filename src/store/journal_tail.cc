// SPDX-License-Identifier: Apache-2.0
#include "store/journal_tail.h"

#include <utility>

#include "store/all_tables.h"
#include "store/journal_reader.h"
#include "store/row_columns.h"
#include "store/run_parts.h"

namespace steptrace::store {

template <class Row>
struct JournalTail<Row>::Impl {
  Impl(JournalReader opened, StringTable& strings, std::vector<std::string> asked)
      : reader(std::move(opened)), decoder(strings), columns(std::move(asked)) {}

  JournalReader reader;
  RowDecoder<Row> decoder;  // knows the dictionaries of the batches before
  std::vector<std::string> columns;
};

template <class Row>
JournalTail<Row>::JournalTail(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
template <class Row>
JournalTail<Row>::JournalTail(JournalTail&&) noexcept = default;
template <class Row>
JournalTail<Row>& JournalTail<Row>::operator=(JournalTail&&) noexcept = default;
template <class Row>
JournalTail<Row>::~JournalTail() = default;

template <class Row>
Result<JournalTail<Row>> JournalTail<Row>::Open(const std::filesystem::path& path,
                                                StringTable& strings,
                                                std::vector<std::string> columns) {
  STEPTRACE_ASSIGN_OR_RETURN(JournalReader reader, JournalReader::Open(path));
  return JournalTail(
      std::make_unique<Impl>(std::move(reader), strings, ColumnsToRead<Row>(columns)));
}

template <class Row>
Status JournalTail<Row>::Read(const std::function<Status(std::vector<Row>&&)>& take) {
  STEPTRACE_RETURN_IF_ERROR(impl_->reader.Continue());
  while (auto batch = impl_->reader.Next()) {
    std::vector<Row> rows;
    const auto decoded = AreColumnsOf<Row>(*batch->schema())
                             ? impl_->decoder.Decode(*batch, impl_->columns, &rows)
                             : arrow::Status::Invalid(kOtherTable);
    if (!decoded.ok()) {
      impl_->reader.RejectLast(decoded.message());
      break;
    }
    STEPTRACE_RETURN_IF_ERROR(take(std::move(rows)));
  }
  return {};
}

#define STEPTRACE_INSTANTIATE(Row) template class JournalTail<Row>;
STEPTRACE_FOR_EACH_ROW(STEPTRACE_INSTANTIATE)
#undef STEPTRACE_INSTANTIATE

}  // namespace steptrace::store
