// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/run_card_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "analyze/report/report.h"
#include "base/shell_word.h"
#include "present/words/quantity.h"
#include "store/profile_writers.h"

namespace steptrace::analyze {
namespace {

constexpr size_t kMostNames = 4;      // of hosts
constexpr size_t kCommitDigits = 12;  // more tell nothing that these do not

std::string CommandText(const RunSection& run) {
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

// Of a machine "2 of 4", of several alike "4 each", of others the sum.
std::string CoresText(const CardHost& host) {
  const std::string all = present::FormatCount(*host.cpus);
  const bool fewer = host.allowed_cores && *host.allowed_cores < *host.cpus;
  return fewer ? fmt::format("{} of {}", present::FormatCount(*host.allowed_cores), all) : all;
}

std::string CoresText(const RunCard& card) {
  std::vector<std::string> texts;
  int64_t sum = 0;
  for (const CardHost& host : card.hosts) {
    if (!host.cpus) return "";
    texts.push_back(CoresText(host));
    sum += *host.cpus;
  }
  if (texts.size() <= 1) return texts.empty() ? "" : texts.front();
  const bool alike = std::ranges::adjacent_find(texts, std::not_equal_to<>()) == texts.end();
  return alike ? texts.front() + " each" : present::FormatCount(sum);
}

std::string MemoryText(const RunCard& card) {
  std::vector<std::string> texts;
  for (const CardHost& host : card.hosts) {
    if (!host.memory_bytes) return "";
    texts.push_back(present::FormatBytes(static_cast<double>(*host.memory_bytes)));
  }
  if (texts.empty()) return "";
  const bool alike = std::ranges::adjacent_find(texts, std::not_equal_to<>()) == texts.end();
  if (!alike) return "";  // a sum would be nobody's
  return texts.size() > 1 ? texts.front() + " each" : texts.front();
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
  return card.attempt && *card.attempt > 0
             ? fmt::format("{}, restarted {} times", *card.job_id, *card.attempt)
             : *card.job_id;
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

}  // namespace

std::vector<CardLine> CardLines(const RunSection& run, const RunCard& card) {
  std::vector<CardLine> lines = {
      {"command", "Command", CommandText(run)},
      {"host", "Host", HostText(run, card), "on "},
      {"cores", "Cores", CoresText(card), "", " cores"},
      {"memory", "Memory", MemoryText(card), "", " memory"},
      {"gpus", "GPUs", GpusText(card)},
      {"software", "Software", SoftwareText(card)},
      {"ranks", "Ranks", RanksText(card), "ranks "},
      {"batch_size", "Batch size", NumberText(card.batch_size), "batch size "},
      {"workers", "DataLoader workers", NumberText(card.workers), "DataLoader workers "},
      {"code", "Git commit", CodeText(card), "git "},
      {"job", "Job", JobText(card), "job "},
      {"tags", "Tags", TagsText(card)},
      {"profiles", "Profiled by", ProfilesText(card), "profiled by "},
      {"started", "Started", StartedText(run.started_utc), "started "},
  };
  std::erase_if(lines, [](const CardLine& line) { return line.text.empty(); });
  return lines;
}

ComparedCards CompareLines(const std::vector<CardLine>& a, const std::vector<CardLine>& b) {
  ComparedCards compared;
  const auto other = [](const std::vector<CardLine>& lines, std::string_view id) {
    const auto found =
        std::ranges::find_if(lines, [id](const CardLine& line) { return line.id == id; });
    return found == lines.end() ? std::string() : found->text;
  };
  for (const CardLine& line : a) {
    const std::string_view id = line.id;
    const std::string in_b = other(b, id);
    if (id == "started") continue;
    if (in_b == line.text) {
      compared.same.push_back(line.title);
    } else {
      compared.unlike.push_back({line.title, line.text, in_b});
    }
  }
  for (const CardLine& line : b) {
    const std::string_view id = line.id;
    if (id != "started" && other(a, id).empty())
      compared.unlike.push_back({line.title, "", line.text});
  }
  return compared;
}

}  // namespace steptrace::analyze
