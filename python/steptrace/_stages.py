# SPDX-License-Identifier: Apache-2.0
"""Made by tools/generate.py of schema/stages.toml."""

# fmt: off
SUSPECT_COLOURS = {
    "data_pipeline": "#E69F00",
    "model": "#0072B2",
    "communication": "#CC79A7",
    "framework_overhead": "#D55E00",
    "other_work": "#009E73",
    "unattributed": "#8A8F98",
}

# Of suspects and stages.
TITLES = {
    "data_pipeline": "data pipeline",
    "model": "model",
    "communication": "communication",
    "framework_overhead": "framework overhead",
    "other_work": "other work",
    "unattributed": "unattributed",
    "storage_read": "storage read",
    "decode": "decode",
    "augmentation": "augmentation",
    "tokenise": "tokenise",
    "dataset_code": "dataset code",
    "lock": "waiting for locks",
    "copy": "copying",
    "getitem": "dataset __getitem__",
    "collate": "collate",
    "receive": "receive",
    "cpu_shortage": "CPU contention",
    "worker_start": "worker start",
    "host_to_device": "host-to-device copy",
    "forward": "forward",
    "backward": "backward",
    "optimizer": "optimizer",
    "compute": "device computing",
    "device_copy": "copying on the device",
    "exposed": "exposed communication",
    "straggler": "waiting for the last rank",
    "garbage_collection": "garbage collection",
    "recompilation": "recompilation",
    "dispatch": "dispatch overhead",
    "launch": "launch overhead",
    "synchronisation": "synchronization stall",
    "checkpoint": "checkpoint",
    "evaluation": "evaluation",
    "logging": "logging",
    "capture": "profiler capture",
    "loop_code": "loop code",
    "unknown": "unattributed time",
}
