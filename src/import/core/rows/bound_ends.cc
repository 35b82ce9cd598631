// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/bound_ends.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/core/rows/slice_steps.h"
#include "import/core/rows/stream_order.h"
#include "model/finding_kinds.h"
#include "store/event_categories.h"

namespace steptrace::import {
namespace {

using Works = SortedRows<StreamWork, WorkOrder>;

// What a row lasts at most, as the work of its stream says.
struct LateRow {
  uint64_t row = 0;
  int64_t dur_ns = 0;
};
struct ByRow {
  bool operator()(const LateRow& a, const LateRow& b) const { return a.row < b.row; }
};
using LateRows = SortedRows<LateRow, ByRow>;

constexpr std::string_view kProfilersOwn = "Trace";
// Marks of what was recorded: a range, and the moment of its end, behind which nothing comes.
constexpr std::string_view kRecorded = "PyTorch Profiler";  // and a number in brackets
constexpr std::string_view kRecordedEnd = "Record Window End";

// Of what is not negative: what a file says may last as long as it likes.
int64_t SumUpToMost(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
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
    for (const std::string_view name : store::kStreamWorkCategories) {
      store::StringId id{};
      if (strings.Find(name, &id)) is_work_[static_cast<size_t>(id)] = 1;
    }
    has_marks_ = strings.Find(kProfilersOwn, &mark_);
  }

  Status Run() {
    STEPTRACE_RETURN_IF_ERROR(Survey());
    if (!recorded_.empty()) recorded_.last_ns = std::max(recorded_.last_ns, recorded_end_ns_);
    const bool too_long = !recorded_.empty() && longest_ns_ > recorded_ns();
    const auto beside = [](const Stream& stream) { return stream.beside; };
    if (!too_long && std::none_of(streams_.begin(), streams_.end(), beside)) return {};
    STEPTRACE_RETURN_IF_ERROR(Gather());
    STEPTRACE_RETURN_IF_ERROR(JudgeStreams());
    if (!too_long && cut_.late == 0) return {};
    STEPTRACE_RETURN_IF_ERROR(Clip());
    if (cut_.late + cut_.too_long > 0) RecordCuts();
    return {};
  }

 private:
  struct Stream {
    int64_t end_ns = std::numeric_limits<int64_t>::min();  // of what came so far
    bool beside = false;                                   // a begin came before an end
    bool holds = false;                                    // works that are not spilled
    Works works;
  };

  int64_t recorded_ns() const {
    int64_t ns = 0;
    const bool is_far = __builtin_sub_overflow(recorded_.last_ns, recorded_.first_ns, &ns);
    return is_far ? std::numeric_limits<int64_t>::max() : ns;
  }
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
  Status Survey() {
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

  Status Gather() {
    return part_.slices.ForEachBlock([this](const SliceBlock& block, size_t first) -> Status {
      const SliceBlock::Columns& columns = block.columns();
      for (size_t row = 0; row < block.size(); ++row) {
        if (IsMark(columns.category[row])) continue;
        if (!IsWork(columns, row)) continue;
        Stream& stream = streams_[static_cast<size_t>(columns.track[row])];
        if (!stream.beside) continue;
        if (!std::exchange(stream.holds, true)) holding_.push_back(&stream);
        const int64_t ts_ns = columns.ts_ns[row];
        stream.works.Append({ts_ns, ts_ns + columns.dur_ns[row], columns.correlation[row],
                             first + row, columns.name[row]});
        gathered_bytes_ += static_cast<int64_t>(sizeof(StreamWork));
        if (gathered_bytes_ >= most_bytes_) STEPTRACE_RETURN_IF_ERROR(Spill());
      }
      return {};
    });
  }

  Status Spill() {
    gathered_bytes_ = 0;
    for (Stream* stream : holding_) {
      stream->holds = false;
      STEPTRACE_RETURN_IF_ERROR(stream->works.Spill(file_));
    }
    holding_.clear();
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
      STEPTRACE_RETURN_IF_ERROR(Keep(late));
    }
    return {};
  }

  Status Keep(const std::vector<StreamOrder::Late>& late) {
    for (const StreamOrder::Late& one : late) {
      ++cut_.late;
      cut_.late_ns = SumUpToMost(cut_.late_ns, one.end_ns - one.bound_ns);
      cut_.most_late_ns = std::max(cut_.most_late_ns, one.end_ns - one.bound_ns);
      late_.Append({one.row, one.bound_ns - one.ts_ns});
    }
    late_bytes_ += static_cast<int64_t>(late.size() * sizeof(LateRow));
    if (late_bytes_ < most_bytes_) return {};
    late_bytes_ = 0;
    return late_.Spill(file_);
  }

  // Once over all rows, as they came: those that are late come in the same order.
  Status Clip() {
    LateRows::Reader late(late_);
    Bounds bounds = part_.other_bounds;
    STEPTRACE_RETURN_IF_ERROR(part_.slices.ChangeDurations([&](SliceBlock& block, size_t first) {
      const SliceBlock::Columns& columns = block.columns();
      bool changed = false;
      for (size_t row = 0; row < block.size(); ++row) {
        if (IsMark(columns.category[row])) continue;
        int64_t& dur_ns = columns.dur_ns[row];
        const int64_t before_ns = dur_ns;
        if (late.Front() != nullptr && late.Front()->row == first + row) {
          dur_ns = late.Front()->dur_ns;
          late.Pop();
        } else {
          CutWhatIsTooLong(columns.ts_ns[row], dur_ns);
        }
        changed = changed || dur_ns != before_ns;
        bounds.Take(columns.ts_ns[row], columns.ts_ns[row] + std::max<int64_t>(dur_ns, 0));
      }
      return changed;
    }));
    part_.bounds = bounds;
    return late.status();
  }

  void CutWhatIsTooLong(int64_t ts_ns, int64_t& dur_ns) {
    if (recorded_.empty() || dur_ns <= recorded_ns() || ts_ns + dur_ns <= recorded_.last_ns) return;
    const int64_t left_ns = std::max<int64_t>(recorded_.last_ns - ts_ns, 0);
    ++cut_.too_long;
    cut_.too_long_ns = SumUpToMost(cut_.too_long_ns, dur_ns - left_ns);
    dur_ns = left_ns;
  }

  void RecordCuts() {
    const auto if_any = [](int64_t count) {
      return count > 0 ? std::optional(count) : std::nullopt;
    };
    AddLoss(part_.losses, "slices", LossCause::kImpossibleDuration, cut_.late + cut_.too_long,
            Make(model::finding::LossCutDurations{.two = cut_.late > 0 && cut_.too_long > 0,
                                                  .late = if_any(cut_.late),
                                                  .works = cut_.works,
                                                  .most_late = cut_.most_late_ns,
                                                  .late_time = cut_.late_ns,
                                                  .too_long = if_any(cut_.too_long),
                                                  .recorded = recorded_ns(),
                                                  .long_time = cut_.too_long_ns,
                                                  .file = part_.facts.source}));
  }

  Part& part_;
  const store::StringTable& strings_;
  SpillFile& file_;
  const int64_t most_bytes_;
  const std::vector<char> on_device_;  // by track
  std::vector<Stream> streams_;        // by track
  std::vector<Stream*> holding_;       // of them, that hold works: a file may have very many tracks
  std::vector<char> is_work_;          // by category
  store::StringId mark_{};
  bool has_marks_ = false;
  Bounds recorded_;
  int64_t recorded_end_ns_ = std::numeric_limits<int64_t>::min();
  int64_t longest_ns_ = 0;
  int64_t gathered_bytes_ = 0;
  LateRows late_;
  int64_t late_bytes_ = 0;  // of them in memory
  Cut cut_;
};

}  // namespace

Status BoundEnds(Part& part, const store::StringTable& strings, SpillFile& file,
                 int64_t most_bytes) {
  return EndsOfPart(part, strings, file, most_bytes).Run();
}

}  // namespace steptrace::import
