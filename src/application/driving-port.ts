import type { Limits } from '../domain/limits.ts';
import type { Conversation } from '../domain/message/conversation.ts';
import type { CustomerMessage, ToolOutcome } from '../domain/message/message.ts';
import type { Trace, TraceFilter, TraceSummary } from '../domain/message/trace.ts';
import type { Playbook } from '../domain/playbook/playbook.ts';
import type { BuiltInAgentName } from '../domain/routing/built-in-agents.ts';
import type { RecoveryPolicy } from '../domain/run/recover.ts';
import type { PlaybookPorts } from '../ports/ports.ts';
import type { EventFeed } from '../ports/storage/event-feed.ts';
import type { IdempotencyStore, Page, PageRequest } from '../ports/storage/record-store.ts';
import type { Tool } from '../ports/tool.ts';
import type { AgentRegistry } from './agents/registry.ts';
import type { Datasets } from './datasets/datasets.ts';
import type { Evaluator } from './evaluation/evaluate.ts';
import type { Inbox } from './inbox/inbox.ts';
import type { MessageIds } from './messages/process-message.ts';
import type { Erasure } from './privacy/erasure.ts';
import type { Routing } from './routing/route-goal.ts';
import type { RunControl } from './runs/run-control.ts';
import type { Schedules } from './schedules/schedules.ts';
import type { Stats } from './stats/stats.ts';
import type { ToolCallRequest } from './tools/call-tool.ts';
import type { PlaybookTools, ToolRegistry } from './tools/registry.ts';
import type { Workflows } from './workflows/workflows.ts';

/** The core: all use cases, which share one registry of tools and one of agents (specification, section 1). */
export interface Orchestrator {
  readonly messages: {
    /**
     * Runs one message through the pipeline and stores its trace, however it ends. Rejects only before anything was
     * done: with `unavailable` when the store is known to be unreachable, with `conflict` for a conversation of another
     * customer, and with `validation` for a draft without an inbox.
     */
    process(message: CustomerMessage, ids?: MessageIds): Promise<Trace>;
    /** Runs all messages concurrently. Traces come in the order of the messages; a failure of one affects no other. */
    processBatch(messages: readonly CustomerMessage[], ids?: MessageIds): Promise<readonly Trace[]>;
  };
  readonly traces: {
    /** The trace of one message. Rejects with `not_found`. */
    get(traceId: string): Promise<Trace>;
    /** Traces without their timelines, newest first; with a filter only those that fit it. */
    list(page: PageRequest, filter?: TraceFilter): Promise<Page<TraceSummary>>;
    /** Deletes a trace with its inbox item, its example and its entries in a conversation. Rejects with `not_found`. */
    delete(traceId: string): Promise<void>;
  };
  readonly conversations: {
    /** A conversation with all that was said. Rejects with `not_found`. */
    get(conversationId: string): Promise<Conversation>;
    /** Deletes a conversation with the traces of its messages. Rejects with `not_found`. */
    delete(conversationId: string): Promise<void>;
  };
  /** Everything that waits for a person; undefined where the inbox is off. */
  readonly inbox: Inbox | undefined;
  /** The decisions of people, as test data. */
  readonly datasets: Datasets;
  /**
   * Deletes everything of a customer, and cancels first what goes on. Resolves to how much that was. Rejects with
   * `unavailable` where a run has not ended in time; a repeat deletes the rest.
   */
  erase: Erasure['erase'];
  readonly workflows: Workflows;
  /** The runs of all workflows. */
  readonly runs: RunControl;
  /** The schedules, which start runs at times. */
  readonly schedules: Schedules;
  readonly tools: ToolRegistry & {
    /** Calls a registered tool as messages and workflows do. Rejects with `not_found` for an unknown tool. */
    call(request: ToolCallRequest): Promise<ToolOutcome>;
  };
  readonly agents: Pick<AgentRegistry, 'register' | 'has' | 'list'> &
    Routing & {
      /** Deletes a routed goal with the traces that it has made. Rejects with `not_found`. */
      deleteRoute(routingId: string): Promise<void>;
    };
  readonly evaluation: Evaluator;
  /** The intents and replies of the company: the playbook in use, which `usePlaybook` replaces. */
  readonly playbook: Playbook;
  /**
   * Uses another playbook from now on: its tools take the place of the examples and of the last playbook's, and
   * `decide` makes its ports, given its tools as its messages will see them. What has begun ends by the last playbook,
   * whose tools are closed after that. Throws `registration` for a tool that is refused, and what `decide` throws; then
   * nothing has changed.
   */
  usePlaybook(tools: PlaybookTools, decide: (tools: () => readonly Tool[]) => PlaybookPorts): void;
  /** The idempotency keys of requests: for interfaces whose clients repeat requests. */
  readonly idempotency: IdempotencyStore;
  /** The events of the whole service. */
  readonly events: Pick<EventFeed, 'list' | 'follow'>;
  /** The statistics of the whole service, and the records that need a person. */
  readonly stats: Stats;
  /** The limits of the use cases. */
  readonly limits: Limits;
  /**
   * Begins to continue the runs whose process has stopped, with the option `recovery`, to let the claims of the inbox
   * lapse and its items become overdue, and to let schedules fire. Call it once all tools and agents are registered,
   * because steps need them.
   */
  start(): void;
  /**
   * Waits up to `graceMs` milliseconds (20,000 when absent) for running work, then interrupts the rest, which is
   * recorded as FAILED, `interrupted` (decisions, section 7). With `recovery`, runs are handed over instead. Resolves
   * when everything has ended.
   */
  close(graceMs?: number): Promise<void>;
}

/** The result of a reload of the playbook. */
export interface ReloadedPlaybook {
  /** The playbook that is in use now. */
  readonly playbook: Pick<Playbook, 'source' | 'version'>;
  /** Its possible faults, one line each. */
  readonly warnings: readonly string[];
  /** False where nothing that decides has changed: then everything stays as it is. */
  readonly changed: boolean;
}

/**
 * Loads the playbook again, with its articles, its classifier and its tools, and uses it from then on. Where it has
 * faults the last one stays in use: rejects with `validation` and all faults as `issues`. A call while one is under way
 * waits for it.
 */
export type ReloadPlaybook = () => Promise<ReloadedPlaybook>;

/** Options of `createOrchestrator`. */
export interface OrchestratorOptions {
  /** The built-in agents to register: all of them when absent. */
  readonly builtInAgents?: readonly BuiltInAgentName[];
  /**
   * Continues the runs whose process has stopped, from `start` on, in this process or another one; they end as FAILED,
   * `interrupted`, when absent. Needs storage that outlives the process, with durable runs.
   */
  readonly recovery?: RecoveryPolicy | undefined;
  /**
   * True where messages and steps that need a person become items of the inbox; true when absent. Without it nobody may
   * be promised one.
   */
  readonly inbox?: boolean | undefined;
}
