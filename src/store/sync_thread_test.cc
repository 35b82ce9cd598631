// SPDX-License-Identifier: Apache-2.0
#include "store/sync_thread.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/time.h"

namespace steptrace::store {
namespace {

TEST(SyncThread, LetsFilesGoOnceTheyAreSynced) {
  SyncThread sync(1);
  auto file = std::make_shared<UniqueFd>(::memfd_create("journal", MFD_CLOEXEC));
  std::weak_ptr<UniqueFd> watched = file;
  sync.Add(file);
  sync.Add(file);
  file.reset();
  int64_t deadline_ns = MonotonicNowNs() + 10 * kNsPerSecond;
  while (!watched.expired() && MonotonicNowNs() < deadline_ns) ::usleep(1000);
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(sync.TakeError(), 0);
}

TEST(SyncThread, TellsAnErrorOnce) {
  SyncThread sync(1);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  UniqueFd reader(ends[0]);
  sync.Add(std::make_shared<UniqueFd>(ends[1]));  // a pipe cannot be synced
  int64_t deadline_ns = MonotonicNowNs() + 10 * kNsPerSecond;
  int error = 0;
  while (error == 0 && MonotonicNowNs() < deadline_ns) {
    ::usleep(1000);
    error = sync.TakeError();
  }
  EXPECT_EQ(error, EINVAL);
  EXPECT_EQ(sync.TakeError(), 0);
}

TEST(SyncThread, DoesWorkAtOnceAndBeforeItsEnd) {
  std::atomic<int> done = 0;
  {
    SyncThread sync(3'600'000);
    sync.Do([&] { done = 1; });
    int64_t deadline_ns = MonotonicNowNs() + 10 * kNsPerSecond;
    while (done != 1 && MonotonicNowNs() < deadline_ns) ::usleep(1000);
    EXPECT_EQ(done, 1);
    sync.Do([&] { done = 2; });
    sync.Do([&] { done = 3; });
  }
  EXPECT_EQ(done, 3);
}

TEST(SyncThread, EndsAtOnceWhateverItsInterval) {
  int64_t begin_ns = MonotonicNowNs();
  { SyncThread sync(3'600'000); }
  EXPECT_LT(MonotonicNowNs() - begin_ns, 5 * kNsPerSecond);
}

}  // namespace
}  // namespace steptrace::store
