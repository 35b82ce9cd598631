// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace steptrace::analyze {

// A Python function as PyTorch's profiler names it (`with_stack=True`), told apart as the frames of
// a sampled stack are.
struct ProfileFrame {
  std::string file;      // as PlaceOf() reads it
  std::string shown;     // as the profile has it
  std::string function;  // of C code with the type that it is a method of
  int32_t line = 0;      // where the function begins; 0: not known
};

// The forms (torch/csrc/autograd/profiler_python.cpp):
//
//   train.py(12): main                           a path below one of sys.path, or a whole one
//   <frozen os>(709): __getitem__                of a module that is part of the interpreter
//   <built-in function isinstance>               C code; of which module it is, is not reported
//   <built-in method acquire of _thread.lock object at 0x7f00>
//   nn.Module: Linear_0                          the call of a module
//
// Of a path that begins below sys.path the first name decides whose code it is: the standard
// library and the packages that are known here (torch and its like, those of the stage table) are,
// all else is the user's. Any other text is C code of that name.
ProfileFrame ProfileFrameOf(std::string_view name);

}  // namespace steptrace::analyze
