// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/host_exchange.h"

#include <cstddef>
#include <string>

#include "analyze/verdict/questions.h"

namespace steptrace::analyze {
namespace {

// "cpu:gloo,cuda:nccl" is of both: which one is called decides whether tensors lie on a device.
bool Names(const std::string& backend, const char* name) {
  return backend.find(name) != std::string::npos;
}

// By what torch calls the collectives of a profile, whose facts need not tell it. Beside those of
// devices the others carry what is small.
std::string CalledIn(const Trace& profile) {
  const store::StringTable* strings = profile.strings;
  std::string found;
  for (size_t i = 0; strings != nullptr && i < static_cast<size_t>(strings->size()); ++i) {
    const std::string& text = strings->Text(static_cast<store::StringId>(i));
    if (text.starts_with("nccl:") || text.starts_with("hccl:")) return "";
    if (!found.empty()) continue;
    if (text.starts_with("gloo:")) found = "gloo";
    if (text.starts_with("mpi:")) found = "mpi";
  }
  return found;
}

}  // namespace

std::string FindHostExchange(const VerdictInput& input) {
  // On a device the model computes beside the exchange.
  if (!input.facts.devices.empty() || (input.profiled && SawDeviceWork(input))) return "";
  const std::string& backend = input.facts.backend;
  if (Names(backend, "nccl") || Names(backend, "hccl")) return "";
  if (Names(backend, "gloo") || Names(backend, "mpi")) return backend;
  const bool of_others = input.report.profile && !input.report.profile_of_windows;
  return of_others && backend.empty() ? CalledIn(*input.report.profile) : "";
}

}  // namespace steptrace::analyze
