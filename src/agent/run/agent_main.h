// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace steptrace::agent {

// The hidden subcommand `steptrace agent …`, started by `steptrace run`: one agent per node.
// Returns the status to exit with. Its arguments (agent_options.h) are not for people.
int AgentMain(const std::vector<std::string>& arguments);

}  // namespace steptrace::agent
