// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace steptrace::agent {

// Where CPython keeps what a stack is read from: offsets in bytes from the begin of each structure,
// for 64-bit builds with a GIL.
struct PythonLayout {
  uint32_t version = 0;  // PY_VERSION_HEX

  struct {
    uint32_t interpreters_head = 0;  // of _PyRuntimeState
  } runtime;
  struct {
    uint32_t next = 0, threads_head = 0;
  } interpreter;
  struct {
    uint32_t prev = 0, next = 0, interpreter = 0, native_thread_id = 0;
    uint32_t frame = 0;  // the current frame, or the C frame that points to it
    // Before 3.13: where the C frame holds the current frame.
    bool frame_in_c_frame = false;
    uint32_t c_frame_current = 0;
  } thread;
  struct {
    uint32_t previous = 0, code = 0, instruction = 0, owner = 0;
    uint8_t first_shim_owner = 0;  // owners from here on mark frames without code of their own
    uint64_t tag_mask = 0;         // bits of a reference that are no address
  } frame;
  struct {
    uint32_t filename = 0, qualname = 0, line_table = 0, first_line = 0, bytecode = 0;
  } code;
  struct {
    uint32_t type = 0, size = 0;  // PyVarObject
  } object;
  struct {
    uint32_t size = 0, data = 0;
  } bytes;
  struct {
    uint32_t length = 0, state = 0, ascii_data = 0, compact_data = 0;
  } text;

  // As far as a thread state and a frame must be read.
  size_t thread_bytes() const;
  size_t frame_bytes() const;
  size_t code_bytes() const;
};

// "3.11.7" of a PY_VERSION_HEX.
std::string PythonVersionText(uint32_t version);

// The layout of 3.11 and 3.12, whose structures stand in the headers of each (Include/cpython/ and
// Include/internal/); an error for others, of which 3.13 and later should have debug offsets.
Result<PythonLayout> KnownLayout(uint32_t version);

// As far as the debug offsets must be read: those of 3.14.
inline constexpr size_t kDebugOffsetWords = 81;
// The layout that 3.13 and later tell of themselves at the begin of _PyRuntime
// (Include/internal/pycore_debug_offsets.h): `words` are its first kDebugOffsetWords.
Result<PythonLayout> LayoutFromDebugOffsets(std::span<const uint64_t> words);
bool HaveDebugOffsets(std::span<const uint64_t> words);

}  // namespace steptrace::agent
