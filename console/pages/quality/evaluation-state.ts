import { signal } from '@preact/signals';
import { type CallError, send, toCallError } from '../../api/call.ts';
import { type Evaluation, evaluate, type Source } from './evaluate.ts';

/** An evaluation of this page, with its source and its time. */
export interface Done {
  readonly source: Source;
  readonly at: string;
  readonly result: Evaluation;
}

/** The evaluations of this page, newest first; they are gone when it is closed, because the service stores none. */
export const done = signal<readonly Done[]>([]);

/** The evaluation that is under way, and the failure of the last one. */
export const underWay = signal<Source | undefined>(undefined);
export const failure = signal<CallError | undefined>(undefined);

/** Runs an evaluation. It goes on when the reader looks at another page. */
export async function run(source: Source): Promise<void> {
  underWay.value = source;
  failure.value = undefined;
  try {
    const result = await send(evaluate(source));
    done.value = [{ source, at: new Date().toISOString(), result }, ...done.value].slice(0, 10);
  } catch (error) {
    failure.value = toCallError(error);
  } finally {
    underWay.value = undefined;
  }
}
