# SPDX-License-Identifier: Apache-2.0
"""The words of src/wire/vocabulary.h; a test holds the two together."""

USER = 1
PHASE = 2
COMMUNICATION = 3
WORKER = 4
WINDOW = 10
DETAILS = 16
DEVICE_MEMORY = 20

UNKNOWN_QUEUE_DEPTH = 0xFFFFFFFF
BATCH_ARRIVED = 1 << 32

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
FETCH = "fetch"
COLLATE = "collate"
SEND = "send"
HOOKS_ASIDE = "hooks_aside"
HOOKS_BACK = "hooks_back"

WINDOW_BEGIN = "window_begin"
WINDOW_END = "window_end"
DEVICE_DONE = "device_done"

# Why a stretch of a window ended.
WINDOW_DONE = 1
WINDOW_ASIDE = 2
WINDOW_REPLACED = 3
WINDOW_FULL = 4
WINDOW_MISSED = 5
WINDOW_UNAVAILABLE = 6
WINDOW_FAILED = 7

# Argument `a` of CHECKPOINT.
SAVE = 0
LOAD = 1

FACT_LOADER = "loader"
FACT_PROCESS = "process"
FACT_FRAMEWORK = "framework"
FACT_JOB = "job"
FACT_HOOK = "hook"
FACT_DEVICE = "device"
FACT_COMMUNICATOR = "communicator"
FACT_THREADS = "threads"
FACT_AUTOGRAD = "autograd"
FACT_DATA_PARALLEL = "data_parallel"
