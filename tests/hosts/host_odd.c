/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <ucontext.h>

#include "host.h"

/* Whether this thread's system calls are let through; the kernel looks at it at each. */
#ifndef SYSCALL_DISPATCH_FILTER_ALLOW
#define SYSCALL_DISPATCH_FILTER_ALLOW 0
#define SYSCALL_DISPATCH_FILTER_BLOCK 1
#endif
static volatile char g_calls_gate = SYSCALL_DISPATCH_FILTER_ALLOW;
static volatile long g_calls = 0;
static int g_calls_are_told = 0;

#if defined(__x86_64__) && defined(PR_SET_SYSCALL_USER_DISPATCH)
/* The call is made again when this returns: the host goes on as it would have. */
static void on_call(int signal_number, siginfo_t* info, void* context) {
  (void)signal_number;
  ucontext_t* const at = context;
  ++g_calls;
  g_calls_gate = SYSCALL_DISPATCH_FILTER_ALLOW;
  at->uc_mcontext.gregs[REG_RIP] -= 2;
  at->uc_mcontext.gregs[REG_RAX] = info->si_syscall;
}

/* Begins to count the rounds in which this thread calls the system, where next_round() begins
   each. A kernel before 5.11 does not tell, nor do other processors: none is counted. */
static void count_calls(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_call;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &action, NULL);
  g_calls_are_told =
      prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &g_calls_gate) == 0;
}
#else
static void count_calls(void) {}
#endif

static void next_round(void) {
  if (g_calls_are_told) g_calls_gate = SYSCALL_DISPATCH_FILTER_BLOCK;
}

/* Memory is asked for, many records at a time, and a ring once in 1024 records by who has none. */
static void expect_few_calls(long rounds) {
  g_calls_gate = SYSCALL_DISPATCH_FILTER_ALLOW;
  expect(g_calls <= rounds / 500 + 4, "the host was held up");
}

/* Nobody reads: the ring fills up, and the host goes on without a question to the system
   each time. */
static int ring_full(long count) {
  ST_INSTANT("the first, which opens the file");
  count_calls();
  for (long i = 0; i < count; ++i) {
    next_round();
    ST_BEGIN("outer");
    ST_BEGIN("inner");
    ST_INSTANT("mark");
    ST_END();
    ST_END();
  }
  expect_few_calls(count);
  return 0;
}

static int many_names(long count) {
  char name[64];
  for (int round = 0; round < 2; ++round) {
    for (long i = 0; i < count; ++i) {
      snprintf(name, sizeof name, "name/%ld", i);
      steptrace_instant_(&(uint32_t){0}, name);
    }
  }
  return 0;
}

static int odd_names(long long_bytes) {
  pairs("\x1b[31mred\x1b[0m\r\n\t\x01\x7f", 1);
  pairs("\xff\xfe not utf-8", 1);
  pairs("", 1);
  char* name = malloc((size_t)long_bytes + 1);
  memset(name, 'l', (size_t)long_bytes);
  name[long_bytes] = 0;
  pairs(name, 1);
  free(name);
  return 0;
}

/* New names where there is no memory for them cost no question to the system each. */
static int names_without_memory(long count) {
  char name[64];
  ST_INSTANT("the first, which opens the file");
  count_calls();
  for (long i = 0; i < count; ++i) {
    next_round();
    snprintf(name, sizeof name, "name/%ld", i);
    steptrace_begin(name);
    steptrace_end();
  }
  expect_few_calls(count);
  return 0;
}

/* The host may look at errno after a range of its own. */
static int errno_is_the_hosts(long count) {
  char name[64];
  for (long i = 0; i < count; ++i) {
    errno = ENOTSUP;
    snprintf(name, sizeof name, "name/%ld", i % 2000);
    steptrace_begin(name);
    ST_INSTANT("mark");
    steptrace_end();
    expect(errno == ENOTSUP, "errno was changed");
  }
  return 0;
}

/* Closes all that it did not open, as daemons do, and opens its own files under those numbers. */
static int close_everything(long count) {
  const struct steptrace_probe_v1* probe = steptrace_probe_();
  expect(probe != NULL, "no probe");
  const uint32_t name = probe->name("measured", 8, 1);
  probe->begin_cpu(name);
  probe->end_cpu();
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  char path[] = "/tmp/steptrace-host-XXXXXX";
  const int mine = mkstemp(path);
  for (int fd = 4; fd < 1024; ++fd) dup2(mine, fd);
  pairs("x", count);
  for (int i = 0; i < 100; ++i) {
    char text[32];
    snprintf(text, sizeof text, "new name %d", i);
    probe->begin_cpu(probe->name(text, strlen(text), 1));
    probe->end_cpu();
  }
  struct stat info;
  expect(fstat(mine, &info) == 0 && info.st_size == 0, "somebody wrote to the host's file");
  for (int fd = 3; fd < 1024; ++fd)
    expect(fcntl(fd, F_GETFD) >= 0, "somebody closed the host's fd");
  unlink(path);
  return 0;
}

static int entries_of(const char* path) {
  int entries = 0;
  DIR* folder = opendir(path);
  while (readdir(folder) != NULL) ++entries;
  closedir(folder);
  return entries;
}

/* Nothing of ours may be seen where a program looks at itself: descriptors, children, threads. */
static int look_around(long count) {
  const int fds = entries_of("/proc/self/fd");
  const int threads = entries_of("/proc/self/task");
  pairs("x", count);
  expect(entries_of("/proc/self/fd") == fds, "a descriptor is left open");
  expect(entries_of("/proc/self/task") == threads, "a thread was started");
  expect(waitpid(-1, NULL, WNOHANG) == -1, "there is a child");
  return 0;
}

static int small_limits(long unused) {
  (void)unused;
  const struct rlimit file_size = {1 << 20, 1 << 20};
  setrlimit(RLIMIT_FSIZE, &file_size);
  pairs("x", 1000);
  return 0;
}

static int little_address_space(long unused) {
  (void)unused;
  const struct rlimit space = {12 << 20, 12 << 20};
  setrlimit(RLIMIT_AS, &space);
  pairs("x", 1000);
  return 0;
}

const struct host kOddHosts[] = {
    {"ring_full", ring_full},
    {"many_names", many_names},
    {"odd_names", odd_names},
    {"names_without_memory", names_without_memory},
    {"errno_is_the_hosts", errno_is_the_hosts},
    {"close_everything", close_everything},
    {"look_around", look_around},
    {"small_limits", small_limits},
    {"little_address_space", little_address_space},
    {NULL, NULL},
};
