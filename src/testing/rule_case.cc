// SPDX-License-Identifier: Apache-2.0
#include "testing/rule_case.h"

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

namespace steptrace::analyze {

std::map<std::string, std::string> Keys(const std::vector<std::string>& words, size_t from,
                                        std::vector<std::string>* rest) {
  std::map<std::string, std::string> keys;
  for (size_t i = from; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals != std::string::npos) {
      keys[words[i].substr(0, equals)] = words[i].substr(equals + 1);
    } else if (rest != nullptr) {
      rest->push_back(words[i]);
    }
  }
  return keys;
}

namespace {

int64_t TimeOf(const std::string& text) {
  size_t end = 0;
  const double number = std::stod(text, &end);
  const std::string unit = text.substr(end);
  const double scale = unit == "min"  ? 60e9
                       : unit == "s"  ? 1e9
                       : unit == "ms" ? 1e6
                       : unit == "us" ? 1e3
                                      : 1;
  return std::llround(number * scale);
}

template <class T>
T Or(const std::map<std::string, std::string>& keys, const char* key, T otherwise) {
  const auto found = keys.find(key);
  return found == keys.end() ? otherwise : static_cast<T>(std::stod(found->second));
}
int64_t TimeOr(const std::map<std::string, std::string>& keys, const char* key, int64_t otherwise) {
  const auto found = keys.find(key);
  return found == keys.end() ? otherwise : TimeOf(found->second);
}

const std::map<std::string, std::string> kMetricOf = {
    {"gpu", "GPUUtilization"},   {"gpu_memory", "GPUMemoryUtilization"}, {"cpu", "CPUUtilization"},
    {"io", "I/OWaitPercentage"}, {"memory", "MemoryUsedPercent"},        {"network", "Algorithm"}};

// `80*5` five times 80; `80..90*5` from 80 to 90; `1500:80` 80 at 1500 ns.
void AddSeries(RuleCase& one, const std::vector<std::string>& words) {
  std::vector<std::string> values;
  const auto keys = Keys(words, 1, &values);
  CounterSeries series;
  const auto metric = kMetricOf.find(words[0]);
  series.metric = metric == kMetricOf.end() ? words[0] : metric->second;
  series.node = Or(keys, "node", 0);
  if (keys.contains("device") || words[0] != "memory") series.device = Or(keys, "device", 0);
  int64_t at = TimeOr(keys, "at", 0);
  const int64_t every = TimeOr(keys, "every", 500'000'000);
  for (const std::string& value : values) {
    if (const size_t colon = value.find(':'); colon != std::string::npos) {
      series.times_ns.push_back(std::stoll(value.substr(0, colon)));
      series.values.push_back(std::stod(value.substr(colon + 1)));
      continue;
    }
    const size_t star = value.find('*'), dots = value.find("..");
    const int count = star == std::string::npos ? 1 : std::stoi(value.substr(star + 1));
    const double first = std::stod(value);
    const double last = dots == std::string::npos ? first : std::stod(value.substr(dots + 2));
    for (int i = 0; i < count; ++i, at += every) {
      series.times_ns.push_back(at);
      series.values.push_back(first + (count > 1 ? (last - first) * i / (count - 1) : 0));
    }
  }
  one.counters.push_back(std::move(series));
}

void AddSteps(RuleCase& one, const std::vector<std::string>& words) {
  const auto keys = Keys(words, 2);
  int64_t at =
      TimeOr(keys, "at", one.steps.empty() ? 0 : one.steps.back().ts_ns + one.steps.back().dur_ns);
  for (int i = 0; i < std::stoi(words[1]); ++i) {
    store::StepRow row;
    row.node = Or(keys, "node", 0);
    row.rank = Or(keys, "rank", 0);
    row.step = static_cast<int64_t>(one.steps.size());
    row.ts_ns = at;
    row.dur_ns = TimeOr(keys, "dur", 100'000'000);
    row.kind = one.strings.Intern(keys.contains("kind") ? keys.at("kind") : "train");
    row.data_ns = TimeOr(keys, "data", 0);
    row.data_pipeline_ns = row.data_ns;
    row.other_phase_ns = row.other_ns = row.dur_ns - row.data_ns;
    row.waits = Or(keys, "waits", 0);
    row.starved_waits = Or(keys, "starved", 0);
    at += row.dur_ns + TimeOr(keys, "gap", 0);
    one.steps.push_back(row);
  }
}

std::vector<double> Values(const std::vector<std::string>& words) {
  RuleCase series;
  AddSeries(series, words);
  return series.counters[0].values;
}

// As a series, in steps of `dur` that wait for data for `wait` per cent.
void AddActivity(RuleCase& one, const std::vector<std::string>& words) {
  const auto keys = Keys(words, 1);
  const int64_t dur_ns = TimeOr(keys, "dur", 100'000'000);
  DeviceUse& use = one.device_use.emplace_back();
  use.node = Or(keys, "node", 0);
  use.rank = Or(keys, "rank", 0);
  use.device = Or(keys, "device", 0);
  use.by_step = Or(keys, "steps", 1) != 0;
  for (const double value : Values(words)) {
    const auto number = static_cast<int64_t>(use.parts.size());
    const auto busy_ns = std::llround(value * static_cast<double>(dur_ns) / 100);
    use.parts.push_back({number * dur_ns, dur_ns, busy_ns, dur_ns * Or(keys, "wait", 0) / 100});
  }
}

// As a series, of steps of 100 ms, in per cent of a device of 10^6 bytes.
void AddAllocated(RuleCase& one, const std::vector<std::string>& words) {
  const auto keys = Keys(words, 1);
  one.device_memory.push_back({Or(keys, "rank", 0),
                               Or(keys, "node", 0),
                               Or(keys, "device", 0),
                               Or(keys, "capacity", 1'000'000),
                               false,
                               {}});
  int64_t at_ns = 0;
  for (const double value : Values(words)) {
    one.device_memory.back().parts.push_back({at_ns, 100'000'000, std::llround(value * 10'000)});
    at_ns += 100'000'000;
  }
}

}  // namespace

void AddLine(RuleCase& one, const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  if (words[0] == "mode") {
    one.mode = *ParseRuleMode(words[1]);
  } else if (words[0] == "preset") {
    one.preset = *ParseRulePreset(words[1]);
  } else if (words[0] == "set") {
    one.sets.push_back(words[1]);
  } else if (words[0] == "run") {
    const auto keys = Keys(words, 1);
    one.run.duration_ns = TimeOr(keys, "duration", 0);
    one.run.epoch_utc_ns = TimeOr(keys, "epoch", 0);
    one.run.status = keys.contains("status") ? keys.at("status") : "completed";
    if (keys.contains("cpus"))
      one.run.nodes.push_back({.host = "node0", .cpus = Or(keys, "cpus", 0)});
  } else if (words[0] == "steps") {
    AddSteps(one, words);
  } else if (words[0] == "loaders") {
    const auto keys = Keys(words, 2);
    for (int i = 0; i < std::stoi(words[1]); ++i) {
      one.loaders.push_back({TimeOr(keys, "at", 0) + i * TimeOr(keys, "every", 1'000'000'000),
                             TimeOr(keys, "dur", 100'000'000), Or(keys, "node", 0),
                             Or<int64_t>(keys, "pid", 1)});
    }
  } else if (words[0] == "fact") {
    store::RunMetadataRow fact;
    fact.kind = one.strings.Intern(words[1]);
    fact.json = line.substr(line.find('{'));
    one.facts.push_back(fact);
  } else if (words[0] == "activity") {
    AddActivity(one, words);
  } else if (words[0] == "allocated") {
    AddAllocated(one, words);
  } else if (words[0] == "expect") {
    one.expectations.push_back(words);
  } else {
    AddSeries(one, words);
  }
}

std::vector<std::unique_ptr<RuleCase>> ReadRuleCases(const std::filesystem::path& file) {
  std::vector<std::unique_ptr<RuleCase>> cases;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    line = line.substr(0, line.find(" # "));
    if (line.find_first_not_of(' ') == std::string::npos || line[0] == '#') continue;
    if (line.rfind("case ", 0) == 0) {
      cases.push_back(std::make_unique<RuleCase>());
      cases.back()->name = file.stem().string() + ": " + line.substr(5);
    } else {
      AddLine(*cases.back(), line);
    }
  }
  return cases;
}

}  // namespace steptrace::analyze
