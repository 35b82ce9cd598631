// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of docs/glossary.md.

/** What a word means, for where it stands. */
export const GLOSSARY = {
  step: 'One optimizer update of one rank, with everything that led to it: waiting for the batch, forward, backward, the update itself. With gradient accumulation a step has several forward and backward passes.',
  'steady step':
    'A step after warm-up, without an evaluation. Shares and verdicts are about steady steps.',
  'usual step':
    'The median duration of the last 64 steps of a rank, by which a hang is judged while the run goes on. It is a duration, not a step.',
  'optimizer group':
    'Optimizer steps that follow each other without a batch between them. A step ends with the last of a group.',
  'eager mode': 'PyTorch runs each operator as Python calls it, without torch.compile.',
  operator: "A function on tensors that PyTorch's dispatcher runs, such as aten::mm.",
  phase:
    'What the training loop is doing at a moment: data, forward, backward, optimizer, communication, evaluation, checkpoint, logging, garbage collection, compilation, capture, other.',
  'training thread': 'The thread that runs the training loop.',
  'dataloader worker':
    'A process that a DataLoader with num_workers > 0 starts to prepare batches.',
  rank: 'As in torchrun: a rank is one process of a distributed job; the world size is the number of ranks; a node is one machine.',
  'local rank':
    'As in torchrun: a rank is one process of a distributed job; the world size is the number of ranks; a node is one machine.',
  'world size':
    'As in torchrun: a rank is one process of a distributed job; the world size is the number of ranks; a node is one machine.',
  node: 'As in torchrun: a rank is one process of a distributed job; the world size is the number of ranks; a node is one machine.',
  suspect:
    'One of the six parts that sum to the step: data pipeline, model, communication, framework overhead, other work (checkpoint, evaluation, logging, code of the loop) and unattributed. The first five can be blamed.',
  stage:
    "A named part of a suspect, such as decode, augmentation or exposed communication. The list of stages has all of them. In the verdict's JSON and in comparisons: sub_stage.",
  unattributed: 'Time that nothing in the recording explains.',
  'the next batch was not ready':
    'The loop asked for a batch, and a DataLoader worker was still making or sending it, or the queue of the DataLoader was empty. In the table steps: starved_waits.',
  'cpu contention':
    'Threads were ready to run but had no core. There are more runnable threads than cores.',
  'dispatch overhead':
    'CPU time in eager mode that computes nothing: Python and the framework between operators, operators that only pass on to others, and of each operator the first 1 to 3 µs. When training on a device it counts only while the device waits for it.',
  'launch overhead':
    'The GPU is idle because kernels are launched more slowly than they run: the host is in the calls that launch them. Time of Python between operators is dispatch overhead.',
  'synchronization stall':
    'The host waits for the device, or a stream waits for another. A loss.item() in each step causes one.',
  'exposed communication': 'Communication that no computation hides. The rest is overlapped.',
  straggler: 'The rank that the others wait for.',
  receive:
    'The batch is ready and comes over to the training: transfer from the worker, unpickling, pinning.',
  'own time': 'The time of a function, operator or module without that of what it calls.',
  'total time': 'The time of a function, operator or module with that of what it calls.',
  'gpu active': 'At least one kernel or copy runs.',
  'gpu idle': 'No kernel and no copy runs.',
  kernel:
    'A function that runs on the GPU. The host launches it, and it runs later, in the order of its stream.',
  occupancy:
    'How many warps a kernel keeps on a multiprocessor, of as many as fit. The profiler estimates it from the launch.',
  'sm efficiency':
    "How many of the GPU's multiprocessors had a block to work on. The profiler estimates it from the launch.",
  'tensor cores':
    'Units of a GPU that multiply matrices in half precision, TF32 and 8 bit. A kernel counts as using them by its name.',
  'critical path':
    "The chain of work and waits that a step's duration depends on. Making anything else faster does not make the step faster.",
  verdict:
    'What a report concludes: the suspect that is to blame, with its share, its interval, the possible gain and what to change. Every report has a verdict.',
  interval:
    'The 95 % bootstrap interval of a figure. "59 % of the step (57-60)" means: the share is 59 %; when the steps of this run are redrawn by chance 1,000 times, 95 % of the draws give 57 to 60 %. It shows how much the steps of this run vary.',
  'speed-up bound':
    'The time of a step divided by the time that is known to remain without the blamed suspect: of 100 ms with 40 ms that remain it is 2.5, printed as "up to 2.5× faster". The training cannot become faster than this by fixing that suspect alone.',
  finding:
    'One observation as a value: a kind, a subject, figures and the rows they come from. Evidence, advice, rule results and alerts are findings.',
  alert:
    'A finding while the run goes on: a hang, slower steps, a leak, a rule, a tensor. It holds until it is withdrawn.',
  rule: 'A condition with a name that is judged over a run: the profiler rules of SageMaker Debugger, and rules about tensors.',
  headline: 'The verdict in one line.',
  'run card':
    'The lines of a report that say on what the run ran and with what: command, host, versions, batch size, commit.',
  'what-if': 'The computed gain of removing or halving a stage of the critical path.',
  mfu: "Model FLOPs utilisation: how much of the GPUs' computing power a step uses.",
  headroom: 'What is left between the largest use of memory and its limit.',
  evidence: 'The findings that a verdict rests on.',
  advice: 'What to change, with the setting, its present value and the value to try.',
  'data loss':
    'What is missing or changed, counted by cause. A report sorts causes under five labels.',
  'profiler overhead':
    'What Steptrace costs the training. In the first line of a report it is an upper estimate, not a measurement: 600 ns for each record, and the begin and end of windows.',
  run: 'One recorded training: a folder, of Parquet files once it is closed. An imported profile becomes a run, too. RUN in commands is its path, the name of its folder, its id (of steptrace ls --json) or its name, in this order; a name stands for the newest run of that name.',
  epoch:
    'In tables, the moment at which the run began: times count from there. In a training, one pass over the data.',
  launcher:
    'The process steptrace run. It starts the agent and your command, passes signals on and prints the report.',
  agent:
    'The process that records (the recording process), one on each node. It reads the rings, samples the system and the stacks, and writes the run.',
  probe:
    'The library inside the training process. It puts records into a ring, and uses the C library alone.',
  ring: 'A file in shared memory, one for each process, through which records go from the probe to the agent. If the agent is too slow, the ring is full and new records are dropped and counted.',
  journal: 'The rows of a run while it is going on. When the run is closed they become segments.',
  segment: 'One Parquet file of a closed run.',
  manifest:
    'What the writer of a run says about it: command, host, begin, end, status. run.json is a copy.',
  hook: 'A small function that Steptrace puts around a function of PyTorch, to see when a phase begins and ends. The list of hooks has all of them.',
  'capture window':
    'A few consecutive steps that are recorded in more detail: operators, kernels, stacks, shapes or memory. A run takes an early and a steady one by itself.',
  'step aside': 'The hooks remove themselves while a debugger or profiler of the script is on.',
  cupti:
    "Libraries that a recording asks. CUPTI: NVIDIA's for kernels and CUDA calls. NVML: the NVIDIA driver's for metrics. ITT: Intel's interface by which PyTorch reports operators. Kineto: the library inside torch.profiler.",
  nvml: "Libraries that a recording asks. CUPTI: NVIDIA's for kernels and CUDA calls. NVML: the NVIDIA driver's for metrics. ITT: Intel's interface by which PyTorch reports operators. Kineto: the library inside torch.profiler.",
  itt: "Libraries that a recording asks. CUPTI: NVIDIA's for kernels and CUDA calls. NVML: the NVIDIA driver's for metrics. ITT: Intel's interface by which PyTorch reports operators. Kineto: the library inside torch.profiler.",
  kineto:
    "Libraries that a recording asks. CUPTI: NVIDIA's for kernels and CUDA calls. NVML: the NVIDIA driver's for metrics. ITT: Intel's interface by which PyTorch reports operators. Kineto: the library inside torch.profiler.",
  profile:
    "A file of another profiler that Steptrace imports, or (--capture profile) what torch.profiler's Kineto records in a window.",
  'own code': "Files of the script: all outside site-packages and of Python's standard library.",
  'own files': "Files of the script: all outside site-packages and of Python's standard library.",
  sample: 'A Python stack that was read at one moment, 20 times a second by default.',
  'tensor statistics':
    'Counts (NaN, infinite, zero), norms and a histogram of exponents of a tensor at a step. Each is a reading.',
  'run metadata': 'Facts about the run: command, host, versions, settings of the loader.',
  slice:
    'Something that has a begin and an end on a track: a phase, an operator, a kernel, a fetch, a range of your own.',
  track: 'One row of the timeline: a thread, a DataLoader worker, a stream of a device, a counter.',
  lane: 'A line within a track. On a thread it is a depth of nesting; on a stream, room for kernels that overlap.',
} as const;
export type Word = keyof typeof GLOSSARY;
