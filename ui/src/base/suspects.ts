// SPDX-License-Identifier: Apache-2.0
// Suspects and stages by their stored names, which may be those of another version.
import { STAGES, SUSPECTS, type StageInfo, type SuspectInfo } from './stages';

const STAGE = new Map<string, StageInfo>(Object.entries(STAGES));
const SUSPECT = new Map<string, SuspectInfo>(Object.entries(SUSPECTS));

export const stageOf = (name: string): StageInfo | undefined => STAGE.get(name);

export const infoOf = (name: string): StageInfo | SuspectInfo | undefined =>
  SUSPECT.get(name) ?? STAGE.get(name);

/** Whether it can be to blame; of a suspect of another version nothing is known against it. */
export const canBeBlamed = (suspect: string): boolean => SUSPECT.get(suspect)?.blamed ?? true;

/** Other work and unattributed time are nobody: their largest stage is somebody. */
export const namedByStage = (suspect: string): boolean => SUSPECT.get(suspect)?.byStage ?? false;
