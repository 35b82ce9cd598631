// SPDX-License-Identifier: Apache-2.0
import { inert } from '../base/inert';

/** A failure as it is shown: the thing, the cause, the next step. The server's causes name the thing. */
export class ApiError extends Error {
  readonly thing: string;
  readonly problem: string;
  readonly nextStep: string;

  constructor(
    readonly status: number,
    thing: string,
    problem: string,
    nextStep: string,
  ) {
    super(inert(thing === '' ? problem : `${thing}: ${problem}`));
    this.thing = inert(thing);
    this.problem = inert(problem);
    this.nextStep = inert(nextStep);
  }

  /** Any thrown value as one: nothing that fails is shown without a reason. */
  static of(thrown: unknown, thing = 'this view'): ApiError {
    if (thrown instanceof ApiError) return thrown;
    const cause = thrown instanceof Error ? thrown.message : String(thrown);
    return new ApiError(0, thing, cause, 'reload the page; if it stays, report it with this text');
  }
}

/** An answer that says why there is none; the body may be anything. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const error = (body as { error?: Record<string, unknown> } | null)?.error;
  if (typeof error?.cause === 'string') {
    const next = typeof error.next_step === 'string' ? error.next_step : '';
    return new ApiError(response.status, '', error.cause, next);
  }
  return new ApiError(
    response.status,
    'the server',
    `answered ${response.status} ${response.statusText}`.trim(),
    'see what steptrace ui printed in its terminal',
  );
}
