/* SPDX-License-Identifier: Apache-2.0 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_pair_tp.h"

void LttngPairs(long count);
void LttngPairs(long count) {
  for (long i = 0; i < count; ++i) {
    lttng_ust_tracepoint(steptrace_bench, begin, 1, 0, 0);
    lttng_ust_tracepoint(steptrace_bench, end, 1, 0, 0);
  }
}
