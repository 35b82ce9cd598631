/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <string.h>

#include "host.h"

extern char** environ;

/* Both record on; the child ends a range that it inherited open, and says nothing of its parent's.
 */
static int fork_in_the_middle(long pairs_each) {
  ST_BEGIN("around the fork");
  pairs("before", pairs_each);
  const pid_t child = fork();
  if (child == 0) {
    pairs("before", pairs_each); /* a name that it inherits */
    pairs("child", pairs_each);
    ST_END();
    exit(0);
  }
  pairs("parent", pairs_each);
  expect(status_of(child) == 0, "the child ended badly");
  ST_END();
  return 0;
}

/* Children that never record, that fork again, and that outlive the name table of their parent. */
static int fork_chain(long depth) {
  pairs("generation 0", 1);
  char name[32];
  for (long i = 1; i <= depth; ++i) {
    const pid_t silent = fork();
    if (silent == 0) _exit(0);
    expect(status_of(silent) == 0, "the silent child ended badly");
    const pid_t child = fork();
    if (child != 0) {
      const int status = status_of(child);
      if (i > 1) _exit(status);
      return status;
    }
    snprintf(name, sizeof name, "generation %ld", i);
    if (i % 2 == 0) pairs(name, (int)i); /* every other one leaves no file */
    if (i == depth) _exit(0);
  }
  return 0;
}

static void* record_for_ever(void* stop) {
  while (!__atomic_load_n((int*)stop, __ATOMIC_RELAXED)) {
    pairs("other thread", 10);
    char name[32];
    snprintf(name, sizeof name, "made up %d", rand() % 5000);
    pairs(name, 1);
  }
  return NULL;
}

/* A fork while other threads record and add names: their locks and halves must not stay behind. */
static int fork_under_load(long forks) {
  int stop = 0;
  pairs("forker", 1); /* a fork in the first look is another host's (fork_in_a_look) */
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, record_for_ever, &stop);
  for (long i = 0; i < forks; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      pairs("child", 100);
      pairs("new in the child", 1);
      _exit(0);
    }
    expect(status_of(child) == 0, "a child ended badly");
    pairs("forker", 10);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}

static pid_t spawn_self(char* const argv[], int by_vfork) {
  pid_t child;
  if (by_vfork) {
    child = vfork();
    if (child == 0) {
      execv("/proc/self/exe", argv);
      _exit(127);
    }
    return child;
  }
  expect(posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ) == 0, "posix_spawn");
  return child;
}

static int vfork_and_exec(long pairs_each) {
  char number[24];
  snprintf(number, sizeof number, "%ld", pairs_each);
  char* const argv[] = {"host", "record", number, NULL};
  pairs("parent", pairs_each);
  expect(status_of(spawn_self(argv, 1)) == 0, "vfork");
  pairs("parent", pairs_each);
  expect(status_of(spawn_self(argv, 0)) == 0, "posix_spawn");
  pairs("parent", pairs_each);
  return 0;
}

static int record(long pairs_each) {
  pairs("image", pairs_each);
  return 0;
}

/* Another image under the same pid and start time. */
static int exec_in_place(long images) {
  pairs("image", 10);
  if (images <= 1) return 0;
  char number[24];
  snprintf(number, sizeof number, "%ld", images - 1);
  char* const argv[] = {"host", "exec_in_place", number, NULL};
  execv("/proc/self/exe", argv);
  return 1;
}

const struct host kForkHosts[] = {
    {"fork_in_the_middle", fork_in_the_middle},
    {"fork_chain", fork_chain},
    {"fork_under_load", fork_under_load},
    {"vfork_and_exec", vfork_and_exec},
    {"record", record},
    {"exec_in_place", exec_in_place},
    {NULL, NULL},
};
