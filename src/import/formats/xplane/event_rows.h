// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/core/rows/losses.h"
#include "import/core/rows/part_sink.h"
#include "import/core/writer_marks.h"
#include "import/formats/xplane/space_layout.h"
#include "import/formats/xplane/space_stream.h"
#include "import/formats/xplane/space_tracks.h"

namespace steptrace::import::xplane {

// The nearest whole nanosecond, of two the one that is farther from 0.
int64_t RoundedNs(__int128 ps);

// The second reading of a file: its events become rows, by what the first has told of their lines.
class EventRows : public SpaceVisitor {
 public:
  EventRows(const SpaceLayout& layout, PartSink& part)
      : layout_(layout), part_(part), tracks_(part, layout.Pid()) {
    if (!layout.JaxVersion().empty()) marks_.Is(store::ProfileWriter::kJax);
  }

  void Begin(SpaceLevel level) override;
  void End(SpaceLevel level) override;
  bool Skips(SpaceLevel level, uint32_t field) const override;
  void Number(SpaceLevel, uint32_t, uint64_t) override {}
  Status Take(SpaceLevel level, uint32_t field, std::string_view bytes) override;
  void Damaged() override {}  // of planes and lines, which the first reading has seen

  int64_t events() const { return events_; }
  const LossCounts& lost() const { return lost_; }
  store::ProfileWriter Writer() const { return marks_.Writer(); }
  std::optional<int64_t> first_ns() const { return first_ns_; }

 private:
  // What is the same of all events of one metadata, on one kind of line.
  struct Known {
    bool is_known = false;
    bool is_memory = false;  // an allocation or a release
    store::StringId name{};
    store::StringId category{};  // of lines of devices
  };
  static constexpr size_t kLineKinds = 6;

  // What the stats of an event tell.
  struct Told {
    int64_t correlation = kNull;
    int64_t step = kNull;
    int64_t bytes = kNull;
    int64_t address = 0;
    int64_t allocation_bytes = kNull;
    int64_t requested_bytes = kNull;
    int64_t allocated_bytes = kNull;
    int64_t reserved_bytes = kNull;
    int64_t available_bytes = kNull;
    std::string_view allocator;
    std::optional<double> figure;
    bool has_operation = false;
    bool has_source = false;
  };

  Status TakeEvent(std::string_view bytes);
  Known KnownOf(const EventMeta& meta);
  Known Know(const EventMeta& meta);
  std::string_view NameOn(const EventMeta& meta) const;
  std::string_view DeviceCategory(std::string_view name) const;
  void TakeStats();
  void TakeStat(const Stat& stat, const StatMeta& meta);
  void TakeSharedStats(const EventMeta& meta);
  store::StringId Details();
  store::StringId Intern(std::string_view text);
  Status Put(const EventMeta* meta, int64_t begin_ns, int64_t dur_ns);
  Status PutSlice(const EventMeta* meta, const Known& known, int64_t begin_ns, int64_t dur_ns);
  Status PutMemory(bool is_release, int64_t at_ns);
  Status PutCounter(const EventMeta* meta, int64_t at_ns);

  const SpaceLayout& layout_;
  PartSink& part_;
  SpaceTracks tracks_;
  WriterMarks marks_;
  LossCounts lost_;
  int64_t events_ = 0;
  std::optional<int64_t> first_ns_;
  size_t next_plane_ = 0;
  size_t next_line_ = 0;
  const PlaneFacts* plane_ = nullptr;
  const LineFacts* line_ = nullptr;
  int32_t track_ = -1;
  store::StringId unknown_category_{};                     // of a line that nobody knows
  std::array<std::vector<Known>, kLineKinds> known_ = {};  // by kind of line, by metadata
  // Of the event that is read.
  std::vector<std::string_view> stats_;
  std::vector<int64_t> stat_ids_;
  std::string details_;
  Told told_;
};

}  // namespace steptrace::import::xplane
