// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/memory_section.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

#include "analyze/operators/memory_records.h"
#include "analyze/operators/vector_index.h"
#include "analyze/stats/distribution.h"
#include "analyze/trace/host_ancestors.h"
#include "base/text_hash.h"

namespace steptrace::analyze {
namespace {

struct Sources {
  const Trace& trace;
  const RankTrace& rank;
  const DeviceRecords& records;
  const std::vector<int32_t>& calls;  // NearestSuch of the listed calls

  std::string NameOf(int32_t event) const {
    return event == kNone ? "" : trace.Text(rank.host[At(event)].name);
  }
  // The next listed call around one.
  int32_t Around(int32_t event) const {
    const int32_t parent = rank.host[At(event)].parent;
    return parent == kNone ? kNone : calls[At(parent)];
  }
};

void AddSelf(const store::MemoryRow& row, MemoryOperator& sums) {
  AddSaturating(sums.self_size_increase_bytes, row.bytes);
  if (row.bytes <= 0) return;
  sums.self_allocations += 1;
  AddSaturating(sums.self_allocated_bytes, row.bytes);
}

struct TotalBytes {
  int64_t increase = 0;
  int64_t allocations = 0;
  int64_t allocated = 0;

  void Add(const store::MemoryRow& row) {
    Add(TotalBytes{row.bytes, row.bytes > 0 ? 1 : 0, std::max<int64_t>(row.bytes, 0)});
  }
  void Add(const TotalBytes& more) {
    AddSaturating(increase, more.increase);
    allocations += more.allocations;
    AddSaturating(allocated, more.allocated);
  }
  void AddTo(MemoryOperator& sums) const {
    AddSaturating(sums.size_increase_bytes, increase);
    sums.allocations += allocations;
    AddSaturating(sums.allocated_bytes, allocated);
  }
};

std::vector<MemoryOperator> OperatorsOf(const Sources& from) {
  std::vector<int32_t> row_of(At(from.trace.strings->size()), kNone);
  std::vector<MemoryOperator> rows;
  const auto row = [&](store::StringId name) -> MemoryOperator& {
    int32_t& number = row_of[static_cast<size_t>(name)];
    if (number == kNone) {
      number = static_cast<int32_t>(rows.size());
      rows.emplace_back();
      rows.back().name = from.trace.Text(name);
    }
    return rows[At(number)];
  };
  std::map<int32_t, TotalBytes> totals;  // by call
  for (const MemoryRecord& record : from.records.records) {
    if (record.op == kNone) {
      AddSelf(*record.row, row(store::StringId::kEmpty));
      TotalBytes alone;
      alone.Add(*record.row);
      alone.AddTo(row(store::StringId::kEmpty));
      continue;
    }
    AddSelf(*record.row, row(from.rank.host[At(record.op)].name));
    totals[record.op].Add(*record.row);
  }
  // What is around a call precedes it: from the last one on, each is complete when it is added.
  while (!totals.empty()) {
    const auto [op, total] = *std::prev(totals.end());
    MemoryOperator& sums = row(from.rank.host[At(op)].name);
    total.AddTo(sums);
    ++sums.calls;
    const int32_t around = from.Around(op);
    if (around != kNone) totals[around].Add(total);
    totals.erase(std::prev(totals.end()));
  }
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::tie(b.self_allocated_bytes, b.allocated_bytes, a.name) <
           std::tie(a.self_allocated_bytes, a.allocated_bytes, b.name);
  });
  return rows;
}

MemoryBlock BlockOf(const Sources& from, const BlockSides& sides) {
  MemoryBlock block;
  const int32_t known = sides.allocation != kNone ? sides.allocation : sides.release;
  const MemoryRecord& record = from.records.records[At(known)];
  block.operator_name = from.NameOf(record.op);
  if (record.op != kNone) block.caller = from.NameOf(from.Around(record.op));
  block.bytes = std::abs(record.row->bytes);
  if (sides.allocation != kNone) block.allocated_ns = record.row->ts_ns;
  const auto at = [&from](int32_t side) { return from.records.records[At(side)].row->ts_ns; };
  if (sides.release != kNone) block.released_ns = at(sides.release);
  if (sides.gone_by() != kNone) block.released_by_ns = at(sides.gone_by());
  return block;
}

// The largest, and of equal ones the first; what is cut off never becomes text.
void ListBlocks(const Sources& from, std::vector<BlockSides> blocks, size_t most,
                MemoryDevice& device) {
  const auto size_and_place = [&](const BlockSides& sides) {
    const int32_t known = sides.allocation != kNone ? sides.allocation : sides.release;
    return std::pair(-std::abs(from.records.records[At(known)].row->bytes), known);
  };
  const size_t count = std::min(most, blocks.size());
  std::partial_sort(blocks.begin(), blocks.begin() + static_cast<ptrdiff_t>(count), blocks.end(),
                    [&](const BlockSides& a, const BlockSides& b) {
                      return size_and_place(a) < size_and_place(b);
                    });
  for (size_t i = 0; i < count; ++i) device.blocks.push_back(BlockOf(from, blocks[i]));
}

void CountBlocks(const Sources& from, const std::vector<BlockSides>& blocks, MemoryDevice& device) {
  for (const BlockSides& block : blocks) {
    if (block.allocation == kNone) {
      ++device.blocks_released_only;
    } else if (block.reuse != kNone) {
      ++device.blocks_reused;
    } else if (block.release == kNone) {
      ++device.blocks_unreleased;
      AddSaturating(device.bytes_unreleased, from.records.records[At(block.allocation)].row->bytes);
    } else {
      ++device.blocks_paired;
    }
  }
}

// What is held and reserved after each record of a device or of the host. On the host PyTorch tells
// mapped memory (shared tensors, files) beside the allocator's and with no total of it: "0", and
// its size as what is reserved (ATen's MapAllocator). That is added to what the allocator holds.
class HeldBytes {
 public:
  explicit HeldBytes(bool host) : host_(host) {}

  void Take(const store::MemoryRow& row, MemoryPoint& point) {
    if (IsMapped(row)) {
      mapped_ = SaturatingAdd(mapped_, row.bytes);
    } else {
      // A record without its totals goes on from the one before.
      allocated_ = row.total_allocated_bytes.value_or(SaturatingAdd(allocated_, row.bytes));
      point.reserved_bytes = row.total_reserved_bytes.value_or(point.reserved_bytes);
    }
    point.allocated_bytes = SaturatingAdd(allocated_, mapped_);
  }

 private:
  bool IsMapped(const store::MemoryRow& row) {
    if (!host_ || row.address == 0 || row.total_allocated_bytes != 0) return false;
    if (row.bytes < 0) return addresses_.erase(row.address) > 0;
    // Something was allocated: what the allocator holds is not nothing.
    if (row.bytes > 0) addresses_.insert(row.address);
    return row.bytes > 0;
  }

  const bool host_;
  int64_t allocated_ = 0;
  int64_t mapped_ = 0;
  SeededSet<int64_t> addresses_;  // of mapped blocks
};

void DrawCurve(const Sources& from, size_t most, MemoryDevice& device) {
  const auto& records = from.records.records;
  device.from_zero = std::none_of(records.begin(), records.end(), [](const MemoryRecord& record) {
    return record.row->total_allocated_bytes.has_value();
  });
  MemoryPoint point;
  HeldBytes held(from.records.device < 0);
  bool first = true;
  for (const MemoryRecord& record : records) {
    const store::MemoryRow& row = *record.row;
    point.ts_ns = row.ts_ns;
    held.Take(row, point);
    if (first || point.allocated_bytes > device.peak.allocated_bytes) device.peak = point;
    device.peak_reserved_bytes = std::max(device.peak_reserved_bytes, point.reserved_bytes);
    first = false;
    device.curve.push_back(point);
  }
  device.curve = ReduceCurve(std::move(device.curve), most);
}

void FindHolders(const Sources& from, const std::vector<BlockSides>& blocks, size_t most,
                 MemoryDevice& device) {
  std::map<int32_t, MemoryHolder> holders;  // by name
  for (const BlockSides& block : blocks) {
    if (block.allocation == kNone) continue;
    const MemoryRecord& record = from.records.records[At(block.allocation)];
    const bool gone = block.gone_by() != kNone &&
                      from.records.records[At(block.gone_by())].row->ts_ns <= device.peak.ts_ns;
    if (record.row->ts_ns > device.peak.ts_ns || gone) continue;
    const int32_t name =
        record.op == kNone ? 0 : static_cast<int32_t>(from.rank.host[At(record.op)].name);
    MemoryHolder& holder = holders[name];
    ++holder.blocks;
    AddSaturating(holder.bytes, record.row->bytes);
  }
  for (auto& [name, holder] : holders) {
    holder.operator_name = from.trace.Text(static_cast<store::StringId>(name));
    device.at_peak.push_back(holder);
  }
  std::sort(device.at_peak.begin(), device.at_peak.end(), [](const auto& a, const auto& b) {
    return std::tie(b.bytes, a.operator_name) < std::tie(a.bytes, b.operator_name);
  });
  if (device.at_peak.size() > most) device.at_peak.resize(most);
}

MemoryDevice DeviceOf(const Sources& from, const MemoryOptions& options) {
  MemoryDevice device;
  device.rank = from.rank.rank;
  device.device = from.records.device;
  device.records = static_cast<int64_t>(from.records.records.size());
  device.without_address =
      std::count_if(from.records.records.begin(), from.records.records.end(),
                    [](const MemoryRecord& record) { return record.row->address == 0; });
  const std::vector<BlockSides> blocks = PairBlocks(from.records);
  device.operators = OperatorsOf(from);
  CountBlocks(from, blocks, device);
  ListBlocks(from, blocks, options.blocks, device);
  DrawCurve(from, options.curve_points, device);
  FindHolders(from, blocks, options.holders, device);
  FindLeaks(from.trace, from.rank, from.records, blocks, device);
  return device;
}

// Of CUDA, its driver, and HIP. What takes from a pool on a stream waits for nobody: left out.
bool IsAllocatorCall(std::string_view name) {
  static constexpr std::array kCalls = {
      "cudaMalloc",          "cudaFree",           "cudaMallocManaged", "cudaMallocHost",
      "cudaFreeHost",        "cudaHostAlloc",      "cudaMallocPitch",   "cudaMalloc3D",
      "cudaHostRegister",    "cudaHostUnregister", "cuMemAlloc",        "cuMemAlloc_v2",
      "cuMemFree",           "cuMemFree_v2",       "cuMemAllocHost",    "cuMemAllocHost_v2",
      "cuMemFreeHost",       "cuMemHostAlloc",     "cuMemAllocManaged", "cuMemCreate",
      "cuMemRelease",        "cuMemMap",           "cuMemUnmap",        "cuMemSetAccess",
      "cuMemAddressReserve", "cuMemAddressFree",   "hipMalloc",         "hipFree",
      "hipMallocManaged",    "hipHostMalloc",      "hipHostFree",       "hipExtMallocWithFlags",
      "hipMemCreate",        "hipMemRelease",      "hipMemMap",         "hipMemUnmap"};
  return std::find(kCalls.begin(), kCalls.end(), name) != kCalls.end();
}

std::vector<AllocatorCall> AllocatorOf(const Trace& trace, const RankTrace& rank) {
  constexpr int32_t kUnknown = -2;
  std::vector<int32_t> row_of(At(trace.strings->size()), kUnknown);  // kNone: no such call
  std::vector<AllocatorCall> rows;
  for (const TraceEvent& event : rank.host) {
    if (event.kind != EventKind::kRuntime) continue;
    int32_t& number = row_of[static_cast<size_t>(event.name)];
    if (number == kUnknown) {
      number = kNone;
      if (!IsAllocatorCall(trace.Text(event.name))) continue;
      number = static_cast<int32_t>(rows.size());
      rows.emplace_back();
      rows.back().rank = rank.rank;
      rows.back().name = trace.Text(event.name);
    }
    if (number == kNone) continue;
    AllocatorCall& row = rows[At(number)];
    row.calls += 1;
    row.total_ns += event.dur_ns;
    row.max_ns = std::max(row.max_ns, event.dur_ns);
    if (event.step > 0) {
      row.steady_calls += 1;
      row.steady_ns += event.dur_ns;
    }
  }
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::tie(b.total_ns, a.name) < std::tie(a.total_ns, b.name);
  });
  return rows;
}

}  // namespace

std::vector<MemoryPoint> ReduceCurve(std::vector<MemoryPoint> curve, size_t most) {
  constexpr size_t kKept = 6;  // of a time range
  if (curve.size() <= most || most < kKept) return curve;
  const size_t time_ranges = most / kKept;
  std::vector<MemoryPoint> reduced;
  for (size_t i = 0; i < time_ranges; ++i) {
    const size_t begin = curve.size() * i / time_ranges;
    const size_t end = curve.size() * (i + 1) / time_ranges;
    std::array<size_t, kKept> kept;
    kept.fill(begin);
    kept[1] = end - 1;
    for (size_t k = begin; k < end; ++k) {
      if (curve[k].allocated_bytes < curve[kept[2]].allocated_bytes) kept[2] = k;
      if (curve[k].allocated_bytes > curve[kept[3]].allocated_bytes) kept[3] = k;
      if (curve[k].reserved_bytes < curve[kept[4]].reserved_bytes) kept[4] = k;
      if (curve[k].reserved_bytes > curve[kept[5]].reserved_bytes) kept[5] = k;
    }
    std::sort(kept.begin(), kept.end());
    const auto last = std::unique(kept.begin(), kept.end());
    for (auto at = kept.begin(); at != last; ++at) reduced.push_back(curve[*at]);
  }
  return reduced;
}

MemorySection BuildMemory(const Trace& trace, std::span<const OperatorTree> trees,
                          const MemoryOptions& options) {
  MemorySection section;
  for (size_t i = 0; i < trace.ranks.size(); ++i) {
    const RankTrace& rank = trace.ranks[i];
    const OperatorTree& tree = trees[i];
    std::vector<int32_t> calls;
    if (!rank.memory.empty()) {
      calls = NearestSuch(rank.host, [&tree](size_t event) {
        return tree.call[event] == static_cast<int32_t>(event) && tree.listed[event];
      });
    }
    for (const DeviceRecords& records : FindRecords(rank, tree)) {
      section.devices.push_back(DeviceOf({trace, rank, records, calls}, options));
    }
    std::vector<AllocatorCall> allocator = AllocatorOf(trace, rank);
    std::move(allocator.begin(), allocator.end(), std::back_inserter(section.allocator));
  }
  return section;
}

MemorySection BuildMemory(const Trace& trace, const MemoryOptions& options) {
  return BuildMemory(trace, BuildOperatorTrees(trace), options);
}

}  // namespace steptrace::analyze
