// SPDX-License-Identifier: Apache-2.0
#include "import/formats/nsight/texts.h"

#include <fmt/format.h>

#include "import/core/bounded_name.h"

namespace steptrace::import::nsight {
namespace {

constexpr size_t kMostKnown = 1 << 16;  // of 1 KiB each at most: 64 MiB

}  // namespace

const std::string& Texts::Of(int64_t id) {
  const auto found = known_.find(id);
  if (found != known_.end()) return found->second;
  // Texts may be many; that they are many distinct ones that repeat out of order is rare.
  if (known_.size() >= kMostKnown) known_.clear();
  return known_.emplace(id, Read(id)).first->second;
}

std::string Texts::Read(int64_t id) {
  auto rows = database_.Prepare(fmt::format("SELECT value FROM StringIds WHERE id = {}", id));
  if (rows.ok()) {
    const auto more = rows->Next();
    if (more.ok() && *more) return ShortName(rows->Text(0), &cut_);
  }
  ++missing_;
  return {};
}

}  // namespace steptrace::import::nsight
