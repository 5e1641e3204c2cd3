import type { DefinitionCheck } from '../../../domain/workflow/checks/definition.ts';
import { graphIssues, type StepOutline, tooManyStepsText } from '../../../domain/workflow/checks/graph.ts';
import {
  MAX_CHAINED_STEPS,
  type StepDraft,
  type WorkflowDraft,
} from '../../../domain/workflow/definition.ts';
import { type DefinitionIssue, issueText } from '../../../domain/workflow/issues.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import { isPlainObject } from '../../../lib/json/json.ts';
import { toRequestIssue } from '../error-body.ts';
import { HttpError } from '../errors.ts';
import { checkBody } from '../middleware/validation.ts';
import { toWorkflowDraft } from './definition-mapping.ts';
import { kindOf, membersOfKinds, requiredMembers, workflowRequestSchema } from './definition-schemas.ts';
import { MAX_LIST_LENGTH } from './schemas.ts';

/** The context of the checks of a definition in a request. */
export interface DefinitionReader {
  readonly maxSteps: number;
  /** The warnings about the request, which are told with those of the definition. None when absent. */
  readonly notes: readonly string[] | undefined;
  /** Checks all but the members of a draft: `Workflows.validate`. */
  readonly validate: (draft: WorkflowDraft) => Promise<DefinitionCheck>;
}

/**
 * Reads the draft of a definition in a request; where its members are wrong, resolves to all that is wrong with it.
 * What can be read is then checked without what cannot, so that the faults of its members, its graph, its expressions,
 * schemas and templates are told together (decisions, section 3).
 */
export async function readDefinition(
  body: unknown,
  { maxSteps, notes = [], validate }: DefinitionReader,
): Promise<{ readonly draft: WorkflowDraft } | { readonly check: DefinitionCheck }> {
  const steps = listOfSteps(body);
  const tooMany = countIssue(body, maxSteps);
  const checked = checkBody(workflowRequestSchema, tooMany === undefined ? body : withoutSteps(body));
  if ('data' in checked && tooMany === undefined) return { draft: toWorkflowDraft(checked.data, notes) };
  const found = 'issues' in checked ? checked.issues : [];
  if (tooMany !== undefined) return { check: { issues: [...found, tooMany], warnings: notes, layers: [] } };
  await yieldIfDue();
  const isMendable = steps !== undefined && found.length < MAX_MENDED;
  const { draft, issues } = isMendable
    ? await mend(body, steps, found, notes)
    : { draft: undefined, issues: found };
  if (steps === undefined || draft === undefined) {
    const ofGraph = steps === undefined ? [] : graphIssues(steps.map(outlineOf), maxSteps);
    return { check: { issues: [...issues, ...ofGraph], warnings: notes, layers: [] } };
  }
  const { issues: others, warnings, layers } = await validate(draft);
  const isTold = toldBy(issues);
  const isHidden = toldBy([...issues, ...standIns(issues)]);
  return {
    check: {
      issues: [...issues, ...others.filter(({ path }) => !isTold(path))],
      warnings: warnings.filter((warning) => !isHidden(warning.slice(0, warning.indexOf(':')).split('.'))),
      layers: steps.every(hasId) ? layers : [],
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

function listOfSteps(definition: unknown): readonly unknown[] | undefined {
  const steps = isPlainObject(definition) ? definition['steps'] : undefined;
  return Array.isArray(steps) ? steps : undefined;
}

/** The issue of a definition with too many steps, of which none is looked at; undefined for none. */
function countIssue(body: unknown, maxSteps: number): DefinitionIssue | undefined {
  const count = listOfSteps(body)?.length ?? 0;
  if (count > maxSteps) return { path: ['steps'], detail: tooManyStepsText(count, maxSteps) };
  if (!hasManyChained(body)) return undefined;
  const detail = `the definitions within them must have at most ${MAX_CHAINED_STEPS} steps together`;
  return { path: ['steps'], detail };
}

/** True where the definitions within steps have more steps together than may be checked. */
function hasManyChained(body: unknown): boolean {
  let count = 0;
  const visit = (definition: unknown): boolean =>
    (listOfSteps(definition) ?? []).some((step) => {
      const chain = isPlainObject(step) ? step['definition'] : undefined;
      count += listOfSteps(chain)?.length ?? 0;
      return count > MAX_CHAINED_STEPS || visit(chain);
    });
  return visit(body);
}

function withoutSteps(body: unknown): unknown {
  return Object.assign({}, body, { steps: [] });
}

/** Creates the test whether one of the issues is about a member, or about what contains it. */
function toldBy(issues: readonly Pick<DefinitionIssue, 'path'>[]): (path: readonly PropertyKey[]) => boolean {
  const told = new Set(issues.map(({ path }) => path.join('.')));
  return (path) => path.some((_key, index) => told.has(path.slice(0, index + 1).join('.')));
}

/**
 * The members that may stand in for those which the issues are about: a step of an unknown kind is taken for one that
 * calls a tool, one whose definition cannot be read for one that runs another workflow.
 */
function standIns(issues: readonly DefinitionIssue[]): readonly Pick<DefinitionIssue, 'path'>[] {
  return issues.flatMap(({ path }) => {
    if (path.at(-1) === 'kind') return [{ path: [...path.slice(0, -1), 'tool_name'] }];
    const step = path.slice(0, path.at(-1) === 'steps' ? -2 : -1);
    return path[step.length] === 'definition' ? [{ path: [...step, 'workflow_id'] }] : [];
  });
}

/**
 * The most attempts at reading the rest of a definition. The schema may tell further issues once the first are out of
 * the way.
 */
const MAX_ROUNDS = 4;

/** The most issues of members beside which others are looked for: so many are more than anybody reads. */
const MAX_MENDED = 100;

/** The draft without the members that have issues, with all issues; no draft where it cannot be read all the same. */
async function mend(
  body: unknown,
  steps: readonly unknown[],
  first: readonly DefinitionIssue[],
  notes: readonly string[],
): Promise<{ readonly draft: WorkflowDraft | undefined; readonly issues: readonly DefinitionIssue[] }> {
  let issues = first;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const checked = checkBody(workflowRequestSchema, withoutWrong(body, issues));
    if ('data' in checked) {
      const draft = toWorkflowDraft(checked.data, notes);
      return { draft: { ...draft, steps: withIds(draft.steps, steps) }, issues };
    }
    const isTold = toldBy(issues);
    issues = [...issues, ...checked.issues.filter(({ path }) => !isTold(path))];
    await yieldIfDue();
  }
  return { draft: undefined, issues };
}

/** A definition without its members that have issues. Those that it must have get a placeholder. */
function withoutWrong(body: unknown, issues: readonly DefinitionIssue[]): unknown {
  const mended = mendDefinition(
    body,
    issues.map(({ path }) => path),
  );
  return Object.assign({ name: PLACEHOLDER }, mended);
}

/**
 * The steps with the ids that were sent, also those of the definitions within them: an id that is not valid can be
 * named by other steps all the same.
 */
function withIds(drafts: readonly StepDraft[], sent: readonly unknown[]): readonly StepDraft[] {
  return drafts.map((draft, index) => {
    const step = sent[index];
    const { id } = outlineOf(step, index);
    if (draft.kind !== 'workflow' || draft.definition === undefined) return { ...draft, id };
    const chained = listOfSteps(isPlainObject(step) ? step['definition'] : undefined) ?? [];
    const { definition } = draft;
    return { ...draft, id, definition: { ...definition, steps: withIds(definition.steps, chained) } };
  });
}

function hasId(step: unknown): boolean {
  return isPlainObject(step) && typeof step['id'] === 'string';
}

function outlineOf(step: unknown, index: number): StepOutline {
  const { id, depends_on } = isPlainObject(step) ? step : {};
  const listed: readonly unknown[] = Array.isArray(depends_on) ? depends_on : [];
  return {
    // A missing id is replaced by one that no step can have: it is neither a duplicate nor a dependency.
    id: typeof id === 'string' ? id : `\u0000${index}`,
    // The schema tells of a list that is too long.
    dependsOn: listed.length > MAX_LIST_LENGTH ? [] : listed.filter((entry) => typeof entry === 'string'),
  };
}

/** Stands for a text that is missing or wrong. */
const PLACEHOLDER = 'x';

/** The keys that lead to what is wrong. */
type Path = readonly PropertyKey[];

/** A step that is valid whatever else the definition says. */
const unreadable = { id: PLACEHOLDER, kind: 'wait', duration_ms: 0 };

/**
 * A definition in a request, or within a step, without its members that are wrong, of which each has a path. Undefined
 * where it has no steps to be read.
 */
function mendDefinition(
  definition: unknown,
  wrong: readonly Path[],
): Readonly<Record<string, unknown>> | undefined {
  const steps: unknown = isPlainObject(definition) ? definition['steps'] : undefined;
  if (!isPlainObject(definition) || !Array.isArray(steps) || wrong.some(({ length }) => length === 0)) {
    return undefined;
  }
  const found = Map.groupBy(wrong, ([member, index]) => (member === 'steps' ? index : member));
  const kept = Object.entries(definition).filter(([member]) => !found.has(member));
  return Object.assign(Object.fromEntries(kept), {
    steps: steps.map((step: unknown, index) =>
      mendStep(
        step,
        (found.get(index) ?? []).map((path) => path.slice(2)),
      ),
    ),
  });
}

/**
 * A step in a request without its members that are wrong, of which each has a path, so that the others can be checked.
 * Members that a step must have get a placeholder.
 */
function mendStep(step: unknown, wrong: readonly Path[]): unknown {
  if (!isPlainObject(step)) return unreadable;
  if (wrong.length === 0) return step;
  const kind = kindOf(step);
  const members = new Map(Object.entries(step));
  const within = wrong.filter(([member]) => member === 'definition').map((path) => path.slice(1));
  if (within.length > 0) {
    const definition = mendDefinition(step['definition'], within);
    if (definition !== undefined) members.set('definition', definition);
    else {
      members.delete('definition');
      if (kind === 'workflow' && !members.has('workflow_id')) members.set('workflow_id', PLACEHOLDER);
    }
  }
  for (const [member] of wrong) {
    if (member === 'definition') continue;
    if (typeof member !== 'string') return unreadable;
    const before = members.get(member);
    members.delete(member);
    if (member === 'depends_on' && Array.isArray(before) && before.length <= MAX_LIST_LENGTH) {
      members.set(
        member,
        before.filter((id) => typeof id === 'string'),
      );
    }
    // Without foreach, expressions would have no item.
    if (member === 'foreach') members.set(member, mendForeach(before));
    if (member === 'id' || (kind !== undefined && member === requiredMembers[kind])) {
      members.set(member, PLACEHOLDER);
    }
  }
  if (kind === undefined) {
    for (const member of ['kind', ...membersOfKinds]) members.delete(member);
    members.set('tool_name', PLACEHOLDER);
  }
  if (kind === 'wait' && !members.has('until') && !members.has('duration_ms')) {
    members.set('duration_ms', 0);
  }
  return Object.fromEntries(members);
}

function mendForeach(foreach: unknown): unknown {
  const items = isPlainObject(foreach) ? foreach['items'] : undefined;
  return { items: typeof items === 'string' || Array.isArray(items) ? items : [] };
}
