// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/run_card_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "analyze/report/report.h"
#include "base/shell_word.h"
#include "present/words/quantity.h"
#include "store/profile_writers.h"

namespace steptrace::analyze {
namespace {

constexpr size_t kMostNames = 4;      // of hosts
constexpr size_t kCommitDigits = 12;  // more tell nothing that these do not

// Of an import it is ours, and says nothing of the training.
std::string CommandText(const RunSection& run, const RunCard& card) {
  if (!card.imported_as.empty()) return {};
  std::string text;
  for (const std::string& word : run.command) text += (text.empty() ? "" : " ") + ShellWord(word);
  return text;
}

std::string HostText(const RunSection& run, const RunCard& card) {
  std::vector<std::string> names;
  for (const CardHost& host : card.hosts) {
    if (!host.host.empty()) names.push_back(host.host);
  }
  if (names.size() <= 1 && run.nodes <= 1) return names.empty() ? "" : names.front();
  const size_t shown = std::min(names.size(), kMostNames);
  std::string text = fmt::format("{} machines", run.nodes);
  if (shown == 0) return text;
  text += fmt::format(": {}", fmt::join(names.begin(), names.begin() + shown, ", "));
  const int64_t more = run.nodes - static_cast<int64_t>(shown);
  return more > 0 ? fmt::format("{} and {} more", text, more) : text;
}

struct CardText {
  std::string text;  // behind its title
  std::string said;  // without one
};

std::string AllowedCoresText(const CardHost& host) {
  const bool fewer = host.allowed_cores && *host.allowed_cores < *host.cpus;
  return fewer ? present::FormatCount(*host.allowed_cores) + " of " : "";
}

CardText OfEach(const CardText& one) {
  return {one.text + " each", one.said + " each"};
}

// Of a machine "2 of 4", of several alike "4 each", of others the sum.
CardText CoresText(const RunCard& card) {
  std::vector<CardText> texts;
  int64_t sum = 0;
  for (const CardHost& host : card.hosts) {
    if (!host.cpus) return {};
    const std::string allowed = AllowedCoresText(host);
    texts.push_back({allowed + present::FormatCount(*host.cpus),
                     allowed + present::FormatCounted(*host.cpus, "core")});
    sum += *host.cpus;
  }
  if (texts.empty()) return {};
  if (texts.size() == 1) return texts.front();
  const bool alike =
      std::ranges::adjacent_find(texts, std::not_equal_to<>(), &CardText::text) == texts.end();
  return alike ? OfEach(texts.front())
               : CardText{present::FormatCount(sum), present::FormatCounted(sum, "core")};
}

CardText MemoryText(const RunCard& card) {
  std::vector<std::string> texts;
  for (const CardHost& host : card.hosts) {
    if (!host.memory_bytes) return {};
    texts.push_back(present::FormatBytes(static_cast<double>(*host.memory_bytes)));
  }
  if (texts.empty()) return {};
  const bool alike = std::ranges::adjacent_find(texts, std::not_equal_to<>()) == texts.end();
  if (!alike) return {};  // a sum would be nobody's
  const CardText one = {texts.front(), texts.front() + " memory"};
  return texts.size() > 1 ? OfEach(one) : one;
}

// All of the machines; where nobody tells of those, the kinds that the run computes on.
std::string GpusText(const RunCard& card) {
  std::map<std::string, int64_t> counts;
  for (const std::string& name : card.gpus) ++counts[name.empty() ? "GPU" : name];
  std::vector<std::string> texts;
  for (const auto& [name, count] : counts) {
    texts.push_back(count > 1 ? fmt::format("{}\u00d7 {}", count, name) : name);
  }
  return fmt::format("{}", fmt::join(texts.empty() ? card.devices : texts, ", "));
}

std::string SoftwareText(const RunCard& card) {
  std::vector<std::string> texts;
  if (!card.python.empty()) texts.push_back("Python " + card.python);
  for (const auto& [name, version] : card.frameworks) {
    texts.push_back(version.empty() ? name : name + " " + version);
  }
  if (!card.cuda.empty()) texts.push_back("CUDA " + card.cuda);
  if (!card.hip.empty()) texts.push_back("ROCm " + card.hip);
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string RanksText(const RunCard& card) {
  if (!card.world_size || *card.world_size <= 1) return "";
  const std::string ranks = present::FormatCount(*card.world_size);
  return card.backend.empty() ? ranks : fmt::format("{} ({})", ranks, card.backend);
}

std::string CodeText(const RunCard& card) {
  if (!card.git_commit) return "";
  const std::string commit = card.git_commit->substr(0, kCommitDigits);
  if (!card.git_changed) return commit + ", changes not known";
  return commit + (*card.git_changed ? ", uncommitted changes" : ", no uncommitted changes");
}

std::string JobText(const RunCard& card) {
  if (!card.job_id) return "";
  const int64_t restarts = card.attempt.value_or(0);
  if (restarts <= 0) return *card.job_id;
  return *card.job_id + ", restarted " +
         (restarts == 1 ? "once" : present::FormatCounted(restarts, "time"));
}

std::string TagsText(const RunCard& card) {
  std::string text;
  for (const auto& [tag, value] : card.tags) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", tag, value);
  }
  return text;
}

std::string ProfilesText(const RunCard& card) {
  std::vector<std::string> writers;
  for (const store::ProfileWriter one : card.writers) writers.emplace_back(InfoOf(one).title);
  if (card.imported_as.empty()) return "";
  return writers.empty() ? card.imported_as : fmt::format("{}", fmt::join(writers, ", "));
}

// "2026-11-30T08:33:55Z" -> "2026-11-30 08:33:55 UTC"
std::string StartedText(std::string text) {
  constexpr size_t kBehindDate = 10;
  if (text.size() > kBehindDate && text[kBehindDate] == 'T') text[kBehindDate] = ' ';
  if (!text.ends_with('Z')) return text;
  text.pop_back();
  return text + " UTC";
}

std::string NumberText(const std::optional<int64_t>& number) {
  return number ? present::FormatCount(*number) : "";
}

CardLine LineOf(const char* id, const char* title, std::string text, std::string_view before = "") {
  std::string said = std::string(before) + text;
  return {id, title, std::move(text), std::move(said), false};
}

CardLine LineOf(const char* id, const char* title, CardText text) {
  return {id, title, std::move(text.text), std::move(text.said), false};
}

// Parts of a job that differ leave a run without what only some of them tell.
bool IsOfOnePart(const RunCard& card) {
  return card.hosts.size() == 1;
}

// Torch tells of each device that it computes on.
bool HasNoGpu(const RunCard& card) {
  return card.imported_as.empty() && card.gpus.empty() && card.devices.empty() &&
         std::ranges::find(card.frameworks, "torch", &NamedText::first) != card.frameworks.end();
}

std::vector<CardLine> KnownToBeNone(const RunCard& card) {
  std::vector<CardLine> lines;
  const auto add = [&lines](bool is_none, const char* id, const char* title, const char* text) {
    if (is_none) lines.push_back({id, title, text, text, true});
  };
  const bool imported = !card.imported_as.empty();
  add(HasNoGpu(card), "gpus", "GPUs", "none");
  add(card.world_size == 1, "ranks", "Ranks", "1");
  add(!card.job_id && IsOfOnePart(card) && !imported, "job", "Job", "none");
  add(card.tags.empty() && (IsOfOnePart(card) || imported), "tags", "Tags", "none");
  return lines;
}

// Nullptr: not known.
const CardLine* LineNamed(const std::vector<CardLine>& lines, std::string_view id) {
  const auto found =
      std::ranges::find_if(lines, [id](const CardLine& line) { return line.id == id; });
  return found == lines.end() ? nullptr : &*found;
}

// When they began differs of any two, and says nothing.
bool IsSpecific(const CardLine* a, const CardLine* b) {
  const CardLine& one = a != nullptr ? *a : *b;
  return std::string_view(one.id) != "started" &&
         ((a != nullptr && !a->compared_only) || (b != nullptr && !b->compared_only));
}

}  // namespace

std::vector<CardLine> CardLines(const RunSection& run, const RunCard& card) {
  std::vector<CardLine> lines = {
      LineOf("command", "Command", CommandText(run, card)),
      LineOf("host", "Host", HostText(run, card), "on "),
      LineOf("cores", "Cores", CoresText(card)),
      LineOf("memory", "Memory", MemoryText(card)),
      LineOf("gpus", "GPUs", GpusText(card)),
      LineOf("software", "Software", SoftwareText(card)),
      LineOf("ranks", "Ranks", RanksText(card), "ranks "),
      LineOf("batch_size", "Batch size", NumberText(card.batch_size), "batch size "),
      LineOf("workers", "DataLoader workers", NumberText(card.workers), "DataLoader workers "),
      LineOf("code", "Git commit", CodeText(card), "git "),
      LineOf("job", "Job", JobText(card), "job "),
      LineOf("tags", "Tags", TagsText(card)),
      LineOf("profiles", "Profiled by", ProfilesText(card), "profiled by "),
      LineOf("started", "Started", StartedText(run.started_utc), "started "),
  };
  std::erase_if(lines, [](const CardLine& line) { return line.text.empty(); });
  for (CardLine& line : KnownToBeNone(card)) lines.push_back(std::move(line));
  return lines;
}

ComparedCards CompareLines(const std::vector<CardLine>& a, const std::vector<CardLine>& b) {
  ComparedCards compared;
  const auto add = [&compared](const CardLine* in_a, const CardLine* in_b) {
    if (!IsSpecific(in_a, in_b)) return;
    const char* title = in_a != nullptr ? in_a->title : in_b->title;
    const std::string text_a = in_a != nullptr ? in_a->text : "";
    const std::string text_b = in_b != nullptr ? in_b->text : "";
    if (text_a == text_b) {
      compared.same.push_back(title);
    } else {
      compared.unlike.push_back({title, text_a, text_b});
    }
  };
  for (const CardLine& line : a) add(&line, LineNamed(b, line.id));
  for (const CardLine& line : b) {
    if (LineNamed(a, line.id) == nullptr) add(nullptr, &line);
  }
  return compared;
}

}  // namespace steptrace::analyze
