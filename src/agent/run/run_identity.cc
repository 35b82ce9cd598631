// SPDX-License-Identifier: Apache-2.0
#include "agent/run/run_identity.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace steptrace::agent {
namespace {

using Variable = std::function<const char*(const char* name)>;

// The launcher's before the scheduler's: an elastic job restarts many times in one of the latter.
constexpr const char* kAttempts[] = {"TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT"};
// The scheduler's before the launcher's: it names all that belongs together. Of Slurm, PBS, LSF and
// SageMaker, then of Ray and torchrun. Kubernetes tells a container no name of its job.
constexpr const char* kJobs[] = {"SLURM_JOB_ID",      "PBS_JOBID",  "LSB_JOBID",
                                 "TRAINING_JOB_NAME", "RAY_JOB_ID", "TORCHELASTIC_RUN_ID"};
constexpr std::string_view kNoJob = "none";  // what torchrun calls a job that nobody named

std::optional<std::string> JobOf(const Variable& variable) {
  for (const char* name : kJobs) {
    const char* value = variable(name);
    if (value != nullptr && *value != '\0' && value != kNoJob) return CleanUtf8(value);
  }
  return std::nullopt;
}

std::optional<int64_t> AttemptOf(const Variable& variable) {
  for (const char* name : kAttempts) {
    const char* value = variable(name);
    if (value == nullptr) continue;
    const std::string_view text(value);
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number >= 0) return number;
  }
  return std::nullopt;
}

}  // namespace

store::RunIdentity IdentityFrom(const Variable& variable) {
  store::RunIdentity identity;
  identity.job_id = JobOf(variable);
  identity.attempt = AttemptOf(variable);
  return identity;
}

}  // namespace steptrace::agent
