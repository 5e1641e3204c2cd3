import type { z } from '@hono/zod-openapi';
import { type StepKind, stepKinds } from '../../../../domain/workflow/definition.ts';

/** The members that only steps of one kind have. */
const membersOfKind = {
  tool: ['tool_name'],
  agent: ['agent_name'],
  workflow: ['workflow_id', 'definition'],
  wait: ['duration_ms', 'until'],
  approval: ['title', 'payload', 'response_schema', 'expires_in_ms', 'on_expire', 'on_reject'],
} as const satisfies Record<StepKind, readonly string[]>;

/** The members that only steps of some kind have. */
export const membersOfKinds: readonly string[] = Object.values(membersOfKind).flat();

/** The member that a step of a kind must have. */
const requiredMembers: Partial<Record<StepKind, string>> = {
  tool: 'tool_name',
  agent: 'agent_name',
  workflow: 'workflow_id',
  approval: 'title',
};

/** A step as it was sent, as far as it is known to be valid. */
type SentStep = Readonly<Record<string, unknown>>;

/** The kind of a step, or undefined where it has none that exists. */
function kindOf({ kind = 'tool' }: SentStep): StepKind | undefined {
  return stepKinds.find((known) => known === kind);
}

/** Adds the issues of the members that depend on the step's kind, also when the step has other issues. */
export function checkKindMembers(step: SentStep, context: z.RefinementCtx): void {
  const kind = kindOf(step);
  if (kind === undefined) return;
  const required = requiredMembers[kind];
  const hasChain = kind === 'workflow' && step['definition'] !== undefined;
  if (required !== undefined && step[required] === undefined && !hasChain) {
    addIssue(context, required, `is required for a step of kind ${kind}`);
  }
  for (const [member, other] of membersOfOthers(step, kind)) {
    if (!isIgnored(kind, other)) addIssue(context, member, `is only for steps of kind ${other}`);
  }
}

/** The members of a step that it does not use and that have always been accepted. */
export function unusedMembers(step: SentStep): readonly string[] {
  const kind = kindOf(step);
  if (kind === undefined) return [];
  return membersOfOthers(step, kind).flatMap(([member, other]) => (isIgnored(kind, other) ? [member] : []));
}

function membersOfOthers(step: SentStep, kind: StepKind): readonly (readonly [string, StepKind])[] {
  return stepKinds.flatMap((other) =>
    other === kind
      ? []
      : membersOfKind[other].flatMap((member) =>
          step[member] === undefined ? [] : [[member, other] as const],
        ),
  );
}

/** The name of a tool in a step for an agent, and the other way round, has no effect, but is no error. */
function isIgnored(kind: StepKind, other: StepKind): boolean {
  return [kind, other].every((name) => name === 'tool' || name === 'agent');
}

function addIssue(context: z.RefinementCtx, member: string, message: string): void {
  context.addIssue({ code: 'custom', path: [member], message });
}
