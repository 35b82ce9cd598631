// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What the CUDA driver has for events, as far as we call it (libcuda.so.1, from CUDA 10.1 on).
// Facts as of NVIDIA's documentation of the driver API; nothing of it is needed to build.
namespace steptrace::probe::cuda {

using Result = int;
inline constexpr Result kSuccess = 0;
inline constexpr Result kNotReady = 600;

using Context = void*;
using Event = void*;
// 0: the legacy default stream, on which torch computes unless it is told otherwise.
using Stream = uint64_t;

enum class Capture : int { kNone = 0, kActive = 1, kInvalidated = 2 };
// Of a thread: in kRelaxed its calls neither fail for another stream's capture nor break it.
enum class CaptureMode : int { kGlobal = 0, kThreadLocal = 1, kRelaxed = 2 };

// The library's functions by their names without "cu".
struct Functions {
  Result (*CtxGetCurrent)(Context* context);
  Result (*CtxGetDevice)(int* device);  // of the current context
  Result (*EventCreate)(Event* event, uint32_t flags);
  Result (*EventRecord)(Event event, Stream stream);
  Result (*EventQuery)(Event event);
  // ms, in steps of about half a microsecond; kNotReady while either has not been reached.
  Result (*EventElapsedTime)(float* ms, Event from, Event to);
  Result (*StreamIsCapturing)(Stream stream, Capture* status);
  Result (*ThreadExchangeStreamCaptureMode)(CaptureMode* mode);
};

}  // namespace steptrace::probe::cuda
