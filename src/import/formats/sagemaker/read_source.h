// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "import/core/importer.h"

// A source's bytes in pieces, and in lines.
namespace steptrace::import::sagemaker {

struct ReadEnd {
  int64_t bytes = 0;
  std::string damage;  // why not all could be read; empty: all was
};

// Calls `on_bytes` with all that can be read.
ReadEnd ReadPieces(const Source& source, const ImportContext& context,
                   const std::function<void(std::string_view)>& on_bytes);

// Cuts pieces into lines; a line beyond the limit is dropped and counted.
class LineSplitter {
 public:
  using OnLine = std::function<void(std::string_view line, bool complete)>;

  LineSplitter(size_t max_bytes, OnLine on_line)
      : max_bytes_(max_bytes), on_line_(std::move(on_line)) {}

  void Push(std::string_view bytes);
  void Finish();  // what stands after the last line's end is a line that is not complete
  int64_t too_long() const { return too_long_; }

 private:
  size_t max_bytes_;
  OnLine on_line_;
  std::string carry_;
  bool skipping_ = false;
  int64_t too_long_ = 0;
};

}  // namespace steptrace::import::sagemaker
