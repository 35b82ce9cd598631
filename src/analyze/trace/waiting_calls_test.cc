// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/waiting_calls.h"

#include <gtest/gtest.h>

namespace steptrace::analyze {
namespace {

TEST(WaitingCalls, Synchronisation) {
  for (const char* call :
       {"cudaStreamSynchronize", "cuCtxSynchronize", "hipEventSynchronize", "synchronizeStream",
        "zeCommandQueueSynchronize", "zeEventHostSynchronize", "urQueueFinish", "urEventWait",
        "CommonPjRtBuffer::Await", "AscendCL@aclrtSynchronizeStream"}) {
    EXPECT_TRUE(IsSynchronisation(call)) << call;
    EXPECT_TRUE(IsWaitingCall(call)) << call;
  }
}

TEST(WaitingCalls, CopiesAndFreeing) {
  for (const char* call :
       {"cudaMemcpy", "cudaMemcpy2D", "hipMemcpyWithStream", "cudaFree", "cudaFreeHost"}) {
    EXPECT_FALSE(IsSynchronisation(call)) << call;
    EXPECT_TRUE(IsWaitingCall(call)) << call;
  }
}

TEST(WaitingCalls, WhatIsEnqueued) {
  for (const char* call :
       {"cudaLaunchKernel", "cudaMemcpyAsync", "cudaFreeAsync", "urEnqueueKernelLaunch",
        "urEnqueueUSMMemcpy", "zeCommandListAppendMemoryCopy", "urEnqueueEventsWaitWithBarrier"}) {
    EXPECT_FALSE(IsWaitingCall(call)) << call;
  }
}

}  // namespace
}  // namespace steptrace::analyze
