// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What NVTX 3 and the library that it loads agree on: names, numbers and layouts are those of
// github:NVIDIA/NVTX, c/include/nvtx3 (nvToolsExt.h, nvToolsExtPayload.h, nvtxDetail/nvtxTypes.h
// and nvtxExtTypes.h), which has kept them since version 3.0.
//
//   A library that uses NVTX has a copy of the header's own state. At its first call the copy loads
//   what $NVTX_INJECTION64_PATH names and calls InitializeInjectionNvtx2() with a function that
//   gives tables of places for pointers; a place that is left empty does nothing from then on.
//   Copies that use payloads do the same once more with InitializeInjectionNvtxExtension().
namespace steptrace::probe::nvtx {

using FunctionPointer = void (*)();
using FunctionTable = FunctionPointer**;  // [slot]: where the pointer belongs
using Domain = void*;                     // ours to give out; null: the default one
using String = void*;                     // likewise
using RangeId = uint64_t;

enum class ExportTable : uint32_t { kCallbacks = 1 };
enum class Module : int32_t { kCore = 1, kCore2 = 5 };

struct CallbacksTable {
  size_t struct_size;
  int (*get_module_function_table)(int32_t module, FunctionTable* table, unsigned* size);
};
using GetExportTable = const void* (*)(uint32_t id);

enum CoreSlot : uint32_t {
  kMarkEx = 1,
  kMarkA,
  kMarkW,
  kRangeStartEx,
  kRangeStartA,
  kRangeStartW,
  kRangeEnd,
  kRangePushEx,
  kRangePushA,
  kRangePushW,
  kRangePop,
  kNameCategoryA,
  kNameCategoryW,
};
static_assert(kNameCategoryW == 13);

enum Core2Slot : uint32_t {
  kDomainMarkEx = 1,
  kDomainRangeStartEx,
  kDomainRangeEnd,
  kDomainRangePushEx,
  kDomainRangePop,
  kDomainNameCategoryA = 8,
  kDomainNameCategoryW,
  kDomainRegisterStringA,
  kDomainRegisterStringW,
  kDomainCreateA,
  kDomainCreateW,
  kDomainDestroy,
};
static_assert(kDomainDestroy == 14);

enum class MessageType : int32_t { kUnknown = 0, kAscii = 1, kUnicode = 2, kRegistered = 3 };

enum class PayloadType : int32_t {
  kUnknown = 0,
  kUint64 = 1,
  kInt64 = 2,
  kDouble = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat = 6,
  kExtended = static_cast<int32_t>(0xDFBD0009),
};

struct EventAttributes {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type;
  int32_t payload_count;  // of kExtended: how many PayloadData lie at payload
  union {
    uint64_t uint64;
    const void* pointer;
    double real64;
    uint32_t uint32;
    int32_t int32;
    float real32;
  } payload;
  int32_t message_type;
  union {
    const char* ascii;
    const wchar_t* unicode;
    String registered;
  } message;
};
static_assert(sizeof(EventAttributes) == 48 && offsetof(EventAttributes, payload) == 24 &&
              offsetof(EventAttributes, message) == 40);

struct ExtSegment {
  size_t segment_id;
  size_t slot_count;
  intptr_t* function_slots;
};
struct ExtModuleInfo {
  uint16_t nvtx_version;
  uint16_t struct_size;
  uint16_t module_id;
  uint16_t compat_id;
  size_t segments_count;
  ExtSegment* segments;
  void* get_export_function;
  const void* ext_info;
};
inline constexpr uint16_t kPayloadModule = 2;

enum PayloadSlot : uint32_t {
  kSchemaRegister = 0,
  kMarkPayload = 2,
  kRangePushPayload,
  kRangePopPayload,
  kRangeStartPayload,
  kRangeEndPayload,
  kDomainIsEnabled,
};
static_assert(kDomainIsEnabled == 7);

struct PayloadData {
  uint64_t schema_id;
  size_t size;  // SIZE_MAX: the reader finds out
  const void* payload;
};

struct SchemaEntry {
  uint64_t flags;
  uint64_t type;
  const char* name;
  const char* description;
  uint64_t array_or_union_detail;
  uint64_t offset;
  const void* semantics;
  const void* reserved;
};
static_assert(sizeof(SchemaEntry) == 64);

struct SchemaAttributes {
  uint64_t field_mask;
  const char* name;
  uint64_t type;
  uint64_t flags;
  const SchemaEntry* entries;
  size_t entry_count;
  size_t static_size;
  size_t pack_align;
  uint64_t schema_id;
  void* extension;
};
inline constexpr uint64_t kSchemaHasName = 1 << 1;
inline constexpr uint64_t kSchemaHasType = 1 << 2;
inline constexpr uint64_t kSchemaHasEntries = 1 << 4;
inline constexpr uint64_t kSchemaHasCount = 1 << 5;
inline constexpr uint64_t kSchemaHasStaticSize = 1 << 6;
inline constexpr uint64_t kSchemaHasId = 1 << 8;
inline constexpr uint64_t kStaticSchema = 1;

}  // namespace steptrace::probe::nvtx
