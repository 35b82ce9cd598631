// SPDX-License-Identifier: Apache-2.0
#include "timeline/index.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "timeline/label_name.h"

namespace steptrace::timeline {
namespace {

// Whether [at, at + size) lies in the file and begins at a multiple of 8.
bool Fits(uint64_t at, uint64_t size, uint64_t file_bytes) {
  return at % 8 == 0 && at <= file_bytes && size <= file_bytes - at;
}

// `count` things of T at `at` within `bytes`; moves `at` behind them. False: they do not fit.
template <class T>
bool Take(const std::byte* file, uint64_t bytes, uint64_t count, uint64_t& at,
          std::span<const T>& out) {
  if (count > (bytes - at) / sizeof(T)) return false;
  out = {reinterpret_cast<const T*>(file + at), count};
  at += count * sizeof(T);
  return true;
}

}  // namespace

Result<Index> Index::FromFd(UniqueFd fd, const std::string& name, uint64_t fingerprint) {
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return Error{name + ": " + std::strerror(errno)};
  Index index;
  index.bytes_ = static_cast<uint64_t>(std::max<off_t>(0, facts.st_size));
  if (index.bytes_ < sizeof(IndexFileHeader)) return Error{name + ": cut off", "it is made again"};
  void* mapped = ::mmap(nullptr, index.bytes_, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (mapped == MAP_FAILED) return Error{name + ": " + std::strerror(errno)};
  index.file_ = static_cast<const std::byte*>(mapped);
  STEPTRACE_RETURN_IF_ERROR(index.Check(name, fingerprint));
  // Views jump: what lies next to a page is seldom wanted.
  ::madvise(mapped, index.bytes_, MADV_RANDOM);
  index.pages_ = std::make_unique<MappedPages>(index.file_, index.bytes_);
  return index;
}

uint64_t Index::PlaceBehind(uint64_t bytes) {
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

Result<Index> Index::FromParts(int blocks, uint64_t blocks_bytes, UniqueFd rest,
                               const std::string& name, uint64_t fingerprint) {
  struct stat facts {};
  struct stat of_blocks {};
  if (::fstat(rest.get(), &facts) != 0 || ::fstat(blocks, &of_blocks) != 0) {
    return Error{name + ": " + std::strerror(errno)};
  }
  Index index;
  index.header_at_ = PlaceBehind(blocks_bytes);
  const auto rest_bytes = static_cast<uint64_t>(std::max<off_t>(0, facts.st_size));
  if (rest_bytes < sizeof(IndexFileHeader) ||
      static_cast<uint64_t>(of_blocks.st_size) < blocks_bytes) {
    return Error{name + ": cut off", "it is made again"};
  }
  index.bytes_ = index.header_at_ + rest_bytes;
  // Room for both first: each takes its part of it.
  void* room =
      ::mmap(nullptr, index.bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return Error{name + ": " + std::strerror(errno)};
  index.file_ = static_cast<const std::byte*>(room);
  char* begin = static_cast<char*>(room);
  constexpr int kFlags = MAP_SHARED | MAP_FIXED;
  if ((index.header_at_ > 0 &&
       ::mmap(begin, index.header_at_, PROT_READ, kFlags, blocks, 0) == MAP_FAILED) ||
      ::mmap(begin + index.header_at_, rest_bytes, PROT_READ, kFlags, rest.get(), 0) ==
          MAP_FAILED) {
    return Error{name + ": " + std::strerror(errno)};
  }
  STEPTRACE_RETURN_IF_ERROR(index.Check(name, fingerprint));
  ::madvise(room, index.bytes_, MADV_RANDOM);
  index.pages_ = std::make_unique<MappedPages>(index.file_, index.bytes_);
  return index;
}

Index& Index::operator=(Index&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(bytes_, other.bytes_);
  std::swap(header_at_, other.header_at_);
  std::swap(tracks_, other.tracks_);
  std::swap(lanes_, other.lanes_);
  std::swap(labels_, other.labels_);
  std::swap(text_, other.text_);
  std::swap(first_ids_, other.first_ids_);
  std::swap(pages_, other.pages_);
  return *this;
}

Index::~Index() {
  pages_.reset();  // before what it counts
  if (file_ != nullptr) ::munmap(const_cast<std::byte*>(file_), bytes_);
}

void Index::DropPages() const {
  pages_->Drop();
}

Status Index::Check(const std::string& name, uint64_t fingerprint) {
  IndexFileHeader header;
  std::memcpy(&header, file_ + header_at_, sizeof(header));
  if (header.magic != kMagic || header.order != kByteOrder || header.version != kFormatVersion) {
    return Error{name + ": of another format", "it is made again"};
  }
  if (header.header_hash != HashBytes(&header, offsetof(IndexFileHeader, header_hash)) ||
      header.file_bytes != bytes_ || !CheckDirectory(header) || !CheckLanes()) {
    return Error{name + ": damaged", "it is made again"};
  }
  if (header.fingerprint != fingerprint) return Error{name + ": stale", "it is made again"};
  return {};
}

bool Index::CheckDirectory(const IndexFileHeader& header) {
  if (!Fits(header.directory_at, header.directory_bytes, bytes_) ||
      header.directory_bytes < sizeof(FileDirectory)) {
    return false;
  }
  const std::byte* directory = file_ + header.directory_at;
  if (HashBytes(directory, header.directory_bytes) != header.directory_hash) return false;
  FileDirectory counts;
  std::memcpy(&counts, directory, sizeof(counts));
  uint64_t at = sizeof(counts);
  std::span<const char> text;
  if (!Take(directory, header.directory_bytes, counts.tracks, at, tracks_) ||
      !Take(directory, header.directory_bytes, counts.lanes, at, lanes_) ||
      !Take(directory, header.directory_bytes, counts.labels, at, labels_) ||
      !Take(directory, header.directory_bytes, counts.text_bytes, at, text)) {
    return false;
  }
  text_ = {text.data(), text.size()};
  return std::all_of(labels_.begin(), labels_.end(), [this](const FileLabel& label) {
    return label.name_at <= text_.size() &&
           uint64_t{label.name_bytes} + label.category_bytes + label.search_bytes <=
               text_.size() - label.name_at;
  });
}

bool Index::CheckLanes() {
  first_ids_.assign(lanes_.size(), 0);
  uint64_t next_lane = 0;
  SliceId next_id = 0;
  for (const FileTrack& track : tracks_) {
    const bool counter = track.lanes == 0 && track.values > 0;
    const uint64_t lanes = counter ? 1 : track.lanes;
    if (track.first_lane != next_lane || lanes > lanes_.size() - next_lane) return false;
    uint64_t total = 0;
    for (; lanes > 0 && next_lane < track.first_lane + lanes; ++next_lane) {
      const FileLane& lane = lanes_[next_lane];
      // So many could not be in the file: sums of sizes cannot overflow.
      if (lane.size == 0 || lane.size > bytes_ / kLeastSliceBytes) return false;
      if (!(counter ? CheckValues(lane) : CheckBlocks(lane))) return false;
      first_ids_[next_lane] = next_id;
      if (!counter) next_id += lane.size;
      total += lane.size;
    }
    if (total != (counter ? track.values : track.slices)) return false;
  }
  return next_lane == lanes_.size() &&
         std::is_sorted(tracks_.begin(), tracks_.end(),
                        [](const FileTrack& a, const FileTrack& b) { return a.track < b.track; });
}

bool Index::CheckBlocks(const FileLane& lane) const {
  if (!Fits(lane.index_at, LaneIndexBytes(lane.size), bytes_)) return false;
  const auto* places = reinterpret_cast<const uint64_t*>(file_ + lane.index_at);
  for (uint64_t begin = 0; begin < lane.size; begin += kFanout) {
    const PackedPlace place = PackedPlace::Of(places[begin / kFanout]);
    const uint64_t n = std::min(kFanout, lane.size - begin);
    if (!IsUsable(place) || !Fits(place.at, BlockBytes(place, n), bytes_)) return false;
  }
  return true;
}

bool Index::CheckValues(const FileLane& lane) const {
  if (!Fits(lane.index_at, ValuesIndexBytes(lane.size), bytes_)) return false;
  const auto* pages = reinterpret_cast<const uint64_t*>(file_ + lane.index_at);
  for (uint64_t begin = 0; begin < lane.size; begin += kPageValues) {
    const uint64_t n = std::min(kPageValues, lane.size - begin);
    if (!Fits(pages[begin / kPageValues], n * 16, bytes_)) return false;
  }
  return true;
}

std::optional<uint32_t> Index::FindTrack(int32_t track) const {
  const auto found =
      std::lower_bound(tracks_.begin(), tracks_.end(), track,
                       [](const FileTrack& a, int32_t number) { return a.track < number; });
  if (found == tracks_.end() || found->track != track) return std::nullopt;
  return static_cast<uint32_t>(found - tracks_.begin());
}

Lane Index::LaneAt(uint32_t track, uint32_t lane) const {
  const FileLane& found = lanes_[tracks_[track].first_lane + lane];
  return Lane(file_, found.size, found.index_at, pages_.get());
}

Values Index::ValuesAt(uint32_t track) const {
  const FileLane& found = lanes_[tracks_[track].first_lane];
  return Values(file_, found.size, found.index_at, pages_.get());
}

std::optional<SlicePlace> Index::Find(SliceId slice) const {
  // The last lane whose first slice is not behind; counters have none, and the id of the next.
  const auto after = std::upper_bound(first_ids_.begin(), first_ids_.end(), slice);
  if (after == first_ids_.begin()) return std::nullopt;
  auto lane = static_cast<uint64_t>(after - first_ids_.begin()) - 1;
  const auto holds = [lane](const FileTrack& track) { return track.first_lane <= lane; };
  const auto track = std::partition_point(tracks_.begin(), tracks_.end(), holds) - 1;
  const uint64_t at = slice - first_ids_[lane];
  if (track->lanes == 0 || lane - track->first_lane >= track->lanes || at >= lanes_[lane].size) {
    return std::nullopt;
  }
  return SlicePlace{static_cast<uint32_t>(track - tracks_.begin()),
                    static_cast<uint32_t>(lane - track->first_lane), at};
}

LabelText Index::TextOf(uint32_t label) const {
  if (label >= labels_.size()) return {};
  const FileLabel& found = labels_[label];
  return {text_.substr(found.name_at, found.name_bytes),
          text_.substr(found.name_at + found.name_bytes, found.category_bytes)};
}

std::string_view Index::SearchTextOf(uint32_t label) const {
  if (label >= labels_.size()) return {};
  const FileLabel& found = labels_[label];
  if (found.search_bytes == 0) return WithoutMark(TextOf(label).name);
  return text_.substr(found.name_at + found.name_bytes + found.category_bytes, found.search_bytes);
}

std::pair<uint64_t, uint64_t> Index::Touched(const Lane& lane, int64_t from_ns, int64_t to_ns) {
  uint64_t begin = lane.LowerBound(from_ns);
  const uint64_t end = lane.LowerBound(to_ns, begin);
  if (begin > 0 && lane.End(begin - 1) > from_ns) --begin;
  return {begin, end};
}

}  // namespace steptrace::timeline
