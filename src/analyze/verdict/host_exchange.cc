// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/host_exchange.h"

#include <string>

namespace steptrace::analyze {
namespace {

// "cpu:gloo,cuda:nccl" is of both: which one is called decides whether tensors lie on a device.
bool Names(const std::string& backend, const char* name) {
  return backend.find(name) != std::string::npos;
}

}  // namespace

bool ExchangesOnTheHost(const VerdictInput& input) {
  const std::string& backend = input.facts.backend;
  if (Names(backend, "nccl") || Names(backend, "hccl")) return false;
  return Names(backend, "gloo") || Names(backend, "mpi");
}

}  // namespace steptrace::analyze
