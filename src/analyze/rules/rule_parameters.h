// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What a parameter of a rule is. schema/rules.toml has them all, with their defaults in each mode.
namespace steptrace::analyze {

enum class RuleMode : uint8_t {
  kCompat,  // the published conditions, quirks included: counts agree with a Debugger report
  kModern,  // the same questions, with what is wrong there fixed
};

enum class ParameterKind : uint8_t {
  kPercent,   // 0 to 100
  kCount,     // a whole number from 0
  kWindow,    // a whole number from 1; of compat also 0: all there is, as the reference takes it
  kSlope,     // a whole number from 2: fewer samples have no slope
  kPositive,  // a number over 0
  kNumber,    // a number from 0
  kText,
};

// A value that a mode does not know.
inline constexpr double kNoSuchParameter = -1;

struct ParameterInfo {
  const char* name;
  ParameterKind kind;
  double code, sdk, aws_docs;  // compat's default by preset
  double modern;
  const char* compat_unit;  // "": none
  const char* modern_unit;
  const char* sentence;

  const char* UnitIn(RuleMode mode) const {
    return mode == RuleMode::kCompat ? compat_unit : modern_unit;
  }

  bool In(RuleMode mode) const {
    return kind == ParameterKind::kText || (mode == RuleMode::kCompat ? code : modern) >= 0;
  }
};

}  // namespace steptrace::analyze
