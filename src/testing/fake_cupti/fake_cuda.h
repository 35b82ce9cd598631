// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What the stand-in for the CUDA driver takes beside the driver's own functions: devices that do
// what they are told. From Python by ctypes.
extern "C" {

// The calling thread's current context is that of this device; -1: none is.
void fake_cuda_use(int device);
// Work of `ns` on a stream of the current device, behind what the stream has.
void fake_cuda_work(uint64_t stream, uint64_t ns);
// The host waits for the stream (cudaStreamSynchronize).
void fake_cuda_wait(uint64_t stream);
// The stream begins and ends to capture a graph, in the global mode.
void fake_cuda_capture(uint64_t stream, int on);
// From now on recording an event returns this.
void fake_cuda_refuse(int result);

// The host's clock stands and is moved by hand, beginning at `ns`; 0: it is the machine's.
void fake_cuda_set_time(uint64_t ns);
void fake_cuda_pass(uint64_t ns);
uint64_t fake_cuda_now();
// The devices' clocks run so many parts in a million too fast, from now on.
void fake_cuda_drift(int parts_per_million);

// Calls of the driver so far, and those of them that broke a rule, with the last one's text.
uint64_t fake_cuda_calls();
uint64_t fake_cuda_misuse();
const char* fake_cuda_last_misuse();
// Events that exist.
uint64_t fake_cuda_events();
// Forgets everything: no event made before may be used again.
void fake_cuda_reset();
}
