// SPDX-License-Identifier: Apache-2.0
#include "probe/nvtx_names.h"

#include <string.h>

#include <atomic>

#include "transport/writer/fixed_text.h"
#include "transport/writer/process_state.h"
#include "transport/writer/writer.h"

namespace steptrace::probe {
namespace {

namespace t = transport;
using nvtx::EventAttributes;
using nvtx::PayloadData;

constexpr uint32_t kMaxNvtxDomains = 128;
constexpr uint32_t kMaxNvtxStrings = 4096;
constexpr uint32_t kMaxNvtxCategories = 512;
constexpr uint32_t kMaxNvtxSchemas = 256;
constexpr uint32_t kNvtxTextBytes = 256 << 10;
// A name with its domain and category; a longer message is cut.
constexpr size_t kNameBytes = 1024;
constexpr size_t kMaxPrefixText = 128;
constexpr size_t kMaxSchemaEntries = 64;
constexpr size_t kMaxPayloads = 16;
// NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START: below are numbers that libraries give themselves.
constexpr uint64_t kFirstSchema = uint64_t{1} << 32;

struct DomainState {
  const char* name;
};
static_assert(sizeof(DomainState) == 8, "handles are told apart by 16 bits (nvtx.cc)");
struct StringState {
  const DomainState* domain;
  const char* text;
  std::atomic<uint32_t> id;  // of its name without a category; 0: not asked yet
};
struct CategoryState {
  const DomainState* domain;
  uint32_t category;
  const char* text;
};
struct SchemaState {
  uint64_t id;
  uint64_t size_offset;  // of the field that is told
};

struct NvtxPool {
  t::BoundedLock lock;
  std::atomic<uint32_t> domains{0};
  std::atomic<uint32_t> strings{0};
  std::atomic<uint32_t> categories{0};
  std::atomic<uint32_t> schemas{0};
  uint32_t text_used = 0;
  uint64_t schemas_numbered = 0;
  DomainState domain[kMaxNvtxDomains]{};
  StringState string[kMaxNvtxStrings]{};
  CategoryState category[kMaxNvtxCategories]{};
  SchemaState schema[kMaxNvtxSchemas]{};
  char text[kNvtxTextBytes]{};
};
constinit NvtxPool g_nvtx;

// ---- texts ----

// Under the lock. Null: no room.
const char* KeepText(const char* text, size_t limit) {
  const size_t bytes = strnlen(text, limit);
  if (bytes + 1 > kNvtxTextBytes - g_nvtx.text_used) return nullptr;
  char* copy = g_nvtx.text + g_nvtx.text_used;
  memcpy(copy, text, bytes);
  copy[bytes] = 0;
  g_nvtx.text_used += static_cast<uint32_t>(bytes + 1);
  return copy;
}

// UTF-32, as wchar_t is here, cut to the buffer.
const char* ToUtf8(const wchar_t* text, char (&out)[kNameBytes]) {
  size_t used = 0;
  for (; *text != 0 && used + 5 < kNameBytes; ++text) {
    auto c = static_cast<uint32_t>(*text);
    if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
    if (c < 0x80) {
      out[used++] = static_cast<char>(c);
    } else if (c < 0x800) {
      out[used++] = static_cast<char>(0xC0 | c >> 6);
      out[used++] = static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      out[used++] = static_cast<char>(0xE0 | c >> 12);
      out[used++] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
      out[used++] = static_cast<char>(0x80 | (c & 0x3F));
    } else {
      out[used++] = static_cast<char>(0xF0 | c >> 18);
      out[used++] = static_cast<char>(0x80 | (c >> 12 & 0x3F));
      out[used++] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
      out[used++] = static_cast<char>(0x80 | (c & 0x3F));
    }
  }
  out[used] = 0;
  return out;
}

const DomainState* DomainOf(nvtx::Domain domain) {
  const auto* state = static_cast<const DomainState*>(domain);
  return state >= g_nvtx.domain && state < g_nvtx.domain + kMaxNvtxDomains ? state : nullptr;
}

StringState* StringOf(nvtx::String string) {
  auto* state = static_cast<StringState*>(string);
  return state >= g_nvtx.string && state < g_nvtx.string + kMaxNvtxStrings ? state : nullptr;
}

const char* CategoryName(const DomainState* domain, uint32_t category) {
  if (category == 0) return nullptr;
  const uint32_t count = g_nvtx.categories.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) {
    const CategoryState& one = g_nvtx.category[i];
    if (one.domain == domain && one.category == category) return one.text;
  }
  return nullptr;
}

uint32_t IdOfText(const DomainState* domain, const char* category, const char* text,
                  uint16_t kind) {
  const size_t bytes = strnlen(text, kNameBytes - 2 * kMaxPrefixText - 8);
  if (domain == nullptr && category == nullptr) return t::Name(text, bytes, kind);
  char name[kNameBytes];
  t::FixedText out(name, sizeof name);
  if (domain != nullptr) out.Add(domain->name);
  if (category != nullptr) out.Add("/").Add(category);
  out.Add(": ");
  const size_t prefix = out.size();
  memcpy(name + prefix, text, bytes);
  return t::Name(name, prefix + bytes, kind);
}

uint32_t IdOfMessageOf(const DomainState* domain, const EventAttributes* event, uint16_t kind) {
  const char* category = CategoryName(domain, event->category);
  switch (static_cast<nvtx::MessageType>(event->message_type)) {
    case nvtx::MessageType::kAscii:
      if (event->message.ascii == nullptr) break;
      return IdOfText(domain, category, event->message.ascii, kind);
    case nvtx::MessageType::kUnicode: {
      if (event->message.unicode == nullptr) break;
      char text[kNameBytes];
      return IdOfText(domain, category, ToUtf8(event->message.unicode, text), kind);
    }
    case nvtx::MessageType::kRegistered: {
      StringState* string = StringOf(event->message.registered);
      if (string == nullptr || string->text == nullptr) break;
      if (category != nullptr || kind != static_cast<uint16_t>(wire::Category::kUser)) {
        return IdOfText(domain, category, string->text, kind);
      }
      // Ids stay the same in forked children. Threads that race here store the same number.
      uint32_t id = string->id.load(std::memory_order_relaxed);
      if (id == 0) {
        id = IdOfText(string->domain, nullptr, string->text, kind);
        string->id.store(id, std::memory_order_relaxed);
      }
      return id;
    }
    case nvtx::MessageType::kUnknown:
      break;
  }
  return IdOfText(domain, category, wire::kNoName, kind);
}

// ---- payloads ----

const SchemaState* SchemaOf(uint64_t id) {
  const uint32_t count = g_nvtx.schemas.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) {
    if (g_nvtx.schema[i].id == id) return &g_nvtx.schema[i];
  }
  return nullptr;
}

bool NamesASize(const char* name) {
  for (size_t i = 0; i < kMaxPrefixText && name[i] != 0; ++i) {
    if (strncasecmp(name + i, "size", 4) == 0 || strncasecmp(name + i, "bytes", 5) == 0)
      return true;
  }
  return false;
}

bool IsWide(uint64_t type) {
  constexpr uint64_t kInt64 = 17, kUint64 = 18, kSize = 22;
  return type == kInt64 || type == kUint64 || type == kSize;
}

}  // namespace

uint32_t NvtxName(nvtx::Domain domain, const EventAttributes* event, uint16_t category) {
  return IdOfMessageOf(DomainOf(domain), event, category);
}

uint32_t NvtxName(nvtx::Domain domain, const char* text, uint16_t category) {
  return text == nullptr ? 0 : IdOfText(DomainOf(domain), nullptr, text, category);
}

uint32_t NvtxName(nvtx::Domain domain, const wchar_t* text, uint16_t category) {
  char out[kNameBytes];
  return text == nullptr ? 0 : NvtxName(domain, ToUtf8(text, out), category);
}

uint64_t SizeInPayloads(const PayloadData* payloads, size_t count) {
  if (payloads == nullptr) return 0;
  for (size_t i = 0; i < count && i < kMaxPayloads; ++i) {
    const PayloadData& one = payloads[i];
    const SchemaState* schema = one.payload == nullptr ? nullptr : SchemaOf(one.schema_id);
    if (schema == nullptr || one.size == SIZE_MAX || one.size < sizeof(uint64_t) ||
        schema->size_offset > one.size - sizeof(uint64_t)) {
      continue;
    }
    uint64_t value = 0;
    memcpy(&value, static_cast<const char*>(one.payload) + schema->size_offset, sizeof value);
    return value;
  }
  return 0;
}

uint64_t PayloadOfNvtx(const EventAttributes* event) {
  switch (static_cast<nvtx::PayloadType>(event->payload_type)) {
    case nvtx::PayloadType::kUint64:
    case nvtx::PayloadType::kInt64:
      return event->payload.uint64;
    case nvtx::PayloadType::kUint32:
      return event->payload.uint32;
    case nvtx::PayloadType::kInt32:
      return static_cast<uint64_t>(int64_t{event->payload.int32});
    case nvtx::PayloadType::kExtended:
      if (event->payload_count <= 0) return 0;
      return SizeInPayloads(static_cast<const PayloadData*>(event->payload.pointer),
                            static_cast<size_t>(event->payload_count));
    case nvtx::PayloadType::kUnknown:
    case nvtx::PayloadType::kDouble:  // arguments are whole numbers
    case nvtx::PayloadType::kFloat:
      break;
  }
  return 0;
}

uint64_t RegisterNvtxSchema(nvtx::Domain, const nvtx::SchemaAttributes* schema) {
  if (schema == nullptr || !g_nvtx.lock.Acquire()) return 0;
  const bool reported = (schema->field_mask & nvtx::kSchemaHasId) != 0 && schema->schema_id != 0;
  const uint64_t id = reported ? schema->schema_id : kFirstSchema + g_nvtx.schemas_numbered++;
  constexpr uint64_t kNeeded =
      nvtx::kSchemaHasType | nvtx::kSchemaHasEntries | nvtx::kSchemaHasCount;
  const bool fixed = (schema->field_mask & kNeeded) == kNeeded &&
                     schema->type == nvtx::kStaticSchema && schema->entries != nullptr;
  const uint32_t count = g_nvtx.schemas.load(std::memory_order_relaxed);
  for (size_t i = 0; fixed && i < schema->entry_count && i < kMaxSchemaEntries; ++i) {
    const nvtx::SchemaEntry& entry = schema->entries[i];
    if (entry.name == nullptr || entry.flags != 0 || !IsWide(entry.type) ||
        !NamesASize(entry.name)) {
      continue;
    }
    // Where it is not reported it would have to be worked out: only the first field's place is
    // sure.
    if (i > 0 && entry.offset == 0) break;
    if (count < kMaxNvtxSchemas && SchemaOf(id) == nullptr) {
      g_nvtx.schema[count] = {id, entry.offset};
      g_nvtx.schemas.store(count + 1, std::memory_order_release);
    }
    break;
  }
  g_nvtx.lock.Release();
  return id;
}

// ---- domains, categories, registered strings ----

nvtx::Domain NvtxDomainCreateA(const char* name) {
  if (name == nullptr || !g_nvtx.lock.Acquire()) return nullptr;
  const uint32_t count = g_nvtx.domains.load(std::memory_order_relaxed);
  DomainState* domain = nullptr;
  // The copies of NVTX in one process make the same domain each.
  for (uint32_t i = 0; i < count && domain == nullptr; ++i) {
    if (strncmp(g_nvtx.domain[i].name, name, kMaxPrefixText) == 0) domain = &g_nvtx.domain[i];
  }
  if (domain == nullptr && count < kMaxNvtxDomains) {
    if (const char* copy = KeepText(name, kMaxPrefixText); copy != nullptr) {
      domain = &g_nvtx.domain[count];
      domain->name = copy;
      g_nvtx.domains.store(count + 1, std::memory_order_release);
    }
  }
  g_nvtx.lock.Release();
  return domain;
}
nvtx::Domain NvtxDomainCreateW(const wchar_t* name) {
  char text[kNameBytes];
  return name == nullptr ? nullptr : NvtxDomainCreateA(ToUtf8(name, text));
}

nvtx::String NvtxRegisterStringA(nvtx::Domain domain, const char* text) {
  if (text == nullptr || !g_nvtx.lock.Acquire()) return nullptr;
  const uint32_t count = g_nvtx.strings.load(std::memory_order_relaxed);
  StringState* string = nullptr;
  if (count < kMaxNvtxStrings) {
    if (const char* copy = KeepText(text, kNameBytes); copy != nullptr) {
      string = &g_nvtx.string[count];
      string->domain = DomainOf(domain);
      string->text = copy;
      g_nvtx.strings.store(count + 1, std::memory_order_release);
    }
  }
  g_nvtx.lock.Release();
  return string;
}
nvtx::String NvtxRegisterStringW(nvtx::Domain domain, const wchar_t* text) {
  char out[kNameBytes];
  return text == nullptr ? nullptr : NvtxRegisterStringA(domain, ToUtf8(text, out));
}

void NvtxNameCategoryA(nvtx::Domain domain, uint32_t category, const char* name) {
  const DomainState* of = DomainOf(domain);
  if (name == nullptr || category == 0 || CategoryName(of, category) != nullptr ||
      !g_nvtx.lock.Acquire()) {
    return;
  }
  const uint32_t count = g_nvtx.categories.load(std::memory_order_relaxed);
  if (count < kMaxNvtxCategories) {
    if (const char* copy = KeepText(name, kMaxPrefixText); copy != nullptr) {
      g_nvtx.category[count] = {of, category, copy};
      g_nvtx.categories.store(count + 1, std::memory_order_release);
    }
  }
  g_nvtx.lock.Release();
}
void NvtxNameCategoryW(nvtx::Domain domain, uint32_t category, const wchar_t* name) {
  char text[kNameBytes];
  if (name != nullptr) NvtxNameCategoryA(domain, category, ToUtf8(name, text));
}

void ResetNvtxNamesAfterFork() {
  g_nvtx.lock.ResetAfterFork();
}

}  // namespace steptrace::probe
