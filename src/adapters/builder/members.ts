import { nearestName } from '../../lib/text/nearest-name.ts';

/** The members that steps of every kind may have. */
export type CommonMember = 'kind' | 'dependsOn' | 'when' | 'runIf' | 'timeoutMs' | 'onError' | 'foreach';

/** The further members of the steps of each kind. */
export interface KindMembers {
  readonly tool: 'toolName' | 'input' | 'returns' | 'retry';
  readonly agent: 'agentName' | 'input' | 'returns' | 'retry';
  readonly workflow: 'workflowId' | 'definition' | 'input' | 'returns';
  readonly wait: 'durationMs' | 'until';
  readonly approval: 'title' | 'payload' | 'responseSchema' | 'expiresInMs' | 'onExpire' | 'onReject';
}

/** The kinds of steps. */
export type StepKind = keyof KindMembers;

/** The members that a step of the kind may have. */
export type MemberOf<K> = K extends StepKind ? CommonMember | KindMembers[K] : PropertyKey;

const common: readonly CommonMember[] = [
  'kind',
  'dependsOn',
  'when',
  'runIf',
  'timeoutMs',
  'onError',
  'foreach',
];

const own: { readonly [K in StepKind]: readonly KindMembers[K][] } = {
  tool: ['toolName', 'input', 'returns', 'retry'],
  agent: ['agentName', 'input', 'returns', 'retry'],
  workflow: ['workflowId', 'definition', 'input', 'returns'],
  wait: ['durationMs', 'until'],
  approval: ['title', 'payload', 'responseSchema', 'expiresInMs', 'onExpire', 'onReject'],
};

/** What the compiler asks for in a step of an unknown kind. */
export interface NoSuchKind {
  readonly 'a kind that exists: tool, agent, workflow, wait or approval': true;
}

/** What the compiler shows for a member that no step of the kind has. */
export type NoSuchMember<K, Key> = `a step of kind ${K & string} has no member ${Key & string}`;

/**
 * Refuses a step of an unknown kind, and members that its kind has not, for programs whose types nobody checks: a
 * misspelled member would be dropped. Throws `TypeError`, which names what was probably meant.
 */
export function checkMembers(id: string, step: object & { readonly kind: unknown }): void {
  const { kind } = step;
  if (!isKind(kind)) {
    throw new TypeError(`steps.${id}.kind: must be one of ${Object.keys(own).join(', ')}`);
  }
  const members: readonly string[] = [...common, ...own[kind]];
  for (const [name, value] of Object.entries(step)) {
    if (value === undefined || members.includes(name)) continue;
    const meant = nearestName(name, members);
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    throw new TypeError(`steps.${id}: a step of kind ${kind} has no member "${name}"${hint}`);
  }
  if ('until' in step && 'durationMs' in step && step.until !== undefined && step.durationMs !== undefined) {
    throw new TypeError(`steps.${id}: a wait has either durationMs or until`);
  }
  if (kind === 'workflow' && isGiven(step, 'workflowId') && isGiven(step, 'definition')) {
    throw new TypeError(`steps.${id}: a step of kind workflow has either workflowId or definition`);
  }
}

function isGiven(step: object, member: string): boolean {
  return Reflect.get(step, member) !== undefined;
}

function isKind(kind: unknown): kind is StepKind {
  return typeof kind === 'string' && Object.hasOwn(own, kind);
}
