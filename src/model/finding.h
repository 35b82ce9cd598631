// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/placed_text.h"
#include "model/rows.h"
#include "model/subject.h"

// What was found, as a value: its kind, what the kind declares (schema/findings.toml), and the rows
// that show it. No sentence: present/words makes that. Findings are made by Make of a kind's own
// struct (model/finding_kinds.h), which does not compile without all that the kind needs.
namespace steptrace::model {

enum class FindingKind : uint16_t;  // model/finding_kinds.h
enum class Topic : uint8_t;         // likewise: what the agent watches

// In the unit that the kind declares; monostate: not known.
using Value = std::variant<std::monostate, bool, int64_t, double>;

// Times in ns, shares from 0 to 1.
enum class FigureUnit : uint8_t {
  kNs,
  kShare,
  kShareNumber,  // the same, said without its sign
  kFineShare,    // the same, said to three digits: two that are near each other stay apart
  kBytes,
  kCount,
  kCores,
  kTimes,
  kNumber,
  kInteger,  // said as it is
  kTenths,
  kFlag,  // not said: what is said depends on it
};

// A line of a file, where one of the texts has it.
struct PlaceOfText : PlaceInText {
  size_t text = 0;  // which of them
};

// Of what a kind may hold several times.
struct Item {
  std::vector<Value> figures;  // in the order in which the kind declares them, as texts are
  std::vector<std::string> texts;
  std::vector<PlaceOfText> places = {};
};

struct Finding {
  FindingKind kind{};
  std::vector<Value> figures;      // in the order in which the kind declares them
  std::vector<std::string> texts;  // likewise; empty: there is none
  std::vector<Item> items;
  Rows rows;
  Subject subject = {};                  // what the code says of it; SubjectOf has all
  std::vector<PlaceOfText> places = {};  // of what was just found: stored findings have none
};

struct FigureInfo {
  std::string_view name;
  FigureUnit unit{};
  bool optional = false;
};

struct PartInfo {
  std::span<const FigureInfo> figures;
  std::span<const std::string_view> texts;  // their names
};

enum class Role : uint8_t {
  kEvidence,
  kAdvice,
  kRule,
  kRecommendation,
  kHeadline,
  kNote,
  kReason,
  kLive,
  kLoss,
};

struct KindInfo {
  std::string_view id;  // "data.batch_not_ready"
  Role role{};
  PartInfo whole;
  PartInfo item;
  bool has_items = false;
  std::span<const SubjectInfo> subject = {};
  Topic topic{};
  std::string_view framework = {};  // of an advice: whose words it has; empty: nobody's
};

const KindInfo& InfoOf(FindingKind kind);

// What the code said of it, and what its kind declares.
Subject SubjectOf(const Finding& finding);

// The machines' names by the numbers of their nodes.
using HostNames = std::map<int64_t, std::string>;

// Puts the names of the machines into the subject, in place of the numbers among the figures that
// the kind declares. Where a name is not known, as of nodes that an agent watches or that come from
// elsewhere, the number has to serve.
void NameHosts(const HostNames& hosts, Finding& finding);

// 16 hexadecimal digits, the same for findings of one kind about the same, in this report and in
// others: lines, figures, times, steps, the numbers of processes, and where in the file system the
// code lies have no part in it.
std::string IdOf(const Finding& finding);

// Numbers those that have one id, in the order of their lines, then as they stand: each has an id
// of its own then.
void NumberAlike(std::span<Finding* const> findings);

// A field of a kind's struct that has to be given.
template <typename V>
struct Given {
  Given(V known) : value(std::move(known)) {}
  V value;
};

struct Text : PlacedText {
  Text(PlacedText said) : PlacedText(std::move(said)) {}
  Text(std::string said) : PlacedText(std::move(said)) {}
  Text(std::string_view said) : PlacedText(said) {}
  Text(const char* said) : PlacedText(said) {}
};

}  // namespace steptrace::model
