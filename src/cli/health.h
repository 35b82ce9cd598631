// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace steptrace::cli {

enum class Health { kOk, kLimited, kMissing };

// One thing that Steptrace can collect or needs: whether it is so here, why not, and what to do.
struct HealthCheck {
  std::string subject;
  Health health = Health::kOk;
  std::string detail;
  std::string next_step;  // empty: nothing to do
};

}  // namespace steptrace::cli
