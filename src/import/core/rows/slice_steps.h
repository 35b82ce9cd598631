// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "import/core/rows/huge_pages.h"
#include "import/core/rows/slice_block.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::import {

// A step as the profile marks it: a `user_annotation` named ProfilerStep#N, or a `step_annotation`
// that tells its number.
struct StepMark {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t number = 0;      // the N
  bool of_script = false;  // a step_annotation: what the loop does between two is of the later one
};

// Of a moment, by the last mark that began and the next; kNull: it is in none.
int64_t StepBetween(const StepMark* last, const StepMark* next, int64_t ns);

// By begin. Of one begin the shorter is the later one, as everywhere.
struct MarkOrder {
  bool operator()(const StepMark& a, const StepMark& b) const {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  }
};

// As they came.
std::vector<StepMark> StepMarksAmong(const SliceGroup& slices, const store::StringTable& strings);

// Whether each of the tracks is a device's.
std::vector<char> TracksOnDevice(std::span<const store::TrackRow> tracks,
                                 const store::StringTable& strings);

// The numbers of the steps that slices belong to; kNull: none. What was told stays, else it is the
// mark's. A host's slice belongs to the step in which it begins,
// begin included, end not, of two that overlap to the one that began last, as in live runs; between
// two that the script marks and that follow each other, to the later one. A device's to the step of
// the host's slice that launched it, which has its correlation. Without such a slice, before, after
// and between steps there is none.
//
// `slices` are all of a rank, `order` their rows by begin, in whose order the result is; `tracks`
// those of the part, by number. Without marks the result is empty: what was told is all. Of slices
// in several groups: StepsAcross.
HugeVector<int64_t> StepsOf(const SliceGroup& slices, std::span<const uint64_t> order,
                            std::span<const store::TrackRow> tracks,
                            const store::StringTable& strings);

}  // namespace steptrace::import
