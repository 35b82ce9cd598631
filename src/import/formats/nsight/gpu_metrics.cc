// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>
#include <string>
#include <utility>

#include "import/core/bounded_name.h"
#include "import/formats/nsight/file_rows.h"

namespace steptrace::import::nsight {
namespace {

constexpr size_t kMostMetrics = 4096;

// The type of a sample is a GPU in its lowest byte (as queries of Nsight's own users read it) and
// what kind of source it has above. It is the number of the machine, not of CUDA_VISIBLE_DEVICES.
int64_t DeviceOfType(int64_t type) {
  return type & 0xFF;
}

}  // namespace

Status ReadGpuMetrics(FileRows& rows) {
  std::map<std::pair<int64_t, int64_t>, std::string> names;
  int64_t cut = 0;
  enum Named { kNameType, kNameMetric, kName };
  constexpr std::array kNameColumns = {"typeId", "metricId", "metricName"};
  STEPTRACE_RETURN_IF_ERROR(ForEachRow(
      "TARGET_INFO_GPU_METRICS", kNameColumns, kNameColumns.size(), rows, [&](const Cursor& row) {
        const auto type = row.Integer(kNameType);
        const auto metric = row.Integer(kNameMetric);
        if (type && metric && names.size() < kMostMetrics) {
          names.emplace(std::pair(*type, *metric), ShortName(row.Text(kName), &cut));
        }
        return Status();
      }));
  enum Sampled { kTime, kType, kMetric, kValue };
  constexpr std::array kColumns = {"timestamp", "typeId", "metricId", "value"};
  return ForEachRow(
      "GPU_METRICS", kColumns, kColumns.size(), rows, [&](const Cursor& row) -> Status {
        const auto at = TimesOf(row, rows, kTime, kTime);
        if (!at) return {};
        const auto value = row.Number(kValue);
        const auto type = row.Integer(kType);
        const auto metric = row.Integer(kMetric);
        const auto name = type && metric ? names.find({*type, *metric}) : names.end();
        if (!value || name == names.end()) {
          ++rows.lost[LossCause::kBadCounter];
          return {};
        }
        const RowPlace place = rows.places.DeviceCounter(DeviceOfType(*type), name->second);
        if (place.track < 0) return {};
        ++rows.events;
        return place.part->Append(store::CounterRow{at->begin_ns, place.track, *value});
      });
}

}  // namespace steptrace::import::nsight
