// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What a finding is about, as values.
namespace steptrace::model {

struct Subject {
  using Range = std::pair<int64_t, int64_t>;  // first and last

  // One of several devices, and whose it is.
  struct Gpu {
    std::string host = {};
    std::optional<int64_t> node = std::nullopt;  // of one whose host is not known
    std::optional<int64_t> rank = std::nullopt;
    int64_t device = 0;
    auto operator<=>(const Gpu&) const = default;
  };

  // Names of schema/stages.toml, of a rule and of a metric.
  std::string suspect = {};
  std::string stage = {};
  std::string rule = {};
  std::string metric = {};
  std::string function = {};  // as people call it, where it was seen
  std::string file = {};      // ... and in which, as the process told it
  int32_t line = 0;           // 0: not known
  std::string step_kind = {};
  std::string hook = {};
  std::string data_source = {};  // what was to be measured
  std::string cause = {};        // of what was lost
  std::vector<std::string> hosts = {};
  std::vector<int64_t> nodes = {};  // of those whose host is not known
  std::vector<Range> ranks = {};
  std::vector<int64_t> devices = {};
  std::vector<Gpu> gpus = {};                     // of several devices; sorted
  std::optional<int64_t> process = std::nullopt;  // its number
  std::optional<Range> steps = std::nullopt;
  // Which of several findings of one kind about the same; NumberAlike sets it.
  int64_t occurrence = 1;

  // By rising numbers, each once. What no rank can be, as a stored finding may have it, is left
  // out.
  void AddRank(int64_t rank);
  void AddNode(int64_t node);
  void AddDevice(int64_t device);
  void AddHost(std::string_view host);
};

// A rank as every table has it.
inline bool IsRank(int64_t number) {
  return number == static_cast<int32_t>(number);
}

// What of a file's path is the same in every checkout, container and Python.
std::string_view StablePath(std::string_view file);

// A member that a kind declares to be one of its figures or texts.
enum class SubjectMember : uint8_t {
  kRank,
  kDevice,
  kNode,
  kFirstStep,
  kLastStep,
  kStepKind,
  kFunction,
  kRule,
  kHook,
  kDataSource,
  kText,  // what it says, where nothing else is known: a part of the id alone
};
struct SubjectInfo {
  SubjectMember member{};
  bool is_text = false;
  bool of_items = false;
  uint8_t at = 0;  // which of its figures or texts
};

}  // namespace steptrace::model
