// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/samples/stage_table.h"
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

// What a stack says. Frames are named by their row in `stacks`, -1: there is none.
struct StackClass {
  StackRegion region = StackRegion::kElsewhere;
  std::optional<WorkStage> stage;  // by the innermost frame that the table knows
  bool by_user = false;            // ... by a pattern of the user's own: stands above all else
  bool in_lock = false;            // the innermost frames are those of a lock or queue
  bool takes_over = false;         // ... and take over what another thread or process makes
  bool on_signal = false;          // ... or only wait until another thread says so
  bool asks = false;               // ... or ask another process for it
  bool own_threads = false;        // ... but a library's, for threads of its own: its own work
  bool only_waits = false;         // the innermost frame is C code that waits: a sleep, a lock
  bool leaves = false;             // workers of an iterator that is given up are sent home
  bool compiled = false;           // it runs what torch.compile made
  bool gradless = false;           // below a decorator of torch's that turns gradients off
  bool infers = false;             // ... in a function that runs a module all the same
  bool copies = false;             // the script has Python copy or pickle something
  // Innermost is Python of the script's, whose calls of C are known, or C code that computes: what
  // such a thread waits for, where others of its process run, is the interpreter.
  bool needs_interpreter = false;
  bool apart = false;         // the innermost frame has nothing to do with tensors
  bool calls_torch = false;   // user_frame does so from its own lines, somewhere
  bool calls_model = false;   // ... from this line, and there torch's Python
  bool runs_module = false;   // user_frame's function runs a module, somewhere below it
  int32_t evaluator = -1;     // the function by which the script itself evaluates
  int32_t user_frame = -1;    // the user's function that is nearest to the innermost frame
  int32_t call_frame = -1;    // what that function called in a library
  int32_t leaf = -1;          // the innermost frame that is not steptrace's
  int32_t border_frame = -1;  // the user's function that called into torch, outside the model
  int32_t border_call = -1;   // ... and what it called, where it is the training loop itself
};

// The rows by their numbers: what has none of its own, or one that is too large, is an empty row.
std::vector<store::StackRow> StacksByNumber(std::span<const store::StackRow> rows);

// What the hooks told of the loaders' collate functions: what they are called ("__main__.collate")
// and from where in torch ("_MapDatasetFetcher.fetch", line). What is called from there collates,
// whatever it is called: an object, a partial, what a decorator made of a function.
struct CollateCalls {
  std::vector<std::string> names;
  std::vector<std::pair<std::string, int32_t>> lines;
};

// Classes of all stacks of a run, in the order of their rows, which is that of their numbers. Rows
// with a parent that does not precede them count as outermost.
std::vector<StackClass> ClassifyStacks(std::span<const store::StackRow> rows,
                                       const store::StringTable& strings, const StageTable& table,
                                       const CollateCalls& collates);

}  // namespace steptrace::analyze
