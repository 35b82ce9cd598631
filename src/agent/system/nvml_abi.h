// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The part of NVML's binary interface that Steptrace uses, declared anew so that it builds without
// NVIDIA's headers. Names, numbers and layouts are those of nvml.h, checked against version 13.3;
// none has changed since 11.0.
namespace steptrace::agent::nvml {

using Return = int;
inline constexpr Return kSuccess = 0;
inline constexpr Return kUninitialized = 1;
inline constexpr Return kInvalidArgument = 2;
inline constexpr Return kNotSupported = 3;
inline constexpr Return kNoPermission = 4;
inline constexpr Return kInsufficientSize = 7;
inline constexpr Return kDriverNotLoaded = 9;
inline constexpr Return kTimeout = 10;
inline constexpr Return kFunctionNotFound = 13;
inline constexpr Return kGpuIsLost = 15;
inline constexpr Return kResetRequired = 16;
inline constexpr Return kVersionMismatch = 18;
inline constexpr Return kArgumentVersionMismatch = 25;
inline constexpr Return kGpuNotFound = 28;
inline constexpr Return kUnknown = 999;

struct DeviceHandle;
struct EventSetHandle;
struct GpmSampleHandle;
using Device = DeviceHandle*;
using EventSet = EventSetHandle*;
using GpmSample = GpmSampleHandle*;

struct Utilization {
  unsigned int gpu_percent;
  unsigned int memory_percent;
};
static_assert(sizeof(Utilization) == 8);

struct Memory {  // nvmlMemory_t, the version without a version
  unsigned long long total_bytes;
  unsigned long long free_bytes;
  unsigned long long used_bytes;
};
static_assert(sizeof(Memory) == 24);

enum ClockType : int { kClockSm = 1, kClockMemory = 2 };
enum TemperatureSensor : int { kTemperatureGpu = 0 };

enum ValueType : int {
  kDouble = 0,
  kUnsignedInt = 1,
  kUnsignedLong = 2,
  kUnsignedLongLong = 3,
  kSignedLongLong = 4,
  kSignedInt = 5,
  kUnsignedShort = 6,
};

union Value {
  double d;
  int si;
  unsigned int ui;
  unsigned long ul;
  unsigned long long ull;
  long long sll;
  unsigned short us;
};

struct FieldValue {
  unsigned int field = 0;
  unsigned int scope = 0;
  long long timestamp_us = 0;  // since 1970
  long long latency_us = 0;
  int value_type = 0;
  Return result = 0;
  Value value{};
};
static_assert(sizeof(FieldValue) == 40);
static_assert(offsetof(FieldValue, value_type) == 24 && offsetof(FieldValue, value) == 32);

inline constexpr unsigned int kFieldEccSingleBit = 3;  // since the driver was loaded
inline constexpr unsigned int kFieldEccDoubleBit = 4;
inline constexpr unsigned int kFieldNvlinkSentKib = 138;  // data without protocol
inline constexpr unsigned int kFieldNvlinkReceivedKib = 139;
inline constexpr unsigned int kFieldPcieSentBytes = 197;  // "can be wrapped"
inline constexpr unsigned int kFieldPcieReceivedBytes = 198;
inline constexpr unsigned int kScopeAllLinks = ~0U;

inline constexpr unsigned long long kEventXid = 8;

struct EventData {  // nvmlEventSetWait_v2; the first version ends after `data`
  Device device;
  unsigned long long type;
  unsigned long long data;
  unsigned int gpu_instance;
  unsigned int compute_instance;
};
static_assert(sizeof(EventData) == 32);

inline constexpr unsigned int kNameBytes = 96;
inline constexpr unsigned int kUuidBytes = 96;

// Who computes on a device, by nvmlDeviceGetComputeRunningProcesses_v3 and _v2; the first version
// ends after `used_bytes`. Numbers of processes are those of the driver's pid namespace.
struct ProcessInfo {
  unsigned int pid;
  unsigned long long used_bytes;
  unsigned int gpu_instance;
  unsigned int compute_instance;
};
static_assert(sizeof(ProcessInfo) == 24);

// GPM, since driver 525: what a device did between two samples, by counters that are always on
// (Hopper and later). The samples must lie more than 100 ms apart.
enum GpmMetricId : unsigned int {
  kGpmSmUtil = 2,       // percent, as the next three
  kGpmSmOccupancy = 3,  // of the most warps
  kGpmTensorUtil = 5,   // of any kind
  kGpmDramBandwidth = 10,
  kGpmPcieSent = 20,  // MiB a second, as the rest
  kGpmPcieReceived = 21,
  kGpmNvlinkReceived = 60,  // over all links
  kGpmNvlinkSent = 61,
};

struct GpmMetric {
  unsigned int id;
  Return result;  // of this one: its value holds if it is kSuccess
  double value;
  const char* short_name;
  const char* long_name;
  const char* unit;
};
static_assert(sizeof(GpmMetric) == 40 && offsetof(GpmMetric, value) == 8);

// As many as any header has: a driver may look at the whole, whatever `count` says.
inline constexpr unsigned int kMostGpmMetrics = 333;
inline constexpr unsigned int kGpmVersion = 1;  // of both structs

struct GpmMetrics {
  unsigned int version;
  unsigned int count;
  GpmSample earlier;
  GpmSample later;
  GpmMetric metrics[kMostGpmMetrics];
};
static_assert(offsetof(GpmMetrics, earlier) == 8 && offsetof(GpmMetrics, metrics) == 24);

struct GpmSupport {
  unsigned int version;
  unsigned int is_supported;
};
static_assert(sizeof(GpmSupport) == 8);

// The functions, under the names by which the library exports them. The headers rename some at
// compile time (nvmlInit is nvmlInit_v2): a program that loads the library must ask for the new.
struct Functions {
  Return (*nvmlInit_v2)();
  Return (*nvmlShutdown)();
  const char* (*nvmlErrorString)(Return);
  Return (*nvmlDeviceGetCount_v2)(unsigned int*);
  Return (*nvmlDeviceGetHandleByIndex_v2)(unsigned int, Device*);
  Return (*nvmlDeviceGetName)(Device, char*, unsigned int);
  Return (*nvmlDeviceGetUUID)(Device, char*, unsigned int);
  // `count`: how many there is room for; then how many there are.
  Return (*nvmlDeviceGetComputeRunningProcesses_v3)(Device, unsigned int* count, ProcessInfo*);
  Return (*nvmlDeviceGetComputeRunningProcesses_v2)(Device, unsigned int* count, ProcessInfo*);
  Return (*nvmlDeviceGetUtilizationRates)(Device, Utilization*);
  Return (*nvmlDeviceGetMemoryInfo)(Device, Memory*);
  Return (*nvmlDeviceGetPowerUsage)(Device, unsigned int* milliwatts);
  Return (*nvmlDeviceGetClockInfo)(Device, int type, unsigned int* mhz);
  Return (*nvmlDeviceGetTemperature)(Device, int sensor, unsigned int* celsius);
  Return (*nvmlDeviceGetCurrentClocksEventReasons)(Device, unsigned long long*);
  Return (*nvmlDeviceGetCurrentClocksThrottleReasons)(Device, unsigned long long*);  // its old name
  Return (*nvmlDeviceGetFieldValues)(Device, int count, FieldValue*);
  Return (*nvmlEventSetCreate)(EventSet*);
  Return (*nvmlDeviceRegisterEvents)(Device, unsigned long long types, EventSet);
  Return (*nvmlEventSetWait_v2)(EventSet, EventData*, unsigned int timeout_ms);
  Return (*nvmlEventSetFree)(EventSet);
  Return (*nvmlDeviceGetMigMode)(Device, unsigned int* current, unsigned int* pending);
  Return (*nvmlGpmQueryDeviceSupport)(Device, GpmSupport*);
  Return (*nvmlGpmSampleAlloc)(GpmSample*);
  Return (*nvmlGpmSampleFree)(GpmSample);
  Return (*nvmlGpmSampleGet)(Device, GpmSample);
  Return (*nvmlGpmMetricsGet)(GpmMetrics*);
};

}  // namespace steptrace::agent::nvml
