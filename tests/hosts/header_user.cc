// SPDX-License-Identifier: Apache-2.0
#include "steptrace/steptrace.h"

int UseEverything(int count);
int UseEverything(int count) {
  ST_RANGE("whole");
  ST_RANGE("twice in a scope");
  steptrace::Range range("made at run time");
  ST_COUNTER("count", count);
  ST_INSTANT("turn");
  ST_BEGIN("last");
  ST_END();
  return count;
}
