import type { EventSink } from '../domain/events.ts';
import type { Trace, TraceSummary } from '../domain/message/trace.ts';
import type { Playbook } from '../domain/playbook/playbook.ts';
import type { RoutingResult, RoutingSummary } from '../domain/routing/routing.ts';
import type { Calendar } from './calendar.ts';
import type { Clock, NewId, Random } from './clock.ts';
import type { Decompose } from './decompose.ts';
import type { ExpressionLanguage, SchemaLanguage } from './languages.ts';
import type { Logger } from './logger.ts';
import type { Prepare, Stages } from './stages.ts';
import type { ConversationStore } from './storage/conversation-store.ts';
import type { DefinitionStore } from './storage/definition-store.ts';
import type { ErasureMarks } from './storage/erasure-marks.ts';
import type { EventFeed } from './storage/event-feed.ts';
import type { ExampleStore } from './storage/example-store.ts';
import type { FireQueue } from './storage/fire-queue.ts';
import type { InboxStore } from './storage/inbox-store.ts';
import type { IdempotencyStore, RecordStore, StorageHealth } from './storage/record-store.ts';
import type { RunLog } from './storage/run-log.ts';
import type { RunQueue } from './storage/run-queue.ts';
import type { ScheduleStore } from './storage/schedule-store.ts';
import type { StatsStore } from './storage/stats-store.ts';
import type { Telemetry } from './telemetry.ts';
import type { MakeTickets } from './tickets.ts';

/** Everything that the core needs from outside. A use case receives only the ports that its type names. */
export interface Ports {
  readonly clock: Clock;
  readonly newId: NewId;
  readonly random: Random;
  readonly logger: Logger;
  readonly events: EventSink;
  readonly telemetry: Telemetry;
  readonly prepare: Prepare;
  /** The intents that stages may choose, and the replies of the company. */
  readonly playbook: Playbook;
  readonly stages: Stages;
  readonly decompose: Decompose;
  readonly makeTickets: MakeTickets;
  readonly storage: StorageHealth;
  readonly traces: RecordStore<Trace, TraceSummary>;
  readonly workflows: DefinitionStore;
  readonly expressions: ExpressionLanguage;
  readonly schemas: SchemaLanguage;
  readonly runs: RunLog;
  readonly runQueue: RunQueue;
  readonly schedules: ScheduleStore;
  readonly fireQueue: FireQueue;
  readonly calendar: Calendar;
  readonly routes: RecordStore<RoutingResult, RoutingSummary>;
  readonly idempotency: IdempotencyStore;
  readonly inbox: InboxStore;
  readonly conversations: ConversationStore;
  readonly examples: ExampleStore;
  readonly erasures: ErasureMarks;
  /** The events of the whole service; the core publishes to it. */
  readonly feed: EventFeed;
  /** The counters of each minute; the core adds to it. */
  readonly stats: StatsStore;
}

/** The ports that a playbook decides, which are replaced together. */
export type PlaybookPorts = Pick<Ports, 'playbook' | 'stages' | 'makeTickets'>;

/** The ports that store records. */
export type StoragePorts = Pick<
  Ports,
  | 'storage'
  | 'traces'
  | 'workflows'
  | 'runs'
  | 'schedules'
  | 'routes'
  | 'idempotency'
  | 'inbox'
  | 'conversations'
  | 'examples'
  | 'erasures'
  | 'feed'
  | 'stats'
>;
