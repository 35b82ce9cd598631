// SPDX-License-Identifier: Apache-2.0
#include "testing/rings.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace steptrace::transport::testing {
namespace {

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
}

ThreadTrace& TraceOf(ProcessTrace& trace, int ring, int32_t tid, uint32_t generation) {
  for (ThreadTrace& thread : trace.threads) {
    if (thread.ring == ring && thread.generation == generation) return thread;
  }
  trace.threads.push_back({.tid = tid, .generation = generation, .ring = ring, .records = {}});
  return trace.threads.back();
}

}  // namespace

TestRingFolder::TestRingFolder(const std::filesystem::path& parent) {
  std::string pattern = parent / "steptrace-test-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) Fail("no temporary folder in " + parent.string());
  path_ = pattern;
  setenv("STEPTRACE_RING_DIR", path_.c_str(), 1);
}

TestRingFolder::~TestRingFolder() {
  unsetenv("STEPTRACE_RING_DIR");
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> TestRingFolder::Files(const std::string& suffix) const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    if (entry.path().filename().string().ends_with(suffix)) {
      names.push_back(entry.path().filename());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

UntrustedRingFile TestRingFolder::Open(const std::string& name) const {
  UniqueFd folder(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  auto file = UntrustedRingFile::Open(folder.get(), name.c_str(), geteuid());
  if (!file.ok()) Fail(file.error().text());
  return *std::move(file);
}

UntrustedRingFile TestRingFolder::OpenOnly() const {
  const auto files = Files();
  if (files.size() != 1) Fail(std::to_string(files.size()) + " ring files in " + path_.string());
  return Open(files[0]);
}

size_t ProcessTrace::CountOf(const std::string& name, wire::RecordKind kind) const {
  size_t count = 0;
  for (const ThreadTrace& thread : threads) {
    for (const wire::Record& record : thread.records) {
      count += record.kind == static_cast<uint8_t>(kind) && NameOf(record) == name ? 1 : 0;
    }
  }
  return count;
}

void DrainInto(UntrustedRingFile& file, ProcessTrace& trace) {
  std::vector<wire::Record> batch(4096);
  const int rings = file.thread_count();
  for (int ring = 0; ring < rings; ++ring) {
    while (const size_t count = file.Drain(ring, batch)) {
      auto& thread = TraceOf(trace, ring, file.thread_tid(ring), file.thread_generation(ring));
      thread.records.insert(thread.records.end(), batch.begin(),
                            batch.begin() + static_cast<ptrdiff_t>(count));
    }
    const uint32_t generation = file.thread_generation(ring);
    if (file.ThreadEnded(ring))
      TraceOf(trace, ring, file.thread_tid(ring), generation).ended = true;
  }
  trace.identity = file.identity();
  trace.counts = file.counts();
  for (auto id = static_cast<uint32_t>(trace.names.size()) + 1; auto name = file.Name(id); ++id) {
    trace.names.push_back(*std::move(name));
  }
}

ProcessTrace DrainAll(UntrustedRingFile file) {
  ProcessTrace trace;
  DrainInto(file, trace);
  return trace;
}

std::vector<ProcessTrace> DrainFolder(const TestRingFolder& folder) {
  std::vector<ProcessTrace> traces;
  for (const std::string& name : folder.Files()) traces.push_back(DrainAll(folder.Open(name)));
  std::sort(traces.begin(), traces.end(), [](const ProcessTrace& a, const ProcessTrace& b) {
    return a.identity.pid < b.identity.pid;
  });
  return traces;
}

std::string WhyNotNested(const std::vector<wire::Record>& records) {
  std::vector<wire::Record> open;
  uint64_t written = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const wire::Record& record = records[i];
    const std::string at = "record " + std::to_string(i) + ": ";
    const auto depth = static_cast<uint8_t>(record.flags & wire::kDepthMask);
    // These tell of another time than that in which they were written.
    const bool has_own_time = record.kind >= static_cast<uint8_t>(wire::RecordKind::kComplete);
    if (!has_own_time && record.tsc < written) return at + "time goes back";
    if (!has_own_time) written = record.tsc;
    if (record.kind == static_cast<uint8_t>(wire::RecordKind::kBegin)) {
      if (depth != open.size()) return at + "begin at another depth than it says";
      open.push_back(record);
    } else if (record.kind == static_cast<uint8_t>(wire::RecordKind::kEnd)) {
      if (open.empty()) return at + "end without a begin";
      if (open.back().name != record.name) return at + "end of another range";
      open.pop_back();
      if (depth != open.size()) return at + "end at another depth than it says";
    }
  }
  return "";
}

}  // namespace steptrace::transport::testing
