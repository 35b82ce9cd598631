// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/report/run_card.h"

// What a run ran on and with, and how two runs compare.
namespace steptrace::analyze {

struct ReportInput;
struct JobFacts;
struct DevicesSection;

RunCard MakeRunCard(const ReportInput& input, const JobFacts& facts);
// `devices`: of input.profile; null: there is none.
Comparability MakeComparability(const ReportInput& input, const JobFacts& facts,
                                const DevicesSection* devices);

// In which of these two runs are known to differ, by the names of the JSON form: hardware,
// world_size, batch_size, precision, versions, throttling, settings.
std::vector<std::string> UnlikeParts(const Comparability& a, const Comparability& b);
// How many of the seven are known.
int64_t KnownParts(const Comparability& one);

}  // namespace steptrace::analyze
