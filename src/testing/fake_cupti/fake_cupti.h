// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What the stand-in for CUPTI takes beside CUPTI's own functions: a device that does what it is
// told. From Python by ctypes.
extern "C" {

// A call that launches a kernel. It runs on its stream after what that has, `ns` long; graph 0:
// none. Returns its correlation.
uint32_t fake_launch(const char* name, uint32_t device, uint32_t stream, int32_t blocks,
                     int32_t threads, uint64_t ns, uint32_t graph, uint64_t node);
// cudaMemcpyAsync; kind 1: HtoD from pinned memory, 2: DtoH to it.
uint32_t fake_copy(uint32_t device, uint32_t stream, uint8_t kind, uint64_t bytes, uint64_t ns);
// cudaMemsetAsync.
uint32_t fake_fill(uint32_t device, uint32_t stream, uint64_t bytes, uint64_t ns);
// cudaGetDevice: a call that nobody wants to hear of.
void fake_ask();
// cudaStreamSynchronize: returns when the stream has done what it has.
void fake_synchronize(uint32_t stream);
// The next kernels wait for another stream's: a Stream Wait Event.
void fake_stream_wait(uint32_t device, uint32_t stream, uint64_t ns);
// The same, told with the times of the host's call, however far behind the device is.
void fake_host_stream_wait(uint32_t device, uint32_t stream);

// Completed buffers are kept, and on 0 handed over in the opposite order.
void fake_hold_buffers(int on);
// From now on enabling a kind returns this.
void fake_refuse(int result);
// Another tool (Kineto) takes the callbacks, enables kernels, and at its end disables them.
void fake_other_begins();
void fake_other_ends();
uint64_t fake_other_records();
uint64_t fake_other_unknown_buffers();  // of ours that came to it

// How often CUPTI was taken out of the process.
uint64_t fake_finalized();
// Another tool subscribes, and ends that. What CUPTI says to it.
int fake_other_subscribes(int on);
// From now on cuptiSubscribe returns this.
void fake_refuse_subscribers(int result);
// With libcupti.so.13 alone: another tool (PyTorch's monitor) subscribes and enables kernels by
// calls of its own, and ends that. What CUPTI says to it, of the first call that it refuses.
int fake_monitor_begins();
int fake_monitor_ends();
uint64_t fake_monitor_records();

// Breaches of CUPTI's rules so far, and the last one's text.
uint64_t fake_misuse();
const char* fake_last_misuse();
// Whether any kind is on.
int fake_any_enabled();
// Forgets all, but not what was enabled by whom.
void fake_reset();
}
