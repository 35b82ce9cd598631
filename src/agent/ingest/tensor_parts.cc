// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/tensor_parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace steptrace::agent {
namespace {

// More than any memory has.
constexpr uint64_t kMostElements = uint64_t{1} << 50;

bool TakeCounts(const std::vector<uint64_t>& words, ReportedTensor& tensor) {
  const auto numel = static_cast<uint64_t>(tensor.numel);
  uint64_t all = 0;
  for (uint32_t i = 0; i < wire::kTensorCounts; ++i) {
    if (words[i] > numel) return false;
    all += words[i];
  }
  tensor.nan = static_cast<int64_t>(words[0]);
  tensor.positive_inf = static_cast<int64_t>(words[1]);
  tensor.negative_inf = static_cast<int64_t>(words[2]);
  tensor.zeros = static_cast<int64_t>(words[3]);
  return all <= numel;
}

// A sum of squares, and even one of values, may be beyond what a double holds.
bool TakeDoubles(const std::vector<uint64_t>& words, ReportedTensor& tensor) {
  const auto at = [&](uint32_t i) { return std::bit_cast<double>(words[wire::kTensorCounts + i]); };
  tensor.min = at(0);
  tensor.max = at(1);
  tensor.sum = at(2);
  tensor.abs_sum = at(3);
  tensor.square_sum = at(4);
  if (tensor.finite() == 0) {
    return tensor.min == HUGE_VAL && tensor.max == -HUGE_VAL && tensor.abs_sum == 0;
  }
  return std::isfinite(tensor.min) && std::isfinite(tensor.max) && tensor.min <= tensor.max &&
         !std::isnan(tensor.sum) && tensor.abs_sum >= 0 && tensor.square_sum >= 0;
}

bool TakeBins(const std::vector<uint64_t>& words, ReportedTensor& tensor) {
  int64_t left = tensor.finite() - tensor.zeros;
  int32_t last = -1;
  for (size_t i = wire::kTensorFixedWords; i < words.size(); ++i) {
    if (words[i] == 0) continue;
    const auto bin = static_cast<int32_t>(words[i] >> wire::kTensorCountBits);
    const auto count =
        static_cast<int64_t>(words[i] & ((uint64_t{1} << wire::kTensorCountBits) - 1));
    if (bin <= last || bin >= static_cast<int32_t>(wire::kTensorBins) || count > left) return false;
    tensor.bins[static_cast<size_t>(bin)] = count;
    left -= count;
    last = bin;
  }
  return left == 0;
}

}  // namespace

bool TensorParts::Add(const wire::Record& record, int64_t ts_ns) {
  const bool begins = record.kind == static_cast<uint8_t>(wire::RecordKind::kTensor);
  return begins ? Begin(record, ts_ns) : AddPart(record);
}

bool TensorParts::Begin(const wire::Record& header, int64_t ts_ns) {
  const bool unbroken = Break();
  const auto role = static_cast<wire::TensorRole>(wire::TensorRoleOf(header.a));
  const auto type = static_cast<wire::ElementType>(wire::TensorTypeOf(header.a));
  const uint32_t parts = wire::TensorParts(header.a);
  if (wire::TensorRoleText(role) == nullptr || wire::ElementTypeText(type) == nullptr ||
      parts < wire::kTensorFixedParts || parts > wire::kMostTensorParts ||
      header.b > kMostElements) {
    return false;
  }
  ReportedTensor& tensor = tensor_.emplace();
  tensor.ts_ns = ts_ns;
  tensor.step = wire::TensorStep(header.a);
  tensor.role = role;
  tensor.type = type;
  tensor.numel = static_cast<int64_t>(header.b);
  name_ = header.name;
  parts_left_ = parts;
  words_.clear();
  return unbroken;
}

bool TensorParts::AddPart(const wire::Record& part) {
  if (parts_left_ == 0) return false;
  if (part.name != name_) {
    Break();
    return false;
  }
  words_.insert(words_.end(), {part.tsc, part.a, part.b});
  if (--parts_left_ > 0) return true;
  const bool sound =
      TakeCounts(words_, *tensor_) && TakeDoubles(words_, *tensor_) && TakeBins(words_, *tensor_);
  if (!sound) tensor_.reset();
  return sound;
}

std::optional<ReportedTensor> TensorParts::Take(store::StringId name) {
  if (parts_left_ > 0 || !tensor_) return std::nullopt;
  tensor_->name = name;
  return std::exchange(tensor_, std::nullopt);
}

bool TensorParts::Break() {
  const bool whole = parts_left_ == 0;
  parts_left_ = 0;
  tensor_.reset();
  return whole;
}

}  // namespace steptrace::agent
