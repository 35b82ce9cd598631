// SPDX-License-Identifier: Apache-2.0
import { inert } from '../base/inert';

/** A failure as it is shown: the thing, the cause, the next step. */
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
    super(inert(`${thing}: ${problem}`));
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
  const text = (key: string, other: string) =>
    typeof error?.[key] === 'string' ? error[key] : other;
  return new ApiError(
    response.status,
    text('thing', 'the server'),
    text('cause', `answered ${response.status} ${response.statusText}`.trim()),
    text('next_step', 'see what steptrace ui printed in its terminal'),
  );
}
