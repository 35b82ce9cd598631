// SPDX-License-Identifier: Apache-2.0
#include "store/parquet_file.h"

#include <arrow/io/file.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include "store/arrow_support.h"

namespace steptrace::store {

arrow::Status OpenParquet(const std::filesystem::path& path, ParquetReader* reader) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path.string(), Pool()));
  parquet::arrow::FileReaderBuilder builder;
  parquet::ReaderProperties file_properties(Pool());
  file_properties.set_page_checksum_verification(true);
  ARROW_RETURN_NOT_OK(builder.Open(file, file_properties));
  auto properties = parquet::default_arrow_reader_properties();
  properties.set_use_threads(false);
  properties.set_pre_buffer(false);
  builder.memory_pool(Pool())->properties(properties);
  ARROW_ASSIGN_OR_RAISE(*reader, builder.Build());
  return arrow::Status::OK();
}

arrow::Result<int64_t> RowsOfGroup(parquet::arrow::FileReader& reader, int group) {
  const int64_t rows = reader.parquet_reader()->metadata()->RowGroup(group)->num_rows();
  if (rows < 0 || rows > kMostGroupRows) {
    return arrow::Status::Invalid("a row group of ", rows, " rows");
  }
  return rows;
}

}  // namespace steptrace::store
