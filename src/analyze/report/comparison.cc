// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "analyze/report/quantity.h"
#include "analyze/verdict/stages.h"

namespace steptrace::analyze {
namespace {

// Below it a ratio with one digit would say that nothing is gained.
constexpr double kLeastRatio = 1.05;

constexpr size_t kMostNoted = 3;       // stages in the note
constexpr double kLeastUntold = 0.01;  // of the dataset's time that the other run tells

constexpr std::string_view kGetitem = StageName(SubStage::kGetitem);

using ComparedKey = std::pair<std::string, std::string>;  // kind, name

// Two runs are drawn independently: the half widths of an interval of their difference add in
// quadrature, each side by itself (MOVER: Zou & Donner 2008, Statistics in Medicine 27, 1693).
ComparedPart ComparedPartOf(const ComparedKey& key, const StepPart& a, const StepPart& b,
                            bool spread_known) {
  const double change = b.ns - a.ns;
  const double down = std::hypot(b.ns - b.ns_low, a.ns_high - a.ns);
  const double up = std::hypot(b.ns_high - b.ns, a.ns - a.ns_low);
  ComparedPart part{.kind = key.first,
                    .name = key.second,
                    .a = a,
                    .b = b,
                    .change_ns = std::llround(b.ns) - std::llround(a.ns),
                    .change_low_ns = std::nullopt,
                    .change_high_ns = std::nullopt};
  if (spread_known && a.spread_known && b.spread_known) {
    part.change_low_ns = std::llround(change - down);
    part.change_high_ns = std::llround(change + up);
  }
  return part;
}

bool IsStage(const StepPart& part) {
  return part.kind == "sub_stage";
}

double DatasetNs(const std::vector<StepPart>& parts) {
  double ns = 0;
  for (const StepPart& part : parts) {
    if (IsStage(part) && (part.name == kGetitem || part.name == StageName(SubStage::kStorageRead)))
      ns += part.ns;
  }
  return ns;
}

// Whether it waited for its dataset, of which nothing tells more, by enough beside the run that
// tells its stages: these are the answer where the other hardly waited at all.
bool WaitedAsOne(const RunParts& run, const RunParts& told) {
  return run.dataset_as_one.empty() &&
         DatasetNs(run.parts) > kLeastUntold * DatasetNs(told.dataset_as_one);
}

// The run's name, but that two runs of one script have it both.
std::string NameOf(const RunParts& run, const RunParts& other, const char* place) {
  return run.run == other.run ? fmt::format("the {} run", place) : run.run;
}

// What the parts hold that stands within getitem as one.
std::string NoteOf(const std::string& name, const RunParts& run) {
  std::vector<std::pair<double, std::string>> within;
  for (const StepPart& one : run.dataset_as_one) {
    const auto part = std::ranges::find_if(
        run.parts, [&one](const StepPart& told) { return IsStage(told) && told.name == one.name; });
    if (part != run.parts.end() && part->ns > one.ns && one.name != kGetitem) {
      within.emplace_back(part->ns - one.ns, one.name);
    }
  }
  std::ranges::stable_sort(within, std::ranges::greater(), &decltype(within)::value_type::first);
  if (within.size() > kMostNoted) within.resize(kMostNoted);
  std::string text;
  for (const auto& [ns, stage] : within) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", TitleOf(stage),
                        FormatDuration(std::llround(ns)));
  }
  if (text.empty()) return {};
  return fmt::format("Only {} tells its dataset's stages: __getitem__ holds {}.", name, text);
}

// With the dataset's time as one.
RunParts AsOne(RunParts run) {
  std::erase_if(run.parts, IsStage);
  std::ranges::move(run.dataset_as_one, std::back_inserter(run.parts));
  return run;
}

Comparison CompareParts(const RunParts& a, const RunParts& b) {
  std::vector<ComparedKey> order;
  std::map<ComparedKey, std::pair<StepPart, StepPart>> found;
  for (const bool second : {false, true}) {
    for (const StepPart& part : (second ? b : a).parts) {
      const auto [row, added] = found.try_emplace({part.kind, part.name});
      if (added) order.push_back(row->first);
      (second ? row->second.second : row->second.first) = part;
    }
  }
  Comparison comparison{a.run, b.run, {}, {}, a.comparability, b.comparability};
  // Kinds in their order: what only the second run has stands with its kind.
  for (const char* kind : {"step", "phase", "suspect", "sub_stage"}) {
    for (const ComparedKey& key : order) {
      if (key.first != kind) continue;
      comparison.parts.push_back(ComparedPartOf(key, found[key].first, found[key].second,
                                                a.spread_known && b.spread_known));
    }
  }
  return comparison;
}

}  // namespace

bool MayBeChance(const ComparedPart& part) {
  return !part.change_low_ns || (*part.change_low_ns <= 0 && *part.change_high_ns >= 0);
}

Comparison Compare(const RunParts& a, const RunParts& b) {
  const bool first = !a.dataset_as_one.empty() && WaitedAsOne(b, a);
  const bool second = !b.dataset_as_one.empty() && WaitedAsOne(a, b);
  if (!first && !second) return CompareParts(a, b);
  Comparison comparison = first ? CompareParts(AsOne(a), b) : CompareParts(a, AsOne(b));
  comparison.note = first ? NoteOf(NameOf(a, b, "first"), a) : NoteOf(NameOf(b, a, "second"), b);
  return comparison;
}

std::string ComparisonSentence(const Comparison& comparison) {
  const auto& parts = comparison.parts;
  if (parts.empty()) return "Neither run has steady steps to compare.";
  const ComparedPart& step = parts.front();
  if (step.a.ns <= 0 || step.b.ns <= 0) {
    return fmt::format("{} has no steady steps to compare.",
                       step.a.ns <= 0 ? comparison.a : comparison.b);
  }
  if (step.change_low_ns && MayBeChance(step))
    return "Their steps take the same time, as far as can be told.";
  const bool b_wins = step.b.ns < step.a.ns;
  const double fast = b_wins ? step.b.ns : step.a.ns;
  const double slow = b_wins ? step.a.ns : step.b.ns;
  const std::string fast_text = FormatDuration(std::llround(fast));
  const std::string slow_text = FormatDuration(std::llround(slow));
  if (!step.change_low_ns && fast_text == slow_text) {
    return fmt::format("Their steps take the same time: {}.", fast_text);
  }
  // Two runs of one script have its name both.
  const bool same = comparison.a == comparison.b;
  const char* const which = b_wins ? "The second run" : "The first run";
  return fmt::format(
      "{} is {} faster a step: {} instead of {}{}",
      same     ? which
      : b_wins ? comparison.b
               : comparison.a,
      slow / fast < kLeastRatio ? FormatShare((slow - fast) / slow) : FormatRatio(slow / fast),
      fast_text, slow_text,
      step.change_low_ns ? "." : "; whether by chance so few steps do not tell.");
}

}  // namespace steptrace::analyze
