import { invalid } from '../../../domain/errors.ts';
import type { ResolveSignal } from '../../../domain/run/events.ts';
import type { ApprovalStep } from '../../../domain/workflow/definition.ts';
import type { JsonValue } from '../../../lib/json/json.ts';
import { pointerKeys } from '../../../lib/json/pointer.ts';
import { exampleOf } from '../../../lib/json/schema-example.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { SchemaLanguage } from '../../../ports/languages.ts';
import type { RunLog } from '../../../ports/storage/run-log.ts';
import type { WaitItems } from '../wait-items.ts';
import type { Budget } from './budget.ts';
import type { Scopes, SimulatedStep } from './scopes.ts';

/** Who answers in a simulation. */
const SIMULATION = 'simulation';

/** What {@link createAnswers} works with. */
export interface AnswersDeps {
  readonly clock: Clock;
  readonly schemas: SchemaLanguage;
  readonly runs: Pick<RunLog, 'signal'>;
  readonly scopes: Scopes;
  readonly budget: Pick<Budget, 'stop'>;
}

type Answer = Pick<ResolveSignal, 'outcome' | 'by' | 'note' | 'data'>;

/**
 * Answers approvals in place of people, without an inbox: as the mock of the step says, and without one with an
 * approval, whose data are made from the step's schema.
 */
export function createAnswers({ clock, schemas, runs, scopes, budget }: AnswersDeps): WaitItems {
  const opened = new Set<string>();
  /**
   * The answers by the time at which they come: those of one time come together, so that a run goes on once for all.
   */
  const coming = new Map<number, (() => void)[]>();

  function answerAt(due: number, answer: () => void): void {
    const together = coming.get(due);
    if (together !== undefined) return void together.push(answer);
    const answers = [answer];
    coming.set(due, answers);
    clock.after(due - clock.monotonic(), () => {
      coming.delete(due);
      for (const one of answers) one();
    });
  }

  function madeData({ responseSchema }: ApprovalStep): { readonly data: JsonValue } | undefined {
    if (responseSchema === undefined) return { data: null };
    const data = exampleOf(responseSchema);
    return data === undefined || issuesOf(responseSchema, data).length > 0 ? undefined : { data };
  }

  function issuesOf(schema: NonNullable<ApprovalStep['responseSchema']>, data: JsonValue) {
    const compiled = schemas.compile(schema);
    return 'invalid' in compiled ? compiled.invalid : compiled.issues(data);
  }

  function answerOf({ key, mock }: SimulatedStep, step: ApprovalStep): Answer {
    const { approved = true, data = null, note: givenNote, decided_by: decidedBy } = mock?.output ?? {};
    const by = typeof decidedBy === 'string' ? decidedBy : SIMULATION;
    const note = typeof givenNote === 'string' ? givenNote : null;
    if (approved !== true) return { outcome: 'rejected', by, note, data };
    const given = data === null ? madeData(step) : { data };
    if (given === undefined) {
      const text = `simulate: no example fits the response_schema: give a mock for step ${quote(key)}`;
      return { outcome: 'failed', by, note: text };
    }
    const [issue] = step.responseSchema === undefined ? [] : issuesOf(step.responseSchema, given.data);
    if (issue !== undefined) {
      const path = ['mocks', key, 'output', 'data', ...pointerKeys(issue.pointer)];
      budget.stop(invalid([{ path, detail: issue.message }]));
    }
    return { outcome: 'approved', by, note, data: given.data };
  }

  const nothing = async (): Promise<void> => undefined;
  return {
    async open({ state }, { itemId, stepId, item }) {
      const { runId } = state.head;
      const simulated = scopes.step(runId, stepId, item);
      const { step, mock } = simulated;
      if (step.kind !== 'approval' || opened.has(itemId)) return;
      opened.add(itemId);
      const answer = answerOf(simulated, step);
      answerAt(clock.monotonic() + (mock?.delayMs ?? 0), () => {
        void runs.signal(runId, { type: 'resolve', itemId, output: null, ...answer });
      });
    },
    end: nothing,
    drop: nothing,
    withdraw: nothing,
  };
}
