/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "gated_probe.h"

#include <unistd.h>

#include "steptrace/probe_v1.h"

__attribute__((visibility("default"))) struct gated_probe gated_probe;

static int attach(void) {
  if (__atomic_fetch_add(&gated_probe.attaches, 1, __ATOMIC_ACQ_REL) > 0) return gated_probe.answer;
  while (!__atomic_load_n(&gated_probe.open, __ATOMIC_ACQUIRE)) usleep(100);
  return 0;
}
static int attached(void) {
  return gated_probe.answer;
}
static uint32_t name(const char* text, size_t bytes, uint16_t category) {
  (void)text, (void)bytes, (void)category;
  return 1;
}
static void begin(uint32_t id) {
  (void)id;
}
static void end(void) {}
static void instant(uint32_t id, uint64_t a, uint64_t b) {
  (void)id, (void)a, (void)b;
  __atomic_fetch_add(&gated_probe.instants, 1, __ATOMIC_ACQ_REL);
}

__attribute__((visibility("default"))) const struct steptrace_probe_v1 steptrace_probe_v1 = {
    .bytes = sizeof(struct steptrace_probe_v1),
    .version = 1,
    .attach = attach,
    .attached = attached,
    .name = name,
    .begin = begin,
    .end = end,
    .instant = instant,
};
