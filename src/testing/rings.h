// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "transport/reader.h"

// For tests: a folder of ring files, and what is in them.
namespace steptrace::transport::testing {

// A private folder that the writer accepts, named in STEPTRACE_RING_DIR; removed at the end.
class TestRingFolder {
 public:
  explicit TestRingFolder(const std::filesystem::path& parent = "/dev/shm");
  ~TestRingFolder();
  TestRingFolder(const TestRingFolder&) = delete;
  TestRingFolder& operator=(const TestRingFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Names of the files whose names end so, sorted.
  std::vector<std::string> Files(const std::string& suffix = ".ring") const;
  UntrustedRingFile Open(const std::string& name) const;
  // The only ring file; aborts when there is another number of them.
  UntrustedRingFile OpenOnly() const;

 private:
  std::filesystem::path path_;
};

struct ThreadTrace {
  int32_t tid = 0;
  uint32_t generation = 0;
  int ring = 0;
  bool ended = false;
  std::vector<wire::Record> records;
};

struct ProcessTrace {
  RingIdentity identity;
  DrainCounts counts;
  std::vector<ThreadTrace> threads;
  std::vector<NameEntry> names;  // [id - 1]

  std::string NameOf(const wire::Record& record) const { return names.at(record.name - 1).text; }
  size_t CountOf(const std::string& name, wire::RecordKind kind) const;
};

// Drains what is there now and adds it to `trace`.
void DrainInto(UntrustedRingFile& file, ProcessTrace& trace);
ProcessTrace DrainAll(UntrustedRingFile file);
// Of every file in the folder, in the order of their pids.
std::vector<ProcessTrace> DrainFolder(const TestRingFolder& folder);

// Empty if every end closes the innermost open begin of its name and says the same depth; else what
// is wrong first. Begins may be left open.
std::string WhyNotNested(const std::vector<wire::Record>& records);

}  // namespace steptrace::transport::testing
