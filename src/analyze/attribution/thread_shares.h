// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analyze/attribution/sample_weights.h"
#include "analyze/samples/rank_samples.h"

// What samples of a rank's training thread say of where the time of its steps belongs. The share of
// them in a sampler of the user's is that share of the step, taken from `receive`. The share that
// runs Python code outside torch is that share of the step: of it comes first what no phase has
// (`unknown`), then `forward`, and this only where it is at least a tenth of the step beyond
// chance. The share that awaits what other threads or processes make is the dataset's, and shared
// out by what those do. Where the thread waits for anything else, outside torch, that is not
// forward.
namespace steptrace::analyze {

struct ModelTime {  // of a rank's steady steps, in ns
  double whole = 0, forward = 0, backward = 0, optimizer = 0, unknown = 0, receive = 0;
  double worker_start = 0, getitem = 0;
  double checkpoint = 0, logging = 0;  // ... of `others`
  double others = 0;     // in phases that the script's own lines may have begun: gc, saving, ...
  double phases = 0;     // of windowed steps: forward, backward and optimizer
  double operators = 0;  // ... and what of them operators compute
  double dispatch = 0;   // ... and the way from one to the next
  double long_gaps = 0;  // ... and of that, long ones (long_operator_gaps.h)
  int64_t windowed = 0;  // so many steps
};

// Shares of what the rows of steps say, to be taken from one stage to others.
struct ThreadShares {
  // The part of each that is code outside torch, and of what that comes to, the stages' weights.
  double of_unknown = 0;
  double of_forward = 0;
  StageWeights weights{};
  double awaited = 0;                          // of what is taken, the part that waits for others
  double evaluated = 0;                        // ... and that evaluates
  double forward_of_unknown = 0;               // torch was seen to compute there
  double to_backward = 0, to_optimizer = 0;    // of forward, what torch was seen to do there
  double of_receive = 0;                       // the part that is a sampler's
  double of_worker_start = 0, of_getitem = 0;  // ... as an epoch begins
  double idle_of_forward = 0;                  // waits there, and for nothing that others make
  double script = 0, script_left = 0;  // weights: of the script's own code, and left in forward
  StageWeights made{};                 // each stage's part of what is awaited; all 0: nothing is
};

ThreadShares FindThreadShares(const RankSamples& rank, const ModelTime& time, bool storage);

// Of one step, in ns.
struct ThreadTaken {
  int64_t unknown = 0, forward = 0;     // code outside torch, of each
  int64_t awaited = 0;                  // of that of forward, waiting for others
  int64_t evaluated = 0;                // ... the model at work all the same
  int64_t backward = 0, optimizer = 0;  // of forward, too
  int64_t computed = 0;                 // of unknown, the model's
};

// `unknown_ns`, `forward_ns`: what the step's row has of them.
ThreadTaken TakenOf(const ThreadShares& shares, int64_t unknown_ns, int64_t forward_ns);

}  // namespace steptrace::analyze
