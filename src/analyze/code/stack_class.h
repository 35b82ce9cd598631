// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/code/function_facts.h"
#include "analyze/code/stage_table.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::analyze {

// Where in a training's work a stack stands.
enum class StackRegion : uint8_t {
  kElsewhere,  // none of these: a worker between batches, other threads, what starts a training
  kFetch,      // a DataLoader makes a batch: the dataset's code
  kCollate,    // ... and puts the samples together
  kAround,     // torch's, and not the model: the loader's waits, saving, collectives
  kSampler,    // a DataLoader asks which samples come next: a sampler of the user's
  kForward,    // inside torch, and outside the following three
  kBackward,
  kOptimizer,
  kFramework,  // a framework's own loop (lightning, transformers' Trainer, …) is innermost
};

// What the innermost frames wait for, where they are those of a lock, a queue or a sleep.
struct StackWait {
  bool in_lock = false;      // they are those of a lock or queue
  bool takes_over = false;   // ... and take over what another thread or process makes
  bool on_signal = false;    // ... or only wait until another thread says so
  bool asks = false;         // ... or ask another process for it
  bool own_threads = false;  // ... but a library's, for threads of its own: its own work
  bool on_lock = false;      // they do nothing but wait for it, or just have it
  bool across = false;       // processes share it
};

// What the frames around it say of how it is run.
struct StackSurroundings {
  bool leaves = false;        // workers of an iterator that is given up are sent home
  bool exchanges = false;     // a collective is called
  bool compiled = false;      // it runs what torch.compile made
  bool gradless = false;      // below a decorator of torch's that turns gradients off
  bool infers = false;        // ... in a function that runs a module all the same
  bool copies = false;        // the script has Python copy or pickle something
  bool begins_epoch = false;  // a DataLoader makes its iterator
  bool helps_log = false;     // a function that one of the script's calls to write a log
  bool saves = false;         // a function of the script's saves what a training resumes from
  bool saving = false;        // ... and does so there: it writes, or makes sure of it on the disk
  bool reads = false;         // ... takes numbers out of tensors, and computes with no layer
  bool prepares = false;      // ... prepares data, and computes with no layer
};

// Of the user's function that is nearest to the innermost frame.
struct StackUser {
  bool calls_torch = false;  // it does so from its own lines, somewhere
  bool calls_model = false;  // ... from this line, and there torch's Python
  bool runs_module = false;  // it runs a module, somewhere below it
};

// Frames by their row in `stacks`, -1: there is none.
struct KeyFrames {
  int32_t leaf = -1;           // the innermost frame that is not steptrace's
  int32_t user = -1;           // the user's function that is nearest to it
  int32_t call = -1;           // what that function called in a library
  int32_t evaluator = -1;      // the function by which the script itself evaluates
  int32_t boundary = -1;       // the user's function that called into torch, outside the model
  int32_t boundary_call = -1;  // ... and what it called, where it is the training loop itself
};

// What a stack says.
struct StackClass {
  StackRegion region = StackRegion::kElsewhere;
  std::optional<WorkStage> stage;  // by the innermost frame that the table knows
  bool by_user = false;            // ... by a pattern of the user's own: stands above all else
  StackWait wait;
  StackLeaf leaf;
  StackSurroundings around;
  StackUser user;
  KeyFrames frames;

  // To go over a tensor is to take numbers out of it, where those of its parts are taken.
  bool takes_numbers() const { return leaf.reads || (around.reads && leaf.goes_over); }
};

// The rows by their numbers: what has none of its own, or one that is too large, is an empty row.
std::vector<store::StackRow> StacksByNumber(std::span<const store::StackRow> rows);

// Classes of all stacks of a run, in the order of their rows, which is that of their numbers. Rows
// with a parent that does not precede them count as outermost.
std::vector<StackClass> ClassifyStacks(std::span<const store::StackRow> rows,
                                       const store::StringTable& strings, const StageTable& table,
                                       const CollateCalls& collates);

}  // namespace steptrace::analyze
