// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "store/manifest.h"
#include "store/tables.h"

namespace steptrace::store {

// The steps of a run, to be asked by rank and time: 24 bytes a step. Passive, one thread.
class StepFinder {
 public:
  // From whatever parts of `steps` can be read, segments and journals.
  static StepFinder OfRun(const std::filesystem::path& run, const Manifest& manifest);

  // Steps of a rank in any order. Where two overlap, the one that began last counts.
  void Add(const StepRow& step);

  // The number of the step of that rank in which `ts_ns` lies: begin included, end not. None:
  // between steps, before the first, after the last. Quickest when the times rise.
  std::optional<int64_t> StepAt(int32_t rank, int64_t ts_ns);

 private:
  struct Span {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    int64_t step = 0;
  };
  struct RankSpans {
    std::vector<Span> spans;
    bool sorted = true;
    size_t last = 0;  // where the last answer was
  };
  static size_t Locate(RankSpans* steps, int64_t ts_ns);

  std::map<int32_t, RankSpans> ranks_;
};

}  // namespace steptrace::store
