/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What the probe (_probe.abi3.so) offers to native code: one exported table, "steptrace_probe_v1".
 * Members are only ever added, at the end; `bytes` says how far this one goes. Every function may
 * be called by any thread at any time, does not fail and does not block.
 *
 * Ids come from name(); 0 records nothing. Categories stand in src/wire/vocabulary.h: a program's
 * own ranges are of category 1.
 */
struct steptrace_probe_v1 {
  uint32_t bytes;
  uint32_t version; /* 1 */
  int (*attach)(void);
  int (*attached)(void);
  void (*disarm)(const char* reason);
  uint32_t (*name)(const char* text, size_t bytes, uint16_t category);
  void (*begin)(uint32_t name);
  void (*begin_args)(uint32_t name, uint64_t a, uint64_t b);
  void (*end)(void);
  void (*end_args)(uint64_t a, uint64_t b);
  void (*begin_cpu)(uint32_t name);
  void (*end_cpu)(void);
  void (*instant)(uint32_t name, uint64_t a, uint64_t b);
  void (*counter)(uint32_t name, double value);
  void (*fact)(const char* kind, const char* json);
  void (*pause)(int on);
};

#ifdef __cplusplus
}
#endif
