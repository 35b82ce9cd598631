// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "analyze/report/report_input.h"
#include "analyze/report/sentence.h"

namespace steptrace::analyze {

// Of a verdict on few steps; where too few samples fall into these, on those around them too.
inline Sentence RestsOnText(int64_t steps, const ReportInput& report) {
  const auto within = report.samples_within_ns;
  return Phrase("it rests on {} step{}{}: others may differ", steps, steps == 1 ? "" : "s",
                within
                    ? Phrase(" and the samples of all within {} of them", figure::Duration(*within))
                    : Sentence());
}

}  // namespace steptrace::analyze
