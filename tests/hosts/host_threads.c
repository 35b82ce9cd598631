/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "host.h"

enum { kPairs = 100, kSmallStack = 64 << 10 };
static pthread_barrier_t all_recorded;

static void* record_and_meet(void* unused) {
  pairs("thread", kPairs);
  pthread_barrier_wait(&all_recorded); /* no thread ends before all have recorded */
  return unused;
}

static void* record_and_end(void* unused) {
  ST_BEGIN("left open");
  pairs("thread", kPairs);
  return unused;
}

static pthread_t start(void* (*body)(void*)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kSmallStack);
  pthread_t thread;
  expect(pthread_create(&thread, &attributes, body, NULL) == 0, "pthread_create");
  pthread_attr_destroy(&attributes);
  return thread;
}

static int threads_at_once(long count) {
  pthread_t* threads = calloc((size_t)count, sizeof *threads);
  pthread_barrier_init(&all_recorded, NULL, (unsigned)count);
  for (long i = 0; i < count; ++i) threads[i] = start(record_and_meet);
  for (long i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  free(threads);
  return 0;
}

/* How often the reader has read all rings: each time it adds a byte to the file HOST_TURNS. */
static long turns_of_reader(int file) {
  struct stat info;
  expect(fstat(file, &info) == 0, "HOST_TURNS cannot be read");
  return (long)info.st_size;
}

static int threads_in_turn(long count) {
  const int file = open(getenv("HOST_TURNS"), O_RDONLY | O_CLOEXEC);
  expect(file >= 0, "no HOST_TURNS");
  for (long i = 0; i < count; ++i) {
    pthread_join(start(record_and_end), NULL);
    if (i % 16 != 0) continue;
    /* The turn that goes on may have begun before the end of that thread: the next gives its ring
     * back. */
    const long wanted = turns_of_reader(file) + 2;
    while (turns_of_reader(file) < wanted) usleep(200);
  }
  close(file);
  return 0;
}

static pthread_key_t late_key;
static void record_late(void* unused) {
  (void)unused;
  pairs("late", 10);
  if (pthread_getspecific(late_key) == NULL) pthread_setspecific(late_key, (void*)1);
}

static void* end_with_a_late_range(void* unused) {
  pthread_setspecific(late_key, (void*)1);
  pairs("thread", kPairs);
  return unused;
}

/* Destructors of the host's own thread-specific data, before and after ours, still record. */
static int record_while_ending(long count) {
  pthread_key_create(&late_key, record_late);
  for (long i = 0; i < count; ++i) pthread_join(start(end_with_a_late_range), NULL);
  return 0;
}

const struct host kThreadHosts[] = {
    {"threads_at_once", threads_at_once},
    {"threads_in_turn", threads_in_turn},
    {"record_while_ending", record_while_ending},
    {NULL, NULL},
};
