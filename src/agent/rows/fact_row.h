// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "store/metadata_keys.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::agent {

// A row of `run_metadata` that is about no process.
inline store::RunMetadataRow MakeFactRow(int64_t ts_ns, int32_t node, store::MetadataKind kind,
                                         std::string json, store::StringTable& strings) {
  store::RunMetadataRow fact;
  fact.ts_ns = ts_ns;
  fact.node = node;
  fact.kind = strings.Intern(store::NameOf(kind));
  fact.json = std::move(json);
  return fact;
}

}  // namespace steptrace::agent
