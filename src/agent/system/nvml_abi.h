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
inline constexpr Return kGpuNotFound = 28;
inline constexpr Return kUnknown = 999;

struct DeviceHandle;
struct EventSetHandle;
using Device = DeviceHandle*;
using EventSet = EventSetHandle*;

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

// The functions, under the names by which the library exports them. The headers rename some at
// compile time (nvmlInit is nvmlInit_v2): a program that loads the library must ask for the new.
struct Functions {
  Return (*nvmlInit_v2)();
  Return (*nvmlShutdown)();
  const char* (*nvmlErrorString)(Return);
  Return (*nvmlSystemGetDriverVersion)(char*, unsigned int);
  Return (*nvmlDeviceGetCount_v2)(unsigned int*);
  Return (*nvmlDeviceGetHandleByIndex_v2)(unsigned int, Device*);
  Return (*nvmlDeviceGetName)(Device, char*, unsigned int);
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
};

}  // namespace steptrace::agent::nvml
