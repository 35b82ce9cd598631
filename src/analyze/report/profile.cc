// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/profile.h"

#include <nlohmann/json.hpp>

namespace steptrace::analyze {

void AddProfileJson(const Profile& profile, nlohmann::ordered_json& report) {
  if (profile.host_alone) {
    if (!profile.operators.rows.empty()) AddOperatorsJson(profile.operators, report);
    AddLiveDistributedJson(profile.distributed, report);
    return;
  }
  AddDevicesJson(profile.devices, report);
  AddDistributedJson(profile.distributed, report);
  AddCriticalPathJson(profile.critical_path, report);
  AddOperatorsJson(profile.operators, report);
  report["kernels"] = KernelsJson(profile.kernels);
  report["memory"] = MemoryJson(profile.memory);
  report["modules"] = ModulesJson(profile.modules);
}

}  // namespace steptrace::analyze
