// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/manifest.h"
#include "store/run_files.h"
#include "store/string_table.h"
#include "store/tables.h"

// Segments whose files are not what the manifest says: a run is read without them, and the loss is
// told. A disk that was full or failed, a copy that broke off.
namespace steptrace::store {

struct DamagedSegment {
  std::string table;
  SegmentInfo segment;
  Error why;              // without the file: "the file is gone"
  int64_t kept_rows = 0;  // by RemoveDamaged, in another file
};

// Takes the segments out of `manifest` whose file is absent or has another size than was written.
// Costs one stat a segment: what is wrong within a file of the right size is found by reading it.
std::vector<DamagedSegment> LeaveOutDamaged(const std::filesystem::path& run, Manifest* manifest);

// What to tell of a segment of the right size that could not be read, by the error of doing so.
// That error itself where the file is not to blame: there was no memory.
Result<DamagedSegment> DescribeDamage(const std::filesystem::path& run, const std::string& table,
                                      const SegmentInfo& segment, const Error& failed);

// A row of `data_loss`: cause `segment_damaged`, the rows that the manifest says the segment held,
// less those that were kept.
DataLossRow LossOf(const DamagedSegment& damaged, StringTable& strings);

// Reads every segment of a writer of a closed run whole. Those whose contents are damaged are moved
// to kDamagedFolder, their entries leave the manifest, what is sound of them (SalvageSegment) is a
// segment of its own, and `data_loss` has what is not. Returns what was moved. One that is absent
// or cut off keeps its entry: it is left out anyway, and is back once the file is. A file that the
// system does not give, or for which there is no memory, is an error and moves nothing. The caller
// holds the writer's lock.
Result<std::vector<DamagedSegment>> RemoveDamaged(const std::filesystem::path& run,
                                                  const std::string& writer);

}  // namespace steptrace::store
