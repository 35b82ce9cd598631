/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

#include "gated_probe.h"
#include "host.h"

/* Hosts of gated_probe.c, in which one thread is held in the middle of its first look. */

static struct gated_probe* gate;

static void* look(void* unused) {
  ST_INSTANT("looked for by another thread");
  return unused;
}

static pthread_t start_a_look(void) {
  void* probe = dlopen(getenv("STEPTRACE_PROBE"), RTLD_NOW | RTLD_LOCAL);
  expect(probe != NULL, "no gated probe");
  gate = dlsym(probe, "gated_probe");
  expect(gate != NULL, "not the gated probe");
  pthread_t looker;
  pthread_create(&looker, NULL, look, NULL);
  while (__atomic_load_n(&gate->attaches, __ATOMIC_ACQUIRE) == 0) usleep(100);
  return looker;
}

static void end_the_look(pthread_t looker) {
  __atomic_store_n(&gate->open, 1, __ATOMIC_RELEASE);
  pthread_join(looker, NULL);
}

/* The child of a fork in the middle of it leaves the loader and the probe alone. */
static int fork_in_a_look(long unused) {
  (void)unused;
  const pthread_t looker = start_a_look();
  const pid_t child = fork();
  if (child == 0) {
    pairs("child", 10);
    ST_INSTANT("child");
    _exit(gate->attaches == 1 ? 0 : 1);
  }
  expect(status_of(child) == 0, "the child used a probe that was half found");
  end_the_look(looker);
  return 0;
}

/* One that finds out later that there is none takes away nobody's. */
static int late_refusal(long instants) {
  const pthread_t looker = start_a_look();
  gate->answer = 1;
  for (long i = 0; i < instants; ++i) ST_INSTANT("mine");
  end_the_look(looker);
  for (long i = 0; i < instants; ++i) ST_INSTANT("mine");
  expect(gate->instants >= 2 * instants, "what one thread had found was taken away");
  return 0;
}

const struct host kLookHosts[] = {
    {"fork_in_a_look", fork_in_a_look},
    {"late_refusal", late_refusal},
    {NULL, NULL},
};
