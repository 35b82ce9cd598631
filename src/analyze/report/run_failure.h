// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyze/report/uncaught_exception.h"
#include "model/finding.h"

namespace steptrace::analyze {

struct ReportInput;

// Why a run failed, or was stopped: as far as the end of its command and its processes tell it.
struct RunFailure {
  std::optional<model::Finding> what;  // none: it did not fail, or nobody knows
  std::optional<UncaughtException> exception;
  std::string signal;  // "SIGKILL": of the command, or of a rank; empty: none killed it
};

// `steps`: how many it made.
RunFailure FindFailure(const ReportInput& input, int64_t steps);

// "SIGKILL", "signal 35".
std::string SignalName(int number);

}  // namespace steptrace::analyze
