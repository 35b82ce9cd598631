// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyze/input/report_input.h"
#include "analyze/samples/sample_sums.h"
#include "base/result.h"

// Test helper: a run written down as text (tests/data/verdict/*.case), and what its report must
// say. The grammar stands in tests/data/verdict/README.md.
namespace steptrace::analyze {

struct VerdictCase {
  std::string name;  // of the file
  ReportInput input;
  std::vector<std::pair<std::string, std::string>> expectations;  // kind, what

  // What `input` points into.
  std::unique_ptr<store::StringTable> strings = std::make_unique<store::StringTable>();
  std::vector<store::StepRow> steps;
  std::vector<store::RunMetadataRow> facts;
  std::vector<store::DataLossRow> losses;
  std::vector<store::TrackRow> tracks;
  std::vector<store::StackRow> stacks;
  std::vector<store::SampleRow> samples;
  StageTable stage_table;
  std::unique_ptr<SampleSums> sums;
};

Result<VerdictCase> ReadVerdictCase(const std::filesystem::path& file);
Result<VerdictCase> ParseVerdictCase(const std::string& name, const std::string& text);

}  // namespace steptrace::analyze
