// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

// What a program that speaks ITT (Instrumentation and Tracing Technology: PyTorch, oneDNN, TBB)
// hands to a collector. Layouts as of github:intel/ittapi, include/ittnotify.h and
// src/ittnotify/ittnotify_config.h; they are of version 3 of that interface since 2010 and only
// grow at their ends.
//
// The program's static half loads the library that INTEL_LIBITTNOTIFY64 names at its first task and
// calls __itt_api_init(global, groups); the collector fills in the pointers of what it takes. Each
// shared object that links the static half has a `Global` of its own and calls for itself.
namespace steptrace::probe::itt {

inline constexpr uint8_t kMagic[8] = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30};
inline constexpr unsigned long kMajorVersion = 3;

struct Domain {
  volatile int flags;  // 0: the program calls nothing for it
  const char* name;
  void* wide_name;
  int extra1;
  void* extra2;
  Domain* next;
};

struct StringHandle {
  const char* text;
  void* wide_text;
  int extra1;
  void* extra2;
  StringHandle* next;
};

struct Id {
  unsigned long long words[3];
};

struct ApiEntry {
  const char* name;  // null: the list ends
  void** function;
  void* init_function;
  void* null_function;
  int group;
};

struct Global {
  unsigned char magic[8];
  unsigned long version_major;
  unsigned long version_minor;
  unsigned long version_build;
  volatile long api_initialized;
  volatile long mutex_initialized;
  volatile long atomic_counter;
  pthread_mutex_t mutex;
  void* library;
  void* error_handler;
  const char** library_path;
  ApiEntry* api;
  Global* next;
  void* threads;
  Domain* domains;
  StringHandle* strings;
};

static_assert(sizeof(Domain) == 48 && offsetof(Domain, name) == 8);
static_assert(sizeof(StringHandle) == 40 && offsetof(StringHandle, extra2) == 24);
static_assert(sizeof(ApiEntry) == 40 && offsetof(ApiEntry, null_function) == 24);
static_assert(offsetof(Global, mutex) == 56);
#if defined(__x86_64__)
static_assert(offsetof(Global, api) == 120 && offsetof(Global, strings) == 152);
#endif

}  // namespace steptrace::probe::itt
