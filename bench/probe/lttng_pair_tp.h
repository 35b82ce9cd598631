/* SPDX-License-Identifier: Apache-2.0 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER steptrace_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_pair_tp.h"

#if !defined(STEPTRACE_LTTNG_PAIR_TP_H_) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define STEPTRACE_LTTNG_PAIR_TP_H_

#include <lttng/tracepoint.h>
#include <stdint.h>

/* The fields of a record of ours; LTTng adds its own time. */
LTTNG_UST_TRACEPOINT_EVENT(steptrace_bench, begin,
                           LTTNG_UST_TP_ARGS(uint32_t, name, uint64_t, a, uint64_t, b),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, name, name)
                                                   lttng_ust_field_integer(uint64_t, a, a)
                                                       lttng_ust_field_integer(uint64_t, b, b)))
LTTNG_UST_TRACEPOINT_EVENT(steptrace_bench, end,
                           LTTNG_UST_TP_ARGS(uint32_t, name, uint64_t, a, uint64_t, b),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, name, name)
                                                   lttng_ust_field_integer(uint64_t, a, a)
                                                       lttng_ust_field_integer(uint64_t, b, b)))

#endif

#include <lttng/tracepoint-event.h>
