// SPDX-License-Identifier: Apache-2.0
// What is on the disk before run.json names it. The system's calls are watched on their way: the
// functions below stand before the C library's in this program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "store/run_reader.h"
#include "store/test_run.h"

namespace {

std::mutex g_mutex;
std::vector<std::string>* g_calls = nullptr;  // "sync <path>", "rename <to>"; null: nobody watches

void Note(const std::string& call) {
  std::lock_guard lock(g_mutex);
  if (g_calls != nullptr) g_calls->push_back(call);
}

void Watch(std::vector<std::string>* calls) {
  std::lock_guard lock(g_mutex);
  g_calls = calls;
}

void NoteSync(int fd) {
  char path[4096];
  const ssize_t length =
      readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof path);
  if (length > 0) Note("sync " + std::string(path, static_cast<size_t>(length)));
}

}  // namespace

extern "C" int fsync(int fd) {
  const auto done = static_cast<int>(syscall(SYS_fsync, fd));
  if (done == 0) NoteSync(fd);
  return done;
}
extern "C" int fdatasync(int fd) {
  const auto done = static_cast<int>(syscall(SYS_fdatasync, fd));
  if (done == 0) NoteSync(fd);
  return done;
}
extern "C" int rename(const char* from, const char* to) noexcept {
  Note(std::string("rename ") + to);
  return static_cast<int>(syscall(SYS_rename, from, to));
}

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

TEST(SyncOrder, SegmentsAndTheirFoldersComeBeforeTheManifest) {
  TempDir dir;
  const fs::path run = fs::canonical(dir.path()) / "run";
  std::vector<std::string> calls;
  {
    auto writer = MakeWriter(run);
    for (int32_t rank = 0; rank < 2; ++rank) {
      writer.Append(SampleSlice(writer.strings(), 1, rank));
      writer.Append(SampleStep(writer.strings(), 1, rank));
    }
    writer.Append(CounterRow{10, 1, 0.5});
    Watch(&calls);
    ASSERT_OK(writer.Close(CompletedManifest()));
    Watch(nullptr);
  }
  const auto named = std::find(calls.begin(), calls.end(), "rename " + (run / "run.json").string());
  ASSERT_NE(named, calls.end());
  const std::vector<std::string> before(calls.begin(), named);
  RunReader reader = OpenRun(run);
  int segments = 0;
  for (const auto& [table, parts] : reader.manifest().tables) {
    for (const SegmentInfo& segment : parts.segments) {
      ++segments;
      for (fs::path path = run / segment.file; path != run.parent_path();
           path = path.parent_path()) {
        EXPECT_THAT(before, testing::Contains("sync " + path.string()));
      }
    }
  }
  EXPECT_EQ(segments, 5);
}

}  // namespace
}  // namespace steptrace::store
