// SPDX-License-Identifier: Apache-2.0
// Any bytes as an index, and a good index with any bytes changed: no crash, no endless loop, no
// read outside of the file. Checksums are made right before it is opened, or all that they guard
// would never be seen.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "timeline/index.h"
#include "timeline/index_builder.h"
#include "timeline/view.h"

using namespace steptrace::timeline;

namespace {

constexpr uint64_t kFingerprint = 1;
// Of lanes and slices that one input may name: what is found beyond costs time and no new path.
constexpr size_t kMaxTracks = 16;
constexpr uint32_t kMaxLanes = 16;

steptrace::UniqueFd FileOf(const std::string& bytes) {
  steptrace::UniqueFd fd(::memfd_create("index", MFD_CLOEXEC));
  if (!fd.valid() ||
      ::pwrite(fd.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    std::abort();
  }
  return fd;
}

// Slices nested and overlapping, in one lane of two levels, and a counter: no more than that takes,
// for an input costs as many slices.
std::string GoodIndex() {
  IndexBuilder builder({});
  const uint32_t labels[] = {builder.Label("step", "phase"), builder.Label("aten::mm", "cpu_op"),
                             builder.Label("gemm", "kernel")};
  for (int64_t i = 0; i < 4200; ++i) {
    if (!builder.AddSlice(1, i * 100, 90, labels[0]).ok()) std::abort();
    if (i % 64 == 0 && !builder.AddSlice(1, i * 100 + 10, 50, labels[1]).ok()) std::abort();
    if (i % 64 == 0 && !builder.AddSlice(2, i * 100, 9000, labels[2]).ok()) std::abort();
    if (i % 8 == 0 && !builder.AddValue(3, i * 10, static_cast<double>(i % 7)).ok()) std::abort();
  }
  const steptrace::UniqueFd fd(::memfd_create("index", MFD_CLOEXEC));
  if (!builder.Write(fd.get(), "index", kFingerprint).ok()) std::abort();
  std::string bytes(static_cast<size_t>(::lseek(fd.get(), 0, SEEK_END)), '\0');
  if (::pread(fd.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    std::abort();
  }
  return bytes;
}

// An index by its directory alone has thousands of bytes of pages before what decides: places are
// taken from the header, the directory and the lane indexes as often as from anywhere.
void Change(std::string& bytes, const uint8_t* data, size_t size) {
  IndexFileHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  for (; size >= 6; data += 6, size -= 6) {
    uint32_t place = 0;
    std::memcpy(&place, data, 4);
    const bool directory = data[4] % 2 == 0;
    const size_t at =
        directory ? header.directory_at + place % header.directory_bytes : place % bytes.size();
    bytes[at] = static_cast<char>(data[5]);
  }
  if (size > 0) bytes.resize(bytes.size() - size);  // cut off
}

void MakeChecksumsRight(std::string& bytes) {
  IndexFileHeader header;
  if (bytes.size() < sizeof(header)) return;
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.magic = kMagic;
  header.version = kFormatVersion;
  header.order = kByteOrder;
  header.fingerprint = kFingerprint;
  header.file_bytes = bytes.size();
  if (header.directory_at <= bytes.size() &&
      header.directory_bytes <= bytes.size() - header.directory_at) {
    header.directory_hash = HashBytes(bytes.data() + header.directory_at, header.directory_bytes);
  }
  header.header_hash = HashBytes(&header, offsetof(IndexFileHeader, header_hash));
  std::memcpy(bytes.data(), &header, sizeof(header));
}

void CheckLane(const Index& index, uint32_t track, uint32_t number, ViewRange time_range) {
  const Lane lane = index.LaneAt(track, number);
  std::vector<ViewRow> rows;
  for (const int64_t width : {1, 97}) {
    rows.clear();
    ViewLane(lane, PixelGrid(time_range.from_ns, time_range.to_ns, width), rows);
  }
  for (const uint64_t at : {uint64_t{0}, lane.size() / 2, lane.size() - 1}) {
    const auto place = index.Find(index.IdOf(track, number, at));
    if (!place || place->at != at) std::abort();
    ParentOf(index, *place);
    SelfNs(index, *place);
    DepthOf(index, *place);
    index.TextOf(lane.Label(at));
    index.SearchTextOf(lane.Label(at));
  }
}

void CheckIndex(const Index& index, ViewRange time_range) {
  const size_t tracks = std::min(index.tracks().size(), kMaxTracks);
  std::vector<uint32_t> places;
  std::vector<LabelSums> sums(index.labels());
  for (uint32_t track = 0; track < tracks; ++track) {
    places.push_back(track);
    const FileTrack& held = index.tracks()[track];
    for (uint32_t lane = 0; lane < std::min(held.lanes, kMaxLanes); ++lane) {
      CheckLane(index, track, lane, time_range);
    }
    if (held.lanes > 0 && held.lanes <= kMaxLanes) AddSums(index, track, time_range, sums);
    if (held.lanes == 0 && held.values > 0) {
      const Values values = index.ValuesAt(track);
      const uint64_t begin = values.LowerBound(time_range.from_ns);
      const uint64_t end = values.LowerBound(time_range.to_ns);
      if (begin < end) values.Stats(begin, end);
    }
  }
  Search(index, places, time_range, "mm", 100);
  index.Find(~SliceId{0});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string good = GoodIndex();
  if (size == 0) return 0;
  std::string bytes;
  if (data[0] % 4 == 0) {
    bytes.assign(reinterpret_cast<const char*>(data + 1), size - 1);
  } else {
    bytes = good;
    Change(bytes, data + 1, size - 1);
  }
  if (data[0] % 8 < 7) MakeChecksumsRight(bytes);
  auto index = Index::FromFd(FileOf(bytes), "index", kFingerprint);
  constexpr ViewRange kTimeRanges[] = {
      {0, 420'000}, {200'000, 210'000}, {1000, 1001}, {-(int64_t{1} << 61), int64_t{1} << 61}};
  if (index.ok()) CheckIndex(*index, kTimeRanges[data[0] / 64]);
  return 0;
}
