// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/part_sink.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/text_hash.h"
#include "base/utf8.h"
#include "import/core/rows/part.h"
#include "import/core/rows/sink_share.h"
#include "model/finding_kinds.h"

namespace steptrace::import {
namespace {

constexpr int64_t kMostTracks = 1 << 18;
// From which on a piece should end. Rows: a block, which 2 MB of events of 64 bytes fill.
constexpr size_t kMostPieceTracks = 1 << 12;
constexpr int64_t kMostPieceRows = SliceBlock::kRows;
// What a slice in memory counts for, until its group is written: its row in a block, its number in
// the order by begin, its step and its depth, 80 bytes; and three numbers for what not every group
// takes: the order that is sorted from, the steps of launches, room in blocks that are not full.
constexpr int64_t kSliceBytes = SliceBlock::kRowBytes + sizeof(uint64_t) + sizeof(int64_t) +
                                sizeof(int32_t) + 3 * sizeof(int64_t);
constexpr int64_t kFewBytes = sizeof(SliceFew);
constexpr size_t kFirstTexts = 1 << 10;
constexpr size_t kMostTexts = 1 << 20;  // then the cache is begun anew

int64_t BytesOf(bool has_few) {
  return has_few ? kSliceBytes + kFewBytes : kSliceBytes;
}

int64_t BytesOf(const SliceBlock& block, size_t begin, size_t count) {
  auto bytes = static_cast<int64_t>(count) * kSliceBytes;
  if (block.few().empty()) return bytes;
  const uint32_t* few = block.columns().few + begin;
  return bytes + kFewBytes * (static_cast<int64_t>(count) - std::count(few, few + count, 0u));
}

// How many rows of a block from `begin` on, each as AppendRow counts it, fill so much room.
size_t RowsThatFill(int64_t room, const SliceBlock& block, size_t begin) {
  if (block.few().empty()) return static_cast<size_t>((room + kSliceBytes - 1) / kSliceBytes);
  size_t row = begin;
  for (; room > 0 && row < block.size(); ++row) room -= BytesOf(block.columns().few[row] != 0);
  return row - begin;
}

}  // namespace

PartSink::PartSink(SinkShare& share, Fills fills)
    : share_(share), fills_(fills), part_(std::make_unique<Part>()), seed_(HashSeed()) {}
PartSink::~PartSink() = default;

store::StringId PartSink::Intern(std::string_view text, TextFacts* facts) {
  if (text_count_ * 2 >= texts_.size()) GrowTexts();
  uint64_t hash = HashText(text, seed_) | 1;
  size_t at = hash >> 1;
  while (true) {
    CachedText& cached = texts_[at & (texts_.size() - 1)];
    if (cached.hash == hash && cached.text == text) {
      return cached.id;
    }
    if (cached.hash == 0) {
      if (!IsUtf8(text)) {  // the texts here are as the run has them
        if (facts) facts->is_utf8 = false;
        return Intern(CleanUtf8(text), facts);
      }
      CachedText made = InternInRun(share_, text);
      if (facts) facts->added = true;
      if (made.text.data() == nullptr) return made.id;  // the placeholder
      made.hash = hash;
      cached = made;
      ++text_count_;
      return made.id;
    }
    ++at;
  }
}

void PartSink::GrowTexts() {
  bool anew = texts_.size() >= kMostTexts;
  size_t size = anew || texts_.empty() ? kFirstTexts : texts_.size() * 2;
  std::vector<CachedText> before = std::exchange(texts_, std::vector<CachedText>(size));
  text_count_ = 0;
  if (anew) return;
  for (const CachedText& cached : before) {
    if (cached.hash == 0) continue;
    size_t at = cached.hash >> 1;
    while (texts_[at & (size - 1)].hash != 0) ++at;
    texts_[at & (size - 1)] = cached;
    ++text_count_;
  }
}

int32_t PartSink::AddTrack(store::TrackRow row, store::TrackKind kind) {
  bool counts = fills_ == Fills::kPart;
  if (counts && share_.tracks.fetch_add(1, std::memory_order_relaxed) >= kMostTracks) {
    share_.tracks.fetch_sub(1, std::memory_order_relaxed);
    Loss("tracks", LossCause::kTooManyTracks, 1,
         Make(model::finding::LossBeyond{
             .most = kMostTracks, .descriptors = false, .snapshots = false, .texts = false}));
    return -1;
  }
  row.kind = Intern(store::NameOf(kind));
  row.track = static_cast<int32_t>(part_->tracks.size());
  part_->tracks.push_back(std::move(row));
  return part_->tracks.back().track;
}

store::TrackRow& PartSink::Track(int32_t track) {
  return part_->tracks[static_cast<size_t>(track)];
}

std::vector<store::TrackRow> PartSink::TakeTracks() {
  if (fills_ == Fills::kPart) {
    share_.tracks.fetch_sub(static_cast<int64_t>(part_->tracks.size()), std::memory_order_relaxed);
  }
  return std::exchange(part_->tracks, {});
}

Status PartSink::Append(const Slice& slice) {
  part_->bounds.Take(slice.ts_ns, slice.ts_ns + std::max<int64_t>(slice.dur_ns, 0));
  return AppendMark(slice);
}

Status PartSink::AppendMark(const Slice& slice) {
  ++part_->rows;
  part_->content.Take(slice.ts_ns, slice.dur_ns, slice.correlation, slice.external_id, slice.name,
                      slice.details);
  return AppendRow(slice);
}

Status PartSink::AppendRow(const Slice& slice) {
  part_->row_bytes += BytesOf(part_->slices.Append(slice));
  return fills_ == Fills::kPieces ? Status() : SpillIfFull();
}

Status PartSink::SpillIfFull() {
  if (fills_ == Fills::kPieces || part_->row_bytes < share_.part_bytes()) return {};
  part_->row_bytes = 0;
  std::lock_guard lock(share_.mutex);
  return Noted(part_->slices.Spill(share_.spill));
}

template <class Row>
Status PartSink::AppendOther(SortedRows<Row>& rows, const Row& row) {
  rows.Append(row);
  part_->other_bytes += static_cast<int64_t>(sizeof(Row));
  return SpillOthersIfFull();
}

Status PartSink::SpillOthersIfFull() {
  if (fills_ == Fills::kPieces) return {};
  if (part_->other_bytes < SinkShare::OfOthers(share_.part_bytes())) return {};
  std::lock_guard lock(share_.mutex);
  return Noted(SpillOthers(*part_, share_.spill));
}

// What the disk refused fails the run, whoever reads the rows goes on or not. Under the lock.
Status PartSink::Noted(const Status& spilled) {
  if (!spilled.ok() && share_.failed.ok()) share_.failed = spilled;
  return spilled;
}

std::unique_ptr<PartSink> PartSink::ForPieces() const {
  return std::make_unique<PartSink>(share_, Fills::kPieces);
}

std::unique_ptr<Part> PartSink::TakePiece(std::unique_ptr<Part> next) {
  if (!next) return std::exchange(part_, std::make_unique<Part>());
  PartRows rows = std::move(next->slices);
  rows.Clear();
  *next = Part();
  next->slices = std::move(rows);
  return std::exchange(part_, std::move(next));
}

bool PartSink::is_full() const {
  return part_->rows >= kMostPieceRows || part_->tracks.size() >= kMostPieceTracks;
}

bool PartSink::HasRoomFor(size_t tracks) const {
  return share_.tracks.load(std::memory_order_relaxed) + static_cast<int64_t>(tracks) <=
         kMostTracks;
}

Status PartSink::Absorb(const Part& piece, std::span<const int32_t> tracks) {
  auto here = [&](int32_t track) { return tracks[static_cast<size_t>(track)]; };
  part_->bounds.Take(piece.bounds);
  part_->other_bounds.Take(piece.other_bounds);
  part_->content.Take(piece.content);
  part_->rows += piece.rows;
  for (store::CounterRow row : piece.counters.in_memory()) {
    row.track = here(row.track);
    if (row.track >= 0) {
      STEPTRACE_RETURN_IF_ERROR(AppendOther(part_->counters, row));
    } else {
      --part_->rows;
    }
  }
  for (store::MemoryRow row : piece.memory.in_memory()) {
    if (row.track) row.track = here(*row.track);
    STEPTRACE_RETURN_IF_ERROR(AppendOther(part_->memory, row));
  }
  for (Flow flow : piece.flows.in_memory()) {
    flow.track = here(flow.track);
    if (flow.track >= 0) STEPTRACE_RETURN_IF_ERROR(AppendOther(part_->flows, flow));
  }
  bool all_have_tracks = std::find(tracks.begin(), tracks.end(), -1) == tracks.end();
  for (const SliceBlock& block : piece.slices.blocks()) {
    STEPTRACE_RETURN_IF_ERROR(all_have_tracks ? AppendBlock(block, tracks)
                                              : AppendSome(block, tracks));
  }
  return {};
}

Status PartSink::AppendBlock(const SliceBlock& block, std::span<const int32_t> tracks) {
  for (size_t begin = 0; begin < block.size();) {
    int64_t room = std::max<int64_t>(share_.part_bytes() - part_->row_bytes, 1);
    size_t most = RowsThatFill(room, block, begin);
    size_t count = part_->slices.Append(block, begin, most, tracks);
    part_->row_bytes += BytesOf(block, begin, count);
    begin += count;
    STEPTRACE_RETURN_IF_ERROR(SpillIfFull());
  }
  return {};
}

// Those whose track is here.
Status PartSink::AppendSome(const SliceBlock& block, std::span<const int32_t> tracks) {
  for (size_t row = 0; row < block.size(); ++row) {
    Slice slice = block.At(row);
    slice.track = tracks[static_cast<size_t>(slice.track)];
    if (slice.track < 0) {
      --part_->rows;
      continue;
    }
    STEPTRACE_RETURN_IF_ERROR(AppendRow(slice));
  }
  return {};
}

void PartSink::TakeOther(int64_t from_ns, int64_t to_ns) {
  part_->bounds.Take(from_ns, to_ns);
  part_->other_bounds.Take(from_ns, to_ns);
}

Status PartSink::AddFlow(int32_t track, int64_t ts_ns, int64_t id, bool out) {
  return AppendOther(part_->flows, {ts_ns, id, track, out});
}

Status PartSink::Append(const store::CounterRow& row) {
  TakeOther(row.ts_ns, row.ts_ns);
  ++part_->rows;
  part_->content.Take(row.ts_ns, std::bit_cast<uint64_t>(row.value));
  return AppendOther(part_->counters, row);
}

Status PartSink::Append(const store::MemoryRow& row) {
  TakeOther(row.ts_ns, row.ts_ns);
  ++part_->rows;
  part_->content.Take(row.ts_ns, row.address, row.bytes);
  return AppendOther(part_->memory, row);
}

Status PartSink::Append(const store::StepRow& row) {
  TakeOther(row.ts_ns, row.ts_ns + row.dur_ns);
  ++part_->rows;
  return AppendOther(part_->steps, row);
}

void PartSink::Fact(std::optional<int64_t> ts_ns, std::string_view kind, std::string json,
                    int64_t pid) {
  store::RunMetadataRow row;
  row.ts_ns = ts_ns.value_or(kNull);
  row.kind = Intern(kind);
  row.json = std::move(json);
  row.pid = pid;
  part_->other_bytes += part_->fact_rows.Append(std::move(row));
  (void)SpillOthersIfFull().ok();  // an error fails the run
}

void PartSink::Loss(std::string_view table, LossCause cause, int64_t count,
                    std::optional<model::Finding> said) {
  if (count != 0) AddLoss(part_->losses, table, cause, count, std::move(said));
}

void PartSink::Version(const std::string& framework, const std::string& version) {
  part_->versions.emplace(framework, version);
}

void PartSink::End(PartFacts facts) {
  part_->facts = std::move(facts);
  texts_ = {};
  text_count_ = 0;
  TrimOthers(*part_);
  std::lock_guard lock(share_.mutex);
  share_.ended.parts.push_back(part_.get());
  share_.ended.bytes += part_->row_bytes;
  share_.ended_others.parts.push_back(part_.get());
  share_.ended_others.bytes += part_->other_bytes;
  if (std::exchange(open_, false)) --share_.filling;
  // While none is filled, those that are full may have the room of all.
  if (share_.filling > 0) SpillEnded(share_);
}

void PartSink::SetNode(int32_t node) {
  part_->facts.node = node;
}

void PartSink::Drop() {
  if (std::exchange(open_, false)) {
    std::lock_guard lock(share_.mutex);
    --share_.filling;
  }
  Restart();
  part_->left_out = true;
}

void PartSink::Restart() {
  (void)TakeTracks();
  *part_ = Part();
  texts_ = {};
  text_count_ = 0;
}

}  // namespace steptrace::import
