// SPDX-License-Identifier: Apache-2.0
// The report (docs/reference/report.md) as the views read it. Its members may be added to by newer versions; none
// changes its meaning.
import { inertBut } from '../base/inert';
import type { Ns } from '../base/time';
import type { Report, RunStatus } from './report_types';

export type * from './report_types';

/** Times without their brand: of sections whose figures the views add up. */
export type Plain<T> = T extends Ns
  ? number
  : T extends object
    ? { [Name in keyof T]: Plain<T[Name]> }
    : T;

/** The members of a row that a view reads. */
export type Seen<T, Name extends keyof T> = Plain<Pick<T, Name>>;

/** In a list of runs: there may be a folder without a manifest that can be read. */
export type ListedStatus = RunStatus | 'unreadable';

/** Its texts inert, but for what addresses and copied commands are made of. */
export const inertReport = (report: Report): Report =>
  inertBut(report, [report.run], ['id', 'command']);
