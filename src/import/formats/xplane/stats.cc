// SPDX-License-Identifier: Apache-2.0
#include "import/formats/xplane/stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "base/saturating.h"
#include "import/core/natural_number.h"
#include "import/formats/xplane/proto_fields.h"

namespace steptrace::import::xplane {
namespace {

constexpr auto kStatKinds = std::to_array<std::pair<std::string_view, StatKind>>({
    {"correlation_id", StatKind::kCorrelation},
    {"step_num", StatKind::kStep},
    {"hlo_op", StatKind::kOperation},
    {"_src", StatKind::kSource},
    {"kernel_details", StatKind::kLaunch},
    {"memcpy_details", StatKind::kCopy},
    {"memset_details", StatKind::kCopy},
    {"allocator_name", StatKind::kAllocator},
    {"addr", StatKind::kAddress},
    {"allocation_bytes", StatKind::kAllocationBytes},
    {"requested_bytes", StatKind::kRequestedBytes},
    {"bytes_allocated", StatKind::kAllocatedBytes},
    {"bytes_reserved", StatKind::kReservedBytes},
    {"bytes_available", StatKind::kAvailableBytes},
    {"device_id", StatKind::kLeftOut},
    {"context_id", StatKind::kLeftOut},
    {"stream", StatKind::kLeftOut},
    {"group_id", StatKind::kLeftOut},
    {"run_id", StatKind::kLeftOut},
    {"is_root", StatKind::kLeftOut},
    {"flow", StatKind::kLeftOut},
    {"_r", StatKind::kLeftOut},
    {"_pt", StatKind::kLeftOut},
    {"_p", StatKind::kLeftOut},
    {"_ct", StatKind::kLeftOut},
    {"_c", StatKind::kLeftOut},
    {"device_offset_ps", StatKind::kLeftOut},
    {"device_duration_ps", StatKind::kLeftOut},
});

void AppendQuoted(std::string_view text, std::string* json) {
  constexpr char kHex[] = "0123456789abcdef";
  json->push_back('"');
  size_t from = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    json->append(text, from, i - from);
    from = i + 1;
    if (c < 0x20) {
      json->append("\\u00");
      json->push_back(kHex[c >> 4]);
      json->push_back(kHex[c & 15]);
    } else {
      json->push_back('\\');
      json->push_back(static_cast<char>(c));
    }
  }
  json->append(text, from, text.size() - from);
  json->push_back('"');
}

// "4,2,1" of "grid:4,2,1 block:..." by "grid"; empty: it is not there.
std::string_view ValueOf(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == ':') {
      return word.substr(key.size() + 1);
    }
  }
  return {};
}

// Three numbers with commas between them.
bool AreThree(std::string_view text) {
  int numbers = 0;
  while (true) {
    const size_t comma = text.find(',');
    if (!NaturalIn(text.substr(0, comma))) return false;
    ++numbers;
    if (comma == text.npos) return numbers == 3;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

StatKind StatKindOf(std::string_view name) {
  const auto found = std::find_if(kStatKinds.begin(), kStatKinds.end(),
                                  [name](const auto& one) { return one.first == name; });
  return found == kStatKinds.end() ? StatKind::kOther : found->second;
}

std::optional<int64_t> Stat::Integer() const {
  switch (kind) {
    case Kind::kInteger:
      return integer;
    case Kind::kUnsigned:
      if (unsigned_value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) break;
      return static_cast<int64_t>(unsigned_value);
    case Kind::kText:
      return NaturalIn(text);
    case Kind::kNone:
    case Kind::kDouble:
    case Kind::kRef:
      break;
  }
  return std::nullopt;
}

Stat ReadStat(std::string_view message) {
  Stat stat;
  Reader reader = ReaderOf(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Varint(in_stat::kMetadataId):
        stat.metadata_id = reader.get_int64();
        break;
      case Fixed64(in_stat::kDouble):
        stat.kind = Stat::Kind::kDouble;
        stat.real = reader.get_double();
        break;
      case Varint(in_stat::kUnsigned):
        stat.kind = Stat::Kind::kUnsigned;
        stat.unsigned_value = reader.get_uint64();
        break;
      case Varint(in_stat::kInteger):
        stat.kind = Stat::Kind::kInteger;
        stat.integer = reader.get_int64();
        break;
      case Bytes(in_stat::kText):
        stat.kind = Stat::Kind::kText;
        stat.text = ViewOf(reader);
        break;
      case Varint(in_stat::kRef):
        stat.kind = Stat::Kind::kRef;
        stat.integer = static_cast<int64_t>(reader.get_uint64());
        break;
      default:
        reader.skip();
    }
  }
  return stat;
}

void AppendMember(std::string_view key, const Stat& stat, std::string_view text,
                  std::string* json) {
  if (stat.kind == Stat::Kind::kNone) return;
  AppendQuoted(key, json);
  json->push_back(':');
  switch (stat.kind) {
    case Stat::Kind::kNone:
      break;
    case Stat::Kind::kInteger:
      fmt::format_to(std::back_inserter(*json), "{}", stat.integer);
      break;
    case Stat::Kind::kUnsigned:
      fmt::format_to(std::back_inserter(*json), "{}", stat.unsigned_value);
      break;
    case Stat::Kind::kDouble:
      if (std::isfinite(stat.real)) {
        fmt::format_to(std::back_inserter(*json), "{}", stat.real);
      } else {
        json->append("null");
      }
      break;
    case Stat::Kind::kText:
    case Stat::Kind::kRef:
      AppendQuoted(text, json);
      break;
  }
  json->push_back(',');
}

void AppendLaunch(std::string_view launch, std::string* json) {
  for (const std::string_view key : {"grid", "block"}) {
    const std::string_view three = ValueOf(launch, key);
    if (AreThree(three)) fmt::format_to(std::back_inserter(*json), R"("{}":[{}],)", key, three);
  }
  const auto number = [launch](std::string_view key) { return NaturalIn(ValueOf(launch, key)); };
  if (const auto registers = number("regs")) {
    fmt::format_to(std::back_inserter(*json), R"("registers per thread":{},)", *registers);
  }
  const auto fixed = number("static_shared");
  const auto dynamic = number("dynamic_shared");
  auto shared = number("group_mem");  // ROCm's, of both
  if (fixed || dynamic) shared = SaturatingAdd(fixed.value_or(0), dynamic.value_or(0));
  if (shared) fmt::format_to(std::back_inserter(*json), R"("shared memory":{},)", *shared);
  double occupancy = 0;  // 0: not known
  const std::string_view percent = ValueOf(launch, "occ_pct");
  const auto read = std::from_chars(percent.data(), percent.data() + percent.size(), occupancy);
  if (read.ec == std::errc() && std::isfinite(occupancy) && occupancy > 0) {
    fmt::format_to(std::back_inserter(*json), R"("est. achieved occupancy %":{},)", occupancy);
  }
}

std::optional<int32_t> DeviceOfAllocator(std::string_view name) {
  constexpr std::string_view kBegin = "GPU_";
  if (!name.starts_with(kBegin)) return std::nullopt;
  name.remove_prefix(kBegin.size());
  const auto number = NaturalIn(name.substr(0, name.find('_')));
  constexpr int64_t kMostDevices = 1 << 20;
  if (!number || *number >= kMostDevices) return std::nullopt;
  return static_cast<int32_t>(*number);
}

}  // namespace steptrace::import::xplane
