// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/string_table.h"

namespace steptrace::store {

// Reads the rows that come to a journal while it is written: each once, however often it is asked.
// One thread. It holds the file open, so that rows are not lost to it when the run closes.
template <class Row>
class JournalTail {
 public:
  // `columns`: those to decode; empty: all. The table outlives it and is all its journals'.
  static Result<JournalTail> Open(const std::filesystem::path& path, StringTable& strings,
                                  std::vector<std::string> columns);
  JournalTail(JournalTail&&) noexcept;
  JournalTail& operator=(JournalTail&&) noexcept;
  ~JournalTail();

  // Rows of the batches that became whole since the last call, batch by batch. What is damaged ends
  // the journal, as it does for who reads it whole; a journal that became shorter is an error.
  Status Read(const std::function<Status(std::vector<Row>&&)>& take);

 private:
  struct Impl;
  explicit JournalTail(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace steptrace::store
