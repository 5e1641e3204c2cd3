import type { Answered, Call } from '../../api/call.ts';
import type { Client, EventResponse } from '../../api/client.ts';
import type { Json } from '../../ui/schema-form/schema-form.tsx';

/** Reads the newest version of a workflow. */
export const readWorkflow = (id: string) => (api: Client) => api.workflows[':id'].$get({ param: { id } });

/** A version of a workflow, as the service stores it. */
export type Workflow = Answered<ReturnType<typeof readWorkflow>>;

/** Reads the newest versions of a workflow. */
export const readVersions = (id: string) => (api: Client) =>
  api.workflows[':id'].versions.$get({ param: { id }, query: { limit: '100' } });

/** Reads the tools with their effects. */
export const readTools = (api: Client) => api.tools.$get({ query: { include: 'effect' } });

/** Reads the agents with their effects. */
export const readAgents = (api: Client) => api.agents.$get({ query: { include: 'effect' } });

/** The answer of {@link readTools}. */
export type Tools = Answered<typeof readTools>['tools'];

/** A definition as the API takes it. */
type Definition = Parameters<Client['workflows']['$post']>[0]['json'];

type RunBody = NonNullable<Parameters<Client['workflows'][':id']['run']['$post']>[0]['json']>;

/** The input of a run as the API takes it. */
type RunInput = NonNullable<RunBody['input']>;

/** A text that is JSON, as a definition. The service says what is wrong with it. */
export const toDefinition = (text: string): Definition => JSON.parse(text);

/** A value of a form, as the input of a run. The service refuses what is no object. */
export const toInput = (value: Json): RunInput => value as RunInput;

/** The call that checks a definition and stores nothing. */
export const validate = (definition: Definition) => (api: Client) =>
  api.workflows.validate.$post({ json: definition });

/** The faults of a definition. */
export type Validation = Answered<ReturnType<typeof validate>>;

/** The call that runs a workflow. With `waitSeconds` it answers at the end, or after so long. */
export const run =
  (id: string, input: Json, waitSeconds: number | undefined): Call<Awaited<ReturnType<Start>>> =>
  (api) =>
    api.workflows[':id'].run.$post(
      {
        param: { id },
        json: { input: toInput(input), ...(waitSeconds === undefined && { background: true }) },
      },
      waitSeconds === undefined ? {} : { headers: { Prefer: `wait=${waitSeconds}` } },
    );

type Start = Client['workflows'][':id']['run']['$post'];

/** True for an event that changes a workflow; under a key, that of any workflow may. */
export const isOf =
  (id: string) =>
  ({ type, subject }: EventResponse): boolean =>
    type.startsWith('workflow.') && (subject.id === id || id.startsWith('key:'));
