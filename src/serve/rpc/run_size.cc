// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/run_size.h"

#include <algorithm>
#include <cstdint>

#include "store/run_files.h"
#include "store/run_reader.h"

namespace steptrace::rpc {
namespace {

// A report takes up to half a KiB a row: of so many 100 MiB.
constexpr int64_t kMostRows = 200'000;
// Few rows may have long texts, and those of journals are not counted.
constexpr int64_t kMostBytes = 32 << 20;
constexpr int64_t kLeastJournalRowBytes = 32;

}  // namespace

bool IsLargeRun(const std::filesystem::path& path) {
  const auto run = store::RunReader::Open(path);
  if (!run.ok()) return false;
  int64_t rows = 0, bytes = 0;
  for (const auto& [name, table] : run->manifest().tables) {
    for (const store::SegmentInfo& segment : table.segments) {
      rows += std::clamp<int64_t>(segment.rows, 0, kMostRows + 1);
      bytes += std::clamp<int64_t>(segment.bytes, 0, kMostBytes + 1);
    }
  }
  // Those of a closed run are in its segments.
  if (run->state() != store::RunState::kClosed) {
    for (const store::JournalFile& journal : store::ListJournals(path)) {
      bytes += journal.bytes;
      rows += journal.bytes / kLeastJournalRowBytes;
    }
  }
  return rows > kMostRows || bytes > kMostBytes;
}

}  // namespace steptrace::rpc
