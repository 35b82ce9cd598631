// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/finding.h"
#include "store/stored_words.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::agent {

// A row of `findings`: by kind, with the values that its sentence is made of, and the sentence as
// it reads now, for who has the table alone.
store::FindingRow MakeFindingRow(int64_t ts_ns, store::Severity severity, std::string subject,
                                 const model::Finding& found, store::StringTable& strings);

// Its values as such a row holds them, and beside these what else it rests on: an object.
std::string EvidenceText(const model::Finding& found);
std::string EvidenceText(const model::Finding& found, nlohmann::ordered_json more);

// The sentence of such a row, cut where a terminal could not show it.
std::string FindingRowText(const model::Finding& found);

}  // namespace steptrace::agent
