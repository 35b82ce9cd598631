// SPDX-License-Identifier: Apache-2.0
// Sentences of a report name a place by its file's name alone: which file that is, the report tells elsewhere.
import type { Report } from '../api/report';
import { editorLink, type SourcePlace } from './source';

interface Place {
  readonly file: string;
  readonly line: number | null;
}

const baseName = (file: string): string => file.replace(/^.*[\\/]/, '');

function placesOf({ verdict, data_pipeline, failure }: Report): (Place | null | undefined)[] {
  const said = [verdict, ...verdict.evidence, ...verdict.advice];
  return [
    verdict.function,
    ...said.map(({ subject }) => subject.source),
    ...data_pipeline.stages.flatMap((stage) => stage.functions),
    ...(failure.exception ? [failure.exception as Place] : []),
  ];
}

/** Opens `train.py:21` of a sentence in the editor; null: no such place, or more than one, is known. */
export function placeLinks(report: Report, template: string): (name: string) => string | null {
  const known = new Map<string, SourcePlace | null>();
  for (const place of placesOf(report)) {
    if (!place?.file || place.line === null) continue;
    const { file, line } = place;
    const name = `${baseName(file)}:${line}`;
    const before = known.get(name);
    known.set(name, before === undefined || before?.file === file ? { file, line } : null);
  }
  return (name) => editorLink(template, known.get(name) ?? null);
}
