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
  bool computes = false;  // of operators: its own time is work, not the way to it
  // Of kDetails, whose text is the JSON that was checked (call_details.h).
  int64_t group = 0;
  store::StringId group_text{};
};

// The hook behind a name of wire/vocabulary.h; kUser for what is not in it.
analyze::HookName HookOf(wire::Category category, std::string_view text);

// Whether such a record says that its process trains.
bool IndicatesTraining(const ResolvedName& name);

// Whether an operator's own time is the work that it is called for, by what ran it:
//   kPrimitive   always: a kernel of a library
//   kOperator    `namespace::name`, as the dispatcher has it (aten::mm, c10d::allreduce_), and
//   calls
//                of compiled code ("## Call CompiledFxGraph …"). Not nodes of autograd
//                (AddmmBackward0, autograd::engine::evaluate_function: …), which lead to operators,
//                and not ranges of Python code (Optimizer.step#SGD.step, a script's own).
bool Computes(wire::Category category, std::string_view text);

}  // namespace steptrace::agent
