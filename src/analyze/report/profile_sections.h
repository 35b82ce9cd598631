// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analyze/critical_path/critical_path.h"
#include "analyze/device/device_section.h"
#include "analyze/device/kernel_class_times.h"
#include "analyze/distributed/distributed.h"
#include "analyze/operators/kernels_section.h"
#include "analyze/operators/memory_section.h"
#include "analyze/operators/modules_section.h"
#include "analyze/operators/operator_flops.h"
#include "analyze/operators/operators_section.h"
#include "analyze/trace/trace.h"

// The sections that only a profile can fill: of imported traces, and of live runs with device
// events. Each folder of analyze defines its section's struct, how it is built, and its JSON; here
// they come together.
namespace steptrace::analyze {

struct Profile {
  // Of a live run without device activity: operators of its windows and collectives, where it has
  // them; the other sections are empty.
  bool host_alone = false;
  bool live = false;                  // what else the report says of a live run's ranks stays
  DevicesSection devices;             // analyze/device
  ProfileDistributed distributed;     // analyze/distributed
  CriticalPathSection critical_path;  // analyze/critical_path
  OperatorsSection operators;         // analyze/operators: here to modules
  KernelsSection kernels;
  KernelClassTimes kernel_classes;  // analyze/device
  OperatorFlops flops;              // analyze/operators
  MemorySection memory;
  ModulesSection modules;
};

// Sets the members of the report that the profile fills: each by its name in schema/report.toml.
void AddProfileJson(const Profile& profile, nlohmann::ordered_json& report);

}  // namespace steptrace::analyze
