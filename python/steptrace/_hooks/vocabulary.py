# SPDX-License-Identifier: Apache-2.0
"""Made by tools/generate.py of schema/hooks.toml."""

# fmt: off
# The words of --hooks.
HOOK_WORDS = (
    "data",
    "worker",
    "backward",
    "optimizer",
    "device",
    "operators",
    "checkpoint",
    "communication",
    "compile",
    "lightning",
    "transformers",
    "framework",
    "gc",
)

# Module that is hooked -> its word, and the module of ours that patches it.
HOOKED_MODULES = {
    "torch.utils.data.dataloader": ("data", "dataloader"),
    "torch.utils.data._utils.fetch": ("worker", "fetch"),
    "torch.utils.data._utils.worker": ("worker", "worker"),
    "torch.multiprocessing": ("worker", "children"),
    "torch.autograd": ("backward", "autograd"),
    "torch.optim.optimizer": ("optimizer", "optimizer"),
    "torch.cuda": ("device", "device_phases"),
    "torch.cuda.graphs": ("device", "cuda_graphs"),
    "torch.autograd.profiler": ("operators", "script_profilers"),
    "torch.autograd.profiler_legacy": ("operators", "script_profilers"),
    "torch.serialization": ("checkpoint", "serialization"),
    "safetensors.torch": ("checkpoint", "serialization"),
    "torch.distributed.distributed_c10d": ("communication", "distributed"),
    "torch.distributed._functional_collectives": ("communication", "functional"),
    "torch.nn.parallel.distributed": ("communication", "data_parallel"),
    "torch.distributed.fsdp.fully_sharded_data_parallel": ("communication", "fully_sharded"),
    "torch.distributed.fsdp._fully_shard._fully_shard": ("communication", "fully_sharded"),
    "torch.distributed._composable.fsdp.fully_shard": ("communication", "fully_sharded"),
    "torch._dynamo.callback": ("compile", "compile"),
    "torch._dynamo.guards": ("compile", "recompiles"),
    "torch._dynamo.cache_size": ("compile", "recompiles"),
    "lightning.pytorch.profilers.profiler": ("lightning", "lightning"),
    "lightning.pytorch.loops.evaluation_loop": ("lightning", "lightning"),
    "pytorch_lightning.profilers.profiler": ("lightning", "lightning"),
    "pytorch_lightning.loops.evaluation_loop": ("lightning", "lightning"),
    "transformers.trainer": ("transformers", "transformers"),
    "transformers.trainer_callback": ("transformers", "transformers"),
    "torch": ("framework", "frameworks"),
    "numpy": ("framework", "frameworks"),
    "lightning": ("framework", "frameworks"),
    "pytorch_lightning": ("framework", "frameworks"),
    "transformers": ("framework", "frameworks"),
    "accelerate": ("framework", "frameworks"),
}
# Likewise, of what is patched as soon as the process attaches.
HOOKED_WHEN_ATTACHED = {
    "gc": ("gc", "gc"),
}

# Categories.
USER = 1
PHASE = 2
COMMUNICATION = 3
WORKER = 4
WINDOW = 10
DETAILS = 16
DEVICE_MEMORY = 20
TENSOR = 24

# Names.
DATA = "data"
DATA_END = "data_end"
DATA_FROM = "data_from"
LOADER_ITER = "loader_iter"
BACKWARD = "backward"
OPTIMIZER = "optimizer"
CHECKPOINT = "checkpoint"
FORWARD = "forward"
EVALUATION = "evaluation"
LOGGING = "logging"
CAPTURE = "capture"
GC = "gc"
COMPILE = "compile"
HOOKS_ASIDE = "hooks_aside"
HOOKS_BACK = "hooks_back"
FETCH = "fetch"
COLLATE = "collate"
SEND = "send"
WINDOW_BEGIN = "window_begin"
WINDOW_END = "window_end"
DEVICE_DONE = "device_done"

# Why a part of a window ended.
WINDOW_DONE = 1
WINDOW_ASIDE = 2
WINDOW_REPLACED = 3
WINDOW_FULL = 4
WINDOW_MISSED = 5
WINDOW_UNAVAILABLE = 6
WINDOW_FAILED = 7

# What a tensor's elements are, as torch calls them.
ELEMENT_TYPES = {
    "float64": 1,
    "float32": 2,
    "float16": 3,
    "bfloat16": 4,
    "float8_e4m3fn": 5,
    "float8_e5m2": 6,
    "float8_e4m3fnuz": 7,
    "float8_e5m2fnuz": 8,
    "int64": 9,
    "int32": 10,
    "int16": 11,
    "int8": 12,
    "uint8": 13,
    "bool": 14,
}

# What a tensor is to the training.
TENSOR_ROLES = {
    "loss": 1,
    "gradient": 2,
    "weight": 3,
    "update": 4,
    "activation": 5,
}

# Values of arguments.
UNKNOWN_QUEUE_DEPTH = 0xffffffff
BATCH_ARRIVED = 1 << 32
NO_ARGUMENT = (1 << 64) - 1
SAVE = 0x0
LOAD = 0x1

# Kinds of what a process says about itself: schema/metadata.toml.
FACT_LOADER = "loader"
FACT_BATCH = "batch"
FACT_PROCESS = "process"
FACT_FRAMEWORK = "framework"
FACT_JOB = "job"
FACT_HOOK = "hook"
FACT_DEVICE = "device"
FACT_COMMUNICATOR = "communicator"
FACT_THREADS = "threads"
FACT_AUTOGRAD = "autograd"
FACT_COLLECTOR = "collector"
FACT_RECOMPILATION = "recompilation"
FACT_GRADIENT_EXCHANGE = "gradient_exchange"
FACT_TENSORS = "tensors"
FACT_DATA_PARALLEL = "data_parallel"
FACT_EXCEPTION = "exception"
