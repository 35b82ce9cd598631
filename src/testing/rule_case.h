// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyze/rules/profiling_report.h"
#include "store/string_table.h"

// Test helper: a run written down as text (tests/data/rules/*.cases), and what the rules must say
// of it. The grammar stands in tests/data/rules/README.md.
namespace steptrace::analyze {

struct RuleCase {
  std::string name;
  RuleMode mode = RuleMode::kCompat;
  RulePreset preset = RulePreset::kCode;
  std::vector<std::string> sets;
  store::StringTable strings;
  std::vector<CounterSeries> counters;
  std::vector<store::StepRow> steps;
  std::vector<store::RunMetadataRow> facts;
  std::vector<LoaderEvent> loaders;
  std::vector<DeviceUse> device_use;
  std::vector<DeviceMemory> device_memory;
  RunInfo run;
  std::vector<std::vector<std::string>> expectations;

  RulesInput Input() const {
    RulesInput input;
    input.run = run;
    input.counters = counters;
    input.steps = steps;
    input.strings = &strings;
    input.facts = facts;
    input.loader_events = loaders;
    input.device_use = device_use;
    input.device_memory = device_memory;
    return input;
  }
};

// Of `key=value` from the word `from` on; the others go to `rest`.
std::map<std::string, std::string> Keys(const std::vector<std::string>& words, size_t from,
                                        std::vector<std::string>* rest = nullptr);
void AddLine(RuleCase& one, const std::string& line);
std::vector<std::unique_ptr<RuleCase>> ReadRuleCases(const std::filesystem::path& file);

}  // namespace steptrace::analyze
