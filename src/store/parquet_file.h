// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/status.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>

// How this folder opens Parquet files, of which nothing is trusted.
namespace steptrace::store {

// Part of the format: a row group has no more. Without a limit a damaged file asks for any memory.
inline constexpr int64_t kMostGroupRows = 1 << 20;

// parquet-cpp throws in places where Arrow returns.
template <class F>
arrow::Status WithoutExceptions(F&& f) {
  try {
    return f();
  } catch (const parquet::ParquetStatusException& failed) {
    return failed.status();
  } catch (const std::bad_alloc&) {
    return arrow::Status::OutOfMemory("not enough memory");
  } catch (const std::exception& failed) {
    return arrow::Status::IOError(failed.what());
  }
}

using ParquetReader = std::unique_ptr<parquet::arrow::FileReader>;

// Without threads; each page is compared with its checksum. Throws where parquet-cpp does.
arrow::Status OpenParquet(const std::filesystem::path& path, ParquetReader* reader);

// As many rows as a group may have, else an error. Throws where parquet-cpp does.
arrow::Result<int64_t> RowsOfGroup(parquet::arrow::FileReader& reader, int group);

}  // namespace steptrace::store
