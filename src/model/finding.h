// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// What was found, as a value: its kind, what the kind declares (schema/findings.toml), and the rows
// that show it. No sentence: present/words makes that. Findings are made by Make of a kind's own
// struct (model/finding_kinds.h), which does not compile without all that the kind needs.
namespace steptrace::model {

enum class FindingKind : uint16_t;  // model/finding_kinds.h

// In the unit that the kind declares; monostate: not known.
using Value = std::variant<std::monostate, bool, int64_t, double>;

// Times in ns, shares from 0 to 1.
enum class Unit : uint8_t {
  kNs,
  kShare,
  kShareNumber,  // the same, said without its sign
  kBytes,
  kCount,
  kCores,
  kTimes,
  kNumber,
  kInteger,  // said as it is
  kTenths,
  kFlag,  // not said: what is said depends on it
};

struct Rows {
  std::string table;
  std::string where;  // a condition on them; empty: all
};

// Of what a kind may hold several times.
struct Item {
  std::vector<Value> figures;  // in the order in which the kind declares them, as texts are
  std::vector<std::string> texts;
};

struct Finding {
  FindingKind kind{};
  std::vector<Value> figures;      // in the order in which the kind declares them
  std::vector<std::string> texts;  // likewise; empty: there is none
  std::vector<Item> items;
  Rows rows;
};

struct FigureInfo {
  std::string_view name;
  Unit unit{};
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
};

struct KindInfo {
  std::string_view id;  // "data.batch_not_ready"
  Role role{};
  PartInfo whole;
  PartInfo item;
  bool has_items = false;
};

const KindInfo& InfoOf(FindingKind kind);

// A field of a kind's struct that has to be given.
template <typename V>
struct Given {
  Given(V known) : value(std::move(known)) {}
  V value;
};

struct Text {
  Text(std::string said) : value(std::move(said)) {}
  Text(std::string_view said) : value(said) {}
  Text(const char* said) : value(said) {}
  std::string value;
};

}  // namespace steptrace::model
