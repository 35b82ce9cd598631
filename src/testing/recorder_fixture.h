// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/ingest/recorder.h"
#include "agent/system/process.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "store/run_reader.h"
#include "wire/ring_layout.h"
#include "wire/vocabulary.h"

// For tests: a recorder with its folder of rings and its run, and rings that are written by hand.
namespace steptrace::agent {

// The process that a ring is of; by default this one.
struct RingOwner {
  int32_t pid = getpid();
  uint64_t start_ticks = ReadProcessIdentity(getpid())->start_time_ticks;
  uint32_t pid_namespace = OwnPidNamespace();

  static RingOwner Of(int32_t pid) { return {pid, ReadProcessIdentity(pid)->start_time_ticks}; }
};

// A ring file as a training writes it, with one thread beside the main one.
class RingByHand {
 public:
  enum class Made { kWhole, kNotReady };
  explicit RingByHand(const std::filesystem::path& folder, const RingOwner& owner = {},
                      Made made = Made::kWhole) {
    constexpr uint64_t kFileBytes = wire::RingOffset(2);
    const std::string name =
        std::to_string(owner.pid) + "." + std::to_string(owner.start_ticks) + ".ring";
    fd_ = UniqueFd(open((folder / name).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    EXPECT_EQ(ftruncate(fd_.get(), static_cast<off_t>(kFileBytes)), 0);
    header_.magic = wire::kMagic;
    header_.version = wire::kVersion;
    header_.ready = made == Made::kWhole ? 1 : 0;
    header_.file_bytes = kFileBytes;
    header_.ring_count = 2;
    header_.rings_used = 2;
    header_.clock_source = static_cast<uint32_t>(wire::ClockSource::kMonotonic);
    header_.pid = owner.pid;
    header_.start_time_ticks = owner.start_ticks;
    header_.pid_namespace = owner.pid_namespace;
    header_.rank = header_.local_rank = header_.world_size = -1;
    control_.usable = wire::kCommitRecords;
    control_.tid = 7;
    control_.state = static_cast<uint32_t>(wire::RingState::kActive);
    control_.generation = 1;
    Put(0, header_);
    PutControl();
  }

  void FinishMaking() { Put(offsetof(wire::FileHeader, ready), header_.ready = 1); }

  // The id of a new text in the arena.
  uint32_t Name(wire::Category category, std::string_view text) {
    const wire::NameHeader entry{static_cast<uint32_t>(text.size()),
                                 static_cast<uint16_t>(category), 0};
    const uint64_t at = wire::kArenaOffset + header_.arena_used;
    Put(at, entry);
    PutBytes(at + sizeof entry, text.data(), text.size());
    header_.arena_used += wire::NameEntryBytes(entry.bytes);
    Put(0, header_);
    return ++names_;
  }
  // A record of this moment.
  void Write(wire::RecordKind kind, uint32_t name, uint64_t a = 0, uint64_t b = 0) {
    const auto now_ns = static_cast<uint64_t>(MonotonicNowNs());
    Put(wire::RingOffset(1) + control_.head * sizeof(wire::Record),
        wire::MakeRecord(kind, now_ns, name, 0, a, b));
    control_.head += 1;
    PutControl();
  }
  // The agent's word.
  wire::CaptureControl Asked() const {
    wire::CaptureControl word{};
    EXPECT_EQ(pread(fd_.get(), &word, sizeof word, wire::kCaptureOffset), ssize_t{sizeof word});
    return word;
  }
  // What shows that the process trains.
  void Train() {
    const uint32_t optimizer = Name(wire::Category::kPhase, wire::kNameOptimizer);
    Write(wire::RecordKind::kBegin, optimizer, 1);
    Write(wire::RecordKind::kEnd, optimizer);
  }
  void EndThread() {
    control_.state = static_cast<uint32_t>(wire::RingState::kEnded);
    PutControl();
  }

 private:
  void PutBytes(uint64_t offset, const void* bytes, size_t count) {
    ASSERT_EQ(pwrite(fd_.get(), bytes, count, static_cast<off_t>(offset)),
              static_cast<ssize_t>(count));
  }
  template <class Value>
  void Put(uint64_t offset, const Value& value) {
    PutBytes(offset, &value, sizeof value);
  }
  // The producer's line alone.
  void PutControl() {
    constexpr uint64_t kOffset = wire::kControlOffset + sizeof(wire::RingControl);
    std::array<char, offsetof(wire::RingControl, tail)> line;
    std::memcpy(line.data(), &control_, line.size());
    Put(kOffset, line);
  }

  UniqueFd fd_;
  wire::FileHeader header_{};
  wire::RingControl control_{};
  uint32_t names_ = 0;
};

// A row of `data_loss`.
struct Lost {
  std::string table;
  int64_t count = 0;
  std::string detail;
  std::optional<int64_t> pid;
};

// A recorder with what it needs, in a folder of its own that is removed at the end.
class Recording {
 public:
  Recording() {
    std::filesystem::create_directory(rings());
    store::WriterOptions options;
    options.sync_interval_ms = 0;
    auto writer = store::RunWriter::Create(base_ / "run", {}, options);
    auto watch = RingWatch::Open(rings());
    if (!writer.ok() || !watch.ok()) abort();
    writer_.emplace(*std::move(writer));
    recorder_.emplace(*writer_, *std::move(watch), 0, epoch_ns_);
  }
  ~Recording() {
    std::error_code ignored;
    std::filesystem::remove_all(base_, ignored);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  std::filesystem::path rings() const { return base_ / "rings"; }
  int64_t epoch_ns() const { return epoch_ns_; }
  int64_t now_ns() const { return MonotonicNowNs() - epoch_ns_; }
  store::RunWriter& writer() { return *writer_; }
  Recorder& recorder() { return *recorder_; }
  Recorder* operator->() { return &*recorder_; }

  Recorder::Pass Drain() { return recorder_->DrainAll(now_ns(), true); }

  // The run as its files stand now.
  store::RunReader Read() {
    EXPECT_TRUE(writer_->Flush().ok());
    auto reader = store::RunReader::Open(base_ / "run");
    if (!reader.ok()) abort();
    return *std::move(reader);
  }
  // What the run says of that cause once all is settled.
  std::vector<Lost> Losses(std::string_view cause) {
    recorder_->Settle(now_ns());
    store::RunReader reader = Read();
    std::vector<Lost> found;
    const auto rows = reader.Read<store::DataLossRow>();
    for (const store::DataLossRow& row : *rows) {
      if (reader.Text(row.cause) != cause) continue;
      found.push_back({reader.Text(row.table), row.count, row.detail, row.pid});
    }
    return found;
  }

 private:
  static std::filesystem::path NewFolder() {
    char name[] = "/tmp/steptrace-recorder-XXXXXX";
    if (mkdtemp(name) == nullptr) abort();
    return name;
  }

  std::filesystem::path base_ = NewFolder();
  int64_t epoch_ns_ = MonotonicNowNs();
  std::optional<store::RunWriter> writer_;
  std::optional<Recorder> recorder_;
};

}  // namespace steptrace::agent
