// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/event_categories.toml.

/** Copies and fills of a device's stream. */
export const COPIES: ReadonlySet<string> = new Set(['gpu_memcpy', 'gpu_memset']);

/** Calls into a device's runtime or driver, as PyTorch names them of whatever maker's. */
export const isRuntimeCall = (category: string): boolean =>
  category.endsWith('_runtime') || category.endsWith('_driver');

const COMMUNICATION_PARTS =
  /nccl|rccl|hccl|hcom_|xccl|oneccl|cross_device_reduce|multimem_|one_shot_all_reduce|two_shot_all_reduce/i;
const COMMUNICATION_BEGINS =
  /^(?:all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute|collective-broadcast|nccl:|gloo:|xccl::|c10d::)/;

/** Whether a name says that ranks exchange data: of a kernel, a range around it or an operator. */
export const isCommunication = (name: string): boolean =>
  COMMUNICATION_PARTS.test(name) || COMMUNICATION_BEGINS.test(name);
