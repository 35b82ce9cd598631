// SPDX-License-Identifier: Apache-2.0
import type { Report } from '../../api/report';

/** Actions that a conclusion names: more is a list to read. */
export const ADVICE_SHOWN = 3;

type Line = Report['run_card']['lines'][number];
const ORIGIN: readonly Line['id'][] = ['command', 'host', 'started'];

/** What was run, where and when, as far as the run's card tells. */
export const originOf = (report: Pick<Report, 'run_card'>): Pick<Line, 'id' | 'text'>[] =>
  ORIGIN.flatMap((id) => {
    const line = report.run_card.lines.find((one) => one.id === id);
    return line === undefined ? [] : [{ id, text: line.text }];
  });
