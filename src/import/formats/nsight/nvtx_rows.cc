// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/saturating.h"
#include "import/core/bounded_name.h"
#include "import/formats/nsight/file_rows.h"
#include "import/formats/nsight/nvtx_names.h"

namespace steptrace::import::nsight {
namespace {

// Of ENUM_NSYS_EVENT_TYPE.
enum NvtxType : int64_t { kMark = 34, kPushPop = 59, kStartEnd = 60, kDomain = 75 };

// Domains in which libraries mark their own calls: nothing of the script's.
bool IsOfALibrary(std::string_view domain) {
  constexpr std::array<std::string_view, 9> kLibraries = {
      "NCCL", "CCCL", "cuDNN", "cuBLAS", "cuBLASLt", "cuSPARSE", "cuFFT", "TensorRT", "DALI"};
  return std::any_of(kLibraries.begin(), kLibraries.end(),
                     [&](std::string_view library) { return domain.starts_with(library); });
}

class NvtxRows {
 public:
  explicit NvtxRows(FileRows& rows) : rows_(rows) {}

  Status Read() {
    STEPTRACE_RETURN_IF_ERROR(ReadDomains());
    cut_ = 0;  // what the domains are called is in no row
    STEPTRACE_RETURN_IF_ERROR(ForEachRow("NVTX_EVENTS", kColumns, kNeeded, rows_,
                                         [&](const Cursor& row) { return Take(row); }));
    if (cut_ > 0) rows_.lost[LossCause::kNameTooLong] += cut_;
    return PutSteps();
  }

 private:
  // A range that may be a step: which word means one is known when all have been seen.
  struct Step {
    RowPlace place;
    Slice slice;
    std::optional<int64_t> number;
  };
  static constexpr size_t kMostSteps = 1 << 20;

  enum Columns { kStart, kEnd, kType, kText, kTextId, kThread, kDomainId };
  static constexpr std::array kColumns = {"start",  "end",       "eventType", "text",
                                          "textId", "globalTid", "domainId"};
  static constexpr size_t kNeeded = 3;

  // What is damaged is counted when the ranges are read.
  Status ReadDomains() {
    constexpr size_t kMostDomains = 4096;
    auto selected = rows_.database.Select("NVTX_EVENTS", kColumns, kNeeded);
    if (!selected.ok() || !*selected) return {};
    Cursor& row = **selected;
    for (auto more = row.Next(); more.ok() && *more; more = row.Next()) {
      const auto thread = row.Integer(kThread);
      const auto domain = row.Integer(kDomainId);
      if (row.Integer(kType) == kDomain && thread && domain && libraries_.size() < kMostDomains &&
          IsOfALibrary(TextOf(row))) {
        libraries_.emplace(Places::ProcessOf(*thread), *domain);
      }
    }
    return {};
  }

  std::string TextOf(const Cursor& row) {
    if (const std::string_view text = row.Text(kText); !text.empty()) {
      return ShortName(text, &cut_);
    }
    const auto id = row.Integer(kTextId);
    return id ? rows_.texts.Of(*id) : std::string();
  }

  Status Take(const Cursor& row) {
    const int64_t type = row.Integer(kType).value_or(0);
    if (type != kMark && type != kPushPop && type != kStartEnd) return {};
    const auto thread = row.Integer(kThread);
    if (!thread) {
      ++rows_.lost[LossCause::kMissingMetadata];
      return {};
    }
    Times times;
    if (type == kMark) {
      const auto at = TimesOf(row, rows_, kStart, kStart);
      if (!at) return {};
      times = *at;
    } else if (!row.Integer(kEnd)) {
      ++rows_.lost[LossCause::kBeginWithoutEnd];
      return {};
    } else {
      const auto reported = TimesOf(row, rows_, kStart, kEnd);
      if (!reported) return {};
      times = *reported;
    }
    const RowPlace place =
        type == kStartEnd ? rows_.places.NextToThread(*thread) : rows_.places.Thread(*thread);
    const std::string text = TextOf(row);
    Slice slice;
    slice.ts_ns = times.begin_ns;
    slice.dur_ns = times.dur_ns;
    slice.name = place.part->Intern(text);
    if (type == kMark) {
      slice.category = place.part->Intern("instant");
      return Put(place, slice, rows_);
    }
    const int64_t domain = row.Integer(kDomainId).value_or(0);
    if (libraries_.contains({Places::ProcessOf(*thread), domain})) {
      slice.category = place.part->Intern("library_range");
      return Put(place, slice, rows_);
    }
    return TakeRange(place, slice, ReadNvtxName(text));
  }

  Status TakeRange(const RowPlace& place, Slice slice, const NvtxName& read) {
    if (!read.step_word.empty() && steps_seen_ < kMostSteps) {
      ++steps_seen_;
      steps_[read.step_word].push_back({place, slice, read.step});
      return {};
    }
    slice.category = place.part->Intern(read.is_operator ? "cpu_op" : "user_annotation");
    if (read.is_operator) {
      rows_.any_pytorch = true;
      slice.name = place.part->Intern(read.name);
      if (read.sequence) slice.sequence = *read.sequence;
      if (!read.shapes.empty()) {
        slice.details = place.part->Intern(fmt::format(R"({{"Input Dims":{}}})", read.shapes));
      }
    }
    return Put(place, slice, rows_);
  }

  // Several words may count: "batch 7" within "step 3". Steps are those that take most of the time,
  // the others remain ranges.
  Status PutSteps() {
    const std::string* chosen = nullptr;
    int64_t most_ns = 0;
    for (const auto& [word, ranges] : steps_) {
      int64_t sum_ns = 0;
      for (const Step& step : ranges) AddSaturating(sum_ns, step.slice.dur_ns);
      if (ranges.size() > 1 && sum_ns > most_ns) {
        most_ns = sum_ns;
        chosen = &word;
      }
    }
    for (auto& [word, ranges] : steps_) {
      const bool are_steps = &word == chosen;
      if (are_steps) Number(ranges);
      for (Step& step : ranges) {
        if (are_steps) step.slice.step = *step.number;
        step.slice.category =
            step.place.part->Intern(are_steps ? "step_annotation" : "user_annotation");
        STEPTRACE_RETURN_IF_ERROR(Put(step.place, step.slice, rows_));
      }
    }
    return {};
  }

  // Ranges without a number are counted, of each process by its own.
  static void Number(std::vector<Step>& ranges) {
    std::stable_sort(ranges.begin(), ranges.end(),
                     [](const Step& a, const Step& b) { return a.slice.ts_ns < b.slice.ts_ns; });
    std::map<PartSink*, int64_t> next;
    for (Step& step : ranges) {
      int64_t& number = next[step.place.part];
      if (step.number) {
        number = SaturatingAdd(*step.number, 1);
      } else {
        step.number = number++;
      }
    }
  }

  FileRows& rows_;
  std::set<std::pair<int64_t, int64_t>> libraries_;  // by process and domain
  std::map<std::string, std::vector<Step>> steps_;   // by their word
  size_t steps_seen_ = 0;
  int64_t cut_ = 0;
};

}  // namespace

Status ReadNvtxRows(FileRows& rows) {
  return NvtxRows(rows).Read();
}

}  // namespace steptrace::import::nsight
