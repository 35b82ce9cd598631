// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/profile.h"

#include <nlohmann/json.hpp>

namespace steptrace::analyze {

Profile BuildProfile(const Trace& trace, const TensorCorePatterns& patterns) {
  Profile profile;
  profile.devices = BuildDevices(trace, patterns);
  profile.distributed = BuildDistributed(trace);
  profile.critical_path = BuildCriticalPath(trace);
  const std::vector<OperatorTree> trees = BuildOperatorTrees(trace, patterns);
  profile.operators = BuildOperators(trace, trees);
  profile.kernels = BuildKernels(trace, trees, patterns);
  profile.memory = BuildMemory(trace, trees);
  profile.modules = BuildModules(trace, trees);
  return profile;
}

void AddProfileJson(const Profile& profile, nlohmann::ordered_json& report) {
  AddDevicesJson(profile.devices, report);
  AddDistributedJson(profile.distributed, report);
  AddCriticalPathJson(profile.critical_path, report);
  AddOperatorsJson(profile.operators, report);
  report["kernels"] = KernelsJson(profile.kernels);
  report["memory"] = MemoryJson(profile.memory);
  report["modules"] = ModulesJson(profile.modules);
}

}  // namespace steptrace::analyze
