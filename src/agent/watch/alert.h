// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "model/finding.h"
#include "store/stored_words.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::agent {

// What an observer has found, and how it is to be told: a row first, a message second.
struct Alert {
  model::Finding found;
  store::Severity severity = store::Severity::kWarning;
  std::string subject;
  std::string evidence{};          // of its row, as JSON; empty: the values of `found` alone
  const char* suggests = nullptr;  // why another automatic window would be of use (shift, rule)
  bool urgent = false;             // on disk at once: the job may be killed for it
  bool noticed = false;            // who started the run is reported in a line
};

// Its row in `findings`.
store::FindingRow RowOf(const Alert& alert, int64_t now_ns, store::StringTable& strings);

}  // namespace steptrace::agent
