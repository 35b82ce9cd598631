// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/comparison.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "analyze/stages/stages.h"
#include "model/finding_kinds.h"
#include "present/words/quantity.h"

namespace steptrace::analyze {
namespace finding = model::finding;

namespace {

using present::FormatDuration;
using present::FormatRatio;
using present::FormatShare;

// Below it a ratio with one digit would say that nothing is gained.
constexpr double kLeastRatio = 1.05;

constexpr size_t kMostNoted = 3;       // stages in the note
constexpr double kLeastUntold = 0.01;  // of the dataset's time that the other run tells

constexpr std::string_view kGetitem = StageName(SubStage::kGetitem);

using ComparedKey = std::pair<StepPartKind, std::string>;  // kind, name

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
  return part.kind == StepPartKind::kSubStage;
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
bool WaitedAsOne(const RunParts& run, const RunParts& reported) {
  return run.dataset_as_one.empty() &&
         DatasetNs(run.parts) > kLeastUntold * DatasetNs(reported.dataset_as_one);
}

// What the parts hold that stands within getitem as one; nothing: no stage holds any of it.
std::optional<model::Finding> NoteOf(const RunParts& run, const RunParts& other, bool first) {
  using Item = finding::ComparisonDatasetStagesOfOne::Item;
  std::vector<std::pair<double, std::string>> within;
  for (const StepPart& one : run.dataset_as_one) {
    const auto part = std::ranges::find_if(run.parts, [&one](const StepPart& reported) {
      return IsStage(reported) && reported.name == one.name;
    });
    if (part != run.parts.end() && part->ns > one.ns && one.name != kGetitem) {
      within.emplace_back(part->ns - one.ns, one.name);
    }
  }
  if (within.empty()) return std::nullopt;
  std::ranges::stable_sort(within, std::ranges::greater(), &decltype(within)::value_type::first);
  if (within.size() > kMostNoted) within.resize(kMostNoted);
  std::vector<Item> items;
  for (const auto& [ns, stage] : within) {
    items.push_back({.time = std::llround(ns), .stage = TitleOf(stage)});
  }
  const bool alike = run.run == other.run;
  return Make(finding::ComparisonDatasetStagesOfOne{.first = alike && first,
                                                    .second = alike && !first,
                                                    .run = run.run,
                                                    .items = std::move(items)});
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
  comparison.operators = CompareOperators(a.operators, b.operators);
  // Kinds in their order: what only the second run has stands with its kind.
  for (const StepPartKind kind : {StepPartKind::kStep, StepPartKind::kPhase, StepPartKind::kSuspect,
                                  StepPartKind::kSubStage}) {
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
  if (auto note = first ? NoteOf(a, b, true) : NoteOf(b, a, false)) {
    comparison.notes.push_back(*std::move(note));
  }
  return comparison;
}

model::Finding HeadlineOf(const Comparison& comparison) {
  const auto& parts = comparison.parts;
  if (parts.empty()) return Make(finding::ComparisonNoSteps{});
  const ComparedPart& step = parts.front();
  if (step.a.ns <= 0 || step.b.ns <= 0) {
    return Make(
        finding::ComparisonNoStepsInOne{.run = step.a.ns <= 0 ? comparison.a : comparison.b});
  }
  if (step.change_low_ns && MayBeChance(step)) return Make(finding::ComparisonMayBeChance{});
  const bool b_wins = step.b.ns < step.a.ns;
  const double fast = b_wins ? step.b.ns : step.a.ns;
  const double slow = b_wins ? step.a.ns : step.b.ns;
  const int64_t fast_ns = std::llround(fast), slow_ns = std::llround(slow);
  if (!step.change_low_ns && FormatDuration(fast_ns) == FormatDuration(slow_ns)) {
    return Make(finding::ComparisonSame{.time = fast_ns});
  }
  finding::ComparisonFaster faster{.fast = fast_ns,
                                   .slow = slow_ns,
                                   .few = !step.change_low_ns,
                                   .first = comparison.a == comparison.b && !b_wins,
                                   .second = comparison.a == comparison.b && b_wins,
                                   .run = b_wins ? comparison.b : comparison.a};
  if (slow / fast < kLeastRatio) {
    faster.share = (slow - fast) / slow;
  } else {
    faster.ratio = slow / fast;
  }
  return Make(faster);
}

}  // namespace steptrace::analyze
