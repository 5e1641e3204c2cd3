/**
 * Fills a service with one record of each kind, once. Tests and benchmarks use it as
 *
 *     const demo = await seedDemo(baseUrl);                         // or seedDemo(baseUrl, { burst: 0 })
 *     const { runs, messages, items, routes, schedules, workflows } = demo;
 *
 * The service needs the settings of `demoSettings()` in `service.ts`, or at least `shop.ts` in EXTENSIONS.
 * Texts, inputs, outcomes and the order of messages are always the same; ids and times are not. It takes about
 * two seconds where nothing else runs, half of it the first messages of a service that has just been started.
 */

import { bodyOf, type Client, createClient } from './client.ts';
import { createRandom } from './data/random.ts';
import { type DemoItems, seedInbox } from './seed/inbox.ts';
import type { LostRuns } from './seed/lost.ts';
import {
  DEMO_CONVERSATION,
  type DemoMessages,
  type DemoRoutes,
  seedMessages,
  seedRoutes,
} from './seed/messages.ts';
import { type DemoRuns, seedRuns } from './seed/runs.ts';
import { type DemoWorkflows, seedWorkflows } from './seed/workflows.ts';

/** The schedules of the demonstration, by their ids. */
export interface DemoSchedules {
  readonly eachMinute: string;
  readonly weekdays: string;
  readonly paused: string;
}

/** One record of each kind, by its id. */
export interface DemoRecords {
  readonly workflows: DemoWorkflows;
  readonly runs: DemoRuns;
  readonly messages: DemoMessages;
  /** The conversation of the messages `questionAsked` and `followUp`. */
  readonly conversation: string;
  readonly routes: DemoRoutes;
  /** Items of the inbox. Their datasets have examples that are proposed, accepted and rejected. */
  readonly items: DemoItems;
  readonly schedules: DemoSchedules;
  /** Runs that a killed service has left; undefined without `startDemo` of `start.ts`. */
  readonly lost: LostRuns | undefined;
}

/** The records with which a service is filled. */
export interface SeedOptions {
  /** The seed of the random numbers; 1 when absent. */
  readonly seed?: number;
  /** The number of messages before those of `messages`, up to 100; 40 when absent. */
  readonly burst?: number;
  /** The records that a killed service has left in the store: its workflows are not created again. */
  readonly lost?: LostRuns;
  /** Headers of each request, such as `X-Api-Key`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Fills the service at `baseUrl`. Rejects with what the service says when it refuses something. */
export async function seedDemo(
  baseUrl: string,
  { seed = 1, burst = 40, lost, headers = {} }: SeedOptions = {},
): Promise<DemoRecords> {
  const client = createClient(baseUrl, { headers });
  const workflows = lost?.workflows ?? (await seedWorkflows(client));
  const seededMessages = seedMessages(client, createRandom(seed), burst);
  const [messages, runs, routes, schedules] = await Promise.all([
    seededMessages,
    seedRuns(client, workflows),
    seedRoutes(client),
    seedSchedules(client, workflows),
  ]);
  const items = await seedInbox(client, messages, runs, lost);
  return { workflows, runs, messages, conversation: DEMO_CONVERSATION, routes, items, schedules, lost };
}

/** Creates the schedules, and starts a run of one of them. */
async function seedSchedules(client: Client, { checks, statements }: DemoWorkflows): Promise<DemoSchedules> {
  const create = async (json: Parameters<Client['schedules']['$post']>[0]['json']): Promise<string> =>
    (await bodyOf(client.schedules.$post({ json }))).schedule_id;
  const month = { month: '2026-10', customers: ['demo-1', 'demo-2'] };
  const weekdays = await create({
    workflow_id: statements,
    cron: '0 9 * * 1-5',
    timezone: 'Europe/Berlin',
    input: month,
    catch_up: 'last' as const,
  });
  const paused = await create({ workflow_id: statements, cron: '30 6 L * *', input: month, enabled: false });
  const eachMinute = await create({ workflow_id: checks, cron: '* * * * *', input: { broken: null } });
  await bodyOf(client.schedules[':id'].trigger.$post({ param: { id: eachMinute } }));
  return { eachMinute, weekdays, paused };
}
