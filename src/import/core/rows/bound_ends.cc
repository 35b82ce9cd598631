// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/bound_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "import/core/rows/slice_steps.h"
#include "import/core/rows/stream_order.h"

namespace steptrace::import {
namespace {

using Works = SortedRows<StreamWork, WorkOrder>;

constexpr std::array<std::string_view, 4> kWorkCategories = {"kernel", "gpu_memcpy", "gpu_memset",
                                                             "collective_comm"};
constexpr std::string_view kProfilersOwn = "Trace";
// Marks of what was recorded: a range, and the moment of its end, behind which nothing comes.
constexpr std::string_view kRecorded = "PyTorch Profiler";  // and a number in brackets
constexpr std::string_view kRecordedEnd = "Record Window End";

std::string Seconds(int64_t ns) {
  return fmt::format("{:.3f} s", static_cast<double>(ns) / 1e9);
}

// How much of a part was cut, and the words for it.
struct Cut {
  int64_t late = 0;
  int64_t works = 0;         // of the streams of those
  int64_t most_late_ns = 0;  // an end behind the next begin
  int64_t late_ns = 0;
  int64_t too_long = 0;
  int64_t too_long_ns = 0;
};

class EndsOfPart {
 public:
  EndsOfPart(Part& part, const store::StringTable& strings, SpillFile& file, int64_t most_bytes)
      : part_(part),
        strings_(strings),
        file_(file),
        most_bytes_(most_bytes),
        on_device_(TracksOnDevice(part.tracks, strings)),
        streams_(part.tracks.size()) {
    is_work_.resize(static_cast<size_t>(strings.size()));
    for (const std::string_view name : kWorkCategories) {
      store::StringId id{};
      if (strings.Find(name, &id)) is_work_[static_cast<size_t>(id)] = 1;
    }
    has_marks_ = strings.Find(kProfilersOwn, &mark_);
  }

  Status Run() {
    STEPTRACE_RETURN_IF_ERROR(Look());
    if (!recorded_.empty()) recorded_.last_ns = std::max(recorded_.last_ns, recorded_end_ns_);
    const bool too_long = !recorded_.empty() && longest_ns_ > recorded_ns();
    const auto beside = [](const Stream& stream) { return stream.beside; };
    if (!too_long && std::none_of(streams_.begin(), streams_.end(), beside)) return {};
    STEPTRACE_RETURN_IF_ERROR(Gather(too_long));
    STEPTRACE_RETURN_IF_ERROR(JudgeStreams());
    if (bounds_.empty()) return {};
    for (const auto& [row, dur_ns] : bounds_) {
      STEPTRACE_RETURN_IF_ERROR(part_.slices.SetDuration(row, dur_ns));
    }
    Tell();
    return FindBounds();
  }

 private:
  struct Stream {
    int64_t end_ns = std::numeric_limits<int64_t>::min();  // of what came so far
    bool beside = false;                                   // a begin came before an end
    Works works;
  };

  int64_t recorded_ns() const { return recorded_.last_ns - recorded_.first_ns; }
  bool IsMark(store::StringId category) const { return has_marks_ && category == mark_; }
  bool IsWork(const SliceBlock::Columns& columns, size_t row) const {
    return on_device_[static_cast<size_t>(columns.track[row])] != 0 &&
           is_work_[static_cast<size_t>(columns.category[row])] != 0;
  }

  void TakeMark(std::string_view name, int64_t ts_ns, int64_t end_ns) {
    if (name.starts_with(kRecorded) && end_ns > ts_ns) recorded_.Take(ts_ns, end_ns);
    if (name == kRecordedEnd) recorded_end_ns_ = std::max(recorded_end_ns_, ts_ns);
  }

  // What profilers write is in order, mostly: then there is nothing to judge.
  Status Look() {
    return part_.slices.ForEachBlock([this](const SliceBlock& block, size_t) -> Status {
      const SliceBlock::Columns& columns = block.columns();
      for (size_t row = 0; row < block.size(); ++row) {
        const int64_t dur_ns = columns.dur_ns[row];
        const int64_t end_ns = columns.ts_ns[row] + dur_ns;
        if (IsMark(columns.category[row])) {
          TakeMark(strings_.Text(columns.name[row]), columns.ts_ns[row], end_ns);
          continue;
        }
        longest_ns_ = std::max(longest_ns_, dur_ns);
        if (!IsWork(columns, row)) continue;
        Stream& stream = streams_[static_cast<size_t>(columns.track[row])];
        stream.beside = stream.beside || columns.ts_ns[row] < stream.end_ns;
        stream.end_ns = std::max(stream.end_ns, end_ns);
      }
      return {};
    });
  }

  Status Gather(bool too_long) {
    return part_.slices.ForEachBlock([&](const SliceBlock& block, size_t first) -> Status {
      const SliceBlock::Columns& columns = block.columns();
      for (size_t row = 0; row < block.size(); ++row) {
        if (IsMark(columns.category[row])) continue;
        const int64_t ts_ns = columns.ts_ns[row];
        const int64_t end_ns = ts_ns + columns.dur_ns[row];
        if (too_long && columns.dur_ns[row] > recorded_ns() && end_ns > recorded_.last_ns) {
          const int64_t dur_ns = std::max<int64_t>(recorded_.last_ns - ts_ns, 0);
          too_long_.emplace(first + row, columns.dur_ns[row] - dur_ns);
          bounds_[first + row] = dur_ns;
        }
        if (!IsWork(columns, row)) continue;
        Stream& stream = streams_[static_cast<size_t>(columns.track[row])];
        if (!stream.beside) continue;
        stream.works.Append(
            {ts_ns, end_ns, columns.correlation[row], first + row, columns.name[row]});
        gathered_bytes_ += static_cast<int64_t>(sizeof(StreamWork));
        if (gathered_bytes_ >= most_bytes_) STEPTRACE_RETURN_IF_ERROR(Spill());
      }
      return {};
    });
  }

  Status Spill() {
    gathered_bytes_ = 0;
    for (Stream& stream : streams_) STEPTRACE_RETURN_IF_ERROR(stream.works.Spill(file_));
    return {};
  }

  Status JudgeStreams() {
    for (Stream& stream : streams_) {
      if (!stream.beside) continue;
      const auto count = static_cast<int64_t>(stream.works.size());
      StreamOrder order;
      Works::Reader reader(stream.works);
      for (; reader.Front() != nullptr; reader.Pop()) order.Take(*reader.Front());
      STEPTRACE_RETURN_IF_ERROR(reader.status());
      const std::vector<StreamOrder::Late> late = order.End();
      if (!late.empty()) cut_.works += count;
      for (const StreamOrder::Late& one : late) {
        ++cut_.late;
        cut_.late_ns += one.end_ns - one.bound_ns;
        cut_.most_late_ns = std::max(cut_.most_late_ns, one.end_ns - one.bound_ns);
        bounds_[one.row] = one.bound_ns - one.ts_ns;
        too_long_.erase(one.row);
      }
    }
    for (const auto& [row, cut_ns] : too_long_) {
      ++cut_.too_long;
      cut_.too_long_ns += cut_ns;
    }
    return {};
  }

  void Tell() {
    std::string detail;
    if (cut_.late > 0) {
      detail = fmt::format(
          "{} of {} kernels and copies end up to {} after the next one on their stream began: each "
          "ends there, {} are cut off",
          cut_.late, cut_.works, Seconds(cut_.most_late_ns), Seconds(cut_.late_ns));
    }
    if (cut_.too_long > 0) {
      detail += fmt::format(
          "{}{} durations are longer than the {} that the profiler recorded: they end with it, {} "
          "are cut off",
          detail.empty() ? "" : "; ", cut_.too_long, Seconds(recorded_ns()),
          Seconds(cut_.too_long_ns));
    }
    AddLoss(part_.losses, "slices", LossCause::kImpossibleDuration, cut_.late + cut_.too_long,
            part_.facts.source + ": " + detail);
  }

  // Of what is left.
  Status FindBounds() {
    Bounds bounds = part_.other_bounds;
    STEPTRACE_RETURN_IF_ERROR(
        part_.slices.ForEachBlock([&](const SliceBlock& block, size_t) -> Status {
          const SliceBlock::Columns& columns = block.columns();
          for (size_t row = 0; row < block.size(); ++row) {
            if (IsMark(columns.category[row])) continue;
            const int64_t ts_ns = columns.ts_ns[row];
            bounds.Take(ts_ns, ts_ns + std::max<int64_t>(columns.dur_ns[row], 0));
          }
          return {};
        }));
    part_.bounds = bounds;
    return {};
  }

  Part& part_;
  const store::StringTable& strings_;
  SpillFile& file_;
  const int64_t most_bytes_;
  const std::vector<char> on_device_;  // by track
  std::vector<Stream> streams_;        // by track
  std::vector<char> is_work_;          // by category
  store::StringId mark_{};
  bool has_marks_ = false;
  Bounds recorded_;
  int64_t recorded_end_ns_ = std::numeric_limits<int64_t>::min();
  int64_t longest_ns_ = 0;
  int64_t gathered_bytes_ = 0;
  std::map<uint64_t, int64_t> bounds_;    // durations by row
  std::map<uint64_t, int64_t> too_long_;  // what is cut of them, by row
  Cut cut_;
};

}  // namespace

Status BoundEnds(Part& part, const store::StringTable& strings, SpillFile& file,
                 int64_t most_bytes) {
  return EndsOfPart(part, strings, file, most_bytes).Run();
}

}  // namespace steptrace::import
