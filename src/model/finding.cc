// SPDX-License-Identifier: Apache-2.0
#include "model/finding.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <tuple>

#include "base/fnv.h"
#include "store/stored_words.h"

namespace steptrace::model {
namespace {

void SetNumber(SubjectMember member, int64_t number, Subject& subject) {
  switch (member) {
    case SubjectMember::kRank:
      return subject.AddRank(number);
    case SubjectMember::kDevice:
      return subject.AddDevice(number);
    case SubjectMember::kNode:
      if (subject.hosts.empty()) subject.AddNode(number);
      return;
    case SubjectMember::kFirstStep:
      subject.steps = {number, number};
      return;
    case SubjectMember::kLastStep:
      if (subject.steps) subject.steps->second = number;
      return;
    case SubjectMember::kStepKind:
    case SubjectMember::kFunction:
    case SubjectMember::kRule:
    case SubjectMember::kHook:
    case SubjectMember::kDataSource:
    case SubjectMember::kText:
      return;
  }
}

void SetFigure(SubjectMember member, const Value& value, Subject& subject) {
  if (const auto* flag = std::get_if<bool>(&value)) {
    if (member == SubjectMember::kStepKind)
      subject.step_kind =
          *flag ? store::NameOf(store::StepKind::kEval) : store::NameOf(store::StepKind::kTrain);
  } else if (const auto* number = std::get_if<int64_t>(&value)) {
    SetNumber(member, *number, subject);
  }
}

void SetText(SubjectMember member, const std::string& text, Subject& subject) {
  if (member == SubjectMember::kFunction) subject.function = text;
  if (member == SubjectMember::kRule) subject.rule = text;
  if (member == SubjectMember::kHook) subject.hook = text;
  if (member == SubjectMember::kDataSource) subject.data_source = text;
}

void Set(const SubjectInfo& info, const std::vector<Value>& figures,
         const std::vector<std::string>& texts, Subject& subject) {
  if (info.is_text && info.at < texts.size()) {
    SetText(info.member, texts[info.at], subject);
  } else if (!info.is_text && info.at < figures.size()) {
    SetFigure(info.member, figures[info.at], subject);
  }
}

// Its figures that are declared to be this member, as they are declared; those not known, too.
std::vector<std::optional<int64_t>> Declared(SubjectMember member, const Finding& finding) {
  std::vector<std::optional<int64_t>> numbers;
  for (const SubjectInfo& info : InfoOf(finding.kind).subject) {
    if (info.member != member || info.of_items) continue;
    const auto* number = info.at < finding.figures.size()
                             ? std::get_if<int64_t>(&finding.figures[info.at])
                             : nullptr;
    numbers.push_back(number == nullptr ? std::nullopt : std::optional(*number));
  }
  return numbers;
}

// Of several devices: sets of devices and of machines would not tell which is whose.
std::vector<Subject::Gpu> GpusOf(const Finding& finding, const HostNames& hosts) {
  const auto devices = Declared(SubjectMember::kDevice, finding);
  const auto ranks = Declared(SubjectMember::kRank, finding);
  const auto nodes = Declared(SubjectMember::kNode, finding);
  std::vector<Subject::Gpu> gpus;
  for (size_t i = 0; devices.size() > 1 && i < devices.size(); ++i) {
    if (!devices[i]) continue;
    Subject::Gpu& gpu = gpus.emplace_back(Subject::Gpu{.device = *devices[i]});
    if (i < ranks.size()) gpu.rank = ranks[i];
    if (i >= nodes.size() || !nodes[i]) continue;
    const auto host = hosts.find(*nodes[i]);
    if (host == hosts.end()) {
      gpu.node = nodes[i];
    } else {
      gpu.host = host->second;
    }
  }
  std::sort(gpus.begin(), gpus.end());
  return gpus;
}

// Of texts one after the other: none of them can pass for two.
class Hash {
 public:
  Hash& operator<<(std::string_view text) {
    hash_ = Fnv1a(std::string_view("\0", 1), Fnv1a(text, hash_));
    return *this;
  }
  std::string Digits() const {
    std::array<char, 16> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash_, 16).ptr;
    const std::string text(digits.data(), end);
    return std::string(digits.size() - text.size(), '0') + text;
  }

 private:
  uint64_t hash_ = kFnvOffset;
};

void AddText(std::string_view name, std::string_view text, Hash& hash) {
  if (!text.empty()) hash << name << text;
}

void AddNumber(std::string_view name, int64_t number, Hash& hash) {
  hash << name << std::to_string(number);
}

void AddPlaces(const Subject& subject, Hash& hash) {
  for (const std::string& host : subject.hosts) AddText("host", host, hash);
  for (const int64_t node : subject.nodes) AddNumber("node", node, hash);
  for (const auto& [first, last] : subject.ranks) {
    AddNumber("ranks", first, hash);
    AddNumber("to", last, hash);
  }
  for (const int64_t device : subject.devices) AddNumber("device", device, hash);
  for (const Subject::Gpu& gpu : subject.gpus) {
    AddNumber("gpu", gpu.device, hash);
    AddText("host", gpu.host, hash);
    if (gpu.node) AddNumber("node", *gpu.node, hash);
    if (gpu.rank) AddNumber("rank", *gpu.rank, hash);
  }
}

}  // namespace

Subject SubjectOf(const Finding& finding) {
  Subject subject = finding.subject;
  for (const SubjectInfo& info : InfoOf(finding.kind).subject) {
    if (!info.of_items) {
      Set(info, finding.figures, finding.texts, subject);
      continue;
    }
    for (const Item& item : finding.items) Set(info, item.figures, item.texts, subject);
  }
  if (subject.gpus.empty()) subject.gpus = GpusOf(finding, {});
  return subject;
}

void NameHosts(const HostNames& hosts, Finding& finding) {
  std::vector<std::string_view> named;
  std::vector<int64_t> unnamed;
  for (const std::optional<int64_t> node : Declared(SubjectMember::kNode, finding)) {
    if (!node) continue;
    if (const auto host = hosts.find(*node); host != hosts.end()) {
      named.push_back(host->second);
    } else {
      unnamed.push_back(*node);
    }
  }
  if (named.empty()) return;  // what is known of them already stays
  Subject& subject = finding.subject;
  subject.hosts.clear();
  subject.nodes.clear();
  for (const std::string_view host : named) subject.AddHost(host);
  for (const int64_t node : unnamed) subject.AddNode(node);
  subject.gpus = GpusOf(finding, hosts);
}

// A member that does not apply has no part in it: a new one leaves the ids of other findings.
std::string IdOf(const Finding& finding) {
  const Subject subject = SubjectOf(finding);
  Hash hash;
  hash << InfoOf(finding.kind).id;
  AddText("suspect", subject.suspect, hash);
  AddText("stage", subject.stage, hash);
  AddText("rule", subject.rule, hash);
  AddText("metric", subject.metric, hash);
  AddText("function", subject.function, hash);
  AddText("file", StablePath(subject.file), hash);
  AddText("step_kind", subject.step_kind, hash);
  AddText("hook", subject.hook, hash);
  AddText("data_source", subject.data_source, hash);
  AddText("cause", subject.cause, hash);
  AddPlaces(subject, hash);
  for (const SubjectInfo& info : InfoOf(finding.kind).subject) {
    if (info.member == SubjectMember::kText) AddText("text", finding.texts.at(info.at), hash);
  }
  if (subject.occurrence > 1) AddNumber("occurrence", subject.occurrence, hash);
  return hash.Digits();
}

void NumberAlike(std::span<Finding* const> findings) {
  std::map<std::string, std::vector<Finding*>> alike;
  for (Finding* one : findings) {
    one->subject.occurrence = 1;
    alike[IdOf(*one)].push_back(one);
  }
  for (auto& [id, same] : alike) {
    std::stable_sort(same.begin(), same.end(), [](const Finding* a, const Finding* b) {
      return std::tie(a->subject.file, a->subject.line) <
             std::tie(b->subject.file, b->subject.line);
    });
    int64_t occurrence = 0;
    for (Finding* one : same) one->subject.occurrence = ++occurrence;
  }
}

}  // namespace steptrace::model
