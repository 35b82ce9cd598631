/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>

#include "host.h"

static int hard_exit(long count) {
  ST_BEGIN("open at the end");
  pairs("x", count);
  puts("ok");
  fflush(stdout);
  _exit(0);
}

/* Records for ever, numbered: the test kills it. */
static int until_killed(long unused) {
  (void)unused;
  puts("started");
  fflush(stdout);
  for (double i = 0; i >= 0; ++i) ST_COUNTER("number", i);
  return 1;
}

static int abort_in_a_range(long count) {
  ST_BEGIN("open at the end");
  pairs("x", count);
  abort();
}

static void on_exit_record(void) {
  pairs("atexit", 10);
}

static int record_at_exit(long count) {
  atexit(on_exit_record);
  pairs("x", count);
  return 0;
}

const struct host kEndHosts[] = {
    {"hard_exit", hard_exit},
    {"until_killed", until_killed},
    {"abort_in_a_range", abort_in_a_range},
    {"record_at_exit", record_at_exit},
    {NULL, NULL},
};
