import { invalid } from '../../../domain/errors.ts';
import type { WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import { MAX_RUN_DEPTH, MAX_WAIT_MS, type Step } from '../../../domain/workflow/definition.ts';
import { createDefinitionIssues, type DefinitionIssue } from '../../../domain/workflow/issues.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { quote } from '../../../lib/text/quote.ts';
import { copyInput } from '../run-input.ts';

/** The behaviour of a step in place of its tool, its agent, its child run, or the time or person that it waits for. */
export interface StepMock {
  /**
   * The output of the tool, the agent, the child run or the wait. For an approval the answer: `approved`, and
   * optionally `data`, `note` and `decided_by`. Not together with `error`.
   */
  readonly output?: JsonObject | undefined;
  /** The error of each attempt at the tool or agent, of the child run, or of the wait. */
  readonly error?: string | undefined;
  /**
   * Its duration in milliseconds of simulated time; 0 when absent. A wait takes that long in place of its own time.
   */
  readonly delayMs?: number | undefined;
}

/**
 * Mocks by the id of the step; those of a child run by `<step>/<step of the child>`. For a step with `foreach` one mock
 * counts for each item, and a list has one for each of the first items; `{}` in it is no mock.
 */
export type Mocks = Readonly<Record<string, StepMock | readonly StepMock[]>>;

/** Finds the newest version of a workflow by its id or `key:<key>`. */
export type FindWorkflow = (reference: string) => Promise<WorkflowDefinition | undefined>;

/** The mock of a step, or of one of its items; undefined where there is none. */
export type FindMock = (key: string, item: number | undefined) => StepMock | undefined;

/**
 * Checks and copies the mocks for the runs of a definition. Rejects with `validation`, naming the wrong ones.
 */
export async function checkMocks(
  definition: WorkflowDefinition,
  mocks: Mocks,
  findWorkflow: FindWorkflow,
  maxBytes: number,
): Promise<FindMock> {
  const issues = createDefinitionIssues();
  const checked = new Map<string, StepMock | readonly StepMock[]>();

  /** The step to which a path of step ids leads, through the workflows that steps run. */
  async function findStep(
    { steps }: Pick<WorkflowDefinition, 'steps'>,
    [id, ...rest]: readonly string[],
  ): Promise<Step | undefined> {
    const step = steps.find((one) => one.id === id);
    if (rest.length === 0 || step?.kind !== 'workflow') return rest.length === 0 ? step : undefined;
    const child = step.definition ?? (await findWorkflow(step.workflowId ?? ''));
    return child && findStep(child, rest);
  }

  for (const [key, mock] of Object.entries(mocks)) {
    await yieldIfDue();
    const step = await findStep(definition, key.split('/', MAX_RUN_DEPTH + 1));
    if (step === undefined) issues.add(['mocks'], () => `there is no step ${quote(key)}`);
    else {
      for (const { path, detail } of mockIssues(step, mock)) {
        issues.add(['mocks', key, ...path], () => detail);
      }
      checked.set(key, copyMock(mock, key, maxBytes));
    }
  }
  if (issues.count > 0) throw invalid(issues.list());
  return (key, item) => {
    const given = checked.get(key);
    const mock = !isList(given) ? given : item === undefined ? undefined : given[item];
    return mock === undefined || isNone(mock) ? undefined : mock;
  };
}

/** The issues of a mock, with the keys that lead to them from the mock of the step. */
function mockIssues(step: Step, mock: StepMock | readonly StepMock[]): readonly DefinitionIssue[] {
  if (!isList(mock)) return issuesOf(step, mock);
  if (step.foreach === undefined) return [{ path: [], detail: 'is a list, but the step has no foreach' }];
  return mock.flatMap((one, index) =>
    isNone(one) ? [] : issuesOf(step, one).map(({ path, detail }) => ({ path: [index, ...path], detail })),
  );
}

/** True for `{}`: the step does what it does without a mock. */
function isNone({ output, error, delayMs }: StepMock): boolean {
  return output === undefined && error === undefined && delayMs === undefined;
}

function issuesOf(step: Step, mock: StepMock): readonly DefinitionIssue[] {
  const { output, error, delayMs = 0 } = mock;
  const issues: DefinitionIssue[] = [];
  if (output !== undefined && error !== undefined) {
    issues.push({ path: [], detail: 'has an output and an error' });
  }
  if (!Number.isInteger(delayMs) || delayMs < 0 || delayMs > MAX_WAIT_MS) {
    issues.push({ path: ['delay_ms'], detail: `must be an integer from 0 to ${MAX_WAIT_MS}` });
  }
  if (step.kind === 'workflow' && output === undefined && error === undefined) {
    issues.push({ path: [], detail: 'needs an output or an error' });
  }
  return step.kind === 'approval' ? [...issues, ...answerIssues(mock)] : issues;
}

/** The issues of the answer of a person. */
function answerIssues({ output, error }: StepMock): readonly DefinitionIssue[] {
  const issues: DefinitionIssue[] = [];
  const add = (path: readonly string[], detail: string): void => void issues.push({ path, detail });
  if (error !== undefined) add(['error'], 'a person answers with an output, not with an error');
  if (output === undefined) return issues;
  const { approved, note = null, decided_by: by = '' } = output;
  if (typeof approved !== 'boolean') add(['output', 'approved'], 'must be true or false');
  if (note !== null && typeof note !== 'string') add(['output', 'note'], 'must be a string or null');
  if (typeof by !== 'string') add(['output', 'decided_by'], 'must be a string');
  return issues;
}

function copyMock(
  mock: StepMock | readonly StepMock[],
  key: string,
  maxBytes: number,
): StepMock | readonly StepMock[] {
  const copy = (one: StepMock): StepMock =>
    one.output === undefined
      ? { ...one }
      : { ...one, output: copyInput(one.output, maxBytes, `mocks.${key}.output`) };
  return isList(mock) ? mock.map(copy) : copy(mock);
}

function isList(mock: StepMock | readonly StepMock[] | undefined): mock is readonly StepMock[] {
  return Array.isArray(mock);
}
