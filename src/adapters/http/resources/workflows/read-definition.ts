import type { DefinitionCheck } from '../../../../domain/workflow/checks/definition.ts';
import { graphIssues, type StepOutline } from '../../../../domain/workflow/checks/graph.ts';
import type { WorkflowDraft } from '../../../../domain/workflow/definition.ts';
import { type DefinitionIssue, issueText } from '../../../../domain/workflow/issues.ts';
import { isPlainObject } from '../../../../lib/json/json.ts';
import { toRequestIssue } from '../../error-body.ts';
import { HttpError } from '../../errors.ts';
import { checkBody } from '../../middleware/validation.ts';
import { toWorkflowDraft } from './definition-mapping.ts';
import { mendStep, PLACEHOLDER } from './mend-step.ts';
import { workflowRequestSchema } from './workflow-schemas.ts';

/** What a definition in a request is checked with. */
export interface DefinitionReader {
  readonly maxSteps: number;
  /** The warnings about the request, which are told with those of the definition. None when absent. */
  readonly notes: readonly string[] | undefined;
  /** Checks all but the members of a draft: `Workflows.validate`. */
  readonly validate: (draft: WorkflowDraft) => Promise<DefinitionCheck>;
}

/** The number of steps whose members are checked, as a multiple of the maximum number of steps. */
const CHECKED_FACTOR = 10;

/**
 * Reads the draft of a definition in a request; where its members are wrong, resolves to all that is wrong with it. What can
 * be read is then checked without what cannot, so that the faults of its members, its graph, its expressions, schemas and
 * templates are told together (decisions, section 3).
 */
export async function readDefinition(
  body: unknown,
  { maxSteps, notes = [], validate }: DefinitionReader,
): Promise<{ readonly draft: WorkflowDraft } | { readonly check: DefinitionCheck }> {
  const steps = stepsOf(body);
  // Telling the issues of all steps of a much too long list would be slow.
  const isTooLong = steps !== undefined && steps.length > maxSteps * CHECKED_FACTOR;
  const checked = checkBody(workflowRequestSchema, isTooLong ? firstSteps(body, steps, maxSteps) : body);
  if ('data' in checked && !isTooLong) return { draft: toWorkflowDraft(checked.data, notes) };
  const found = 'issues' in checked ? checked.issues : [];
  const unread = { draft: undefined, issues: found };
  const { draft, issues } = isTooLong || steps === undefined ? unread : mend(body, steps, found, notes);
  if (draft === undefined) {
    const ofGraph = steps === undefined ? [] : graphIssues(steps.map(outlineOf), maxSteps);
    return { check: { issues: [...issues, ...ofGraph], warnings: notes, layers: [] } };
  }
  const { issues: others, warnings, layers } = await validate(draft);
  const isTold = toldBy(issues);
  return {
    check: {
      issues: [...issues, ...others.filter(({ path }) => !isTold(path))],
      warnings: warnings.filter((warning) => !isTold(warning.slice(0, warning.indexOf(':')).split('.'))),
      layers,
    },
  };
}

/** The draft of a definition in a request. Throws 422 with all issues where its members are wrong. */
export async function readDraft(body: unknown, reader: DefinitionReader): Promise<WorkflowDraft> {
  const read = await readDefinition(body, reader);
  if ('draft' in read) return read.draft;
  const { issues } = read.check;
  const texts = issues.map((issue) => (isPlainObject(body) ? issueText(issue) : `body: ${issue.detail}`));
  throw new HttpError(422, texts.join('; '), { issues: issues.map(toRequestIssue) });
}

function stepsOf(body: unknown): readonly unknown[] | undefined {
  const steps = isPlainObject(body) ? body['steps'] : undefined;
  return Array.isArray(steps) ? steps : undefined;
}

function firstSteps(body: unknown, steps: readonly unknown[], maxSteps: number): unknown {
  return Object.assign({}, body, { steps: steps.slice(0, maxSteps * CHECKED_FACTOR) });
}

/** Whether one of the issues is about a member, or about what contains it. */
function toldBy(issues: readonly DefinitionIssue[]): (path: readonly PropertyKey[]) => boolean {
  const told = new Set(issues.map(({ path }) => path.join('.')));
  // A step of an unknown kind is taken for one that calls a tool.
  for (const { path } of issues)
    if (path.at(2) === 'kind') told.add([...path.slice(0, 2), 'tool_name'].join('.'));
  return (path) => path.some((_key, index) => told.has(path.slice(0, index + 1).join('.')));
}

/** How often what is left of a definition is read again. The schema may tell further issues once the first are out of the way. */
const MAX_ROUNDS = 4;

/** The draft without the members that have issues, with all issues; no draft where it cannot be read all the same. */
function mend(
  body: unknown,
  steps: readonly unknown[],
  first: readonly DefinitionIssue[],
  notes: readonly string[],
): { readonly draft: WorkflowDraft | undefined; readonly issues: readonly DefinitionIssue[] } {
  let issues = first;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const checked = checkBody(workflowRequestSchema, withoutWrong(body, steps, issues));
    if ('data' in checked) return { draft: withIds(toWorkflowDraft(checked.data, notes), steps), issues };
    const isTold = toldBy(issues);
    issues = [...issues, ...checked.issues.filter(({ path }) => !isTold(path))];
  }
  return { draft: undefined, issues };
}

/** A definition without its members that have issues. Those that it must have get a placeholder. */
function withoutWrong(body: unknown, steps: readonly unknown[], issues: readonly DefinitionIssue[]): unknown {
  const wrong = Map.groupBy(issues, ({ path: [member, index] }) => (member === 'steps' ? index : member));
  const kept = Object.entries(isPlainObject(body) ? body : {}).filter(([member]) => !wrong.has(member));
  const named = Object.assign({ name: PLACEHOLDER }, Object.fromEntries(kept));
  return Object.assign(named, {
    steps: steps.map((step, index) =>
      mendStep(
        step,
        (wrong.get(index) ?? []).map(({ path }) => path.slice(2)),
      ),
    ),
  });
}

/** The steps have the ids that were sent: one that is not valid can be named by other steps all the same. */
function withIds(draft: WorkflowDraft, steps: readonly unknown[]): WorkflowDraft {
  const outlines = steps.map(outlineOf);
  return Object.assign({}, draft, {
    steps: draft.steps.map((step, index) => Object.assign({}, step, { id: outlines[index]?.id ?? step.id })),
  });
}

function outlineOf(step: unknown, index: number): StepOutline {
  const { id, depends_on } = isPlainObject(step) ? step : {};
  return {
    // A missing id is replaced by one that no step can have: it is neither a duplicate nor a dependency.
    id: typeof id === 'string' ? id : `\u0000${index}`,
    dependsOn: Array.isArray(depends_on) ? depends_on.filter((entry) => typeof entry === 'string') : [],
  };
}
