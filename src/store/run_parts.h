// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "base/result.h"
#include "store/manifest.h"
#include "store/read_options.h"
#include "store/run_files.h"
#include "store/string_table.h"

// The parts in which a table's rows lie, and how one is read. Shared by Read and Scan.
namespace steptrace::store {

struct PartsOfTable {
  std::vector<SegmentInfo> segments;  // by their first time
  std::vector<JournalFile> journals;  // not yet in segments, in the order of writing
};

PartsOfTable FindParts(const std::filesystem::path& run, const Manifest& manifest,
                       const std::string& table);

// The columns to decode: those asked for, and those that filtering and sorting need.
template <class Row>
std::vector<std::string> ColumnsToRead(const std::vector<std::string>& asked);
template <class Row>
std::vector<std::string> ColumnsToRead(const ReadOptions& options);

// Whether a segment may hold rows that a read asks for, and whether it asks for this row.
bool MayHold(const SegmentInfo& segment, const ReadOptions& options);
template <class Row>
bool IsWanted(const Row& row, const ReadOptions& options);

// Orders rows by time in place; rows of the same time keep their order. Without times: nothing.
template <class Row>
void SortByTime(std::vector<Row>* rows);

}  // namespace steptrace::store
