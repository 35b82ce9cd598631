// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "probe/python_api.h"

// Python frames as ids of the arena of names (wire/stack_control.h). All with the interpreter's
// lock; nothing here runs Python code.
namespace steptrace::probe {

// What Python has and its stable ABI has not. All references are the caller's.
struct StackTools {
  PyObject* current_frames;  // sys._current_frames
  PyObject* gc_enabled;      // gc.isenabled, and so on
  PyObject* gc_disable;
  PyObject* gc_enable;
  PyObject* class_dict;  // of a class, whatever its metaclass does
  PyObject* function;    // types
  PyObject* class_method;
  PyObject* static_method;
  PyObject* property;
};

// Takes what a tuple of Python's holds, in this order. False: it is another.
bool ReadStackTools(PyObject* tuple, StackTools* tools);

// Each code object and each place in a caller's stack is reported once, and kept for good: both are
// bounded, and what is beyond is the one stack "(too many stacks)". What was told before a fork
// holds in the child too, which has the arena's ids.
//
// A code object that was told is kept alive: its address stands for it.
class StackFrames {
 public:
  static constexpr uint32_t kMaxCodes = 1u << 12;
  static constexpr uint32_t kMaxPlaces = 1u << 15;

  // False: no memory.
  bool Begin();
  // The id of the stack whose innermost frame is `frame`; 0: none.
  uint32_t IdOf(PyObject* frame, const StackTools& tools);

 private:
  // Tables are twice as large as what they hold at most; 0 in `id`: free.
  static constexpr uint32_t kCodeSlots = 2 * kMaxCodes;
  static constexpr uint32_t kPlaceSlots = 2 * kMaxPlaces;
  struct Code {
    PyObject* code;
    uint32_t id;
  };
  struct Place {
    uint32_t caller;  // its id
    uint32_t code;    // its id
    int32_t instruction;
    uint32_t id;
  };
  struct Tables {
    Code codes[kCodeSlots];
    Place places[kPlaceSlots];
  };
  uint32_t CodeId(PyObject* code, PyObject* frame, const StackTools& tools);
  uint32_t PlaceId(uint32_t caller, uint32_t code, int32_t instruction, PyObject* frame);
  uint32_t Named(uint32_t* id, const char* function);

  Tables* tables_ = nullptr;
  uint32_t codes_ = 0;
  uint32_t places_ = 0;
  uint32_t cut_ = 0;       // "(outer frames)"
  uint32_t too_many_ = 0;  // "(too many stacks)"
};

}  // namespace steptrace::probe
