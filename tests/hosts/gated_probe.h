/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A probe that records nothing: the first thread that attaches is held, until the host opens the
 * gate, and then refused. What others get stands in `answer`.
 */
struct gated_probe {
  int attaches; /* calls so far */
  int open;
  int answer;
  int instants; /* recorded by a thread that got a table */
};
