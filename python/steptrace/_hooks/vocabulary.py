# SPDX-License-Identifier: Apache-2.0
"""The words of src/wire/vocabulary.h; a test holds the two together."""

USER = 1
PHASE = 2
COMMUNICATION = 3
WORKER = 4

UNKNOWN_QUEUE_DEPTH = 0xFFFFFFFF

DATA = "data"
DATA_END = "data_end"
LOADER_ITER = "loader_iter"
BACKWARD = "backward"
OPTIMIZER = "optimizer"
CHECKPOINT = "checkpoint"
FORWARD = "forward"
EVALUATION = "evaluation"
LOGGING = "logging"
GC = "gc"
COMPILE = "compile"
FETCH = "fetch"
COLLATE = "collate"

# Argument `a` of CHECKPOINT.
SAVE = 0
LOAD = 1

FACT_LOADER = "loader"
FACT_PROCESS = "process"
FACT_FRAMEWORK = "framework"
FACT_JOB = "job"
FACT_HOOK = "hook"
FACT_DEVICE = "device"
