// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace steptrace {

// What went wrong, in one line: the thing, the cause, the next step.
struct Error {
  // What else than telling it may depend on: kTooLarge is what was asked for, kNobodyReads a pipe
  // whose reader is gone, kNeedsRecovery a run that `steptrace recover` can bring back.
  enum class Kind : uint8_t { kOther, kOutOfMemory, kTooLarge, kNobodyReads, kNeedsRecovery };

  std::string cause;        // and the thing before it
  std::string next_step{};  // empty: there is none
  Kind kind = Kind::kOther;

  // The line.
  std::string text() const { return next_step.empty() ? cause : cause + "; " + next_step; }
  // The same error with the name of what it concerns, where the failing function does not know it.
  Error Of(const std::string& thing) const { return {thing + ": " + cause, next_step, kind}; }
};

// The outcome of an operation that yields nothing but may fail in an expected way.
// A broken invariant of our own is not an Error: it stops the process.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

// A value, or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}
  Result(Error error) : content_(std::move(error)) {}

  bool ok() const { return content_.index() == 0; }
  const Error& error() const { return std::get<1>(content_); }
  T& operator*() & { return std::get<0>(content_); }
  const T& operator*() const& { return std::get<0>(content_); }
  T&& operator*() && { return std::get<0>(std::move(content_)); }
  T* operator->() { return &std::get<0>(content_); }
  const T* operator->() const { return &std::get<0>(content_); }

 private:
  std::variant<T, Error> content_;
};

#define STEPTRACE_CONCAT_INNER(a, b) a##b
#define STEPTRACE_CONCAT(a, b) STEPTRACE_CONCAT_INNER(a, b)

// Passes a failed Status or Result on to the caller.
#define STEPTRACE_RETURN_IF_ERROR(expression)                               \
  do {                                                                      \
    if (auto status_ = (expression); !status_.ok()) return status_.error(); \
  } while (false)

// STEPTRACE_ASSIGN_OR_RETURN(auto file, Open(path));
#define STEPTRACE_ASSIGN_OR_RETURN(target, expression) \
  STEPTRACE_ASSIGN_INNER(STEPTRACE_CONCAT(result_, __LINE__), target, expression)
#define STEPTRACE_ASSIGN_INNER(result, target, expression) \
  auto result = (expression);                              \
  if (!result.ok()) return result.error();                 \
  target = *std::move(result)

}  // namespace steptrace
