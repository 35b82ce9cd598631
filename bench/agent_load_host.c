/* SPDX-License-Identifier: Apache-2.0 */
/* usage: agent_load_host RECORDS_PER_S SECONDS      prints how many ranges it made. Paced by 100
 * us, so that the load is even; a rate of 0 makes one range and sleeps. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "steptrace/steptrace.h"

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static long ranges;

static void one(void) {
  ST_BEGIN("load");
  ST_END();
  ++ranges;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const double rate = atof(argv[1]) / 2, seconds = atof(argv[2]), start = now_s();
  one();
  for (;;) {
    const double passed = now_s() - start;
    if (passed >= seconds) break;
    while ((double)ranges < rate * passed) one();
    const struct timespec pause = {0, 100000};
    nanosleep(&pause, NULL);
  }
  printf("%ld\n", ranges);
  return 0;
}
