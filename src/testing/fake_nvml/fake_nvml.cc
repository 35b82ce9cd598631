// SPDX-License-Identifier: Apache-2.0
// The rules of the real library, as documented with each function in nvml.h; see README.md for the
// file that gives the values.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "agent/system/nvml_abi.h"

#define FAKE_NVML_EXPORT extern "C" __attribute__((visibility("default")))

namespace nvml = steptrace::agent::nvml;

struct nvml::DeviceHandle {
  unsigned int index;
};

struct nvml::GpmSampleHandle {
  nvml::Device device;       // null: nothing was read into it yet
  unsigned long long taken;  // number of the reading: later ones are greater
};

struct nvml::EventSetHandle {
  std::map<unsigned int, unsigned long long> types;  // by device
};

namespace {

constexpr unsigned int kMaxDevices = 16;
constexpr size_t kShortestNameBytes = 1;

struct Library {
  int inits = 0;
  std::array<nvml::DeviceHandle, kMaxDevices> devices{};
  size_t events_delivered = 0;
  std::vector<nvml::EventSet> event_sets;
  std::vector<nvml::GpmSample> gpm_samples;
  unsigned long long gpm_readings = 0;
};

Library& State() {
  static Library library;
  return library;
}

const char* StatePath() {
  return std::getenv("STEPTRACE_FAKE_NVML");
}

void Misuse(const std::string& what) {
  if (StatePath() == nullptr) return;
  std::ofstream(std::string(StatePath()) + ".misuse", std::ios::app) << what << "\n";
}

// The rest of each line that begins with `key`, in order.
std::vector<std::string> LinesOf(const std::string& key) {
  std::vector<std::string> values;
  if (StatePath() == nullptr) return values;
  std::ifstream file(StatePath());
  for (std::string line; std::getline(file, line);) {
    line = line.substr(0, line.find('#'));
    if (!line.starts_with(key + " ")) continue;
    line = line.substr(key.size() + 1);
    const size_t last = line.find_last_not_of(" \t");
    values.push_back(line.substr(0, last == std::string::npos ? 0 : last + 1));
  }
  return values;
}

std::optional<std::string> ValueOf(const std::string& key) {
  const std::vector<std::string> values = LinesOf(key);
  return values.empty() ? std::nullopt : std::optional(values.back());
}

// The code that a value stands for: "!4" is an error, none is "not supported".
nvml::Return CodeOf(const std::optional<std::string>& value) {
  if (!value) return nvml::kNotSupported;
  return value->starts_with("!") ? std::stoi(value->substr(1)) : nvml::kSuccess;
}

unsigned int DeviceCount() {
  const auto value = ValueOf("devices");
  return value ? std::min<unsigned int>(std::stoul(*value) & 0xff, kMaxDevices) : 0;
}

std::string KeyOf(nvml::Device device, const std::string& key) {
  return std::to_string(device->index) + "." + key;
}

// What every call for a device checks first.
nvml::Return CheckDevice(nvml::Device device, const void* out, const char* function) {
  if (State().inits == 0) {
    Misuse(std::string(function) + " before nvmlInit");
    return nvml::kUninitialized;
  }
  const auto& devices = State().devices;
  const bool known = device >= devices.data() && device < devices.data() + DeviceCount();
  if (!known) Misuse(std::string(function) + " with a handle that was never given");
  if (!known || out == nullptr) return nvml::kInvalidArgument;
  return ValueOf(KeyOf(device, "lost")) ? nvml::kGpuIsLost : nvml::kSuccess;
}

// One value of a device by key.
template <class Number>
nvml::Return GetNumber(nvml::Device device, const char* key, Number* out, const char* function) {
  if (const nvml::Return code = CheckDevice(device, out, function)) return code;
  const auto value = ValueOf(KeyOf(device, key));
  if (const nvml::Return code = CodeOf(value)) return code;
  *out = static_cast<Number>(std::stoull(*value));
  return nvml::kSuccess;
}

template <class Number>
nvml::Return GetTwo(nvml::Device device, const char* key, Number& first, Number& second) {
  const auto value = ValueOf(KeyOf(device, key));
  if (const nvml::Return code = CodeOf(value)) return code;
  std::istringstream words(*value);
  words >> first >> second;
  return nvml::kSuccess;
}

[[maybe_unused]] void GetField(nvml::Device device, nvml::FieldValue& field) {
  const bool of_links =
      field.field == nvml::kFieldNvlinkSentKib || field.field == nvml::kFieldNvlinkReceivedKib;
  std::string key = "field." + std::to_string(field.field);
  if (of_links && field.scope != nvml::kScopeAllLinks) key += "." + std::to_string(field.scope);
  const auto value = ValueOf(KeyOf(device, key));
  field.result = CodeOf(value);
  if (field.result != nvml::kSuccess) return;
  field.value_type = nvml::kUnsignedLongLong;
  field.value.ull = std::stoull(*value);
}

[[maybe_unused]] bool IsLiveSample(nvml::GpmSample sample) {
  const auto& samples = State().gpm_samples;
  return std::find(samples.begin(), samples.end(), sample) != samples.end();
}

// "4711 4712": the processes on a device; a key without a value: none.
nvml::Return GetProcesses(nvml::Device device, unsigned int* count, nvml::ProcessInfo* out) {
  if (const nvml::Return code = CheckDevice(device, count, "nvmlDeviceGetComputeRunningProcesses"))
    return code;
  const auto value = ValueOf(KeyOf(device, "processes"));
  if (const nvml::Return code = CodeOf(value)) return code;
  std::vector<unsigned int> pids;
  std::istringstream words(*value);
  for (unsigned int pid = 0; words >> pid;) {
    if (pid != 0) pids.push_back(pid);
  }
  const unsigned int room = *count;
  *count = static_cast<unsigned int>(pids.size());
  if (room < pids.size()) return nvml::kInsufficientSize;
  if (out == nullptr && !pids.empty()) return nvml::kInvalidArgument;
  for (size_t i = 0; i < pids.size(); ++i) out[i] = {pids[i], 0, ~0U, ~0U};
  return nvml::kSuccess;
}

bool IsLiveSet(nvml::EventSet set) {
  const auto& sets = State().event_sets;
  return std::find(sets.begin(), sets.end(), set) != sets.end();
}

}  // namespace

FAKE_NVML_EXPORT nvml::Return nvmlInit_v2() {
  const auto value = ValueOf("init");
  if (value && CodeOf(value) != nvml::kSuccess) return CodeOf(value);
  for (unsigned int i = 0; i < kMaxDevices; ++i) State().devices[i].index = i;
  ++State().inits;
  return nvml::kSuccess;
}

FAKE_NVML_EXPORT nvml::Return nvmlShutdown() {
  if (State().inits == 0) {
    Misuse("nvmlShutdown before nvmlInit");
    return nvml::kUninitialized;
  }
  if (--State().inits > 0) return nvml::kSuccess;
  if (!State().event_sets.empty()) Misuse("an event set was not freed");
  if (!State().gpm_samples.empty()) Misuse("a GPM sample was not freed");
  return nvml::kSuccess;
}

FAKE_NVML_EXPORT const char* nvmlErrorString(nvml::Return code) {
  switch (code) {
    case nvml::kSuccess:
      return "Success";
    case nvml::kUninitialized:
      return "Uninitialized";
    case nvml::kNotSupported:
      return "Not Supported";
    case nvml::kNoPermission:
      return "Insufficient Permissions";
    case nvml::kDriverNotLoaded:
      return "Driver Not Loaded";
    case nvml::kGpuIsLost:
      return "GPU is lost";
    default:
      return "Unknown Error";
  }
}

FAKE_NVML_EXPORT nvml::Return nvmlDeviceGetCount_v2(unsigned int* count) {
  if (State().inits == 0) return nvml::kUninitialized;
  if (count == nullptr) return nvml::kInvalidArgument;
  *count = DeviceCount();
  return nvml::kSuccess;
}

FAKE_NVML_EXPORT nvml::Return nvmlDeviceGetHandleByIndex_v2(unsigned int index,
                                                            nvml::Device* device) {
  if (State().inits == 0) return nvml::kUninitialized;
  if (device == nullptr || index >= DeviceCount()) return nvml::kInvalidArgument;
  const auto value = ValueOf(std::to_string(index) + ".handle");
  if (value && CodeOf(value) != nvml::kSuccess) return CodeOf(value);
  *device = &State().devices[index];
  return nvml::kSuccess;
}

FAKE_NVML_EXPORT nvml::Return nvmlDeviceGetName(nvml::Device device, char* name,
                                                unsigned int length) {
  if (const nvml::Return code = CheckDevice(device, name, "nvmlDeviceGetName")) return code;
  const auto value = ValueOf(KeyOf(device, "name"));
  if (const nvml::Return code = CodeOf(value)) return code;
  if (length < value->size() + kShortestNameBytes) return nvml::kInsufficientSize;
  std::strcpy(name, value->c_str());
  return nvml::kSuccess;
}

FAKE_NVML_EXPORT nvml::Return nvmlDeviceGetUUID(nvml::Device device, char* uuid,
                                                unsigned int length) {
  if (const nvml::Return code = CheckDevice(device, uuid, "nvmlDeviceGetUUID")) return code;
  const auto value = ValueOf(KeyOf(device, "uuid"));
  if (const nvml::Return code = CodeOf(value)) return code;
  if (length <= value->size()) return nvml::kInsufficientSize;
  std::strcpy(uuid, value->c_str());
  return nvml::kSuccess;
}

FAKE_NVML_EXPORT nvml::Return nvmlDeviceGetComputeRunningProcesses_v2(nvml::Device device,
                                                                      unsigned int* count,
                                                                      nvml::ProcessInfo* out) {
  return GetProcesses(device, count, out);
}

FAKE_NVML_EXPORT nvml::Return nvmlDeviceGetUtilizationRates(nvml::Device device,
                                                            nvml::Utilization* out) {
  if (const nvml::Return code = CheckDevice(device, out, "nvmlDeviceGetUtilizationRates")) {
    return code;
  }
  return GetTwo(device, "utilization", out->gpu_percent, out->memory_percent);
}

FAKE_NVML_EXPORT nvml::Return nvmlDeviceGetMemoryInfo(nvml::Device device, nvml::Memory* out) {
  if (const nvml::Return code = CheckDevice(device, out, "nvmlDeviceGetMemoryInfo")) return code;
  const nvml::Return code = GetTwo(device, "memory", out->total_bytes, out->used_bytes);
  if (code == nvml::kSuccess) out->free_bytes = out->total_bytes - out->used_bytes;
  return code;
}

FAKE_NVML_EXPORT nvml::Return nvmlDeviceGetPowerUsage(nvml::Device device, unsigned int* out) {
  return GetNumber(device, "power", out, "nvmlDeviceGetPowerUsage");
}

FAKE_NVML_EXPORT nvml::Return nvmlDeviceGetClockInfo(nvml::Device device, int type,
                                                     unsigned int* out) {
  constexpr int kTypes = 4;
  if (type < 0 || type >= kTypes) return nvml::kInvalidArgument;
  const char* key = type == nvml::kClockSm       ? "sm_clock"
                    : type == nvml::kClockMemory ? "memory_clock"
                                                 : "other_clock";
  return GetNumber(device, key, out, "nvmlDeviceGetClockInfo");
}

FAKE_NVML_EXPORT nvml::Return nvmlDeviceGetTemperature(nvml::Device device, int sensor,
                                                       unsigned int* out) {
  if (sensor != nvml::kTemperatureGpu) return nvml::kInvalidArgument;
  return GetNumber(device, "temperature", out, "nvmlDeviceGetTemperature");
}

FAKE_NVML_EXPORT nvml::Return nvmlDeviceGetCurrentClocksThrottleReasons(nvml::Device device,
                                                                        unsigned long long* out) {
  return GetNumber(device, "throttle", out, "nvmlDeviceGetCurrentClocksThrottleReasons");
}

#ifndef FAKE_NVML_OLD_DRIVER
FAKE_NVML_EXPORT nvml::Return nvmlDeviceGetComputeRunningProcesses_v3(nvml::Device device,
                                                                      unsigned int* count,
                                                                      nvml::ProcessInfo* out) {
  return GetProcesses(device, count, out);
}

FAKE_NVML_EXPORT nvml::Return nvmlDeviceGetCurrentClocksEventReasons(nvml::Device device,
                                                                     unsigned long long* out) {
  return GetNumber(device, "throttle", out, "nvmlDeviceGetCurrentClocksEventReasons");
}

FAKE_NVML_EXPORT nvml::Return nvmlDeviceGetFieldValues(nvml::Device device, int count,
                                                       nvml::FieldValue* values) {
  if (const nvml::Return code = CheckDevice(device, values, "nvmlDeviceGetFieldValues")) {
    return code;
  }
  for (int i = 0; i < count; ++i) GetField(device, values[i]);
  return nvml::kSuccess;
}

FAKE_NVML_EXPORT nvml::Return nvmlEventSetWait_v2(nvml::EventSet set, nvml::EventData* out,
                                                  unsigned int) {
  if (State().inits == 0) return nvml::kUninitialized;
  if (out == nullptr || !IsLiveSet(set)) return nvml::kInvalidArgument;
  const std::vector<std::string> lines = LinesOf("event");
  while (State().events_delivered < lines.size()) {
    std::istringstream words(lines[State().events_delivered++]);
    unsigned int index = 0;
    unsigned long long type = 0, data = 0;
    words >> index >> type >> data;
    const auto registered = set->types.find(index);
    if (registered == set->types.end() || (registered->second & type) == 0) continue;
    *out = {&State().devices[index], type, data, ~0U, ~0U};
    return nvml::kSuccess;
  }
  return nvml::kTimeout;
}

FAKE_NVML_EXPORT nvml::Return nvmlDeviceGetMigMode(nvml::Device device, unsigned int* current,
                                                   unsigned int* pending) {
  if (const nvml::Return code = CheckDevice(device, current, "nvmlDeviceGetMigMode")) return code;
  *pending = *current = ValueOf(KeyOf(device, "mig")) ? 1 : 0;
  return nvml::kSuccess;
}

FAKE_NVML_EXPORT nvml::Return nvmlGpmQueryDeviceSupport(nvml::Device device,
                                                        nvml::GpmSupport* out) {
  if (const nvml::Return code = CheckDevice(device, out, "nvmlGpmQueryDeviceSupport")) return code;
  if (out->version != nvml::kGpmVersion) return nvml::kArgumentVersionMismatch;
  const auto value = ValueOf(KeyOf(device, "gpm"));
  if (value && CodeOf(value) != nvml::kSuccess) return CodeOf(value);
  out->is_supported = value && !ValueOf(KeyOf(device, "mig")) ? 1 : 0;
  return nvml::kSuccess;
}

FAKE_NVML_EXPORT nvml::Return nvmlGpmSampleAlloc(nvml::GpmSample* sample) {
  if (State().inits == 0) return nvml::kUninitialized;
  if (sample == nullptr) return nvml::kInvalidArgument;
  *sample = new nvml::GpmSampleHandle{nullptr, 0};
  State().gpm_samples.push_back(*sample);
  return nvml::kSuccess;
}

FAKE_NVML_EXPORT nvml::Return nvmlGpmSampleFree(nvml::GpmSample sample) {
  if (State().inits == 0) Misuse("nvmlGpmSampleFree after nvmlShutdown");
  if (!IsLiveSample(sample)) {
    Misuse("nvmlGpmSampleFree of what is no sample");
    return nvml::kInvalidArgument;
  }
  std::erase(State().gpm_samples, sample);
  delete sample;
  return nvml::kSuccess;
}

FAKE_NVML_EXPORT nvml::Return nvmlGpmSampleGet(nvml::Device device, nvml::GpmSample sample) {
  if (const nvml::Return code = CheckDevice(device, sample, "nvmlGpmSampleGet")) return code;
  if (!IsLiveSample(sample)) return nvml::kInvalidArgument;
  const auto value = ValueOf(KeyOf(device, "gpm"));
  if (const nvml::Return code = CodeOf(value)) return code;
  // A GPU that is cut into instances has no counters of the whole.
  if (ValueOf(KeyOf(device, "mig"))) return nvml::kNotSupported;
  *sample = {device, ++State().gpm_readings};
  return nvml::kSuccess;
}

FAKE_NVML_EXPORT nvml::Return nvmlGpmMetricsGet(nvml::GpmMetrics* out) {
  if (State().inits == 0) return nvml::kUninitialized;
  if (out == nullptr || out->count > nvml::kMostGpmMetrics) return nvml::kInvalidArgument;
  if (out->version != nvml::kGpmVersion) return nvml::kArgumentVersionMismatch;
  if (!IsLiveSample(out->earlier) || !IsLiveSample(out->later)) return nvml::kInvalidArgument;
  const nvml::Device device = out->later->device;
  if (device == nullptr || out->earlier->device != device) {
    Misuse("nvmlGpmMetricsGet without two samples of one device");
    return nvml::kInvalidArgument;
  }
  if (out->earlier->taken >= out->later->taken) Misuse("nvmlGpmMetricsGet of samples in disorder");
  const auto answer = ValueOf(KeyOf(device, "gpm_metrics"));
  if (answer && CodeOf(answer) != nvml::kSuccess) return CodeOf(answer);
  for (unsigned int i = 0; i < out->count; ++i) {
    nvml::GpmMetric& one = out->metrics[i];
    const auto value = ValueOf(KeyOf(device, "gpm." + std::to_string(one.id)));
    one.result = CodeOf(value);
    if (one.result == nvml::kSuccess) one.value = std::stod(*value);
  }
  return nvml::kSuccess;
}
#endif

FAKE_NVML_EXPORT nvml::Return nvmlEventSetCreate(nvml::EventSet* set) {
  if (State().inits == 0) return nvml::kUninitialized;
  if (set == nullptr) return nvml::kInvalidArgument;
  *set = new nvml::EventSetHandle;
  State().event_sets.push_back(*set);
  return nvml::kSuccess;
}

FAKE_NVML_EXPORT nvml::Return nvmlDeviceRegisterEvents(nvml::Device device,
                                                       unsigned long long types,
                                                       nvml::EventSet set) {
  if (const nvml::Return code = CheckDevice(device, set, "nvmlDeviceRegisterEvents")) return code;
  const auto value = ValueOf(KeyOf(device, "events"));
  if (value && CodeOf(value) != nvml::kSuccess) return CodeOf(value);
  if (!IsLiveSet(set)) return nvml::kInvalidArgument;
  set->types[device->index] |= types;
  return nvml::kSuccess;
}

FAKE_NVML_EXPORT nvml::Return nvmlEventSetFree(nvml::EventSet set) {
  if (State().inits == 0) {
    Misuse("nvmlEventSetFree after nvmlShutdown");
    return nvml::kUninitialized;
  }
  if (!IsLiveSet(set)) {
    Misuse("nvmlEventSetFree of what is no set");
    return nvml::kInvalidArgument;
  }
  std::erase(State().event_sets, set);
  delete set;
  return nvml::kSuccess;
}
