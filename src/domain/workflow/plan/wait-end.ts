import { parseIsoTime } from '../../../lib/text/time.ts';
import type { WaitStep } from '../definition.ts';
import { InputError } from '../step-input.ts';
import { memberValue, type Parsing } from './expressions.ts';
import { kindOf, wrongKind } from './kinds.ts';
import type { StepSources } from './scope.ts';

/** Whether `until` of a wait is a time as it stands, and no expression. */
export function isLiteralTime(until: string): boolean {
  return /^\s*\d{4}-\d\d-\d\d/.test(until);
}

/** What `until` must be. */
const NOT_A_TIME =
  'until: must be a time in ISO 8601 with an offset or Z, such as 2026-12-24T18:00:00Z, or an expression that evaluates to one';

/** The milliseconds since the epoch. Throws `InputError` for what is no time with an offset. */
export function timeOf(until: string): number {
  const time = parseIsoTime(until.trim());
  if (time === undefined) throw new InputError(NOT_A_TIME);
  return time;
}

/** When a wait that starts at `now` ends, in milliseconds since the epoch; never before `now`. Throws `InputError`. */
export type WaitEnd = (sources: StepSources, now: number) => number;

/** The end of a wait. */
export function waitEnd({ durationMs, until }: WaitStep, parsing: Parsing, perItem: boolean): WaitEnd {
  if (until === undefined) {
    return (_sources, now) => {
      if (durationMs === undefined) throw new InputError('duration_ms: is required unless there is until');
      return now + durationMs;
    };
  }
  if (isLiteralTime(until)) return (_sources, now) => Math.max(now, timeOf(until));
  const evaluate = memberValue({ name: 'until', source: until, kind: 'text', perItem }, parsing);
  return (sources, now) => {
    const value = evaluate(sources);
    if (typeof value !== 'string') throw wrongKind('until', 'text', kindOf(value));
    return Math.max(now, timeOf(value));
  };
}
