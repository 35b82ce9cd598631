// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/device_activity.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "agent/ingest/demangle.h"
#include "base/time.h"
#include "store/metadata_json.h"
#include "wire/vocabulary.h"

namespace steptrace::agent {

using Key = store::MetadataKey;

namespace {

using wire::Category;

// Clocks of a node run apart by a millionth or so: more is a clock that was set.
constexpr double kMostDrift = 0.001;
constexpr int64_t kDayNs = 24 * kNsPerHour;
constexpr int32_t kMaxDevices = 1024;
constexpr int64_t kMaxStream = INT32_MAX;
constexpr size_t kMaxStreams = 4096;  // of a process; the rest share a track a device
constexpr int64_t kMoreStreams = -1;
constexpr size_t kMaxPlaceBytes = 1024;
constexpr int64_t kThreadsOfAWarp = 32;

// The member as a number of that range.
std::optional<int64_t> Number(const nlohmann::json& object, const char* key, int64_t most) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  const auto value = found->get<int64_t>();
  if (value < 0 || value > most) return std::nullopt;
  return value;
}

std::optional<std::array<int64_t, 3>> Three(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array() || found->size() != 3) return std::nullopt;
  std::array<int64_t, 3> values{};
  for (size_t i = 0; i < 3; ++i) {
    if (!(*found)[i].is_number_integer()) return std::nullopt;
    values[i] = (*found)[i].get<int64_t>();
    if (values[i] < 0 || values[i] > INT32_MAX) return std::nullopt;
  }
  return values;
}

double Product(const std::array<int64_t, 3>& values) {
  return static_cast<double>(values[0]) * static_cast<double>(values[1]) *
         static_cast<double>(values[2]);
}

// As profilers write it: six decimal places.
double Rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

// "9.0": 90; 0: not reported.
int64_t CapabilityOf(const nlohmann::json& fact) {
  const std::string text = store::TextOf(fact, store::MetadataKey::kCapability);
  int major = 0, minor = 0;
  const bool read = std::sscanf(text.c_str(), "%2d.%1d", &major, &minor) == 2;
  return read && major > 0 && minor >= 0 ? major * 10 + minor : 0;
}

Category CategoryIn(const wire::Record& record) {
  return static_cast<Category>(record.category);
}

}  // namespace

// ---- clocks and depths ----

void DeviceClocks::Add(const Pair& pair) {
  before = after;
  after = pair;
}

std::optional<int64_t> DeviceClocks::ToRunNs(uint64_t device_ns) const {
  if (!after) return std::nullopt;
  const auto behind = static_cast<int64_t>(device_ns - after->device_ns);  // wraps: exact if near
  if (behind < -kDayNs || behind > kDayNs) return std::nullopt;
  int64_t drift_ns = 0;
  if (before && before->device_ns < after->device_ns) {
    const auto device = static_cast<double>(after->device_ns - before->device_ns);
    const double drift = (static_cast<double>(after->run_ns - before->run_ns) - device) / device;
    if (std::abs(drift) <= kMostDrift) {
      drift_ns = std::llround(drift * static_cast<double>(behind));
    }
  }
  return after->run_ns + behind + drift_ns;
}

void DepthLog::Note(int64_t ts_ns, size_t depth_after) {
  if (changes_.size() == kMostChanges) changes_.pop_front();
  changes_.emplace_back(ts_ns, static_cast<int32_t>(depth_after));
}

int32_t DepthLog::At(int64_t ts_ns) const {
  const auto after = std::partition_point(changes_.begin(), changes_.end(),
                                          [&](const auto& one) { return one.first <= ts_ns; });
  return after == changes_.begin() ? 0 : std::prev(after)->second;
}

// ---- names and places ----

DeviceActivity::DeviceActivity(Host host, store::StringTable& strings, TrackRegistry& tracks)
    : host_(std::move(host)), strings_(strings), tracks_(tracks) {}

void DeviceActivity::Prepare(std::span<const wire::Record> records) {
  std::vector<uint32_t> ids;
  std::vector<std::string> names;
  for (const wire::Record& record : records) {
    if (record.kind != static_cast<uint8_t>(wire::RecordKind::kActivity)) continue;
    if (CategoryIn(record) != Category::kKernel || names_.contains(record.name)) continue;
    if (std::find(ids.begin(), ids.end(), record.name) != ids.end()) continue;
    if (auto text = host_.text_of(record.name)) {
      ids.push_back(record.name);
      names.push_back(std::move(*text));
    }
  }
  const std::vector<std::string> reported = demangler_.All(std::move(names));
  for (size_t i = 0; i < ids.size(); ++i) names_[ids[i]] = strings_.Intern(reported[i]);
}

store::StringId DeviceActivity::NameOf(const wire::Record& record) {
  const auto [found, added] = names_.try_emplace(record.name);
  if (added) {
    found->second = strings_.Intern(host_.text_of(record.name).value_or(""));
  }
  return found->second;
}

store::StringId DeviceActivity::CategoryOf(const wire::Record& record, store::StringId name) {
  switch (CategoryIn(record)) {
    case Category::kKernel:
      return strings_.Intern("kernel");
    case Category::kMemcpy:
      return strings_.Intern("gpu_memcpy");
    case Category::kMemset:
      return strings_.Intern("gpu_memset");
    case Category::kDeviceSync:
      return strings_.Intern("cuda_sync");
    default:
      return strings_.Intern(strings_.Text(name).starts_with("cuda") ? "cuda_runtime"
                                                                     : "cuda_driver");
  }
}

int32_t DeviceActivity::StreamOf(int32_t device, int64_t stream, int32_t rank) {
  if (streams_.size() >= kMaxStreams && !streams_.contains({device, stream})) {
    stream = kMoreStreams;
  }
  const auto [found, added] = streams_.try_emplace({device, stream}, -1);
  if (!added) return found->second;
  const auto [of_device, is_new] = devices_.try_emplace(device, -1);
  if (is_new) of_device->second = tracks_.AddDevice(rank, device);
  found->second = tracks_.AddStream(of_device->second, rank, device, stream);
  return found->second;
}

// With the keys of PyTorch's own profiler. What it divides by the device's multiprocessors is there
// where their number has been told.
std::string DeviceActivity::DetailsOf(const nlohmann::json& reported, int32_t device) const {
  nlohmann::ordered_json details = nlohmann::ordered_json::object();
  const auto copy = [&](const char* from, const char* to) {
    if (const auto value = Number(reported, from, INT64_MAX)) details[to] = *value;
  };
  copy("context", "context");
  copy("registers", "registers per thread");
  copy("shared", "shared memory");
  const auto grid = Three(reported, "grid");
  const auto block = Three(reported, "block");
  if (grid && block) {
    if (const auto known = limits_.find(device); known != limits_.end()) {
      const double blocks = Product(*grid) / static_cast<double>(known->second.count);
      details["blocks per SM"] = Rounded(blocks);
      const double warps = std::ceil(Product(*block) / static_cast<double>(kThreadsOfAWarp));
      details["warps per SM"] = Rounded(blocks * warps);
      const auto occupancy = AchievedOccupancyPercent(
          known->second, {.blocks = Product(*grid),
                          .threads = Product(*block),
                          .registers = Number(reported, "registers", INT64_MAX).value_or(0),
                          .shared_bytes = Number(reported, "shared", INT64_MAX).value_or(0)});
      if (occupancy) details["est. achieved occupancy %"] = Rounded(*occupancy);
    }
    details["grid"] = *grid;
    details["block"] = *block;
  }
  copy("graph", "graph id");
  copy("node", "graph node id");
  return details.dump();
}

std::optional<DeviceActivity::Place> DeviceActivity::MakePlace(const nlohmann::json& reported,
                                                               int32_t rank) {
  if (!reported.is_object()) return std::nullopt;
  Place place;
  if (const auto thread = Number(reported, "thread", INT32_MAX)) {
    place.thread = static_cast<int32_t>(*thread);
    place.track = host_.thread_track(place.thread);
    return place;
  }
  const auto device = Number(reported, "device", kMaxDevices);
  const auto stream = Number(reported, "stream", kMaxStream);
  if (!device || !stream) return std::nullopt;
  place.track = StreamOf(static_cast<int32_t>(*device), *stream, rank);
  place.details = strings_.Intern(DetailsOf(reported, static_cast<int32_t>(*device)));
  return place;
}

const DeviceActivity::Place* DeviceActivity::PlaceOf(uint32_t id, int32_t rank) {
  const auto [found, added] = places_.try_emplace(id);
  if (added) {
    const auto text = host_.text_of(id);
    if (text && text->size() <= kMaxPlaceBytes) {
      found->second =
          MakePlace(nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false), rank);
    }
  }
  return found->second ? &*found->second : nullptr;
}

void DeviceActivity::NoteDevice(const nlohmann::json& fact) {
  constexpr int64_t kMostMultiprocessors = 1 << 16;
  const auto device = Number(fact, store::NameOf(Key::kDevice), kMaxDevices);
  const auto count = Number(fact, store::NameOf(Key::kMultiprocessors), kMostMultiprocessors);
  if (!device || !count || *count <= 0) return;
  const auto of_one = [&](Key key) {
    return Number(fact, store::NameOf(key), INT64_MAX).value_or(0);
  };
  limits_[static_cast<int32_t>(*device)] = {.count = *count,
                                            .threads = of_one(Key::kMultiprocessorThreads),
                                            .registers = of_one(Key::kMultiprocessorRegisters),
                                            .shared_bytes = of_one(Key::kMultiprocessorSharedBytes),
                                            .capability = CapabilityOf(fact)};
}

// ---- records ----

// What a record says of those that follow, or of those that are missing.
bool DeviceActivity::TakeOwn(DeviceClocks& clocks, const wire::Record& record,
                             const RunClock& clock) {
  const std::string& text = strings_.Text(NameOf(record));
  if (text == wire::kDeviceClockName) {
    const int64_t run_ns = clock.ToRunNs(record.tsc);
    if (run_ns < -kDayNs || run_ns > clock.latest_ns) return false;
    clocks.Add({run_ns, record.a});
    return true;
  }
  if (text == wire::kDeviceBytesName) {
    if (record.a > static_cast<uint64_t>(INT64_MAX)) return false;
    clocks.bytes = static_cast<int64_t>(record.a);
    return true;
  }
  if (text != wire::kDeviceLostName || record.b < 1 || record.b > losses_.size()) return false;
  int64_t& lost = losses_[record.b - 1];
  const auto more = static_cast<int64_t>(std::min<uint64_t>(record.a, INT64_MAX / 2));
  lost = std::min<int64_t>(lost, INT64_MAX / 2) + more;
  return true;
}

bool DeviceActivity::Take(DeviceClocks& clocks, const wire::Record& record, const RunClock& clock,
                          int32_t rank, RowBatch& out) {
  const Category category = CategoryIn(record);
  if ((record.flags & wire::kFlagAfterLoss) != 0) clocks.bytes.reset();
  if (category == Category::kWindow) return TakeOwn(clocks, record, clock);
  if (category < Category::kKernel || category > Category::kDeviceSync) return false;
  const std::optional<int64_t> bytes = std::exchange(clocks.bytes, std::nullopt);
  const auto ts_ns = clocks.ToRunNs(record.tsc);
  const bool lasts = record.a >= record.tsc && record.a - record.tsc <= uint64_t{kDayNs};
  if (!ts_ns || *ts_ns < -kNsPerSecond || *ts_ns > clock.latest_ns || !lasts) return false;
  const Place* place = PlaceOf(static_cast<uint32_t>(record.b >> 32), rank);
  const bool is_call = category == Category::kRuntime;
  if (place == nullptr || is_call != (place->thread >= 0)) return false;
  store::SliceRow& row = out.slices.emplace_back();
  row.ts_ns = *ts_ns;
  row.dur_ns = static_cast<int64_t>(record.a - record.tsc);
  row.track = place->track;
  row.rank = rank;
  row.name = NameOf(record);
  row.category = CategoryOf(record, row.name);
  row.correlation = static_cast<int64_t>(record.b & UINT32_MAX);
  row.details = place->details;
  if (is_call) row.depth = host_.depth_at(place->thread, *ts_ns);
  if (category == Category::kMemcpy || category == Category::kMemset) row.bytes = bytes;
  return true;
}

}  // namespace steptrace::agent
