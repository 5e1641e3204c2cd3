import type {
  ChainDraft,
  DefinitionOptions,
  StepDraft,
  WorkflowDraft,
} from '../../domain/workflow/definition.ts';
import type { ForeachPolicy, StepPolicies } from '../../domain/workflow/policies.ts';
import { isJsonObject, isPlainObject, type JsonObject, type JsonValue, setOwn } from '../../lib/json/json.ts';
import { nearestName } from '../../lib/text/nearest-name.ts';
import type { InputSchema } from '../../ports/tool.ts';
import {
  built,
  builtSource,
  type CelExpression,
  celAccess,
  createReference,
  type ExpressionSource,
  embed,
  escapeText,
  isExpression,
  type Ref,
  type Reference,
  type Shape,
  type UntypedReference,
} from './expressions.ts';
import type {
  AnyContext,
  ApprovalOutput,
  ChainSpec,
  ChildOutput,
  CommonMember,
  ForeachOutput,
  ForeachSpec,
  Given,
  GivenInput,
  KindMembers,
  ReturnSpec,
  RunValues,
  ScheduleValues,
  StepKind,
  StepSpec,
  TypeSource,
  Value,
  Values,
  WorkflowSpec,
} from './spec.ts';

/**
 * A workflow whose references the compiler checks. What it returns is the definition as data, for `workflows.create` or
 * `toWorkflowRequest`. A step depends on the steps that it names in `dependsOn`, and on those that it refers to. Throws
 * `TypeError` for values that are not JSON and for references that cannot be right.
 */
export function defineWorkflow<Kinds, Returns, Members, Items, Input>(
  spec: WorkflowSpec<{ kinds: Kinds; returns: Returns; members: Members; items: Items }, Input>,
): WorkflowDraft {
  // The builder itself works with any ids and types.
  return buildWorkflow(spec as AnyWorkflowSpec);
}

/**
 * A definition within a step of kind `workflow`, for its member `definition`, checked as by {@link defineWorkflow}. Its
 * input is that of the step, and its steps cannot refer to those around it.
 */
export function defineChain<Kinds, Returns, Members, Items, Input>(
  spec: ChainSpec<{ kinds: Kinds; returns: Returns; members: Members; items: Items }, Input>,
): ChainDraft {
  const { inputSchema, steps, output } = buildWorkflow({ name: 'chain', ...(spec as AnyChainSpec) });
  return withoutUndefined({ inputSchema, steps, output });
}

/** A type without a schema: `returns: shape<{ total: number }>()`. */
export function shape<T>(): Shape<T> {
  return { [built]: { kind: 'shape' } };
}

/** The JSON Schema of what comes in; undefined for a type without a schema. */
function jsonSchemaOf(source: TypeSource<unknown> | JsonObject): JsonObject | undefined {
  if (isSchema(source)) {
    // As plain JSON: libraries add members that are none.
    const schema: JsonObject = JSON.parse(JSON.stringify(source.toJSONSchema({ io: 'input' })));
    return schema;
  }
  return built in source ? undefined : source;
}

function isSchema(source: TypeSource<unknown> | JsonObject): source is InputSchema<unknown> {
  return 'toJSONSchema' in source && typeof source.toJSONSchema === 'function';
}

/** A step whose types are not known. */
type AnyStepSpec = StepSpec<AnyContext['steps'], unknown, string> & ReturnSpec<unknown>;

interface AnyChainSpec {
  readonly input?: TypeSource<unknown>;
  readonly inputSchema?: JsonObject | undefined;
  readonly steps: Readonly<Record<string, AnyStepSpec>>;
  readonly output?: Given<Values, AnyContext>;
}

interface AnyWorkflowSpec extends AnyChainSpec, Omit<DefinitionOptions, 'output' | 'inputSchema'> {
  readonly name: string;
  readonly description?: string;
}

function buildWorkflow(spec: AnyWorkflowSpec): WorkflowDraft {
  const { name, description, key, steps, timeoutMs, maxConcurrentSteps } = spec;
  const ids = new Set(Object.keys(steps));
  const built = Object.entries(steps).map(([id, step]) => buildStep(id, step, ids));
  const output = spec.output && buildOutput(spec.output, ids);
  const expressions = [...built.flatMap((step) => step.expressions), ...(output?.expressions ?? [])];
  checkReads(steps, expressions);
  return withoutUndefined({
    name,
    ...(description === undefined ? {} : { description }),
    key,
    inputSchema: inputSchemaOf(spec),
    timeoutMs,
    maxConcurrentSteps,
    steps: built.map(({ draft }) => draft),
    output: output?.value,
  });
}

function inputSchemaOf({ input, inputSchema }: AnyChainSpec): JsonObject | undefined {
  const schema = input && jsonSchemaOf(input);
  if (schema !== undefined && inputSchema !== undefined) {
    throw new TypeError('input: gives the schema already, so that there must be no inputSchema');
  }
  return schema ?? inputSchema;
}

function buildOutput(given: Given<Values, AnyContext>, ids: ReadonlySet<string>) {
  const expressions: ExpressionSource[] = [];
  const value = toTemplates(resolveGiven(given, createContext(ids)), 'output', expressions);
  if (expressions.some(({ readsItem }) => readsItem)) {
    throw new TypeError('output: only a step with foreach has item and index');
  }
  return { value, expressions };
}

/** The members of the outputs that the engine makes. */
const outputMembers = {
  approval: ['approved', 'data', 'decided_by', 'decided_at', 'note'],
  workflow: ['execution_id', 'status', 'output'],
  foreach: ['results', 'errors', 'count', 'failed'],
} as const satisfies {
  readonly approval: readonly (keyof ApprovalOutput)[];
  readonly workflow: readonly (keyof ChildOutput)[];
  readonly foreach: readonly (keyof ForeachOutput)[];
};

/** Refuses references to members that an output can never have, such as those of one item of a step with `foreach`. */
function checkReads(
  steps: Readonly<Record<string, AnyStepSpec>>,
  expressions: readonly ExpressionSource[],
): void {
  for (const { stepId, member } of expressions.flatMap(({ reads }) => reads)) {
    const { kind, foreach } = steps[stepId] ?? {};
    const made = foreach !== undefined ? 'foreach' : kind;
    if (made !== 'foreach' && made !== 'approval' && made !== 'workflow') continue;
    const members: readonly string[] = outputMembers[made];
    if (member === undefined || members.includes(member)) continue;
    throw new TypeError(
      `the output of step "${stepId}" has no "${member}": with ${made} it has ${members.join(', ')}`,
    );
  }
}

/** The draft of a step, and the expressions in it. Throws `TypeError`, which names the member that is wrong. */
function buildStep(
  id: string,
  spec: AnyStepSpec,
  ids: ReadonlySet<string>,
): { readonly draft: StepDraft; readonly expressions: readonly ExpressionSource[] } {
  checkMembers(id, spec);
  const context = createContext(ids, id);
  const expressions: ExpressionSource[] = [];
  const part: Part = { place: `steps.${id}`, context, expressions };
  const policies = buildPolicies(spec, part);
  const target = buildTarget(spec, part);
  if (spec.foreach === undefined && expressions.some(({ readsItem }) => readsItem)) {
    throw new TypeError(`steps.${id}: only a step with foreach has item and index`);
  }
  const named = spec.dependsOn ?? [];
  checkNames(named, id, ids);
  const dependsOn = dependenciesOf(named, expressions);
  const dependencies = dependsOn.length === 0 ? {} : { dependsOn };
  return { draft: { id, ...target, ...dependencies, ...policies }, expressions };
}

/** The place of a step for errors, the values that it can refer to, and its expressions so far. */
interface Part {
  readonly place: string;
  readonly context: AnyContext;
  readonly expressions: ExpressionSource[];
}

type WithoutBase<S extends StepDraft> = S extends StepDraft
  ? Omit<S, 'id' | 'dependsOn' | 'staticInput' | keyof StepPolicies>
  : never;

function buildTarget(spec: AnyStepSpec, part: Part): WithoutBase<StepDraft> & Pick<StepDraft, 'staticInput'> {
  const { context, expressions, place } = part;
  switch (spec.kind) {
    case 'tool':
      return { kind: 'tool', toolName: spec.toolName, ...buildInput(spec.input, part) };
    case 'agent':
      return { kind: 'agent', agentName: spec.agentName, ...buildInput(spec.input, part) };
    case 'workflow':
      return withoutUndefined({
        kind: 'workflow',
        workflowId: spec.workflowId,
        definition: spec.definition,
        ...buildInput(spec.input, part),
      });
    case 'wait':
      return spec.until === undefined
        ? { kind: 'wait', durationMs: spec.durationMs }
        : { kind: 'wait', until: toCel(resolveGiven(spec.until, context), expressions) };
    case 'approval': {
      const { payload, responseSchema, expiresInMs, onExpire, onReject } = spec;
      const title = toTemplate(resolveGiven(spec.title, context), `${place}.title`, expressions);
      if (typeof title !== 'string') throw new TypeError(`${place}.title: must be a text`);
      return withoutUndefined({
        kind: 'approval',
        title,
        expiresInMs,
        onExpire,
        onReject,
        payload: payload && toTemplates(resolveGiven(payload, context), `${place}.payload`, expressions),
        responseSchema: responseSchema && jsonSchemaOf(responseSchema),
      });
    }
  }
}

function buildInput(
  input: GivenInput<AnyContext> | undefined,
  { context, expressions, place }: Part,
): Pick<StepDraft, 'staticInput'> {
  if (input === undefined) return {};
  const given = resolveGiven(input, context);
  if (!isExpression(given)) return { staticInput: toTemplates(given, `${place}.input`, expressions) };
  return { staticInput: String(toTemplate(given, `${place}.input`, expressions)) };
}

function buildPolicies(spec: AnyStepSpec, part: Part): StepPolicies {
  const { when, runIf, timeoutMs, onError, foreach } = spec;
  return withoutUndefined({
    runIf,
    timeoutMs,
    onError,
    retry: 'retry' in spec ? spec.retry : undefined,
    when: when && toCel(resolveGiven(when, part.context), part.expressions),
    foreach: foreach && buildForeach(foreach, part),
  });
}

function buildForeach(
  { items, concurrency, onItemError }: ForeachSpec<AnyContext>,
  { context, expressions, place }: Part,
): ForeachPolicy {
  const given = resolveGiven(items, context);
  const built = isList(given)
    ? given.map((item, index) => toTemplate(item, `${place}.foreach.items.${index}`, expressions))
    : toCel(given, expressions);
  return withoutUndefined({ items: built, concurrency, onItemError });
}

/** As `Array.isArray`, also for lists that cannot be changed. */
function isList(items: string | CelExpression | readonly Value[]): items is readonly Value[] {
  return Array.isArray(items);
}

/** Refuses names that no step has, and that of the step itself. */
function checkNames(named: readonly string[], id: string, ids: ReadonlySet<string>): void {
  for (const name of named) {
    if (name === id) throw new TypeError(`steps.${id}.dependsOn: names the step itself`);
    if (!ids.has(name)) throw new TypeError(`steps.${id}.dependsOn: there is no step "${name}"`);
  }
}

/** The steps that are named, then those that are referred to, each once. */
function dependenciesOf(
  named: readonly string[],
  expressions: readonly ExpressionSource[],
): readonly string[] {
  return [...new Set([...named, ...expressions.flatMap(({ reads }) => reads.map(({ stepId }) => stepId))])];
}

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

/**
 * Refuses a step of an unknown kind, and members that its kind has not, for programs whose types nobody checks: a
 * misspelled member would be dropped. Throws `TypeError`, which names what was probably meant.
 */
function checkMembers(id: string, step: object & { readonly kind: unknown }): void {
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

/** The context of a step, or of the output where `self` is undefined. Unknown steps and `self` throw `TypeError`. */
function createContext(ids: ReadonlySet<string>, self?: string): AnyContext {
  const outputs: Record<string, UntypedReference> = {};
  const steps = new Proxy(outputs, {
    get(_target, id) {
      if (typeof id !== 'string') return undefined;
      if (id === self) throw new TypeError(`step "${id}" refers to its own output`);
      if (!ids.has(id)) throw new TypeError(`there is no step "${id}"`);
      return createReference({
        kind: 'expression',
        cel: `steps${celAccess(id)}`,
        reads: [{ stepId: id }],
        readsItem: false,
        form: 'output',
      });
    },
  });
  return {
    steps,
    input: rootOf('input', false),
    // A reference has a member for each name, which its type does not tell.
    run: rootOf<RunValues>('run', false) as Ref<RunValues>,
    schedule: rootOf<ScheduleValues>('schedule', false) as Ref<ScheduleValues>,
    item: rootOf('item', true),
    index: rootOf('index', true),
  };
}

function rootOf<T>(cel: string, readsItem: boolean): Reference<T> {
  return createReference<T>({ kind: 'expression', cel, reads: [], readsItem, form: 'path' });
}

/** Calls the function where there is one. */
function resolveGiven<T, Context, Made>(given: Given<T, Context, Made>, context: Context): T | Made {
  return isMaker(given) ? given(context) : given;
}

function isMaker<T, Context, Made>(given: Given<T, Context, Made>): given is (context: Context) => Made {
  return typeof given === 'function' && !isExpression(given);
}

/** An expression as text, for members that are CEL; a string is CEL already. */
function toCel(value: string | CelExpression, expressions: ExpressionSource[]): string {
  if (typeof value === 'string') return value;
  const source = builtSource(value);
  if (source?.kind !== 'expression') throw new TypeError('an expression must be CEL, cel`…` or a reference');
  expressions.push(source);
  return source.cel;
}

/** A value as JSON with templates. `place` names it in errors. Throws `TypeError` for what is not JSON. */
function toTemplate(value: unknown, place: string, expressions: ExpressionSource[]): JsonValue {
  const source = builtSource(value);
  switch (source?.kind) {
    case 'expression':
      expressions.push(source);
      return embed(source.cel);
    case 'text':
      expressions.push(...source.expressions.map((part) => part[built]));
      return source.template;
    case 'literal':
      return copy(source.value, place, (text) => escapeText(text));
    case 'shape':
      throw new TypeError(`${place}: a shape is a type, not a value`);
    case undefined:
      return copy(
        value,
        place,
        (text) => text,
        (member, at) => toTemplate(member, at, expressions),
      );
  }
}

type CopyMember = (value: unknown, place: string) => JsonValue;

/** Copies JSON, with `toText` applied to its texts, and `toMember` to what it contains. */
function copy(
  value: unknown,
  place: string,
  toText: (text: string) => string,
  toMember?: CopyMember,
): JsonValue {
  const copyMember: CopyMember = toMember ?? ((member, at) => copy(member, at, toText));
  if (typeof value === 'string') return toText(value);
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return Array.from(value, (item, index) => copyMember(item, `${place}.${index}`));
  if (!isPlainObject(value)) throw new TypeError(`${place}: ${describe(value)} is not JSON`);
  const object: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value))
    setOwn(object, key, copyMember(member, `${place}.${key}`));
  return object;
}

/** As {@link toTemplate}, for an object. */
function toTemplates(values: Values, place: string, expressions: ExpressionSource[]): JsonObject {
  const isObject = isPlainObject(values) && builtSource(values) === undefined;
  const made = isObject ? toTemplate(values, place, expressions) : null;
  if (!isJsonObject(made)) throw new TypeError(`${place}: must be an object`);
  return made;
}

function describe(value: unknown): string {
  return typeof value === 'number' || value === undefined ? String(value) : `a value of type ${typeof value}`;
}

/** The object without its members that are undefined. */
export function withoutUndefined<T extends object>(object: T): T {
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) Reflect.deleteProperty(object, key);
  }
  return object;
}
