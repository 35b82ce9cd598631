// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace steptrace::transport {

// What the system and the environment say about this process.

// Field 22 of /proc/self/stat; 0: it cannot be read.
uint64_t StartTimeTicks();

// The inode of /proc/self/ns/pid; 0: it cannot be read.
uint32_t PidNamespace();

// The process's short name, zero-padded.
void ReadComm(char (&comm)[16]);

int32_t ThreadId();

// The first of the variables that holds a number; -1: none does.
int32_t RankFromEnvironment();
int32_t LocalRankFromEnvironment();
int32_t WorldSizeFromEnvironment();

// $STEPTRACE_RING_BUDGET_BYTES or the default.
uint64_t BudgetFromEnvironment();

// Lets the process that $STEPTRACE_AGENT_PID names read this one's memory, where Yama would not:
// the launcher sets it only there (agent/stacks/stack_rights.h). Whom it let before may no more.
void LetAgentRead();

// CPUID says that the time stamp counter ticks at one rate for ever.
bool HasInvariantTsc();

}  // namespace steptrace::transport
