// SPDX-License-Identifier: Apache-2.0
#include "timeline/index_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "timeline/label_name.h"

namespace steptrace::timeline {
namespace {

// The width that holds a number, as a power of two of bytes.
unsigned WidthLog(uint64_t most) {
  return most <= UINT16_MAX ? 1 : most <= UINT32_MAX ? 2 : 3;
}

template <class T, class F>
void StoreAs(const std::vector<LaneSlice>& slices, char* at, F number) {
  for (const LaneSlice& slice : slices) {
    const T value = static_cast<T>(number(slice));
    std::memcpy(at, &value, sizeof(value));
    at += sizeof(value);
  }
}

// Stores a number of each slice in that width; gives the place behind them and their padding.
template <class F>
char* StoreNumbers(const std::vector<LaneSlice>& slices, unsigned log, char* at, F number) {
  if (log == 1) StoreAs<uint16_t>(slices, at, number);
  if (log == 2) StoreAs<uint32_t>(slices, at, number);
  if (log == 3) StoreAs<uint64_t>(slices, at, number);
  return at + Padded(slices.size() << log);
}

}  // namespace

void RunningHash::Add(const void* bytes, size_t size) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  uint64_t hash = state_;
  for (; size >= 8; at += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    hash = std::rotl((hash ^ word) * kFnvPrime, 23);
  }
  for (; size > 0; ++at, --size) hash = (hash ^ *at) * kFnvPrime;
  state_ = hash;
}

uint32_t LabelTable::Intern(std::string_view name, std::string_view category) {
  // A cut name ends with a number of the whole one: those that begin alike are labels of their own.
  std::string key = LabelName(name);
  const size_t name_bytes = key.size();
  key += '\0';
  key += LabelName(category);
  const auto [found, added] = numbers_.try_emplace(std::move(key), labels_.size());
  if (added) {
    const std::string& text = found->first;
    std::string_view search = name.size() > kMaxNameBytes ? name : std::string_view();
    search = search.substr(0, kMaxSearchBytes);
    if (search.size() > kMaxAllSearchBytes - search_bytes_) search = {};
    search_bytes_ += search.size();
    labels_.push_back({text_.size(), static_cast<uint32_t>(name_bytes),
                       static_cast<uint32_t>(text.size() - name_bytes - 1),
                       static_cast<uint32_t>(search.size()), 0});
    text_.append(text, 0, name_bytes).append(text, name_bytes + 1).append(search);
  }
  return found->second;
}

IndexWriter::IndexWriter(int fd, const std::string& name, uint64_t fingerprint, uint64_t base)
    : out_(fd, name, base), base_(base), fingerprint_(fingerprint) {
  // The header comes last: a file cut off before it is no index.
  const IndexFileHeader empty{};
  out_.Append(&empty, sizeof(empty));
}

IndexWriter::Track::Track(IndexWriter& writer, int32_t number) : writer_(&writer) {
  track_.track = number;
  track_.first_ns = std::numeric_limits<int64_t>::max();
  track_.last_ns = std::numeric_limits<int64_t>::min();
}

IndexWriter::Track::Track(IndexWriter& writer, const Track& begun) : Track(begun) {
  writer_ = &writer;
}

Result<uint64_t> IndexWriter::Flush() {
  out_.Flush();
  if (!out_.status().ok()) return out_.status().error();
  return out_.at();
}

void IndexWriter::Track::Add(const LaneSlice& slice) {
  const auto number = static_cast<size_t>(assigner_.Assign(slice));
  if (number == lanes_.size()) lanes_.emplace_back();
  writer_->Add(lanes_[number], slice);
  track_.first_ns = std::min(track_.first_ns, slice.ts_ns);
  track_.last_ns = std::max(track_.last_ns, slice.end_ns());
  ++track_.slices;
}

void IndexWriter::Add(LaneOut& lane, const LaneSlice& slice) {
  if (lane.slices.empty()) {
    lane.first_ts_ns.push_back(slice.ts_ns);
    lane.covered_ns.push_back(lane.covered);
    lane.longest_ns.push_back(slice.dur_ns);
    lane.longest_at.push_back(0);
  } else if (slice.dur_ns > lane.longest_ns.back()) {
    lane.longest_ns.back() = slice.dur_ns;
    lane.longest_at.back() = static_cast<uint8_t>(lane.slices.size());
  }
  lane.covered += static_cast<uint64_t>(slice.dur_ns);
  lane.slices.push_back(slice);
  ++lane.size;
  if (lane.slices.size() < kFanout) return;
  EncodeBlock(lane);
  if (lane.places.size() - lane.written == kBlocksTogether) FlushBlocks(lane);
}

void IndexWriter::Track::AddValue(int64_t ts_ns, double value) {
  if (values_.size % kFanout == 0) {
    values_.first_ts_ns.push_back(ts_ns);
    values_.least.push_back(value);
    values_.most.push_back(value);
    values_.sum.push_back(0);
  }
  values_.least.back() = std::min(values_.least.back(), value);
  values_.most.back() = std::max(values_.most.back(), value);
  values_.sum.back() += value;
  values_.ts_ns.push_back(ts_ns);
  values_.value.push_back(value);
  ++values_.size;
  if (values_.ts_ns.size() == kPageValues) writer_->FlushPage(values_);
  track_.first_ns = std::min(track_.first_ns, ts_ns);
  track_.last_ns = std::max(track_.last_ns, ts_ns);
  ++track_.values;
}

void IndexWriter::End(Track& track) {
  track.track_.first_lane = file_lanes_.size();
  for (LaneOut& lane : track.lanes_) {
    EncodeBlock(lane);
    FlushBlocks(lane);
    file_lanes_.push_back({lane.size, out_.at()});
    WriteLaneIndex(lane);
    lane = {};
  }
  track.track_.lanes = static_cast<uint32_t>(track.lanes_.size());
  if (track.values_.size > 0) {
    FlushPage(track.values_);
    file_lanes_.push_back({track.values_.size, out_.at()});
    WriteValuesIndex(track.values_);
  }
  tracks_.push_back(track.track_);
}

void IndexWriter::EncodeBlock(LaneOut& lane) {
  const size_t n = lane.slices.size();
  if (n == 0) return;
  const auto first_ns = static_cast<uint64_t>(lane.slices.front().ts_ns);
  uint64_t most_dur = 0;
  uint32_t most_label = 0;
  for (const LaneSlice& slice : lane.slices) {
    most_dur = std::max(most_dur, static_cast<uint64_t>(slice.dur_ns));
    most_label = std::max(most_label, slice.label);
  }
  PackedPlace place;
  place.at = lane.encoded.size();
  place.begin_log = WidthLog(static_cast<uint64_t>(lane.slices.back().ts_ns) - first_ns);
  place.dur_log = WidthLog(most_dur);
  place.label_log = WidthLog(most_label);
  lane.encoded.resize(lane.encoded.size() + BlockBytes(place, n));  // the padding is zeros
  char* at = lane.encoded.data() + place.at;
  std::memcpy(at, &first_ns, sizeof(first_ns));
  at += sizeof(first_ns);
  at = StoreNumbers(lane.slices, place.begin_log, at, [first_ns](const LaneSlice& slice) {
    return static_cast<uint64_t>(slice.ts_ns) - first_ns;
  });
  at = StoreNumbers(lane.slices, place.dur_log, at,
                    [](const LaneSlice& slice) { return static_cast<uint64_t>(slice.dur_ns); });
  StoreNumbers(lane.slices, place.label_log, at,
               [](const LaneSlice& slice) { return uint64_t{slice.label}; });
  lane.places.push_back(place.Packed());
  lane.slices.clear();
}

void IndexWriter::FlushBlocks(LaneOut& lane) {
  const uint64_t at = out_.at();
  out_.Append(lane.encoded.data(), lane.encoded.size());
  for (; lane.written < lane.places.size(); ++lane.written) lane.places[lane.written] += at;
  lane.encoded.clear();
}

void IndexWriter::FlushPage(ValuesOut& values) {
  if (values.ts_ns.empty()) return;
  values.pages.push_back(out_.at());
  out_.AppendAll(values.ts_ns);
  out_.AppendAll(values.value);
  values.ts_ns.clear();
  values.value.clear();
}

void IndexWriter::WriteLaneIndex(LaneOut& lane) {
  out_.AppendAll(lane.places);
  uint64_t parts = lane.size;
  for (bool first = true; parts > kFanout; first = false) {
    if (!first) {  // level k from level k - 1, in place
      for (uint64_t block = 0; block < BlocksOf(parts); ++block) {
        const auto begin = lane.longest_ns.begin() + static_cast<int64_t>(block * kFanout);
        const auto end =
            lane.longest_ns.begin() + static_cast<int64_t>(std::min(parts, (block + 1) * kFanout));
        const auto longest = std::max_element(begin, end);  // of equals the first
        const auto at = static_cast<uint8_t>(longest - begin);
        const int64_t longest_ns = *longest;
        lane.first_ts_ns[block] = lane.first_ts_ns[block * kFanout];
        lane.longest_ns[block] = longest_ns;
        lane.longest_at[block] = at;
      }
    }
    parts = BlocksOf(parts);
    lane.first_ts_ns.resize(parts);
    lane.longest_ns.resize(parts);
    lane.longest_at.resize(parts);
    out_.AppendAll(lane.first_ts_ns);
    out_.AppendAll(lane.longest_ns);
    if (first) out_.AppendAll(lane.covered_ns);
    out_.AppendAll(lane.longest_at);
    out_.Pad();
  }
}

void IndexWriter::WriteValuesIndex(ValuesOut& values) {
  out_.AppendAll(values.pages);
  if (values.size <= kFanout) return;
  out_.AppendAll(values.first_ts_ns);
  out_.AppendAll(values.least);
  out_.AppendAll(values.most);
  out_.AppendAll(values.sum);
}

Status IndexWriter::Finish(const LabelTable& labels) {
  out_.Pad();
  IndexFileHeader header{};
  header.directory_at = out_.at();
  RunningHash hash;
  const auto add = [this, &hash](const void* data, size_t size) {
    hash.Add(data, size);
    out_.Append(data, size);
  };
  const FileDirectory counts = {tracks_.size(), file_lanes_.size(), labels.labels().size(),
                                labels.text().size()};
  add(&counts, sizeof(counts));
  add(tracks_.data(), tracks_.size() * sizeof(FileTrack));
  add(file_lanes_.data(), file_lanes_.size() * sizeof(FileLane));
  add(labels.labels().data(), labels.labels().size() * sizeof(FileLabel));
  add(labels.text().data(), labels.text().size());
  header.directory_bytes = out_.at() - header.directory_at;
  header.directory_hash = hash.value();
  out_.Pad();
  out_.Flush();
  header.magic = kMagic;
  header.version = kFormatVersion;
  header.order = kByteOrder;
  header.fingerprint = fingerprint_;
  header.file_bytes = out_.at();
  header.header_hash = HashBytes(&header, offsetof(IndexFileHeader, header_hash));
  out_.Overwrite(base_, &header, sizeof(header));
  return out_.status();
}

}  // namespace steptrace::timeline
