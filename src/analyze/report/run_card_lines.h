// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyze/report/run_card.h"

namespace steptrace::analyze {

struct RunSection;

// One thing that is known of a run, as all outputs say it.
struct CardLine {
  const char* id = "";     // a word `card_fact` of schema/report.toml
  const char* title = "";  // for a reader
  std::string text;
  std::string said;  // the same where no title stands
  // That there is none, or one alone: of one run it says nothing.
  bool compared_only = false;
};

// What is not known is left out.
std::vector<CardLine> CardLines(const RunSection& run, const RunCard& card);

// A line in two runs.
struct ComparedLine {
  const char* title = "";
  std::string a, b;  // empty: not known
};

struct ComparedCards {
  std::vector<ComparedLine> unlike;
  std::vector<const char*> same;  // titles
};

// When they began differs of any two, and says nothing.
ComparedCards CompareLines(const std::vector<CardLine>& a, const std::vector<CardLine>& b);

}  // namespace steptrace::analyze
