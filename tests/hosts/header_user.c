/* SPDX-License-Identifier: Apache-2.0 */
#include "steptrace/steptrace.h"

int UseEverything(int count);
int UseEverything(int count) {
  ST_RANGE("whole");
  ST_COUNTER("count", count);
  for (int i = 0; i < count; ++i) {
    ST_RANGE("round");
    ST_INSTANT("turn");
  }
  ST_BEGIN("last");
  ST_END();
  steptrace_begin("made at run time");
  steptrace_end();
  return count;
}
