// SPDX-License-Identifier: Apache-2.0
#include "probe/tensor_stats.h"

#include <cstring>

#include "probe/float_settings.h"
#include "probe/tensor_block.h"
#include "probe/tensor_bytes.h"
#include "probe/tensor_each.h"
#include "probe/tensor_halves.h"
#include "probe/tensor_widen.h"

namespace steptrace::probe {
namespace {

using wire::ElementType;

// The inner loops, as they are compiled for a kind of processor.
struct Loops {
  bool (*take_floats)(const float*, PairTables*, BlockSums*);
  bool (*take_doubles)(const double*, PairTables*, BlockSums*);
  bool (*take_bfloat16)(const uint8_t*, PairTables*, BlockSums*);
  void (*widen_bfloat16)(const uint16_t*, float*);
  void (*widen_float16)(const uint16_t*, float*);
};

bool Take(const Loops& loops, const float* values, PairTables* tables, BlockSums* sums) {
  return loops.take_floats(values, tables, sums);
}
bool Take(const Loops& loops, const double* values, PairTables* tables, BlockSums* sums) {
  return loops.take_doubles(values, tables, sums);
}

// What a tensor's elements are added to, in runs of any length.
class Gathering {
 public:
  Gathering(const Loops& loops, ElementType type, TensorStats* stats)
      : loops_(loops), type_(type), stats_(stats) {}

  void Add(const uint8_t* data, size_t count);
  // What stands in the tables and counts by value comes into the statistics.
  void Finish();

 private:
  template <class Float>
  void AddFloats(const Float* values, size_t count);
  template <class Integer, class Float>
  void AddIntegers(const uint8_t* data, size_t count);
  void AddHalves(const uint8_t* data, size_t count);
  void AddBytes(const uint8_t* data, size_t count);
  PairTables* Tables();
  void AddTaken(const BlockSums& sums);
  void EmptyTables();
  void EmptyTable(const uint16_t* table);

  const Loops& loops_;
  const ElementType type_;
  TensorStats* const stats_;
  uint64_t blocks_ = 0;  // in the tables
  bool used_ = false;    // what the union has
  union {
    PairTables tables_;
    ByteCounts bytes_;
  };
};

PairTables* Gathering::Tables() {
  if (!used_) memset(&tables_, 0, sizeof tables_);
  used_ = true;
  return &tables_;
}

void Gathering::AddTaken(const BlockSums& sums) {
  AddBlock(sums, stats_);
  if (++blocks_ == kBlocksBeforeFull) EmptyTables();
}

template <class Float>
void Gathering::AddFloats(const Float* values, size_t count) {
  for (; count >= kBlock; values += kBlock, count -= kBlock) {
    BlockSums sums;
    if (Take(loops_, values, Tables(), &sums)) {
      AddTaken(sums);
    } else {
      AddEach(values, kBlock, stats_);
    }
  }
  AddEach(values, count, stats_);
}

template <class Integer, class Float>
void Gathering::AddIntegers(const uint8_t* data, size_t count) {
  Float block[kBlock];
  while (count > 0) {
    const size_t some = count < kBlock ? count : kBlock;
    for (size_t i = 0; i < some; ++i) {
      Integer one;
      memcpy(&one, data + i * sizeof one, sizeof one);
      block[i] = static_cast<Float>(one);
    }
    AddFloats(block, some);
    data += some * sizeof(Integer);
    count -= some;
  }
}

void Gathering::AddHalves(const uint8_t* data, size_t count) {
  float block[kBlock];
  uint16_t halves[kBlock] = {};
  while (count > 0) {
    const size_t some = count < kBlock ? count : kBlock;
    BlockSums sums;
    if (type_ == ElementType::kBfloat16 && some == kBlock &&
        loops_.take_bfloat16(data, Tables(), &sums)) {
      AddTaken(sums);
      data += kBlock * sizeof halves[0];
      count -= kBlock;
      continue;
    }
    memcpy(halves, data, some * sizeof halves[0]);
    (type_ == ElementType::kBfloat16 ? loops_.widen_bfloat16 : loops_.widen_float16)(halves, block);
    AddFloats(block, some);
    data += some * sizeof halves[0];
    count -= some;
  }
}

void Gathering::AddBytes(const uint8_t* data, size_t count) {
  if (!used_) memset(&bytes_, 0, sizeof bytes_);
  used_ = true;
  CountBytes(data, count, &bytes_);
}

void Gathering::Add(const uint8_t* data, size_t count) {
  switch (type_) {
    case ElementType::kFloat64:
      return AddFloats(reinterpret_cast<const double*>(data), count);
    case ElementType::kFloat32:
      return AddFloats(reinterpret_cast<const float*>(data), count);
    case ElementType::kFloat16:
    case ElementType::kBfloat16:
      return AddHalves(data, count);
    case ElementType::kInt64:
      return AddIntegers<int64_t, double>(data, count);
    case ElementType::kInt32:
      return AddIntegers<int32_t, double>(data, count);
    case ElementType::kInt16:
      return AddIntegers<int16_t, float>(data, count);
    default:
      return AddBytes(data, count);
  }
}

void Gathering::EmptyTable(const uint16_t* table) {
  for (uint32_t high = 0; high < kExponentBins; ++high) {
    const uint16_t* row = table + high * kExponentBins;
    uint64_t any = 0;
    for (uint32_t low = 0; low < kExponentBins; low += 4) {
      uint64_t four;
      memcpy(&four, row + low, sizeof four);
      any |= four;
    }
    if (any == 0) continue;
    for (uint32_t low = 0; low < kExponentBins; ++low) {
      stats_->exponents[low] += row[low];
      stats_->exponents[high] += row[low];
    }
  }
}

void Gathering::EmptyTables() {
  EmptyTable(tables_.even);
  EmptyTable(tables_.odd);
  memset(&tables_, 0, sizeof tables_);
  blocks_ = 0;
}

void Gathering::Finish() {
  if (!used_) return;
  if (ElementBytes(type_) == 1) {
    AddByteCounts(type_, bytes_, stats_);
  } else {
    EmptyTables();
  }
}

// A dimension that is worth a loop.
struct Dimension {
  int64_t size;
  int64_t stride;
};

// The dimensions without those of one element, the outermost first, and those that lie in memory as
// one made one: which element comes when makes no difference.
int Simplify(const TensorView& view, Dimension* out) {
  int count = 0;
  for (int i = 0; i < view.dims; ++i) {
    if (view.sizes[i] == 1) continue;
    Dimension one{view.sizes[i], view.strides[i]};
    int place = count++;
    for (; place > 0 && out[place - 1].stride < one.stride; --place) out[place] = out[place - 1];
    out[place] = one;
  }
  int merged = 0;
  for (int i = 1; i < count; ++i) {
    if (out[merged].stride == out[i].stride * out[i].size) {
      out[merged] = {out[merged].size * out[i].size, out[i].stride};
    } else {
      out[++merged] = out[i];
    }
  }
  return count == 0 ? 0 : merged + 1;
}

template <class Element>
void CopyStrided(const uint8_t* from, int64_t stride, size_t count, uint8_t* to) {
  for (size_t i = 0; i < count; ++i) {
    memcpy(to + i * sizeof(Element),
           from + static_cast<int64_t>(i) * stride * static_cast<int64_t>(sizeof(Element)),
           sizeof(Element));
  }
}

void CopyStrided(size_t element_bytes, const uint8_t* from, int64_t stride, size_t count,
                 uint8_t* to) {
  switch (element_bytes) {
    case 1:
      return CopyStrided<uint8_t>(from, stride, count, to);
    case 2:
      return CopyStrided<uint16_t>(from, stride, count, to);
    case 4:
      return CopyStrided<uint32_t>(from, stride, count, to);
    default:
      return CopyStrided<uint64_t>(from, stride, count, to);
  }
}

// Hands the elements of a view over in runs that lie side by side: what does not is gathered first.
class Walk {
 public:
  Walk(const TensorView& view, Gathering& to)
      : element_(ElementBytes(view.type)),
        base_(static_cast<const uint8_t*>(view.data)),
        count_(Simplify(view, dimensions_)),
        to_(to) {}

  void All() {
    if (count_ == 0) return to_.Add(base_, 1);
    do {
      Row();
    } while (NextRow());
    if (held_ > 0) to_.Add(gathered_, held_);
  }

 private:
  void Row() {
    const Dimension inner = dimensions_[count_ - 1];
    if (inner.stride == 1) return to_.Add(At(offset_), static_cast<size_t>(inner.size));
    for (int64_t i = 0; i < inner.size;) {
      const auto left = static_cast<size_t>(inner.size - i);
      const size_t some = left < kBlock - held_ ? left : kBlock - held_;
      CopyStrided(element_, At(offset_ + i * inner.stride), inner.stride, some,
                  gathered_ + held_ * element_);
      held_ += some;
      i += static_cast<int64_t>(some);
      if (held_ < kBlock) continue;
      to_.Add(gathered_, held_);
      held_ = 0;
    }
  }

  bool NextRow() {
    for (int outer = count_ - 2; outer >= 0; --outer) {
      const Dimension& one = dimensions_[outer];
      offset_ += one.stride;
      if (++at_[outer] < one.size) return true;
      offset_ -= one.stride * one.size;
      at_[outer] = 0;
    }
    return false;
  }

  const uint8_t* At(int64_t offset) const {
    return base_ + offset * static_cast<int64_t>(element_);
  }

  const size_t element_;
  const uint8_t* const base_;
  Dimension dimensions_[kMostDims];
  const int count_;
  Gathering& to_;
  int64_t offset_ = 0;  // of the row, in elements
  int64_t at_[kMostDims] = {};
  size_t held_ = 0;  // elements that are gathered
  alignas(8) uint8_t gathered_[kBlock * sizeof(double)];
};

// Whatever these call is inlined: it is compiled for the processor that they say.
bool TakeFloats(const float* values, PairTables* tables, BlockSums* sums) {
  return TakeBlock<16>(values, tables, sums);
}
bool TakeDoubles(const double* values, PairTables* tables, BlockSums* sums) {
  return TakeBlock<16>(values, tables, sums);
}
bool TakeBFloat16(const uint8_t* data, PairTables* tables, BlockSums* sums) {
  return TakeBFloat16Block<16>(data, tables, sums);
}
void FromBFloat16(const uint16_t* from, float* to) {
  WidenBFloat16<16>(from, to);
}
void FromFloat16(const uint16_t* from, float* to) {
  WidenFloat16<16>(from, to);
}
constexpr Loops kAnywhere{TakeFloats, TakeDoubles, TakeBFloat16, FromBFloat16, FromFloat16};

#if defined(__x86_64__)
[[gnu::target("avx2,fma,bmi2")]] bool TakeFloatsAvx2(const float* values, PairTables* tables,
                                                     BlockSums* sums) {
  return TakeBlock<32>(values, tables, sums);
}
[[gnu::target("avx2,fma,bmi2")]] bool TakeDoublesAvx2(const double* values, PairTables* tables,
                                                      BlockSums* sums) {
  return TakeBlock<32>(values, tables, sums);
}
[[gnu::target("avx2,fma,bmi2")]] bool TakeBFloat16Avx2(const uint8_t* data, PairTables* tables,
                                                       BlockSums* sums) {
  return TakeBFloat16Block<32>(data, tables, sums);
}
[[gnu::target("avx2,fma,bmi2")]] void FromBFloat16Avx2(const uint16_t* from, float* to) {
  WidenBFloat16<32>(from, to);
}
[[gnu::target("avx2,fma,bmi2")]] void FromFloat16Avx2(const uint16_t* from, float* to) {
  WidenFloat16<32>(from, to);
}
constexpr Loops kAvx2{TakeFloatsAvx2, TakeDoublesAvx2, TakeBFloat16Avx2, FromBFloat16Avx2,
                      FromFloat16Avx2};

bool HasAvx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi2") != 0;
}
#endif

const Loops& LoopsOfThisProcessor() {
#if defined(__x86_64__)
  if (HasAvx2()) return kAvx2;
#endif
  return kAnywhere;
}

bool MeasureBy(const Loops& loops, const TensorView& view, TensorStats* out) {
  const int64_t elements = Elements(view);
  if (ElementBytes(view.type) == 0 || elements < 0) return false;
  *out = {};
  out->numel = static_cast<uint64_t>(elements);
  if (elements == 0) return true;
  const FloatSettings usual;
  Gathering gathering(loops, view.type, out);
  Walk(view, gathering).All();
  gathering.Finish();
  return true;
}

}  // namespace

size_t ElementBytes(ElementType type) {
  switch (type) {
    case ElementType::kFloat64:
    case ElementType::kInt64:
      return 8;
    case ElementType::kFloat32:
    case ElementType::kInt32:
      return 4;
    case ElementType::kFloat16:
    case ElementType::kBfloat16:
    case ElementType::kInt16:
      return 2;
    case ElementType::kFloat8E4m3fn:
    case ElementType::kFloat8E5m2:
    case ElementType::kFloat8E4m3fnuz:
    case ElementType::kFloat8E5m2fnuz:
    case ElementType::kInt8:
    case ElementType::kUint8:
    case ElementType::kBool:
      return 1;
  }
  return 0;
}

int64_t Elements(const TensorView& view) {
  if (view.dims < 0 || view.dims > kMostDims) return -1;
  bool none = false;
  int64_t count = 1;
  for (int i = 0; i < view.dims; ++i) {
    const int64_t size = view.sizes[i];
    if (size < 0 || view.strides[i] < 0) return -1;
    if (size == 0) none = true;
    if (size != 0 && __builtin_mul_overflow(count, size, &count)) return -1;
  }
  return none ? 0 : count;
}

bool Measure(const TensorView& view, TensorStats* out) {
  return MeasureBy(LoopsOfThisProcessor(), view, out);
}

bool MeasurePortably(const TensorView& view, TensorStats* out) {
  return MeasureBy(kAnywhere, view, out);
}

}  // namespace steptrace::probe
