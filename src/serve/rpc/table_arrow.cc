// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "base/unnamed_file.h"
#include "serve/rpc/table.h"

namespace steptrace::rpc {

// As a scan writes them, batch by batch: nothing of it is gathered in memory. Readers know
// dictionaries that are replaced between batches.
Result<TableFile> TableArrow(const TableQuery& query) {
  TableFile table;
  STEPTRACE_ASSIGN_OR_RETURN(table.fd, UnnamedFile(query.run));
  STEPTRACE_RETURN_IF_ERROR(ScanTo(query, store::ScanFormat::kArrowStream, table.fd.get()));
  const off_t end = ::lseek(table.fd.get(), 0, SEEK_END);
  if (end < 0) return Error{query.table + ": its rows cannot be read back", "ask for fewer"};
  table.bytes = static_cast<uint64_t>(end);
  return table;
}

}  // namespace steptrace::rpc
