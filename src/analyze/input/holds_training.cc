// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/holds_training.h"

#include <algorithm>

#include "analyze/trace/busiest_functions.h"

namespace steptrace::analyze {
namespace {

// Whose profiles are of trainings alone, whatever events they hold.
bool ProfilesTrainings(store::ProfileWriter writer) {
  using enum store::ProfileWriter;
  return !InfoOf(writer).framework.empty() || writer == kXla || writer == kHorovod ||
         writer == kSagemaker;
}

}  // namespace

bool HoldsTraining(const Trace& profile, const JobFacts& facts) {
  return !facts.frameworks.empty() || std::ranges::any_of(facts.writers, ProfilesTrainings) ||
         ShowsTraining(profile);
}

}  // namespace steptrace::analyze
