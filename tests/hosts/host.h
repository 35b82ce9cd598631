/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "steptrace/steptrace.h"

/* What the hosts of a file offer: `host <name> [number]`. */
struct host {
  const char* name;
  int (*run)(long number);
};

static inline void pairs(const char* name, long count) {
  for (long i = 0; i < count; ++i) {
    steptrace_begin(name);
    steptrace_end();
  }
}

static inline void expect(int truth, const char* what) {
  if (truth) return;
  fprintf(stderr, "host: %s\n", what);
  exit(1);
}

/* The exit status of a child, or 128 + the signal that ended it. */
static inline int status_of(pid_t child) {
  int status = 0;
  expect(waitpid(child, &status, 0) == child, "waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

extern const struct host kForkHosts[], kThreadHosts[], kEndHosts[], kLookHosts[], kOddHosts[];
