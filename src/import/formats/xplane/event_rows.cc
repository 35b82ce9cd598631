// SPDX-License-Identifier: Apache-2.0
#include "import/formats/xplane/event_rows.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/saturating.h"
#include "import/core/bounded_name.h"
#include "import/core/xla_events.h"
#include "import/formats/xplane/proto_fields.h"

namespace steptrace::import::xplane {
namespace {

// Beyond, sums of two times would overflow.
constexpr int64_t kMostNs = std::numeric_limits<int64_t>::max() / 4;
constexpr int64_t kMostBytes = int64_t{1} << 60;  // of an allocation: more than any machine has
constexpr size_t kMostDetails = 16 << 10;         // of one event: a text by number may be long
constexpr size_t kMostCategory = 64;
constexpr std::string_view kNoName = "kernel without a name";
constexpr std::string_view kAllocation = "MemoryAllocation";
constexpr std::string_view kRelease = "MemoryDeallocation";

// "fusion.7" of "%fusion.7 = f32[8] fusion(...)".
std::string_view NameOfOperation(std::string_view name) {
  name = name.substr(0, name.find(" = "));
  if (name.starts_with('%')) name.remove_prefix(1);
  return name;
}

bool IsOperation(std::string_view name, std::string_view kind) {
  return name.starts_with(kind) && (name.size() == kind.size() || name[kind.size()] == '.');
}

// Operations around others of the same line, which are its work.
bool IsControlFlow(std::string_view name) {
  return IsOperation(name, "while") || IsOperation(name, "conditional") ||
         IsOperation(name, "call");
}

// What waits for the host's data, or leaves it to the host.
bool IsFeed(std::string_view name) {
  constexpr std::array<std::string_view, 4> kFeeds = {"infeed", "outfeed", "infeed-done",
                                                      "outfeed-done"};
  return std::any_of(kFeeds.begin(), kFeeds.end(),
                     [name](std::string_view feed) { return IsOperation(name, feed); });
}

// Of what nobody knows, so that it is counted as that: the line's name, or the plane's without its
// numbers.
std::string UnknownCategory(const PlaneFacts& plane, const LineFacts& line) {
  std::string name = plane.device ? line.Name() : plane.name;
  std::erase_if(name, [](char c) { return c >= '0' && c <= '9'; });
  if (name.size() > kMostCategory) name.resize(WholeCharacters(name, kMostCategory));
  return "xplane " + name;
}

}  // namespace

int64_t RoundedNs(__int128 ps) {
  constexpr __int128 kPsPerNs = 1000;
  const __int128 half = ps < 0 ? -kPsPerNs / 2 : kPsPerNs / 2;
  return static_cast<int64_t>((ps + half) / kPsPerNs);
}

void EventRows::Begin(SpaceLevel level) {
  if (level == SpaceLevel::kPlane) {
    plane_ = next_plane_ < layout_.planes().size() ? &layout_.planes()[next_plane_] : nullptr;
    ++next_plane_;
    next_line_ = 0;
    known_ = {};
    if (plane_ != nullptr) marks_.Line(plane_->name);
    return;
  }
  line_ =
      plane_ != nullptr && next_line_ < plane_->lines.size() ? &plane_->lines[next_line_] : nullptr;
  ++next_line_;
  track_ = -1;
  if (line_ == nullptr) return;
  if (line_->kind == SpaceLineKind::kUnknown) {
    unknown_category_ = Intern(UnknownCategory(*plane_, *line_));
  }
}

void EventRows::End(SpaceLevel level) {
  (level == SpaceLevel::kPlane ? static_cast<void>(plane_ = nullptr)
                               : static_cast<void>(line_ = nullptr));
}

bool EventRows::Skips(SpaceLevel level, uint32_t field) const {
  return level != SpaceLevel::kLine || field != in_line::kEvent;
}

Status EventRows::Take(SpaceLevel, uint32_t, std::string_view bytes) {
  try {
    return TakeEvent(bytes);
  } catch (const protozero::exception&) {
    ++lost_[LossCause::kDamagedPacket];
  }
  return {};
}

Status EventRows::TakeEvent(std::string_view bytes) {
  if (line_ == nullptr) {
    ++lost_[LossCause::kTooManyTracks];
    return {};
  }
  int64_t metadata_id = 0;
  int64_t offset_ps = 0;
  int64_t duration_ps = 0;
  bool is_sum = false;
  stats_.clear();
  Reader reader = ReaderOf(bytes);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Varint(in_event::kMetadataId):
        metadata_id = reader.get_int64();
        break;
      case Varint(in_event::kOffsetPs):
        offset_ps = reader.get_int64();
        is_sum = false;
        break;
      case Varint(in_event::kDurationPs):
        duration_ps = reader.get_int64();
        break;
      case Varint(in_event::kOccurrences):
        reader.skip();
        is_sum = true;
        break;
      case Bytes(in_event::kStat):
        stats_.push_back(ViewOf(reader));
        break;
      default:
        reader.skip();
    }
  }
  if (is_sum) {  // of many events, without their times
    ++lost_[LossCause::kUnsupportedEvent];
    return {};
  }
  const int32_t place = plane_->event_index.Find(metadata_id);
  const EventMeta* meta = place < 0 ? nullptr : &plane_->event_metas[static_cast<size_t>(place)];
  if (meta == nullptr) {
    ++lost_[LossCause::kInternedTextMissing];
    if (line_->kind != SpaceLineKind::kStream && line_->kind != SpaceLineKind::kOps) return {};
  }
  const __int128 begin_ps = static_cast<__int128>(line_->timestamp_ns) * 1000 + offset_ps;
  const int64_t begin_ns = RoundedNs(begin_ps);
  if (begin_ps > static_cast<__int128>(kMostNs) * 1000 ||
      begin_ps < -static_cast<__int128>(kMostNs) * 1000) {
    ++lost_[LossCause::kBadTimestamp];
    return {};
  }
  if (duration_ps < 0) {
    ++lost_[LossCause::kNegativeDuration];
    duration_ps = 0;
  }
  // Both ends are rounded, so that what lies within another event stays within it.
  const int64_t dur_ns = RoundedNs(begin_ps + duration_ps) - begin_ns;
  TakeStats();
  if (meta != nullptr) TakeSharedStats(*meta);
  if (!first_ns_ || begin_ns < *first_ns_) first_ns_ = begin_ns;
  return Put(meta, begin_ns, dur_ns);
}

Status EventRows::Put(const EventMeta* meta, int64_t begin_ns, int64_t dur_ns) {
  if (line_->kind == SpaceLineKind::kCounters) return PutCounter(meta, begin_ns);
  if (track_ < 0) {
    track_ = tracks_.Of(*plane_, *line_);
    if (track_ < 0) return {};
  }
  const Known known = meta == nullptr ? Known() : KnownOf(*meta);
  if (known.is_memory) return PutMemory(meta->name == kRelease, begin_ns);
  return PutSlice(meta, known, begin_ns, dur_ns);
}

EventRows::Known EventRows::KnownOf(const EventMeta& meta) {
  std::vector<Known>& all = known_[static_cast<size_t>(line_->kind)];
  if (all.empty()) all.resize(plane_->event_metas.size());
  Known& known = all[static_cast<size_t>(&meta - plane_->event_metas.data())];
  if (!known.is_known) known = Know(meta);
  return known;
}

// Operations of a device are named by all of their text where they have no shorter name.
std::string_view EventRows::NameOn(const EventMeta& meta) const {
  const std::string_view name = meta.display_name.empty() ? meta.name : meta.display_name;
  return line_->kind == SpaceLineKind::kHost ? name : NameOfOperation(name);
}

std::string_view EventRows::DeviceCategory(std::string_view name) const {
  if (line_->kind == SpaceLineKind::kDerived) return "xla_line";
  if (line_->kind == SpaceLineKind::kStream) return XlaStreamCategory(name);
  if (IsControlFlow(name)) return "xla_line";
  return IsFeed(name) ? "gpu_memcpy" : "kernel";
}

EventRows::Known EventRows::Know(const EventMeta& meta) {
  Known known;
  known.is_known = true;
  const std::string_view name = NameOn(meta);
  if (line_->kind == SpaceLineKind::kHost) {
    marks_.EventName(name);
    known.is_memory = meta.name == kAllocation || meta.name == kRelease;
    known.name = name.starts_with('$') ? Intern(XlaPythonName(name)) : Intern(name);
    return known;
  }
  known.name = Intern(name);
  if (line_->kind != SpaceLineKind::kUnknown) known.category = Intern(DeviceCategory(name));
  return known;
}

void EventRows::TakeStats() {
  details_ = "{";
  told_ = {};
  stat_ids_.clear();
  for (const std::string_view message : stats_) {
    const Stat stat = ReadStat(message);
    stat_ids_.push_back(stat.metadata_id);
    const StatMeta* meta = plane_->StatOf(stat.metadata_id);
    if (meta == nullptr) {
      ++lost_[LossCause::kInternedTextMissing];
    } else {
      TakeStat(stat, *meta);
    }
  }
}

// What all events of a metadata have, but for what this one tells by itself.
void EventRows::TakeSharedStats(const EventMeta& meta) {
  if (!meta.display_name.empty() && meta.name != meta.display_name) {
    Stat whole;
    whole.kind = Stat::Kind::kText;
    AppendMember("long_name", whole, meta.name, &details_);
  }
  if (meta.stats.empty()) return;
  std::sort(stat_ids_.begin(), stat_ids_.end());
  Reader reader = ReaderOf(meta.stats);
  while (reader.next()) {
    const Stat stat = ReadStat(ViewOf(reader));
    const StatMeta* name = plane_->StatOf(stat.metadata_id);
    const bool is_own = std::binary_search(stat_ids_.begin(), stat_ids_.end(), stat.metadata_id);
    if (name != nullptr && !is_own) TakeStat(stat, *name);
  }
}

void EventRows::TakeStat(const Stat& stat, const StatMeta& meta) {
  const std::string_view text = plane_->TextOf(stat);
  const auto number = [&](int64_t Told::*figure) {
    told_.*figure = stat.Integer().value_or(kNull);
  };
  switch (meta.kind) {
    case StatKind::kLeftOut:
      return;
    case StatKind::kCorrelation:
      if (const auto id = stat.Integer(); id && *id != 0) told_.correlation = *id;
      return;
    case StatKind::kAddress:
      // Upper half of the space, too: as the same bits.
      told_.address = stat.kind == Stat::Kind::kUnsigned ? static_cast<int64_t>(stat.unsigned_value)
                                                         : stat.integer;
      return;
    case StatKind::kAllocator:
      told_.allocator = text;
      return;
    case StatKind::kAllocationBytes:
      return number(&Told::allocation_bytes);
    case StatKind::kRequestedBytes:
      return number(&Told::requested_bytes);
    case StatKind::kAllocatedBytes:
      return number(&Told::allocated_bytes);
    case StatKind::kReservedBytes:
      return number(&Told::reserved_bytes);
    case StatKind::kAvailableBytes:
      return number(&Told::available_bytes);
    case StatKind::kSource:
      told_.has_source = true;
      break;
    case StatKind::kOperation:
      told_.has_operation = true;
      break;
    case StatKind::kStep:
      number(&Told::step);
      break;
    case StatKind::kCopy:
      if (const int64_t bytes = XlaBytesIn(text); bytes >= 0) told_.bytes = bytes;
      break;
    case StatKind::kLaunch:
      if (details_.size() < kMostDetails) {
        AppendLaunch(text, &details_);
      } else {
        ++lost_[LossCause::kTextLimit];
      }
      return;
    case StatKind::kOther:
      // The first is the event's own, and the value of a counter.
      if (told_.figure) break;
      if (stat.kind == Stat::Kind::kDouble) told_.figure = stat.real;
      if (const auto whole = stat.Integer()) told_.figure = static_cast<double>(*whole);
      break;
  }
  if (details_.size() + text.size() < kMostDetails) {
    AppendMember(meta.name, stat, text, &details_);
  } else {
    ++lost_[LossCause::kTextLimit];
  }
}

store::StringId EventRows::Details() {
  if (details_.size() == 1) return {};
  details_.back() = '}';  // behind the last member is a comma
  return Intern(details_);
}

store::StringId EventRows::Intern(std::string_view text) {
  TextFacts facts;
  const store::StringId id = part_.Intern(text, &facts);
  if (facts.added && !facts.is_utf8) ++lost_[LossCause::kInvalidUtf8];
  return id;
}

Status EventRows::PutSlice(const EventMeta* meta, const Known& known, int64_t begin_ns,
                           int64_t dur_ns) {
  Slice slice;
  slice.ts_ns = begin_ns;
  slice.dur_ns = dur_ns;
  slice.track = track_;
  slice.correlation = told_.correlation;
  slice.bytes = told_.bytes;
  slice.name = known.name;
  slice.category = known.category;
  if (meta == nullptr) {
    slice.name = Intern(kNoName);
    slice.category = Intern("kernel");
  } else if (line_->kind == SpaceLineKind::kUnknown) {
    slice.category = unknown_category_;
  } else if (line_->kind == SpaceLineKind::kHost) {
    slice.step = told_.step;
    slice.category = Intern(XlaHostCategory({.name = NameOn(*meta),
                                             .has_step = told_.step != kNull,
                                             .has_operation = told_.has_operation,
                                             .has_correlation = told_.correlation != kNull,
                                             .has_source = told_.has_source}));
  }
  slice.details = Details();
  ++events_;
  return part_.Append(slice);
}

Status EventRows::PutMemory(bool is_release, int64_t at_ns) {
  const int64_t bytes =
      told_.allocation_bytes == kNull ? told_.requested_bytes : told_.allocation_bytes;
  if (bytes < 0 || bytes > kMostBytes) {  // also where nothing tells
    ++lost_[LossCause::kBadMemoryEvent];
    return {};
  }
  store::MemoryRow row;
  row.ts_ns = at_ns;
  row.device = DeviceOfAllocator(told_.allocator).value_or(-1);
  row.track = track_;
  row.address = told_.address;
  row.bytes = is_release ? -bytes : bytes;
  const auto is_size = [](int64_t size) { return size >= 0 && size <= kMostBytes; };
  if (is_size(told_.allocated_bytes)) {
    row.total_allocated_bytes = told_.allocated_bytes;
    // The allocator took from the device what it gave away, and what it still can.
    if (is_size(told_.available_bytes)) {
      const int64_t stack = is_size(told_.reserved_bytes) ? told_.reserved_bytes : 0;
      row.total_reserved_bytes = told_.allocated_bytes + told_.available_bytes + stack;
    }
  }
  ++events_;
  return part_.Append(row);
}

Status EventRows::PutCounter(const EventMeta* meta, int64_t at_ns) {
  if (meta == nullptr || !told_.figure) {
    ++lost_[LossCause::kBadCounter];
    return {};
  }
  store::CounterRow row;
  row.ts_ns = at_ns;
  row.track = tracks_.Counter(*plane_, NameOn(*meta));
  row.value = *told_.figure;
  if (row.track < 0) return {};
  ++events_;
  return part_.Append(row);
}

}  // namespace steptrace::import::xplane
