// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/operators/memory_rows.h"
#include "analyze/operators/operator_tree.h"
#include "analyze/trace/trace.h"

// The steps on the way to a MemorySection: records with their operators, blocks, leaks.
namespace steptrace::analyze {

struct MemoryRecord {
  const store::MemoryRow* row = nullptr;
  int32_t op = kNone;  // call of the innermost listed operator around it, index in RankTrace::host
};

// The records of one device of a rank, by time.
struct DeviceRecords {
  int32_t device = -1;
  std::vector<MemoryRecord> records;
};

// By device.
std::vector<DeviceRecords> FindRecords(const RankTrace& rank, const OperatorTree& tree);

// A block by the records of its two sides, -1 where the profile holds none.
struct BlockSides {
  int32_t allocation = kNone;  // index in DeviceRecords::records
  int32_t release = kNone;
  // The next allocation at its address, where no release is recorded: it was released by then.
  int32_t reuse = kNone;

  // The first record by which it is gone; kNone: none is.
  int32_t gone_by() const { return release != kNone ? release : reuse; }
};

// In the order of their first record. Records without an address are left out.
std::vector<BlockSides> PairBlocks(const DeviceRecords& records);

// Fills steps, leaks and leak_status of the device.
void FindLeaks(const Trace& trace, const RankTrace& rank, const DeviceRecords& records,
               const std::vector<BlockSides>& blocks, MemoryDevice& device);

}  // namespace steptrace::analyze
