// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/trace/intervals.h"
#include "import/formats/sagemaker/trace_file.h"
#include "store/tables.h"

// Rows of `steps` of one process from the steps that its framework marked.
//
// A mark covers forward and backward; what a batch took to come, the optimizer and whatever else
// lies between two marks belongs to the step all the same: a step begins where the mark before it
// ended, if that mark is of the same mode and its number is the one before. The time outside marks
// has no name unless an event says that the training thread waited for data in it.
namespace steptrace::import::sagemaker {

class StepMarks {
 public:
  struct Kinds {
    store::StringId train{};
    store::StringId eval{};
    store::StringId warm_up{};
  };

  void Add(const TraceFileEvent& event, EventRole role);
  bool any() const { return !marks_.empty(); }
  int64_t doubles() const { return doubles_; }  // marks that stood twice

  // In order of time.
  std::vector<store::StepRow> Take(const Kinds& kinds);

 private:
  struct Mark {
    analyze::TimeRange time;
    int64_t number;
    std::string mode;
    std::optional<int64_t> pid;
  };
  struct Work {
    analyze::TimeRange time;
    EventRole role;
    std::optional<int64_t> pid;
  };
  struct Sets {
    analyze::MeasuredIntervals data, forward, backward;
  };

  void SortMarks();
  Sets MakeSets(std::optional<int64_t> pid) const;
  analyze::TimeRange StepOf(size_t mark) const;
  static void Fill(const Mark& mark, const Sets& sets, store::StepRow& row);

  std::vector<Mark> marks_;
  std::vector<Work> work_;
  int64_t unnumbered_ = 0;
  int64_t doubles_ = 0;
};

}  // namespace steptrace::import::sagemaker
