// SPDX-License-Identifier: Apache-2.0
// What the overview tells, as data: sentences, parts of the step, where evidence is shown, marks in time.
import type { EvidenceKind } from '../../api/finding_kinds';
import { LOSS_CAUSES } from '../../api/loss_causes';
import type { Breakdown, Finding, Loss, Outlier, Report, Stage, Verdict } from '../../api/report';
import { timeRangeOfStep, where, type Steps } from '../../api/steps';
import {
  counted,
  formatMoney,
  formatNs,
  formatTimes,
  percentOf,
  plural,
  title,
  words,
  type Figure,
  type Pieces,
  type Sentence,
} from '../../base/format';
import { newer } from '../../base/never';
import { sentenceOf } from '../../base/prose';
import { LEAST_SHOWN, type SuspectId } from '../../base/stages';
import { canBeBlamed, namedByStage } from '../../base/suspects';
import { ns, timeRange, type Ns, type TimeRange } from '../../base/time';
import { panelParams, shownOf, timeRangeOf, type Located } from '../../state/evidence';
import type { Query } from '../../state/route';
import type { RunTarget } from '../../state/run.svelte';
import { targetOf } from '../../state/noticed';
import type { Checkpoint } from './checkpoints';

export interface Story {
  readonly tone: 'found' | 'good' | 'open';
  readonly heading: Sentence;
  readonly detail: Sentence;
}

/** The verdict as every report has it, the terminal's too, for a heading; and what it means. */
export function story({
  verdict,
  steps,
  stages,
}: Pick<Report, 'verdict' | 'steps' | 'stages'>): Story {
  const heading = begun(sentenceOf({ text: verdict.headline, figures: verdict.figures }));
  switch (verdict.status) {
    case 'found':
      return {
        tone: toneOf(verdict),
        heading,
        detail: meaning(verdict, steps, stages.rows),
      };
    case 'not_found':
    case 'not_applicable':
    case 'cannot_tell':
    case 'error':
      return { tone: 'open', heading, detail: '' };
    default:
      return newer(verdict.status, { tone: 'open', heading, detail: '' });
  }
}

function toneOf({ suspect, healthy }: Verdict): Story['tone'] {
  if (suspect === 'model') return healthy ? 'good' : 'open';
  return canBeBlamed(suspect) ? 'found' : 'open';
}

function meaning(verdict: Verdict, steps: Report['steps'], stages: readonly Stage[]): Pieces {
  const parts = [gain(verdict), stage(verdict, stages), interval(verdict, steps)].filter(
    (p) => p.length,
  );
  const pieces = parts.flatMap((part, i) => (i > 0 ? ['; ', ...part] : part));
  return pieces.length > 0 ? [...begun(pieces), '.'] : [];
}

/** Its first letter large. */
function begun(pieces: Pieces): Pieces {
  const [first, ...rest] = pieces;
  if (first === undefined) return [];
  return [typeof first === 'string' ? sentence(first) : first, ...rest];
}

/** As the terminal rounds them, so that both say the same. */
const ratio = (times: number): Figure => {
  const { text, exact } = formatTimes(times);
  return { text: times < 9.95 ? `${times.toFixed(1)}×` : text, exact };
};
const percent = (share: number): Figure => ({
  text: String(Math.round(share * 100)),
  exact: percentOf(share),
});

/** What takes most of the suspect, where the headline does not name it; of a late rank it names the cause. */
function stage(v: Verdict, stages: readonly Stage[]): Pieces {
  const named = v.straggler_rank !== null || namedByStage(v.suspect) || v.suspect === 'model';
  if (!v.sub_stage || named) return [];
  const own = stages.find((s) => s.suspect === v.suspect && s.name === v.sub_stage)?.share ?? 0;
  // Less than half is not most of it, though no other stage takes more.
  return own * 2 >= v.share
    ? [`mostly ${words(v.sub_stage)}`]
    : [`its largest part, ${words(v.sub_stage)}, takes `, percent(own), ' %'];
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const FEW_STEPS: EvidenceKind = 'verdict.few_steps';

/** How sure the share is; of few steps no interval is known, and of a profile's few the headline says it. */
function interval(v: Verdict, { steady, marked }: Report['steps']): Pieces {
  if (marked === false || v.evidence.some(({ kind }) => kind === FEW_STEPS)) return [];
  const [low, high] = [percent(v.share_low), percent(v.share_high)];
  if (low.text === high.text) return ['seen in ', counted(steady, 'step')];
  // Where the headline has it, once is enough.
  return v.values.share_low === v.share_low && v.values.share_high === v.share_high
    ? ['the 95 % interval is in brackets']
    : ['between ', low, ' and ', high, ' % with 95 % confidence'];
}

function gain(v: Verdict): Pieces {
  const when = v.straggler_rank === null ? 'without it' : 'were it on time';
  return v.at_most_speedup ? ['up to ', ratio(v.at_most_speedup), ` faster ${when}`] : [];
}

/** What fixing it would gain at most; money where a price was given. */
export function savings({
  at_most_saving: saving,
}: Pick<Verdict, 'at_most_saving'>): { time: Figure; money: Figure | null } | null {
  if (!saving) return null;
  const money = saving.money === undefined ? null : formatMoney(saving.money);
  return { time: formatNs(saving.ns), money };
}

export interface StepPart {
  readonly name: string;
  readonly share: number;
  /** ns of a mean step; null where there is none. */
  readonly perStep: number | null;
  readonly stages: {
    readonly name: string;
    readonly share: number;
    readonly perStep: number | null;
  }[];
}

/** Suspects that take anything, the largest first, with their stages. */
export function stepParts(report: Report, least = LEAST_SHOWN): StepPart[] {
  const mean = report.steps.duration_ns?.mean ?? null;
  const per = (share: number) => (mean === null ? null : share * mean);
  const bySize = (a: { share: number }, b: { share: number }) => b.share - a.share;
  const stagesOf = (suspect: SuspectId) =>
    report.stages.rows
      .filter((s: Stage) => s.suspect === suspect && s.share >= least)
      .map((s) => ({ name: s.name, share: s.share, perStep: per(s.share) }))
      .sort(bySize);
  return report.suspects.rows
    .map(({ name, share }) => ({ name, share, perStep: per(share), stages: stagesOf(name) }))
    .filter((part) => part.share > 0)
    .sort(bySize);
}

/** A stage that is so much of its suspect is named in its place, as the verdict does. */
const ALONE = 0.9;

/** What takes the part; other work is nobody, its stage is somebody. */
export function partTitle({ name, share, stages }: StepPart): string {
  const largest = stages[0];
  return namedByStage(name) && largest && largest.share >= ALONE * share
    ? title(largest.name)
    : title(name);
}

/** Stages that the part's title does not name already. */
export const otherStages = (part: StepPart): StepPart['stages'] =>
  part.stages.filter((stage) => title(stage.name) !== partTitle(part));

/** The time range in which the steps lie; null where there are none. */
export function trainingRange(report: Report): TimeRange | null {
  const { initialization_ns: begin, training_ns: length } = report.phases;
  if (begin === null || length === null || length <= 0) return null;
  return timeRange(begin, begin + length);
}

/** The view and time range in which a piece of evidence can be seen. */
export function evidenceTarget(
  evidence: Located,
  report: Report,
  chosen: TimeRange | null,
): RunTarget {
  const named = timeRangeOf(evidence.rows?.conditions ?? []);
  const over = named ?? chosen ?? trainingRange(report);
  const shown = shownOf(evidence);
  const view =
    evidence.rows?.table === 'steps' && !holds(shown.view, report) ? 'steps' : shown.view;
  const params = view === shown.view ? panelParams(evidence) : { part: 'causes' };
  switch (view) {
    case 'system':
      return { view, timeRange: over, params };
    case 'timeline':
      return { view, timeRange: over };
    case 'overview':
      return { view, params: { part: 'missing' } };
    default: {
      const threads = shown.threads ? threadsOf(shown.threads, report) : {};
      return { view, timeRange: named ?? chosen, params: { ...params, ...threads } };
    }
  }
}

/** Figures of steps are reported where what they are of is shown, if it is: the steps' own view has their durations. */
function holds(view: string, { distributed, data_pipeline, operators }: Report): boolean {
  switch (view) {
    case 'distributed':
      return distributed.status !== 'not_applicable';
    case 'data':
      return data_pipeline.status !== 'not_applicable';
    case 'operators':
      return operators.rows.length > 0;
    default:
      return true;
  }
}

/** Whose stacks show it; of a data pipeline its workers' do, which come first by themselves. */
const threadsOf = (threads: string, { data_pipeline }: Report): Query =>
  threads !== 'workers'
    ? { threads }
    : data_pipeline.status !== 'not_applicable'
      ? {}
      : { threads: 'training' };

export interface Mark {
  readonly from: Ns;
  readonly to: Ns;
  /** With exact figures: told on hover and to screen readers. */
  readonly text: string;
  readonly target: RunTarget;
}

export interface StoryLane {
  readonly name: string;
  readonly color: string;
  readonly marks: readonly Mark[];
}

export interface Happened {
  /** null: unknown. */
  readonly steps: Steps | null;
  readonly checkpoints: readonly Checkpoint[];
  readonly findings: readonly Finding[];
}

/** What happened when: slow steps, evaluation, checkpoints, findings, losses. Lanes without any are left out. */
export function lanes(report: Report, { steps, checkpoints, findings }: Happened): StoryLane[] {
  const end = report.run.duration_ns;
  const all: StoryLane[] = [
    { name: 'Slow steps', color: '--bad', marks: report.steps.outliers.map(outlierMark) },
    { name: 'Evaluation', color: '--cat-6', marks: steps ? evaluationMarks(steps) : [] },
    { name: 'Checkpoints', color: '--cat-7', marks: checkpoints.map(checkpointMark) },
    { name: 'Findings', color: '--warn', marks: findings.map((f) => findingMark(f, end)) },
    { name: 'Data loss', color: '--other', marks: report.data_loss.rows.flatMap(lossMark) },
  ];
  return all.filter((lane) => lane.marks.length > 0);
}

function outlierMark(o: Outlier): Mark {
  const at = timeRange(o.ts_ns, o.ts_ns + o.dur_ns);
  const cause = o.cause ? `: ${words(o.cause)}, ${formatNs(o.excess_ns).exact} over` : '';
  const text = `Step ${o.step} of rank ${o.rank}, ${formatNs(o.dur_ns).exact}${cause}`;
  return { ...at, text, target: { view: 'timeline', timeRange: at } };
}

/** Of the evaluations' own rows: a step in which one lies is longer, and the last lie in no step. */
function evaluationMarks(steps: Steps): Mark[] {
  const key = (i: number) => `${steps.rank[i] ?? 0} ${steps.step[i] ?? 0}`;
  const trained = new Set(where(steps, (i) => steps.kind[i] !== 'eval').map(key));
  return where(steps, (i) => steps.kind[i] === 'eval').map((i) => {
    const at = timeRangeOfStep(steps, i);
    const step = trained.has(key(i)) ? steps.step[i] : NaN;
    const text = markText('Evaluation', steps.rank[i] ?? 0, step, steps.dur[i] ?? 0);
    return { ...at, text, target: { view: 'timeline', timeRange: at } };
  });
}

function checkpointMark({ rank, ts, dur, step, kind }: Checkpoint): Mark {
  const at = timeRange(ts, ts + dur);
  const what = kind ? `Checkpoint (${kind})` : 'Checkpoint';
  return {
    ...at,
    text: markText(what, rank, step, dur),
    target: { view: 'timeline', timeRange: at },
  };
}

/** `rank`, `step`: NaN where there is none. */
function markText(what: string, rank: number, step: number | undefined, length: number): string {
  const within = step === undefined || Number.isNaN(step) ? '' : ` in step ${step}`;
  const whose = Number.isNaN(rank) ? '' : ` of rank ${rank}`;
  return `${what}${within}${whose}, ${formatNs(length).exact}`;
}

function findingMark(finding: Finding, end: number): Mark {
  const at = Math.max(0, Math.min(finding.ts_ns, end));
  const text = finding.about ? `${sentence(finding.about)}: ${finding.text}` : finding.text;
  return { from: ns(at), to: ns(at), text, target: targetOf(finding) };
}

function lossMark(loss: Loss): Mark[] {
  if (loss.from_ns === null) return [];
  const at = timeRange(loss.from_ns, loss.to_ns ?? loss.from_ns);
  return [{ ...at, text: lossText(loss), target: { view: 'timeline', timeRange: at } }];
}

/** "Lost: 1,320 records; they came faster than …", or the sentence alone, where it has the number. */
export function lossText(loss: Loss): string {
  const { label, counts } = LOSS_CAUSES[loss.cause] ?? { label: 'Lost', counts: 'rows' };
  const what = loss.count < 0 || counts === 'none' ? '' : lostCount(loss, counts);
  const parts = [what, loss.detail].filter((part) => part !== '');
  return `${label}: ${parts.length > 0 ? parts.join('; ') : words(loss.cause)}`;
}

const lostCount = (loss: Loss, counts: 'rows' | readonly [string, string]): string => {
  if (counts !== 'rows') return plural(loss.count, ...counts);
  const rows = plural(loss.count, 'row');
  return `${loss.table ? `${rows} of ${loss.table}` : rows} (${words(loss.cause)})`;
};

export interface RunPhase {
  readonly name: string;
  /** Of the run; null: of a chosen time range it is known of none. */
  readonly share: number | null;
  /** Where it lies in the run; null: likewise. */
  readonly place: TimeRange | null;
  readonly figure: Figure;
}

/** Time of a kind of step or of a phase; `name` as it is said of it. */
export type PhaseSum = Pick<RunPhase, 'name' | 'figure'>;

/**
 * Initialization, training and the rest; `inside`: what steps took for evaluation and checkpoints; `besides`:
 * evaluation with what lies outside of the steps, where there is any.
 */
export function runPhases(report: Report): {
  whole: RunPhase[];
  inside: PhaseSum[];
  besides: PhaseSum[];
} {
  const { initialization_ns, training_ns, finalization_ns } = report.phases;
  const lengths = [
    { name: 'initialization', length: initialization_ns ?? 0 },
    { name: 'training', length: training_ns ?? 0 },
    { name: 'finalization', length: finalization_ns ?? 0 },
  ];
  const { duration_ns: run } = report.run;
  // Of a time range the report tells how long its steps took, not what lies around them.
  const whole = initialization_ns !== null;
  let end = 0;
  const phases = lengths.map(({ name, length }) => {
    const from = end;
    end += length;
    return {
      name,
      length,
      share: whole && run > 0 ? length / run : null,
      place: whole ? timeRange(ns(from), ns(end)) : null,
      figure: formatNs(length),
    };
  });
  const ranks = new Set(report.breakdown.rows.map((b) => b.rank)).size || 1;
  const mean = (of: (b: Breakdown) => boolean) =>
    Math.round(report.breakdown.rows.filter(of).reduce((s, b) => s + b.ns, 0) / ranks);
  const part = (name: string, length: number) =>
    length > 0 ? [{ name, figure: formatNs(length) }] : [];
  // An evaluation's own row repeats the time of the step in which it lies.
  const inSteps = (phase: string) => mean((b) => b.phase === phase && b.step_kind !== 'eval');
  const evaluation = mean((b) => b.step_kind === 'eval');
  const within = inSteps('evaluation');
  return {
    whole: phases.filter((p) => p.length > 0),
    inside: [...part('evaluation', within), ...part('checkpoint', inSteps('checkpoint'))],
    besides:
      evaluation > within ? part(within > 0 ? 'all evaluation' : 'evaluation', evaluation) : [],
  };
}
