/** Valid values. */
export const message = { source: 'email', customer_id: 'customer-1', message: 'hello' };
export const step = { id: 'a', kind: 'tool', tool_name: 'lookup', depends_on: [], static_input: {} };
const ticket = { message: 'hello', expected_intent: 'refund' };
export const subtask = { agent_name: 'echo', payload: {} };

/** Longer than the maximum of any text. */
export const HUGE = 'x'.repeat(40_000);
/** Nested deeply, but not too deeply. */
export const DEEP = Array.from({ length: 50 }).reduce<object>((inner) => ({ inner }), {});

/** A value of every kind, by name. */
export const values: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['0', 0],
  ['42.5', 42.5],
  ['an empty string', ''],
  ['a blank string', ' \n\u2003'],
  ['a string', 'text'],
  ['a huge string', HUGE],
  ['an empty array', []],
  ['an array of null', [null]],
  ['an empty object', {}],
  ['an object', { constructor: 1 }],
  ['a deep object', DEEP],
];

const isString = (from: number, to: number) => (value: unknown) =>
  typeof value === 'string' && value.length >= from && value.length <= to;
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isEmptyArray = (value: unknown) => Array.isArray(value) && value.length === 0;
const never = () => false;

/** A field of a request's body. */
interface Field {
  readonly route: string;
  /** The path of the field in a detail. */
  readonly field: string;
  /** A valid body, except that the field has `value`. */
  readonly body: (value: unknown) => object;
  /** True for a valid value. */
  readonly accepts: (value: unknown) => boolean;
  /** True for a field that may be missing. */
  readonly optional: boolean;
}

const inBatch = (name: string) => (value: unknown) => ({
  messages: [message, message, message, { ...message, [name]: value }],
});
const inStep = (name: string) => (value: unknown) => ({
  name: 'n',
  steps: [
    { ...step, id: 'z' },
    { ...step, [name]: value },
  ],
});
const inSubtask = (name: string) => (value: unknown) => ({
  goal: 'g',
  subtasks: [subtask, { ...subtask, [name]: value }],
});

const stringField = (from: number, to: number) => ({ accepts: isString(from, to), optional: false });
const isMessage = (value: unknown) => isString(1, 32_768)(value) && String(value).trim() !== '';

/** Every field of every request body, except the evaluation's. */
export const fields: readonly Field[] = [
  {
    route: '/messages',
    field: 'source',
    body: (source) => ({ ...message, source }),
    accepts: isString(1, 64),
    optional: true,
  },
  {
    route: '/messages',
    field: 'customer_id',
    body: (customer_id) => ({ ...message, customer_id }),
    ...stringField(1, 128),
  },
  {
    route: '/messages',
    field: 'message',
    body: (value) => ({ ...message, message: value }),
    accepts: isMessage,
    optional: false,
  },
  {
    route: '/messages/batch',
    field: 'messages',
    body: (messages) => ({ messages }),
    accepts: never,
    optional: false,
  },
  {
    route: '/messages/batch',
    field: 'messages.0',
    body: (value) => ({ messages: [value] }),
    accepts: never,
    optional: false,
  },
  {
    route: '/messages/batch',
    field: 'messages.3.source',
    body: inBatch('source'),
    accepts: isString(1, 64),
    optional: true,
  },
  {
    route: '/messages/batch',
    field: 'messages.3.customer_id',
    body: inBatch('customer_id'),
    ...stringField(1, 128),
  },
  {
    route: '/messages/batch',
    field: 'messages.3.message',
    body: inBatch('message'),
    accepts: isMessage,
    optional: false,
  },
  {
    route: '/tools/lookup/call',
    field: 'input',
    body: (input) => ({ input }),
    accepts: isObject,
    optional: false,
  },
  {
    route: '/tools/lookup/call',
    field: 'idempotency_key',
    body: (idempotency_key) => ({ input: {}, idempotency_key }),
    accepts: (value) => typeof value === 'string' && /^[!-~]{1,255}$/.test(value),
    optional: true,
  },
  { route: '/workflows', field: 'name', body: (name) => ({ name, steps: [step] }), ...stringField(1, 128) },
  {
    route: '/workflows',
    field: 'description',
    body: (description) => ({ name: 'n', description, steps: [step] }),
    accepts: isString(0, 1_024),
    optional: true,
  },
  {
    route: '/workflows',
    field: 'steps',
    body: (steps) => ({ name: 'n', steps }),
    accepts: never,
    optional: false,
  },
  {
    route: '/workflows',
    field: 'steps.0',
    body: (value) => ({ name: 'n', steps: [value] }),
    accepts: never,
    optional: false,
  },
  {
    route: '/workflows',
    field: 'steps.1.id',
    body: inStep('id'),
    accepts: (value) => value === 'text',
    optional: false,
  },
  { route: '/workflows', field: 'steps.1.kind', body: inStep('kind'), accepts: never, optional: true },
  {
    route: '/workflows',
    field: 'steps.1.tool_name',
    body: inStep('tool_name'),
    ...stringField(1, 64),
  },
  {
    route: '/workflows',
    field: 'steps.1.depends_on',
    body: inStep('depends_on'),
    accepts: isEmptyArray,
    optional: true,
  },
  {
    route: '/workflows',
    field: 'steps.1.static_input',
    body: inStep('static_input'),
    accepts: isObject,
    optional: true,
  },
  {
    route: '/workflows/{id}/run',
    field: 'background',
    body: (background) => ({ background }),
    accepts: (value) => typeof value === 'boolean',
    optional: true,
  },
  {
    route: '/workflows/{id}/run',
    field: 'input',
    body: (input) => ({ input }),
    accepts: isObject,
    optional: true,
  },
  {
    route: '/agents/route',
    field: 'goal',
    body: (goal) => ({ goal, subtasks: [] }),
    ...stringField(1, 32_768),
  },
  {
    route: '/agents/route',
    field: 'subtasks',
    body: (subtasks) => ({ goal: 'g', subtasks }),
    accepts: isEmptyArray,
    optional: true,
  },
  {
    route: '/agents/route',
    field: 'subtasks.0',
    body: (value) => ({ goal: 'g', subtasks: [value] }),
    accepts: never,
    optional: false,
  },
  {
    route: '/agents/route',
    field: 'subtasks.1.agent_name',
    body: inSubtask('agent_name'),
    ...stringField(1, 128),
  },
  {
    route: '/agents/route',
    field: 'subtasks.1.payload',
    body: inSubtask('payload'),
    accepts: isObject,
    optional: true,
  },
];

const inTicket = (name: string) => (value: unknown) => ({
  tickets: [ticket, { ...ticket, [name]: value }],
});

/** Every field of the evaluation's request body. */
export const evaluationFields: readonly Field[] = [
  {
    route: '/evaluation',
    field: 'tickets',
    body: (tickets) => ({ tickets, size: 1 }),
    accepts: never,
    optional: true,
  },
  {
    route: '/evaluation',
    field: 'tickets.0',
    body: (value) => ({ tickets: [value] }),
    accepts: never,
    optional: false,
  },
  {
    route: '/evaluation',
    field: 'tickets.1.message',
    body: inTicket('message'),
    accepts: isMessage,
    optional: false,
  },
  {
    route: '/evaluation',
    field: 'tickets.1.expected_intent',
    body: inTicket('expected_intent'),
    accepts: never,
    optional: false,
  },
  {
    route: '/evaluation',
    field: 'tickets.1.expected_tools',
    body: inTicket('expected_tools'),
    accepts: isEmptyArray,
    optional: true,
  },
  {
    route: '/evaluation',
    field: 'tickets.1.expected_escalated',
    body: inTicket('expected_escalated'),
    accepts: (value) => typeof value === 'boolean',
    optional: true,
  },
  {
    route: '/evaluation',
    field: 'seed',
    body: (seed) => ({ seed, size: 1 }),
    accepts: (value) => value === 0,
    optional: true,
  },
  {
    route: '/evaluation',
    field: 'size',
    body: (size) => ({ size }),
    accepts: never,
    optional: true,
  },
];
