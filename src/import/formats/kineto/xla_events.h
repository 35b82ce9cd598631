// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace steptrace::import::kineto {

// The category of an event on a thread of a process that runs XLA: TensorFlow's traces hold ranges
// of scripts beside those of the runtime, apart by their names and arguments alone.
struct XlaHostEvent {
  std::string_view name;
  bool has_step = false;         // step_num
  bool has_operation = false;    // hlo_op
  bool has_correlation = false;  // correlation_id
  bool has_source = false;       // _src: a place in the runtime's own code
};
std::string_view XlaHostCategory(const XlaHostEvent& event);

// Of work on a stream of XLA's.
std::string_view XlaStreamCategory(std::string_view name);

// "train.py(11): load_batch" of "$train.py:11 load_batch", as PyTorch names a function of Python.
std::string XlaPythonName(std::string_view name);

// 4194304 of "kind_src:pinned kind_dst:device size:4194304 dest:0 async:1"; -1: not reported.
int64_t XlaBytesIn(std::string_view details);

}  // namespace steptrace::import::kineto
