// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/host_exchange.h"

#include <string>

#include "analyze/trace/unrecognised.h"
#include "analyze/verdict/absent_ranks.h"
#include "analyze/verdict/questions.h"

namespace steptrace::analyze {
namespace {

// "cpu:gloo,cuda:nccl" is of both: which one is called decides whether tensors lie on a device.
bool Names(const std::string& backend, const char* name) {
  return backend.find(name) != std::string::npos;
}

}  // namespace

bool ExchangesOnTheHost(const VerdictInput& input) {
  // On a device the model computes beside the exchange.
  if (!input.facts.devices.empty() || (input.profiled && SawDeviceWork(input))) return false;
  const std::string& backend = input.facts.backend;
  if (Names(backend, "nccl") || Names(backend, "hccl")) return false;
  return Names(backend, "gloo") || Names(backend, "mpi");
}

bool HasNoBound(const VerdictInput& input, SuspectId suspect) {
  if (HidesMuch(input.report.unrecognised)) return true;
  return suspect == SuspectId::kCommunication &&
         (AbsentRanks(input) > 0 || ExchangesOnTheHost(input));
}

}  // namespace steptrace::analyze
