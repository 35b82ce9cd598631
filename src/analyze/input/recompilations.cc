// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/recompilations.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <tuple>

#include "store/metadata_json.h"

namespace steptrace::analyze {

using Key = store::MetadataKey;

namespace {

constexpr size_t kMostGuards = 256;
constexpr size_t kMaxTextBytes = 300;

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <size_t N>
bool HasAny(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::ranges::any_of(parts, [text](std::string_view part) { return Has(text, part); });
}

// Of "tensor 'x' dtype mismatch. expected Float, actual Double".
GuardCause CauseOfTensor(std::string_view guard) {
  const bool of_shape = Has(guard, " size mismatch") || Has(guard, " rank mismatch");
  return of_shape ? GuardCause::kShape : GuardCause::kTensor;
}

// Of "name == 7": what stands behind the comparison tells what kind of value it is. The hooks hide
// a number as "…".
GuardCause CauseOfComparison(std::string_view value) {
  while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  if (value.starts_with("'") || value.starts_with("\"") || value.starts_with("b'")) {
    return GuardCause::kText;
  }
  const bool number =
      !value.empty() && (std::isdigit(static_cast<unsigned char>(value[0])) != 0 ||
                         value[0] == '-' || value[0] == '+' || value.starts_with("\u2026"));
  if (number || value.starts_with("True") || value.starts_with("False") ||
      value.starts_with("float(") || value.starts_with("inf") || value.starts_with("nan")) {
    return GuardCause::kValue;
  }
  return GuardCause::kOther;
}

std::string Short(const nlohmann::json& fact, Key key) {
  return store::TextOf(fact, key).substr(0, kMaxTextBytes);
}

}  // namespace

GuardCause CauseOfGuard(std::string_view guard) {
  if (guard.starts_with("tensor ") && Has(guard, " mismatch")) return CauseOfTensor(guard);
  if (guard.starts_with("GLOBAL_STATE") || Has(guard, "___check_global_state") ||
      Has(guard, "torch_function_mode") || Has(guard, ".training")) {
    return GuardCause::kState;
  }
  constexpr std::array<std::string_view, 3> kShapes = {".size()", ".stride()", ".storage_offset()"};
  if (HasAny(guard, kShapes)) return GuardCause::kShape;
  constexpr std::array<std::string_view, 7> kObjects = {
      "check_obj_id",     "check_type_id", "BACKEND_MATCH", "deallocated",
      "Duplicate tensor", "weakref",       "invalidated"};
  if (HasAny(guard, kObjects)) return GuardCause::kObject;
  constexpr std::array<std::string_view, 4> kLengths = {"len(", "dict_contains", "set_contains",
                                                        "keys()"};
  if (HasAny(guard, kLengths)) return GuardCause::kLength;
  // True and False are objects of which there is one: `flag is True` in some versions.
  for (const std::string_view sign : {" == ", " != ", " is "}) {
    if (const size_t at = guard.find(sign); at != std::string_view::npos) {
      const GuardCause cause = CauseOfComparison(guard.substr(at + sign.size()));
      if (cause != GuardCause::kOther) return cause;
    }
  }
  return GuardCause::kOther;
}

void ReadRecompilation(const nlohmann::json& fact, std::vector<Recompilation>& to) {
  Recompilation reported{.function = Short(fact, Key::kFunction),
                         .file = Short(fact, Key::kFile),
                         .guard = Short(fact, Key::kGuard)};
  if (reported.guard.empty()) return;
  reported.line = static_cast<int32_t>(
      std::clamp<int64_t>(store::IntegerOf(fact, Key::kLine).value_or(0), 0, INT32_MAX));
  reported.count = std::max<int64_t>(store::IntegerOf(fact, Key::kCount).value_or(0), 0);
  reported.limit = store::IntegerOf(fact, Key::kLimit);
  const auto same = std::ranges::find_if(to, [&reported](const Recompilation& one) {
    return std::tie(one.function, one.file, one.line, one.guard) ==
           std::tie(reported.function, reported.file, reported.line, reported.guard);
  });
  if (same == to.end()) {
    if (to.size() < kMostGuards) to.push_back(std::move(reported));
    return;
  }
  same->count = std::max(same->count, reported.count);
  if (reported.limit) same->limit = reported.limit;
}

const Recompilation* MostFailed(const std::vector<Recompilation>& all) {
  const auto most = std::ranges::max_element(all, {}, &Recompilation::count);
  return most == all.end() ? nullptr : &*most;
}

const Recompilation* AtLimit(const std::vector<Recompilation>& all) {
  const Recompilation* most = nullptr;
  for (const Recompilation& one : all) {
    if (one.limit && (most == nullptr || one.count > most->count)) most = &one;
  }
  return most;
}

}  // namespace steptrace::analyze
