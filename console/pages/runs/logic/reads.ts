import type { Client, EventResponse } from '../../../../src/entries/client.ts';

/** The body of the good answers to a call. It is that of `api/call.ts`, which only a page can import. */
type Answered<Made> = Made extends (...args: never[]) => Promise<infer Answer>
  ? Answer extends { readonly ok: true; json(): Promise<infer Value> }
    ? Value
    : never
  : never;

/** `GET /runs/{execution_id}`. */
export const readRun = (id: string) => (api: Client) =>
  api.runs[':execution_id'].$get({ param: { execution_id: id } });

/** `GET /workflows/{id}/versions/{n}`: the definition that a run has. */
export const readDefinition = (id: string, version: number) => (api: Client) =>
  api.workflows[':id'].versions[':n'].$get({ param: { id, n: String(version) } });

/** `GET /runs`. */
export const readRuns = (query: RunsQuery) => (api: Client) => api.runs.$get({ query });

/** `GET /workflows`, for the names of a filter. */
export const readWorkflows = (api: Client) => api.workflows.$get({ query: { limit: '200' } });

/** `GET /tools`, with effects. */
export const readTools = (api: Client) => api.tools.$get({ query: { include: 'effect' } });

/** `GET /agents`, with effects. */
export const readAgents = (api: Client) => api.agents.$get({ query: { include: 'effect' } });

/** `GET /inbox/{id}`. */
export const readItem = (id: string) => (api: Client) => api.inbox[':id'].$get({ param: { id } });

/** `GET /events` of the schedules: which of them started which runs, as far back as the feed goes. */
export const readFires = (api: Client) =>
  api.events.$get({ query: { types: 'schedule.fired', limit: '200' } });

/** Which schedule started which run: ids of schedules by ids of runs. */
export function firesOf(page: Answered<typeof readFires> | undefined): ReadonlyMap<string, string> {
  // The type of the answer also has the stream, which is a text and which this request does not ask for.
  const events = typeof page === 'object' ? page.events : [];
  return new Map(
    events.flatMap(({ type, data, subject }) =>
      type === 'schedule.fired' && 'execution_id' in data ? [[data.execution_id, subject.id] as const] : [],
    ),
  );
}

/** The first events of a run, as JSON: for curl, and for how the run was started. */
export const readFirstEvents = (workflowId: string, id: string) => (api: Client) =>
  api.workflows[':id'].runs[':execution_id'].events.$get({
    param: { id: workflowId, execution_id: id },
    query: { limit: '200' },
  });

/** The parameters of {@link readRuns}. */
export interface RunsQuery {
  readonly limit: string;
  readonly cursor?: string | undefined;
  readonly status?: string | undefined;
  readonly workflow_id?: string | undefined;
  readonly since?: string | undefined;
}

/** A run with its steps. */
export type Run = Answered<ReturnType<typeof readRun>>;

/** A run in a list. */
export type RunSummary = Answered<ReturnType<typeof readRuns>>['executions'][number];

/** The result of a step. */
export type StepResult = Run['step_results'][string];

/** Something that a run waits for. */
export type Wait = Run['waiting_for'][number];

/** The definition of a run. */
export type Definition = Answered<ReturnType<typeof readDefinition>>;

/** A step of a definition. */
export type StepDefinition = Definition['steps'][number];

/** An item of the inbox with what it is about. */
export type Item = Answered<ReturnType<typeof readItem>>;

/** True for an event that changes the record of the run. The progress of a list is in the events alone. */
export const isOfRun =
  (id: string) =>
  ({ subject, type }: EventResponse): boolean =>
    subject.kind === 'execution' && subject.id === id && type !== 'step.progress';

/** The definition of a run, where the stored one of its workflow has it in a step. */
export function definitionOf(
  stored: Definition,
  { chain, step_results }: Pick<Run, 'chain' | 'step_results'>,
): Definition {
  if (chain === undefined) return stored;
  let found: Pick<Definition, 'steps' | 'input_schema' | 'output'> = stored;
  for (const id of chain.split('/')) {
    const within = found.steps.find((step) => step.id === id)?.definition;
    if (within === undefined || !Array.isArray(within.steps)) return stored;
    // The client types one level of definitions: those within have the same steps.
    const inner = within.steps as unknown as Definition['steps'];
    found = { input_schema: within.input_schema, output: within.output, steps: inner };
  }
  const { steps, input_schema, output } = found;
  const layers: string[][] = [];
  for (const [id, { layer }] of Object.entries(step_results)) {
    layers[layer] ??= [];
    layers[layer].push(id);
  }
  return { ...stored, steps, layers, input_schema, output };
}
