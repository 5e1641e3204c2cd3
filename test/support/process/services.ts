import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bodyOf, postJson, type Service, startService } from './service.ts';
import { type SharedStoreKind, startSharedStore } from './shared-store.ts';

/** An execution, as far as the tests look at it. */
export interface ExecutionBody {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly status: string;
  readonly error: string | null;
  readonly attempt: number;
  readonly rerun_of: string | null;
  readonly step_results: Readonly<Record<string, { readonly status: string; readonly attempts: number }>>;
}

/** An event, as far as the tests look at it. */
export interface EventBody {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly subject: { readonly kind: string; readonly id: string };
}

/**
 * The tool `work` appends the key of its call to a file. It replies after `ms` milliseconds, or never without them, and
 * stops when it is told to. With `fails` it fails where the file does not have its key yet.
 */
const extension = (file: string): string => `
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const anything = {
  safeParse: (data) => ({ success: true, data }),
  toJSONSchema: () => ({ type: 'object' }),
};

export default ({ tools }) => tools.register({
  name: 'work',
  description: 'Waits',
  effect: 'write',
  input: anything,
  async execute({ ms = 3_600_000, fails = false }, { idempotencyKey, signal }) {
    const isFirst = !readFileSync(${JSON.stringify(file)}, 'utf8').includes(idempotencyKey);
    appendFileSync(${JSON.stringify(file)}, idempotencyKey + '\\n');
    await sleep(ms, undefined, { signal });
    if (fails && isFirst) throw new Error('fails once');
    return { pid: process.pid };
  },
});
`;

/** A step of {@link extension}. */
export function work(id: string, dependsOn: readonly string[] = [], input: object = { ms: 1 }): object {
  return { id, tool_name: 'work', depends_on: dependsOn, static_input: input };
}

/** Two processes of the service on one store. */
export type Services = Awaited<ReturnType<typeof startServices>>;

/** Starts two processes of the service on one store of its own. */
export async function startServices(kind: SharedStoreKind, settings: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'services-'));
  const file = join(folder, 'calls.txt');
  await writeFile(file, '');
  await writeFile(join(folder, 'work.mjs'), extension(file));
  const store = await startSharedStore(kind);
  const ofStore = store.settings();
  const start = () =>
    startService({
      ...ofStore,
      RATE_LIMIT_REQUESTS: '1000000',
      EXTENSIONS: join(folder, 'work.mjs'),
      TOOL_TIMEOUT_MS: '3600000',
      TOOL_MAX_ATTEMPTS: '1',
      ...settings,
    });
  const [one, two] = await Promise.all([start(), start()]);
  return {
    one,
    two,
    store,
    /** The keys of all calls of the tool, in order. */
    calls: async () => (await readFile(file, 'utf8')).split('\n').filter(Boolean),
    async close(): Promise<void> {
      await Promise.all([one.stop(), two.stop()]);
      await store.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Creates a workflow and returns its id. */
export async function define({ baseUrl }: Service, ...steps: readonly object[]): Promise<string> {
  const reply = await postJson(`${baseUrl}/workflows`, { name: 'sample', steps });
  return (await bodyOf<{ id: string }>(reply)).id;
}

/** Starts a run in the background. */
export async function startRun(service: Service, workflowId: string): Promise<string> {
  const { status, body } = await post(service, `/workflows/${workflowId}/run`, { background: true });
  if (status !== 202) throw new Error(`the run was not started: ${status} ${JSON.stringify(body)}`);
  return body.execution_id;
}

/** Sends a JSON body that an execution answers. */
export async function post(
  { baseUrl }: Service,
  path: string,
  body: object = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const reply = await postJson(baseUrl + path, body, headers);
  return { status: reply.status, headers: reply.headers, body: await bodyOf<ExecutionBody>(reply) };
}

/** Reads an execution. */
export async function getRun({ baseUrl }: Service, runId: string): Promise<ExecutionBody> {
  return bodyOf<ExecutionBody>(await fetch(`${baseUrl}/runs/${runId}`));
}

/** Reads all events of a run by long polls, until it has ended. */
export async function pollEvents(service: Service, runId: string): Promise<EventBody[]> {
  const { workflow_id } = await getRun(service, runId);
  const events: EventBody[] = [];
  for (;;) {
    const query = `after=${events.at(-1)?.seq ?? 0}&limit=7&wait=30`;
    const reply = await fetch(`${service.baseUrl}/workflows/${workflow_id}/runs/${runId}/events?${query}`);
    const page = await bodyOf<{ events: EventBody[]; ended: boolean }>(reply);
    events.push(...page.events);
    if (page.ended) return events;
  }
}
