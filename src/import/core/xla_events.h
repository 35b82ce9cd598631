// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// What the profiler of XLA names: TensorFlow's and JAX's, in each of its formats.
namespace steptrace::import {

// 1 of "/device:GPU:1", also behind a host's name. A device that is the host's processor has none.
std::optional<int32_t> XlaDeviceIn(std::string_view process);
// 14 of "Stream #14(MemcpyH2D)"; -1: it is none.
int64_t XlaStreamIn(std::string_view line);

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

// Whether a name is one that TensorFlow's executor gives to an operation: "dense/MatMul:MatMul",
// its node and what it is.
bool IsTensorFlowOperation(std::string_view name);

// Of work on a stream of XLA's.
std::string_view XlaStreamCategory(std::string_view name);

// "train.py(11): load_batch" of "$train.py:11 load_batch", as PyTorch names a function of Python.
// The tracer drops folders: a file that has a name of JAX's own gets one, "jax/_src/pjit.py".
std::string XlaPythonName(std::string_view name);

// 4194304 of "kind_src:pinned kind_dst:device size:4194304 dest:0 async:1"; -1: not reported.
int64_t XlaBytesIn(std::string_view details);

}  // namespace steptrace::import
