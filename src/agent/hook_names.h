// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "analyze/derive/event.h"
#include "store/string_table.h"
#include "wire/vocabulary.h"

namespace steptrace::agent {

// A name of a process as the agent uses it, looked up once.
struct ResolvedName {
  wire::Category category = wire::Category::kUser;
  analyze::HookName hook = analyze::HookName::kUser;
  store::StringId text{};
  store::StringId category_text{};
};

// The hook behind a name of wire/vocabulary.h; kUser for what is not in it.
analyze::HookName HookOf(wire::Category category, std::string_view text);

// Whether such a record says that its process trains.
bool SaysTraining(const ResolvedName& name);

// phase, communication, worker, fact, user
const char* CategoryText(wire::Category category);

}  // namespace steptrace::agent
