/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Ranges, instants and counters of native code, for C (gnu99 and up) and C++ (11 and up). Include
 * it and use it; there is nothing to link (but -ldl before glibc 2.34) and nothing to initialise.
 *
 *   void Decode(...) {
 *     ST_RANGE("decode");                     // until the scope is left
 *     ...
 *     ST_INSTANT("cache miss");
 *     ST_COUNTER("queue", queue_length);
 *   }
 *
 *   ST_BEGIN("phase"); ... ST_END();          // ends the innermost range of this thread
 *   steptrace::Range range(name);             // C++; a name made at run time
 * (std::string::c_str())
 *
 * The names of the macros are literals: each place looks its name up once. Not under `steptrace
 * run` all of this is one predictable branch. Under it, a Python program has loaded the probe
 * already, and any other gets it here, at first use, from $STEPTRACE_PROBE.
 */

#include <stdint.h>
#include <string.h>

#include "steptrace/probe_v1.h"

#if defined(__linux__) && defined(__GNUC__)

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One per program or library: the probe's table, or null when there is none. Before the first look
 * it is a table of version 0, which can only end ranges, of which there are none.
 */
static inline void steptrace_end_nothing_(void) {}
static const struct steptrace_probe_v1 steptrace_not_looked_yet_ = {
    0,    0,    NULL, NULL, NULL, NULL, NULL, NULL, steptrace_end_nothing_,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL};
__attribute__((weak, visibility("hidden"))) const struct steptrace_probe_v1* steptrace_table_ =
    &steptrace_not_looked_yet_;
/* The process that looks, from the first thread to do so on; 0: none has. */
__attribute__((weak, visibility("hidden"))) int steptrace_looker_ = 0;

static inline const struct steptrace_probe_v1* steptrace_load_probe_(void) {
  const char* path = getenv("STEPTRACE_PROBE");
  /* A program with more rights than its user does not load what the user names. */
  if (path == NULL || getenv("STEPTRACE_RING_DIR") == NULL || getauxval(AT_SECURE) != 0)
    return NULL;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return NULL;
  return (const struct steptrace_probe_v1*)dlsym(library, "steptrace_probe_v1");
}

static inline const struct steptrace_probe_v1* steptrace_find_probe_(void) {
  void* everywhere = NULL; /* RTLD_DEFAULT, which is hidden from strict C */
  const int process = (int)getpid();
  int looker = 0;
  /*
   * In the child of a fork that came while another thread looked, the loader and the probe may
   * stand half done for ever: they are not touched, and the child is not recorded.
   */
  if (!__atomic_compare_exchange_n(&steptrace_looker_, &looker, process, 0, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE) &&
      looker != process)
    return NULL;
  const struct steptrace_probe_v1* table =
      (const struct steptrace_probe_v1*)dlsym(everywhere, "steptrace_probe_v1");
  if (table == NULL) table = steptrace_load_probe_();
  if (table != NULL && (table->version != 1 || table->bytes < sizeof *table || !table->attach())) {
    table = NULL;
  }
  return table;
}

/* The one branch: null here is the case of a program that nobody profiles. */
static inline const struct steptrace_probe_v1* steptrace_table_or_null_(void) {
  return __atomic_load_n(&steptrace_table_, __ATOMIC_ACQUIRE);
}

/* The first thread that is done says what there is, for good: ids are used without another look. */
__attribute__((noinline, cold, unused)) static const struct steptrace_probe_v1* steptrace_resolve_(
    void) {
  const int kept_errno = errno;
  const struct steptrace_probe_v1* table = steptrace_find_probe_();
  const struct steptrace_probe_v1* stands = steptrace_table_or_null_();
  errno = kept_errno;
  while (stands != NULL && stands->version == 0) {
    if (__atomic_compare_exchange_n(&steptrace_table_, &stands, table, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      return table;
  }
  return stands;
}

/* The probe, looked for if it has not been. */
static inline const struct steptrace_probe_v1* steptrace_probe_(void) {
  const struct steptrace_probe_v1* table = steptrace_table_or_null_();
  return table != NULL && table->version == 0 ? steptrace_resolve_() : table;
}

enum { STEPTRACE_CATEGORY_USER_ = 1 };

/* The first time at a place: its name's id, or 0. Again while there is none. */
__attribute__((noinline, cold, unused)) static uint32_t steptrace_look_up_(uint32_t* site,
                                                                           const char* name) {
  const struct steptrace_probe_v1* table = steptrace_probe_();
  if (table == NULL) return 0;
  const uint32_t id = table->name(name, strlen(name), STEPTRACE_CATEGORY_USER_);
  __atomic_store_n(site, id, __ATOMIC_RELAXED);
  return id;
}

/* The id at a place. An id is there only after the table: whoever has one may use the table. */
static inline uint32_t steptrace_id_(uint32_t* site, const char* name) {
  const uint32_t id = __atomic_load_n(site, __ATOMIC_ACQUIRE);
  return __builtin_expect(id != 0, 1) ? id : steptrace_look_up_(site, name);
}

static inline void steptrace_begin_(uint32_t* site, const char* name) {
  if (__builtin_expect(steptrace_table_or_null_() == NULL, 1)) return;
  const uint32_t id = steptrace_id_(site, name);
  const struct steptrace_probe_v1* table = steptrace_table_or_null_();
  if (table != NULL) table->begin(id); /* of id 0 too: its end belongs to it */
}

static inline void steptrace_end(void) {
  const struct steptrace_probe_v1* table = steptrace_table_or_null_();
  if (__builtin_expect(table != NULL, 0)) table->end();
}

static inline void steptrace_instant_(uint32_t* site, const char* name) {
  if (__builtin_expect(steptrace_table_or_null_() == NULL, 1)) return;
  const uint32_t id = steptrace_id_(site, name);
  if (id != 0) steptrace_table_or_null_()->instant(id, 0, 0);
}

static inline void steptrace_counter_(uint32_t* site, const char* name, double value) {
  if (__builtin_expect(steptrace_table_or_null_() == NULL, 1)) return;
  const uint32_t id = steptrace_id_(site, name);
  if (id != 0) steptrace_table_or_null_()->counter(id, value);
}

/* For names made at run time: each call looks the name up, about 50 ns for 70 characters. */
static inline void steptrace_begin(const char* name) {
  uint32_t site = 0;
  steptrace_begin_(&site, name);
}

static inline void steptrace_end_scope_(const char* unused) {
  (void)unused;
  steptrace_end();
}

#ifdef __cplusplus
} /* extern "C" */
#endif

/* The place's memory of its name's id, in an expression. */
#define ST_SITE_()         \
  (__extension__({         \
    static uint32_t site_; \
    &site_;                \
  }))

#define ST_BEGIN(name) steptrace_begin_(ST_SITE_(), "" name)
#define ST_END() steptrace_end()
#define ST_INSTANT(name) steptrace_instant_(ST_SITE_(), "" name)
#define ST_COUNTER(name, value) steptrace_counter_(ST_SITE_(), "" name, (double)(value))

#define ST_JOIN_INNER_(a, b) a##b
#define ST_JOIN_(a, b) ST_JOIN_INNER_(a, b)
#define ST_RANGE(name)                                                        \
  __attribute__((cleanup(steptrace_end_scope_), unused)) const char ST_JOIN_( \
      steptrace_range_, __LINE__) = (char)(ST_BEGIN(name), 0)

#else /* another system: nothing to record into */

static inline void steptrace_begin(const char* name) {
  (void)name;
}
static inline void steptrace_end(void) {}
#define ST_BEGIN(name) ((void)0)
#define ST_END() ((void)0)
#define ST_INSTANT(name) ((void)0)
#define ST_COUNTER(name, value) ((void)(value))
#define ST_RANGE(name) ((void)0)

#endif

#ifdef __cplusplus
namespace steptrace {

// A range from construction to destruction, on one thread.
class Range {
 public:
  explicit Range(const char* name) { steptrace_begin(name); }
  ~Range() { steptrace_end(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

}  // namespace steptrace
#endif
