// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "store/tables.h"

namespace steptrace::agent {

// A cause of loss: how it is stored, and the sentence with its next step.
struct LossCause {
  const char* cause;
  const char* table;
  const char* detail;
};

// Everything that the agent can miss, by cause.
namespace loss {
inline constexpr LossCause kRingFull{
    "ring_full", "slices",
    "records came faster than the agent could take them; record fewer ranges, or leave the agent "
    "a core"};
inline constexpr LossCause kNames{
    "names_full", "slices",
    "the process used more names than its arena holds; use fixed names, without numbers in them"};
inline constexpr LossCause kBudget{
    "thread_budget", "slices",
    "more threads recorded than there are rings; raise STEPTRACE_RING_BUDGET_BYTES"};
inline constexpr LossCause kNoSpace{
    "shared_memory_full", "slices",
    "shared memory had no room for rings or names; enlarge /dev/shm (docker: --shm-size) or set "
    "STEPTRACE_SHM"};
inline constexpr LossCause kNested{
    "too_deep", "slices", "ranges nested deeper than can be recorded; annotate fewer levels"};
inline constexpr LossCause kOpening{
    "opening", "slices",
    "records of threads that came while another one was still opening the process's ring; record "
    "something before the threads are started"};
inline constexpr LossCause kInvalid{
    "invalid_records", "slices",
    "records that make no sense, so that something else wrote into the ring; see `steptrace "
    "doctor`"};
inline constexpr LossCause kInvalidFacts{
    "invalid_facts", "facts", "facts that are no JSON object, or too long, were left out"};
inline constexpr LossCause kScriptProfiler{
    "script_profiler", "steps",
    "the script's own tracer, profiler with stacks or debugger was on: the hooks stepped aside, so "
    "that it sees nothing of them; record without it. Facts of kind hook have which"};
inline constexpr LossCause kRingDamaged{"ring_damaged", "slices", ""};
inline constexpr LossCause kDisarmed{"disarmed", "slices", ""};
inline constexpr LossCause kNoHooks{"no_hooks", "steps", ""};
// The hooks were there, and had nothing to record with.
inline constexpr LossCause kCannotRecord{"cannot_record", "steps", ""};
// No loss: a program that is not Python had no steps to give.
inline constexpr LossCause kNothingToHook{"unavailable", "steps", ""};
inline constexpr LossCause kStrangeFiles{"strange_files", "slices",
                                         "files in the folder of rings that are no rings were not "
                                         "read; nothing else should write there"};
inline constexpr LossCause kTooManyProcesses{"too_many_processes", "slices",
                                             "more processes recorded than one agent follows"};
inline constexpr LossCause kAgentMemory{
    "agent_memory_limit", "slices",
    "storing the script's own ranges would have taken more memory than the agent may use; record "
    "fewer of them"};
inline constexpr LossCause kWindow{"window", "slices", ""};
inline constexpr LossCause kWindowCut{"window_cut", "steps", ""};
inline constexpr LossCause kTrace{"profile", "slices", ""};
inline constexpr LossCause kDeviceLibrary{
    "cupti_dropped", "slices",
    "CUPTI dropped device activity itself: it had no buffer; capture fewer steps"};
inline constexpr LossCause kDeviceNoBuffer{
    "device_buffers_full", "slices",
    "device activity came faster than the agent could take it; capture fewer steps, or leave the "
    "agent a core"};
inline constexpr LossCause kDeviceIncomplete{
    "device_incomplete", "slices",
    "device activity that had not ended when its window was taken off; capture more steps"};
inline constexpr LossCause kDeviceNoName{
    "device_names_full", "slices",
    "kernels whose name or stream found no room among the process's names; use fixed names, "
    "without numbers in them"};
inline constexpr LossCause kCuptiTaken{
    "cupti_taken", "slices",
    "windows without kernels, or cut short, because another tool uses CUPTI in the process, or "
    "that cannot be ruled out; leave one of the two out; the table `facts` says which (kind hook)"};
inline constexpr LossCause kUnseenProcess{
    "unseen_process", "slices",
    "a process in a pid namespace that does not lie within the agent's: its end is not seen, and "
    "after 2 min without a record it is taken for ended; start `steptrace run` where it is "
    "started"};
// Of those that may have trained, and of the others.
inline constexpr LossCause kUnrecordedProcess{"unrecorded_process", "steps", ""};
inline constexpr LossCause kUnrecordedProgram{"unrecorded_process", "counters", ""};
inline constexpr LossCause kLauncherGone{
    "launcher_gone", "run",
    "`steptrace run` was killed: the exit status of the command is not known"};
inline constexpr LossCause kStackTorn{
    "stack_changed", "samples",
    "a thread called and returned so fast that its stack could not be read: it has no sample then"};
inline constexpr LossCause kStackCut{
    "stack_too_deep", "stacks",
    "stacks of more than 256 frames: the outer ones are left out as \"(outer frames)\""};
inline constexpr LossCause kStackThreads{
    "too_many_threads", "samples",
    "a process had more than 64 Python threads; the others have no samples"};
inline constexpr LossCause kStackInvalid{
    "invalid_samples", "samples",
    "stacks that a process told of itself and that are none, so that something else wrote into its "
    "ring"};
inline constexpr LossCause kTooManyStacks{
    "too_many_stacks", "stacks",
    "samples whose stack found no number are those of \"(too many stacks)\"; sample less often "
    "with --stack-rate"};
inline constexpr LossCause kSamplesNotTaken{
    "agent_behind", "samples",
    "samples came faster than the agent could store them; sample less often with --stack-rate"};
inline constexpr LossCause kUnavailable{"unavailable", "counters", ""};
}  // namespace loss

// Who lost something.
struct LossSubject {
  int32_t rank = -1;
  int32_t pid = 0;  // 0: nobody in particular
};

// Turns growing counts of loss into rows: each row tells what was added in one stretch of time.
// At first a row a second at most for one subject and cause, later one a minute, so that a loss
// that never ends does not fill the table. Passive, one thread.
class LossBook {
 public:
  LossBook(int32_t node, store::StringTable& strings) : node_(node), strings_(strings) {}

  // The count of that process and cause so far. It never falls; 0 is no loss. Another rank than
  // before is a better guess about the same process.
  void Set(const LossSubject& subject, const LossCause& cause, int64_t count, int64_t now_ns);
  void Add(const LossSubject& subject, const LossCause& cause, int64_t count, int64_t now_ns);
  // A loss that happens once, with a sentence of its own; -1: not countable.
  void Once(const LossSubject& subject, const LossCause& cause, int64_t count, int64_t now_ns,
            const std::string& detail);

  // The process is gone: its counts stand, and the pid is free for another.
  void EndProcess(int32_t pid);

  // The rows that are due; at the end (`all`) whatever is left.
  std::vector<store::LossRow> TakeRows(int64_t now_ns, bool all);

 private:
  struct Entry {
    LossCause cause{};
    int32_t rank = -1;
    int64_t count = 0;
    int64_t told = 0;
    int64_t from_ns = 0;  // of what was not told yet
    int64_t to_ns = 0;
    int64_t next_due_ns = 0;
    int rows = 0;
  };
  // Processes by pid, what belongs to none by rank.
  using Key = std::tuple<int32_t, int32_t, std::string>;
  static Key KeyOf(const LossSubject& subject, const LossCause& cause);
  store::LossRow MakeRow(const LossSubject& subject, const LossCause& cause);
  store::LossRow RowOf(const Key& key, const Entry& entry);

  int32_t node_;
  store::StringTable& strings_;
  std::map<Key, Entry> entries_;
  std::vector<store::LossRow> once_;
  std::vector<store::LossRow> ended_;  // of processes that are gone
};

}  // namespace steptrace::agent
