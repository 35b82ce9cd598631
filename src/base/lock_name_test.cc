// SPDX-License-Identifier: Apache-2.0
#include "base/lock_name.h"

#include <gtest/gtest.h>

namespace steptrace {
namespace {

TEST(NamesLock, ByTheLastWord) {
  for (const char* lock :
       {"lock",         "self._lock", "self.lock", "GLOBAL_LOCK",     "cacheLock",    "RLock",
        "self.rlock",   "my_rlock",   "io_mutex",  "Semaphore",       "self.sem",     "DBLock",
        "self._IOLock", "cacheRLock", "readlock",  "self.write_lock", "db.writelock", "rwlock",
        "spinlock",     "FileLock",   "filelock"}) {
    EXPECT_TRUE(NamesLock(lock)) << lock;
  }
  for (const char* other : {"", "block", "self.clock", "unblock", "BLOCK", "lock.acquire", "locks",
                            "assem", "con", "l", "self.block", "deadlock", "ABLOCK", "thread"}) {
    EXPECT_FALSE(NamesLock(other)) << other;
  }
}

}  // namespace
}  // namespace steptrace
