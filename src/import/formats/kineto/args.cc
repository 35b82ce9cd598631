// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/args.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/fnv.h"
#include "base/text_hash.h"

namespace steptrace::import::kineto {
namespace {

constexpr size_t kFirstPlaces = 1 << 10;
// Details that do not repeat (call stacks, addresses) would fill memory: then all is forgotten.
constexpr size_t kMostPlaces = 1 << 17;
constexpr size_t kMostTextBytes = 16 << 20;

// Of a transfer between two ranks: the numbers of each rank's transfers are its own.
bool IsOfTwoRanks(std::string_view key, std::string_view text) {
  if (key == "Src Rank" || key == "Dst Rank") return !text.empty() && text != "-1";
  if (key != "Collective name") return false;
  return text.find("send") != text.npos || text.find("recv") != text.npos;
}

// A number for a process group: its name where that is one and all that is told, else 53 bits of
// the name and its ranks, exact also as a double: the same in every rank. Groups of different ranks
// may share a name ("dp" on every node).
std::optional<int64_t> GroupOf(std::span<const Arg* const> details) {
  std::string_view name, id, ranks;  // texts, numbers, lists: as the source writes them
  for (const Arg* arg : details) {
    const std::string_view text = arg->value.text;
    if (arg->key == "Process Group Name") name = text;
    if (arg->key == "Process Group ID") id = text;
    if (arg->key == "Process Group Ranks") ranks = text;
    if (IsOfTwoRanks(arg->key, text)) return std::nullopt;
  }
  if (name.empty()) name = id;
  if (name.empty()) return std::nullopt;
  if (ranks.empty()) {
    int64_t number = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data(), end, number);
    if (error == std::errc() && stop == end && number >= 0) return number;
  }
  uint64_t hash = Fnv1a(name);  // as the agent's of a name alone
  if (!ranks.empty()) hash = Fnv1a(ranks, Fnv1a("|", hash));
  return static_cast<int64_t>(hash >> 11);
}

}  // namespace

ArgFate FateOf(std::string_view key) {
  switch (key.size()) {
    case 3:
      return key == "Seq" ? ArgFate::kSequence : ArgFate::kDetail;
    case 4:
      return key == "size" ? ArgFate::kBytesOnDevice : ArgFate::kDetail;  // of MTIA's copies
    case 5:
      return key == "bytes" ? ArgFate::kBytes : ArgFate::kDetail;
    case 6:
      // The device and the stream of device work are its track.
      if (key == "device" || key == "stream") return ArgFate::kDropOnDevice;
      if (key == "Ev Idx") return ArgFate::kDrop;
      if (key == "queued") return ArgFate::kDropIfZero;
      return key == "Device" ? ArgFate::kDropOnHost : ArgFate::kDetail;  // in 2021 the pid
    case 9:
      return key == "Python id" ? ArgFate::kDrop : ArgFate::kDetail;
    case 10:
      return key == "Trace name" ? ArgFate::kDrop : ArgFate::kDetail;
    case 11:
      if (key == "correlation") return ArgFate::kCorrelation;
      // In 2021 the begin of the operator that the external id names.
      if (key == "external ts") return ArgFate::kDrop;
      return key == "External id" || key == "external id" ? ArgFate::kExternalId : ArgFate::kDetail;
    case 14:
      return key == "correlation_id" ? ArgFate::kCorrelation : ArgFate::kDetail;
    case 15:
      if (key == "Sequence number") return ArgFate::kAutogradSequence;
      return key == "Trace iteration" ? ArgFate::kDrop : ArgFate::kDetail;
    case 16:
      return key == "Python parent id" ? ArgFate::kDrop : ArgFate::kDetail;
    case 18:
      return key == "Record function id" ? ArgFate::kDrop : ArgFate::kDetail;
    case 23:
      return key == "memory bandwidth (GB/s)" ? ArgFate::kDrop
                                              : ArgFate::kDetail;  // bytes / duration
    default:
      return ArgFate::kDetail;
  }
}

ArgsSorter::ArgsSorter() : made_(kFirstPlaces), seed_(HashSeed()) {}

json::Replaced ArgsSorter::AppendDetail(const Arg& arg) {
  object_.push_back(object_.empty() ? '{' : ',');
  json::Value key{json::Value::Kind::kString, true, arg.key};
  if (arg.key.find('\\') == std::string_view::npos) key.escaped = false;
  const json::Replaced replaced = json::AppendCompact(key, &object_);
  object_.push_back(':');
  const json::Replaced of_value = json::AppendCompact(arg.value, &object_);
  return {replaced.values + of_value.values, replaced.characters + of_value.characters};
}

void ArgsSorter::Gather(std::span<const Arg> args, bool on_device, Slice* slice) {
  details_.clear();
  adjacent_ = true;
  of_autograd_ = false;
  const Arg* autograd = nullptr;
  auto keep = [&](const Arg& arg) {
    adjacent_ = adjacent_ && (details_.empty() || details_.back() + 1 == &arg);
    details_.push_back(&arg);
  };
  for (const Arg& arg : args) {
    int64_t* column = nullptr;
    switch (arg.fate) {
      case ArgFate::kDetail:
        keep(arg);
        continue;
      case ArgFate::kDrop:
        continue;
      case ArgFate::kDropIfZero:
        if (arg.value.text != "0") keep(arg);
        continue;
      case ArgFate::kDropOnDevice:
        if (!on_device) keep(arg);
        continue;
      case ArgFate::kDropOnHost:
        if (on_device) keep(arg);
        continue;
      case ArgFate::kCorrelation:
        column = &slice->correlation;
        break;
      case ArgFate::kExternalId:
        column = &slice->external_id;
        break;
      case ArgFate::kBytesOnDevice:
        if (!on_device) {
          keep(arg);
          continue;
        }
        [[fallthrough]];
      case ArgFate::kBytes:
        column = &slice->bytes;
        break;
      case ArgFate::kSequence:
        column = &slice->sequence;
        break;
      case ArgFate::kAutogradSequence:
        autograd = &arg;
        continue;
    }
    if (!json::ReadIntegerInWindow(arg.value, column)) keep(arg);
  }
  // Of a collective's own number and autograd's the column holds the first.
  bool taken = slice->sequence != kNull;
  if (autograd && (taken || !json::ReadIntegerInWindow(autograd->value, &slice->sequence))) {
    adjacent_ = false;
    details_.push_back(autograd);
  }
  of_autograd_ = !taken && slice->sequence != kNull;
}

// The details as the source writes them: in place, where nothing else stands between them.
std::string_view ArgsSorter::TextOfDetails() {
  if (adjacent_) {
    const char* begin = details_.front()->begin();
    return {begin, static_cast<size_t>(details_.back()->end() - begin)};
  }
  text_.clear();
  for (size_t i = 0; i < details_.size();) {
    const char* begin = details_[i]->begin();
    while (i + 1 < details_.size() && details_[i + 1] == details_[i] + 1) ++i;
    text_.append(begin, details_[i++]->end());
  }
  return text_;
}

ArgsSorter::Made ArgsSorter::Make(PartSink& sink) {
  object_.clear();
  Made made;
  json::Replaced replaced;
  for (const Arg* arg : details_) {
    const json::Replaced of_one = AppendDetail(*arg);
    replaced.values += of_one.values;
    replaced.characters += of_one.characters;
  }
  object_.push_back('}');
  TextFacts facts;
  made.id = sink.Intern(object_, &facts);
  made.group = GroupOf(details_);
  made.not_a_number = replaced.values;
  made.is_utf8 = replaced.characters == 0 && facts.is_utf8;
  return made;
}

// Where a text is, or may be put.
ArgsSorter::Made& ArgsSorter::Place(uint64_t hash, std::string_view text) {
  for (size_t at = hash >> 1;; ++at) {
    Made& made = made_[at & (made_.size() - 1)];
    if (made.hash == 0) return made;
    if (made.hash == hash && std::string_view(texts_).substr(made.at, made.size) == text) {
      return made;
    }
  }
}

void ArgsSorter::Grow() {
  bool forget = made_.size() >= kMostPlaces || texts_.size() > kMostTextBytes;
  std::vector<Made> before =
      std::exchange(made_, std::vector<Made>(forget ? kFirstPlaces : made_.size() * 2));
  made_count_ = forget ? 0 : made_count_;
  if (forget) {
    texts_.clear();
    return;
  }
  for (const Made& made : before) {
    if (made.hash == 0) continue;
    size_t at = made.hash >> 1;
    while (made_[at & (made_.size() - 1)].hash != 0) ++at;
    made_[at & (made_.size() - 1)] = made;
  }
}

// The object of this event's details, of which there are some.
ArgsSorter::Made ArgsSorter::OfDetails(const RawEvent& event, PartSink& sink) {
  // With a key twice, a key and its value do not stand together.
  if (event.duplicate_keys > 0) return Make(sink);
  std::string_view text = TextOfDetails();
  uint64_t hash = HashText(text, seed_) | 1;
  Made* made = &Place(hash, text);
  if (made->hash == 0) {
    if (made_count_ * 2 >= made_.size() || texts_.size() > kMostTextBytes) {
      Grow();
      made = &Place(hash, text);
    }
    *made = Make(sink);
    made->hash = hash;
    made->at = texts_.size();
    made->size = text.size();
    texts_.append(text);
    ++made_count_;
  }
  return *made;
}

void ArgsSorter::Keep(const Made& made, Slice* slice) {
  slice->details = made.id;
  // With a number of autograd's, a group would make it one of a collective.
  if (made.group && !of_autograd_) slice->group = *made.group;
  not_a_number_ += made.not_a_number;
}

bool ArgsSorter::Sort(const RawEvent& event, bool on_device, PartSink& sink, Slice* slice) {
  Gather(event.args.all(), on_device, slice);
  if (event.run_count == 0) {
    if (details_.empty()) return true;
    const Made made = OfDetails(event, sink);
    Keep(made, slice);
    return made.is_utf8;
  }
  ArgRun& run = *event.runs[event.run_count - 1].run;
  const ArgRun* before = event.run_count > 1 ? event.runs[0].run : nullptr;
  uint32_t before_version = before == nullptr ? 0 : before->version;
  bool runs_alone = details_.empty();
  if (runs_alone && run.made.by == this && run.made.before == before &&
      run.made.before_version == before_version && run.made.on_device == on_device) {
    Made made;
    made.id = run.made.details;
    made.not_a_number = run.made.not_a_number;
    made.group = run.made.group;
    Keep(made, slice);
    return run.made.is_utf8;
  }
  event.AllArgs(&all_);
  slice->sequence = kNull;  // of two numbers the first one read counts, and both are read again
  Gather(all_, on_device, slice);
  Made made;
  if (!details_.empty()) made = OfDetails(event, sink);
  Keep(made, slice);
  if (runs_alone) {
    run.made = {this,         before,    before_version, on_device, made.id, made.not_a_number,
                made.is_utf8, made.group};
  }
  return made.is_utf8;
}

}  // namespace steptrace::import::kineto
