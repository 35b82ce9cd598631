// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/system_metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "import/formats/sagemaker/moments.h"
#include "import/json/fields.h"
#include "import/json/numbers.h"
#include "store/metrics.h"

namespace steptrace::import::sagemaker {
namespace {

constexpr int kSecondsToNs = 9;
constexpr int kPercentToShare = -2;
constexpr size_t kMaxNameBytes = 200;

struct Known {
  const char* dimension;  // empty: any
  const char* name;       // of the thing measured, without its number; empty: any
  const char* metric;
  bool percent;
};

// `dimension` and `name` as Debugger writes them. "Algorithm" is the training container's network,
// "Platform" that of SageMaker's own part of the machine, which fetches data and stores artifacts.
constexpr std::array<Known, 12> kKnown = {{
    {"CPUUtilization", "cpu", NameOf(store::Metric::kCoreBusyShare), true},
    {"CPUUtilization", "", NameOf(store::Metric::kCpuBusyShare), true},
    {"I/OWaitPercentage", "cpu", NameOf(store::Metric::kCoreIowaitShare), true},
    {"I/OWaitPercentage", "", NameOf(store::Metric::kCpuIowaitShare), true},
    {"GPUUtilization", "", NameOf(store::Metric::kGpuUtilization), true},
    {"GPUMemoryUtilization", "", NameOf(store::Metric::kGpuMemoryUsedShare), true},
    {"", "MemoryUsedPercent", NameOf(store::Metric::kMemoryUsedShare), true},
    {"", "IOPS", NameOf(store::Metric::kDiskOperations), false},
    {"", "ReadThroughputInBytesPerSecond", NameOf(store::Metric::kDiskRead), false},
    {"", "WriteThroughputInBytesPerSecond", NameOf(store::Metric::kDiskWrite), false},
    {"Algorithm", "ReceiveBytesPerSecond", NameOf(store::Metric::kNetworkReceive), false},
    {"Algorithm", "TransmitBytesPerSecond", NameOf(store::Metric::kNetworkSend), false},
}};

// "cpu12" -> "cpu", 12. A name without a number, or of a number alone, stays.
std::pair<std::string_view, std::optional<int32_t>> SplitNumber(std::string_view name) {
  size_t at = name.size();
  while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') --at;
  int32_t number = 0;
  const char* end = name.data() + name.size();
  if (at == 0 || at == name.size() ||
      std::from_chars(name.data() + at, end, number).ec != std::errc()) {
    return {name, std::nullopt};
  }
  return {name.substr(0, at), number};
}

// "I/OWaitPercentage" -> "i_o_wait_percentage"
std::string SnakeCase(std::string_view text) {
  std::string out;
  bool lower_before = false;
  for (const char c : text.substr(0, kMaxNameBytes)) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool word = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if ((upper && lower_before) || (!word && !out.empty() && out.back() != '_')) out.push_back('_');
    if (word) out.push_back(upper ? static_cast<char>(c - 'A' + 'a') : c);
    lower_before = word && !upper;
  }
  return out;
}

MetricPlace Named(const char* metric, bool percent, std::optional<int32_t> device) {
  return {{metric, device}, percent};
}

std::string UnknownMetric(std::string_view type, std::string_view dimension,
                          std::string_view name) {
  std::string metric = "sagemaker";
  for (std::string_view part : {type, dimension, name}) {
    if (const std::string word = SnakeCase(part); !word.empty()) metric += "." + word;
  }
  return metric;
}

struct RawLine {
  std::string_view type, dimension, name, node, value, timestamp;
  bool duplicate_key = false;
};

std::string_view* SlotOf(std::string_view key, RawLine& raw) {
  if (key == "Type") return &raw.type;
  if (key == "Dimension") return &raw.dimension;
  if (key == "Name") return &raw.name;
  if (key == "NodeId") return &raw.node;
  if (key == "Value") return &raw.value;
  if (key == "Timestamp") return &raw.timestamp;
  return nullptr;
}

bool ReadLine(std::string_view line, RawLine& raw) {
  json::Fields fields(line);
  for (json::Field field; fields.Next(field);) {
    if (std::string_view* slot = SlotOf(field.key, raw)) {
      raw.duplicate_key = raw.duplicate_key || !slot->empty();
      *slot = field.value;
    }
  }
  return fields.ok();
}

// Absent and null are the same.
std::string TextOf(std::string_view value) {
  return value == "null" ? std::string() : json::Text(value);
}

}  // namespace

LossCause CauseOf(LineFault fault) {
  switch (fault) {
    case LineFault::kNone:
    case LineFault::kNoObject:
      return LossCause::kLineDamaged;
    case LineFault::kNoMetric:
      return LossCause::kLineWithoutMetric;
    case LineFault::kBadTime:
      return LossCause::kBadTimestamp;
    case LineFault::kBadValue:
      return LossCause::kValueNotANumber;
  }
  return LossCause::kLineDamaged;
}

MetricPlace PlaceOf(std::string_view type, std::string_view dimension, std::string_view name) {
  const auto [word, number] = SplitNumber(name);
  for (const Known& known : kKnown) {
    const bool dimension_fits = known.dimension[0] == 0 || dimension == known.dimension;
    const bool name_fits = known.name[0] == 0 || word == known.name;
    if (dimension_fits && name_fits) return Named(known.metric, known.percent, number);
  }
  if (dimension == "Platform" && name == "ReceiveBytesPerSecond") {
    return Named(NameOf(store::Metric::kNetworkPlatformReceive), false, {});
  }
  if (dimension == "Platform" && name == "TransmitBytesPerSecond") {
    return Named(NameOf(store::Metric::kNetworkPlatformSend), false, {});
  }
  return {{UnknownMetric(type, dimension, word), number}, false};
}

LineFault ParseSystemLine(std::string_view line, SystemSample& sample) {
  RawLine raw;
  if (!ReadLine(line, raw)) return LineFault::kNoObject;
  if (raw.dimension.empty() && raw.name.empty()) return LineFault::kNoMetric;
  MetricPlace place = PlaceOf(TextOf(raw.type), TextOf(raw.dimension), TextOf(raw.name));
  const auto ts_ns = json::DecimalScaled(raw.timestamp, kSecondsToNs);
  if (!ts_ns || !IsTime(*ts_ns)) return LineFault::kBadTime;
  const auto value = json::RealShifted(raw.value, place.percent ? kPercentToShare : 0);
  if (!value) return LineFault::kBadValue;
  sample.ts_ns = *ts_ns;
  sample.value = *value;
  sample.out_of_range = place.percent && (*value < 0 || *value > 1);
  sample.duplicate_key = raw.duplicate_key;
  sample.key = std::move(place.key);
  sample.node = TextOf(raw.node);
  return LineFault::kNone;
}

void CoreMeans::Add(int64_t ts_ns, int32_t core, double value) {
  if (core < 0 || core >= kMaxCores) return;
  const auto index = static_cast<size_t>(core);
  if (index >= open_.size()) {
    open_.resize(index + 1);
    seen_.resize(index + 1);
  }
  if (!opened_.empty() && (ts_ns - since_ns_ > kTickNs || open_[index])) Close();
  if (opened_.empty()) since_ns_ = ts_ns;
  open_[index] = value;
  opened_.push_back(index);
  if (!seen_[index]) {
    seen_[index] = true;
    ++cores_;
  }
}

void CoreMeans::Close() {
  double sum = 0;
  std::sort(opened_.begin(), opened_.end());  // a sum of doubles depends on the order
  for (const size_t core : opened_) {
    sum += *open_[core];
    open_[core].reset();
  }
  ticks_.push_back({since_ns_, sum / static_cast<double>(opened_.size()), opened_.size()});
  opened_.clear();
}

std::vector<CoreMeans::Row> CoreMeans::Take() {
  if (!opened_.empty()) Close();
  std::vector<Row> rows;
  for (const Tick& tick : ticks_) {
    if (tick.cores == cores_) rows.push_back({tick.ts_ns, tick.mean});
  }
  ticks_.clear();
  return rows;
}

}  // namespace steptrace::import::sagemaker
