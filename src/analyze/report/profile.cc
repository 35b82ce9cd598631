// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/profile.h"

#include <nlohmann/json.hpp>

namespace steptrace::analyze {

Profile BuildProfile(const Trace& trace) {
  Profile profile;
  profile.devices = BuildDevices(trace);
  profile.distributed = BuildDistributed(trace);
  profile.critical_path = BuildCriticalPath(trace);
  return profile;
}

void AddProfileJson(const Profile& profile, nlohmann::ordered_json& report) {
  AddDevicesJson(profile.devices, report);
  AddDistributedJson(profile.distributed, report);
  AddCriticalPathJson(profile.critical_path, report);
}

}  // namespace steptrace::analyze
