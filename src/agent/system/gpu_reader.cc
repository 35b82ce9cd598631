// SPDX-License-Identifier: Apache-2.0
#include "agent/system/gpu_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include "agent/system/kept_file.h"
#include "agent/system/self_reader.h"

namespace steptrace::agent {

using store::Metric;

enum GpuReader::Query : uint32_t {
  kQueryUtilization = 1 << 0,
  kQueryMemory = 1 << 1,
  kQueryPower = 1 << 2,
  kQuerySmClock = 1 << 3,
  kQueryMemoryClock = 1 << 4,
  kQueryTemperature = 1 << 5,
  kQueryThrottle = 1 << 6,
  kQueryFields = 1 << 7,
  kQueryPcieReceived = 1 << 8,
  kQueryPcieSent = 1 << 9,
  kQueryNvlinkReceived = 1 << 10,
  kQueryNvlinkSent = 1 << 11,
  kQueryEccSingle = 1 << 12,
  kQueryEccDouble = 1 << 13,
};

namespace {

constexpr unsigned int kMaxGpus = 64;
constexpr int kMaxXidsPerSample = 64;  // a GPU that falls apart reports without end
constexpr double kHzPerMhz = 1e6;
constexpr double kPercent = 100;
constexpr uint64_t kKib = 1024;
constexpr double kTwoTo64 = 18446744073709551616.0;

// The number in a field, whatever its type says.
std::optional<uint64_t> NumberIn(const nvml::FieldValue& field) {
  switch (field.value_type) {
    case nvml::kDouble:
      if (!(field.value.d >= 0 && field.value.d < kTwoTo64)) return std::nullopt;
      return static_cast<uint64_t>(field.value.d);
    case nvml::kUnsignedInt:
      return field.value.ui;
    case nvml::kUnsignedLong:
      return field.value.ul;
    case nvml::kUnsignedLongLong:
      return field.value.ull;
    case nvml::kSignedLongLong:
      return field.value.sll < 0 ? std::nullopt
                                 : std::optional(static_cast<uint64_t>(field.value.sll));
    case nvml::kSignedInt:
      return field.value.si < 0 ? std::nullopt
                                : std::optional(static_cast<uint64_t>(field.value.si));
    case nvml::kUnsignedShort:
      return field.value.us;
    default:
      return std::nullopt;
  }
}

constexpr const char* kDriverRemedy =
    "install the NVIDIA driver, or give the container its utility capability "
    "(NVIDIA_DRIVER_CAPABILITIES=compute,utility)";

std::string GpuName(int32_t index) {
  return "gpu " + std::to_string(index);
}

}  // namespace

bool HasNvidiaGpu(const std::string& sys_root) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::string buffer;
  const auto starts_with = [&](const fs::path& file, std::string_view text) {
    return KeptFile(file).ReadOnce(buffer).value_or("").starts_with(text);
  };
  for (fs::directory_iterator device(fs::path(sys_root) / "bus/pci/devices", error), end;
       !error && device != end; device.increment(error)) {
    constexpr std::string_view kNvidia = "0x10de";
    constexpr std::string_view kDisplay = "0x03";  // 0x0302 is a 3D controller without a screen
    if (starts_with(device->path() / "vendor", kNvidia) &&
        starts_with(device->path() / "class", kDisplay)) {
      return true;
    }
  }
  return false;
}

GpuReader::~GpuReader() {
  gpus_.clear();  // what they hold of the library goes before it
  if (events_ != nullptr) library_->call().nvmlEventSetFree(events_);
}

// What a call said of a metric: true when there is a value. A metric that is not supported, not
// allowed or unknown to the driver is not asked for again; other errors may pass.
bool GpuReader::Supported(SampleContext& context, Gpu& gpu, Query ask, const char* what,
                          nvml::Return code) {
  if (code == nvml::kSuccess) return true;
  if (code == nvml::kGpuIsLost || code == nvml::kResetRequired) {
    gpu.lost = true;
    context.ReportOnce(GpuName(gpu.index) + " lost", library_->Describe(code),
                       "see the XID errors in the kernel's log (dmesg)", true);
    return false;
  }
  if (code == nvml::kNotSupported || code == nvml::kFunctionNotFound ||
      code == nvml::kNoPermission || code == nvml::kInvalidArgument) {
    gpu.unsupported |= ask;
  }
  context.ReportOnce(GpuName(gpu.index) + " " + what, library_->Describe(code),
                     code == nvml::kNoPermission ? "run the agent as root" : "", true);
  return false;
}

template <class Function, class... Arguments>
bool GpuReader::Call(SampleContext& context, Gpu& gpu, Query ask, const char* what,
                     Function* function, Arguments... arguments) {
  if (gpu.lost || (gpu.unsupported & ask) != 0) return false;
  const nvml::Return code =
      function == nullptr ? nvml::kFunctionNotFound : function(gpu.handle, arguments...);
  return Supported(context, gpu, ask, what, code);
}

void GpuReader::Load(SampleContext& context) {
  tried_ = true;
  if (library_path_.empty()) return;
  const int64_t before_bytes = OwnRssBytes();
  Result<std::unique_ptr<NvmlLibrary>> library = NvmlLibrary::Load(library_path_);
  if (!library.ok()) {
    const bool has_gpu = HasNvidiaGpu(sys_root_);
    context.ReportOnce("gpu", has_gpu ? library.error().text() : "this machine has no NVIDIA GPU",
                       has_gpu ? kDriverRemedy : "");
    return;
  }
  library_ = *std::move(library);
  FindGpus(context);
  RegisterXid(context);
  library_bytes_ = std::max<int64_t>(OwnRssBytes() - before_bytes, 0);
}

void GpuReader::FindGpus(SampleContext& context) {
  const nvml::Functions& call = library_->call();
  unsigned int count = 0;
  const nvml::Return code = call.nvmlDeviceGetCount_v2(&count);
  if (code != nvml::kSuccess || count == 0) {
    context.ReportOnce("gpu",
                       code == nvml::kSuccess ? "the driver knows no GPU"
                                              : "nvmlDeviceGetCount: " + library_->Describe(code),
                       "give the container its GPUs");
    return;
  }
  for (unsigned int index = 0; index < std::min(count, kMaxGpus); ++index) {
    Gpu gpu{.index = static_cast<int32_t>(index)};
    const nvml::Return got = call.nvmlDeviceGetHandleByIndex_v2(index, &gpu.handle);
    if (got != nvml::kSuccess) {
      context.ReportOnce(GpuName(gpu.index), library_->Describe(got), "", true);
      continue;
    }
    std::array<char, nvml::kNameBytes + 1> name{};
    if (call.nvmlDeviceGetName == nullptr ||
        call.nvmlDeviceGetName(gpu.handle, name.data(), nvml::kNameBytes) != nvml::kSuccess) {
      std::strcpy(name.data(), "NVIDIA GPU");
    }
    gpu.gpm = std::make_unique<GpmReader>(*library_, gpu.handle);
    gpu.users =
        std::make_unique<GpuUsers>(*library_, gpu.handle, gpu.index, name.data(), proc_root_);
    devices_.push_back({.device = gpu.index, .name = name.data(), .gpm = gpu.gpm->on()});
    gpus_.push_back(std::move(gpu));
  }
}

void GpuReader::RegisterXid(SampleContext& context) {
  const nvml::Functions& call = library_->call();
  if (gpus_.empty()) return;
  if (call.nvmlEventSetCreate == nullptr || call.nvmlDeviceRegisterEvents == nullptr ||
      call.nvmlEventSetWait_v2 == nullptr || call.nvmlEventSetFree == nullptr) {
    context.ReportOnce("gpu xid", "the driver does not report events", "");
    return;
  }
  nvml::EventSet events = nullptr;
  if (const nvml::Return code = call.nvmlEventSetCreate(&events); code != nvml::kSuccess) {
    context.ReportOnce("gpu xid", library_->Describe(code), "");
    return;
  }
  bool any = false;
  for (const Gpu& gpu : gpus_) {
    const nvml::Return code = call.nvmlDeviceRegisterEvents(gpu.handle, nvml::kEventXid, events);
    any |= code == nvml::kSuccess;
    if (code != nvml::kSuccess) {
      context.ReportOnce(GpuName(gpu.index) + " xid", library_->Describe(code), "", true);
    }
  }
  if (any) {
    events_ = events;
  } else {
    call.nvmlEventSetFree(events);
  }
}

void GpuReader::SampleGauges(SampleContext& context, Gpu& gpu) {
  const nvml::Functions& call = library_->call();
  nvml::Utilization utilization{};
  if (Call(context, gpu, kQueryUtilization, "utilization", call.nvmlDeviceGetUtilizationRates,
           &utilization)) {
    context.EmitDevice(Metric::kGpuUtilization, gpu.index, utilization.gpu_percent / kPercent);
    context.EmitDevice(Metric::kGpuMemoryBusyShare, gpu.index,
                       utilization.memory_percent / kPercent);
  }
  nvml::Memory memory{};
  if (Call(context, gpu, kQueryMemory, "memory", call.nvmlDeviceGetMemoryInfo, &memory)) {
    context.EmitDevice(Metric::kGpuMemoryUsed, gpu.index, static_cast<double>(memory.used_bytes));
    context.EmitDevice(Metric::kGpuMemoryTotal, gpu.index, static_cast<double>(memory.total_bytes));
  }
  unsigned int milliwatts = 0;
  if (Call(context, gpu, kQueryPower, "power", call.nvmlDeviceGetPowerUsage, &milliwatts)) {
    constexpr double kMilli = 1e-3;
    context.EmitDevice(Metric::kGpuPower, gpu.index, milliwatts * kMilli);
  }
  unsigned int celsius = 0;
  if (Call(context, gpu, kQueryTemperature, "temperature", call.nvmlDeviceGetTemperature,
           static_cast<int>(nvml::kTemperatureGpu), &celsius)) {
    context.EmitDevice(Metric::kGpuTemperature, gpu.index, celsius);
  }
}

void GpuReader::SampleClocks(SampleContext& context, Gpu& gpu) {
  const nvml::Functions& call = library_->call();
  unsigned int mhz = 0;
  if (Call(context, gpu, kQuerySmClock, "SM clock", call.nvmlDeviceGetClockInfo,
           static_cast<int>(nvml::kClockSm), &mhz)) {
    context.EmitDevice(Metric::kGpuSmClock, gpu.index, mhz * kHzPerMhz);
  }
  if (Call(context, gpu, kQueryMemoryClock, "memory clock", call.nvmlDeviceGetClockInfo,
           static_cast<int>(nvml::kClockMemory), &mhz)) {
    context.EmitDevice(Metric::kGpuMemoryClock, gpu.index, mhz * kHzPerMhz);
  }
  // Renamed in driver 535; the old name works everywhere until it goes.
  auto* reasons_of = call.nvmlDeviceGetCurrentClocksEventReasons != nullptr
                         ? call.nvmlDeviceGetCurrentClocksEventReasons
                         : call.nvmlDeviceGetCurrentClocksThrottleReasons;
  unsigned long long reasons = 0;
  if (Call(context, gpu, kQueryThrottle, "throttle reasons", reasons_of, &reasons)) {
    context.EmitDevice(Metric::kGpuThrottleReasons, gpu.index, static_cast<double>(reasons));
  }
}

void GpuReader::EmitField(SampleContext& context, Gpu& gpu, const nvml::FieldValue& field,
                          std::optional<double> seconds) {
  const std::optional<uint64_t> value = NumberIn(field);
  if (!value) return;
  const auto emit_rate = [&](Metric metric, RateOf& rate, uint64_t bytes_per_unit) {
    if (const auto per_s = rate.Update(*value, seconds)) {
      context.EmitDevice(metric, gpu.index, *per_s * static_cast<double>(bytes_per_unit));
    }
  };
  switch (field.field) {
    case nvml::kFieldPcieReceivedBytes:
      return emit_rate(Metric::kGpuPcieReceive, gpu.pcie_received, 1);
    case nvml::kFieldPcieSentBytes:
      return emit_rate(Metric::kGpuPcieSend, gpu.pcie_sent, 1);
    case nvml::kFieldNvlinkReceivedKib:
      return emit_rate(Metric::kGpuNvlinkReceive, gpu.nvlink_received, kKib);
    case nvml::kFieldNvlinkSentKib:
      return emit_rate(Metric::kGpuNvlinkSend, gpu.nvlink_sent, kKib);
    default:
      return;
  }
}

// Without GPM the metrics of its own are absent; the others are asked for as fields.
void GpuReader::SampleGpm(SampleContext& context, Gpu& gpu) {
  if (gpu.lost) return;
  for (const GpmReader::Value& one : gpu.gpm->Sample(context.now_ns())) {
    context.EmitDevice(one.metric, gpu.index, one.value);
  }
  if (gpu.gpm->lost()) {
    Supported(context, gpu, kQueryFields, "GPM", nvml::kGpuIsLost);
  } else if (!gpu.gpm->on()) {
    context.ReportOnce(GpuName(gpu.index) + " GPM", gpu.gpm->off(), "", true);
  }
}

void GpuReader::SampleFields(SampleContext& context, Gpu& gpu, std::optional<double> seconds) {
  constexpr struct {
    Query ask;
    unsigned int field;
    unsigned int scope;
    const char* what;
    Metric metric;
  } kFields[] = {
      {kQueryPcieReceived, nvml::kFieldPcieReceivedBytes, 0, "PCIe throughput",
       Metric::kGpuPcieReceive},
      {kQueryPcieSent, nvml::kFieldPcieSentBytes, 0, "PCIe throughput", Metric::kGpuPcieSend},
      {kQueryNvlinkReceived, nvml::kFieldNvlinkReceivedKib, nvml::kScopeAllLinks,
       "NVLink throughput", Metric::kGpuNvlinkReceive},
      {kQueryNvlinkSent, nvml::kFieldNvlinkSentKib, nvml::kScopeAllLinks, "NVLink throughput",
       Metric::kGpuNvlinkSend},
      {kQueryEccSingle, nvml::kFieldEccSingleBit, 0, "ECC errors", Metric::kGpuEccErrors},
      {kQueryEccDouble, nvml::kFieldEccDoubleBit, 0, "ECC errors", Metric::kGpuEccErrors},
  };
  // One call for all: fields that the driver reads together cost one trip into the kernel.
  std::array<nvml::FieldValue, std::size(kFields)> values{};
  std::array<size_t, std::size(kFields)> asked{};
  int count = 0;
  for (size_t i = 0; i < std::size(kFields); ++i) {
    if ((gpu.unsupported & kFields[i].ask) != 0) continue;
    if (gpu.gpm->Measures(kFields[i].metric)) continue;
    asked[static_cast<size_t>(count)] = i;
    values[static_cast<size_t>(count++)] = {.field = kFields[i].field, .scope = kFields[i].scope};
  }
  if (count == 0) return;
  if (!Call(context, gpu, kQueryFields, "field values", library_->call().nvmlDeviceGetFieldValues,
            count, values.data())) {
    return;
  }
  std::optional<uint64_t> errors;
  for (int i = 0; i < count; ++i) {
    const nvml::FieldValue& value = values[static_cast<size_t>(i)];
    const auto& field = kFields[asked[static_cast<size_t>(i)]];
    if (!Supported(context, gpu, field.ask, field.what, value.result)) continue;
    EmitField(context, gpu, value, seconds);
    if (field.ask != kQueryEccSingle && field.ask != kQueryEccDouble) continue;
    auto& begin = field.ask == kQueryEccSingle ? gpu.ecc_single_begin : gpu.ecc_double_begin;
    const uint64_t now = NumberIn(value).value_or(0);
    if (!begin) begin = now;
    errors = errors.value_or(0) + GrowthOrZero(*begin, now);
  }
  if (errors) context.EmitDevice(Metric::kGpuEccErrors, gpu.index, static_cast<double>(*errors));
}

void GpuReader::SampleXid(SampleContext& context) {
  if (events_ == nullptr) return;
  for (int taken = 0; taken < kMaxXidsPerSample; ++taken) {
    nvml::EventData event{};
    const nvml::Return code = library_->call().nvmlEventSetWait_v2(events_, &event, 0);
    if (code == nvml::kTimeout) return;
    if (code != nvml::kSuccess) {
      context.ReportOnce("gpu xid", library_->Describe(code), "");
      return;
    }
    if ((event.type & nvml::kEventXid) == 0) continue;
    for (const Gpu& gpu : gpus_) {
      if (gpu.handle != event.device) continue;
      context.EmitDevice(Metric::kGpuXid, gpu.index, static_cast<double>(event.data));
    }
  }
}

void GpuReader::SampleGpu(SampleContext& context, Gpu& gpu, std::optional<double> seconds) {
  SampleGauges(context, gpu);
  SampleClocks(context, gpu);
  SampleGpm(context, gpu);
  SampleFields(context, gpu, seconds);
}

void GpuReader::Sample(SampleContext& context, const std::set<int32_t>& job) {
  if (!tried_) Load(context);
  if (gpus_.empty()) return;
  const std::optional<double> seconds = elapsed_.Advance(context.now_ns());
  SampleXid(context);
  for (Gpu& gpu : gpus_) {
    SampleGpu(context, gpu, seconds);
    if (gpu.lost) continue;
    if (const auto use = gpu.users->UseOf(context.now_ns(), job)) context.EmitGpu(*use);
  }
}

}  // namespace steptrace::agent
