// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/read_source.h"

#include <utility>

namespace steptrace::import::sagemaker {
namespace {

constexpr size_t kPieceBytes = 256 << 10;

}  // namespace

ReadEnd ReadPieces(const Source& source, const ImportContext& context,
                   const std::function<void(std::string_view)>& on_bytes) {
  ReadEnd end;
  auto opened = source.Open();
  if (!opened.ok()) {
    end.damage = opened.error().text();
    return end;
  }
  ByteStream& stream = **opened;
  std::string piece(kPieceBytes, '\0');
  for (int64_t reported = 0;;) {
    const auto size = stream.Read(piece.data(), piece.size());
    if (!size.ok()) {
      end.damage = size.error().text();
      return end;
    }
    if (context.advanced)
      context.advanced(stream.consumed() - std::exchange(reported, stream.consumed()));
    if (*size == 0) break;
    end.bytes += static_cast<int64_t>(*size);
    on_bytes({piece.data(), *size});
  }
  end.damage = stream.damage();
  return end;
}

void LineSplitter::Push(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (!skipping_ && carry_.size() + part.size() > max_bytes_) {
      ++too_long_;
      skipping_ = true;
      carry_.clear();
    }
    if (end == std::string_view::npos) {
      if (!skipping_) carry_ += part;
      return;
    }
    if (!skipping_) {
      if (carry_.empty()) {
        on_line_(part, true);
      } else {
        carry_ += part;
        on_line_(carry_, true);
      }
    }
    carry_.clear();
    skipping_ = false;
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::Finish() {
  if (!carry_.empty()) on_line_(carry_, false);
  carry_.clear();
}

}  // namespace steptrace::import::sagemaker
