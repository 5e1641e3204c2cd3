import { describe, expect, test } from 'vitest';
import { logEvents } from '../../../src/adapters/logging/log-events.ts';
import type { OrchestrationEvent } from '../../../src/domain/events.ts';
import type { InboxChanged } from '../../../src/domain/inbox/inbox-events.ts';
import { type EventDraft, eventsByType, everyEvent, numbered } from '../../support/workflow/run-events.ts';
import { keepLines } from './lines.ts';

const PRIVATE = 'my card is 4111';

const outcome = {
  toolName: 'lookup',
  input: { query: PRIVATE },
  output: { text: PRIVATE },
  attempts: 1,
  error: null,
  durationMs: 5,
} as const;

const progress: OrchestrationEvent[] = [
  { type: 'pipeline.transition', traceId: 't', seq: 1, at: 0, from: null, to: 'RECEIVED', durationMs: 0 },
  {
    type: 'agent.decided',
    traceId: 't',
    seq: 2,
    at: 0,
    agent: 'classifier',
    source: 'llm',
    summary: PRIVATE,
    data: { text: PRIVATE },
  },
  { type: 'message.escalated', traceId: 't', seq: 3, at: 0, reasons: ['low confidence'] },
  { type: 'tool.executed', at: 0, registered: true, outcome: { ...outcome, status: 'success' } },
  {
    type: 'step.finished',
    runId: 'e',
    stepId: 's',
    kind: 'tool',
    status: 'COMPLETED',
    error: null,
    durationMs: 1,
  },
  {
    type: 'subtask.finished',
    routingId: 'r',
    seq: 2,
    at: 0,
    taskId: 'k',
    agentName: 'echo',
    status: 'completed',
    error: null,
    durationMs: 1,
  },
];

const ends: OrchestrationEvent[] = [
  {
    type: 'message.finished',
    traceId: 't',
    seq: 4,
    at: 0,
    status: 'COMPLETED',
    intent: 'refund',
    confidence: 0.9,
    escalated: true,
    disposition: 'escalated',
    concerns: ['legal'],
    response: PRIVATE,
    error: null,
    durationMs: 3,
  },
  {
    type: 'run.finished',
    runId: 'e',
    workflowId: 'w',
    status: 'FAILED',
    error: 'step a failed',
    cancelledBy: null,
    durationMs: 4,
  },
  {
    type: 'routing.finished',
    routingId: 'r',
    seq: 4,
    at: 0,
    status: 'partial',
    total: 2,
    completed: 1,
    failed: 1,
    error: null,
    durationMs: 5,
  },
];

const failures: OrchestrationEvent[] = [
  {
    type: 'tool.executed',
    at: 0,
    registered: true,
    outcome: { ...outcome, status: 'error', output: null, error: 'out of order', attempts: 3 },
  },
  {
    type: 'step.finished',
    runId: 'e',
    stepId: 's',
    kind: 'agent',
    status: 'FAILED',
    error: 'no such agent',
    durationMs: 1,
  },
  {
    type: 'subtask.finished',
    routingId: 'r',
    seq: 2,
    at: 0,
    taskId: 'k',
    agentName: 'echo',
    status: 'failed',
    error: 'gone',
    durationMs: 1,
  },
];

function runAppended(drafts: readonly EventDraft[]): OrchestrationEvent {
  return { type: 'run.appended', runId: 'e', workflowId: 'w', events: numbered(1, drafts) };
}

const everything = [...progress, ...ends, ...failures];

function linesAt(level: 'debug' | 'info' | 'warn', events: readonly OrchestrationEvent[]) {
  const kept = keepLines({ level });
  const sink = logEvents(kept.logger);
  for (const event of events) sink(event);
  return kept.lines();
}

describe('the log of events', () => {
  test('has the end of each message, run and route at info, with their ids', () => {
    expect(linesAt('info', [...progress, ...ends])).toMatchObject([
      {
        level: 'info',
        msg: 'message finished',
        trace_id: 't',
        status: 'COMPLETED',
        duration_ms: 3,
        intent: 'refund',
        escalated: true,
        disposition: 'escalated',
        concerns: ['legal'],
      },
      {
        level: 'info',
        msg: 'workflow run finished',
        execution_id: 'e',
        workflow_id: 'w',
        error: 'step a failed',
      },
      { level: 'info', msg: 'routing finished', routing_id: 'r', status: 'partial', total: 2, failed: 1 },
    ]);
  });

  test('has every failed tool, step and subtask at warn', () => {
    expect(linesAt('warn', everything)).toMatchObject([
      { level: 'warn', msg: 'tool failed', tool_name: 'lookup', attempts: 3, error: 'out of order' },
      { level: 'warn', msg: 'step failed', execution_id: 'e', step_id: 's', error: 'no such agent' },
      { level: 'warn', msg: 'subtask failed', routing_id: 'r', agent_name: 'echo', error: 'gone' },
    ]);
  });

  test('has a tool that found nothing at debug only: it is no failure', () => {
    const event: OrchestrationEvent = {
      type: 'tool.executed',
      at: 0,
      registered: true,
      outcome: { ...outcome, status: 'error', output: null, error: 'no such order', notFound: true },
    };
    expect(linesAt('warn', [event])).toEqual([]);
    expect(linesAt('debug', [event])).toMatchObject([
      { level: 'debug', msg: 'tool executed', tool_name: 'lookup', error: 'no such order' },
    ]);
  });

  test('has everything else at debug', () => {
    expect(linesAt('debug', progress)).toMatchObject([
      { level: 'debug', msg: 'state entered', trace_id: 't', from: null, to: 'RECEIVED' },
      { level: 'debug', msg: 'stage decided', trace_id: 't', agent: 'classifier', source: 'llm' },
      { level: 'debug', msg: 'message escalated', trace_id: 't', reasons: ['low confidence'] },
      { level: 'debug', msg: 'tool executed', tool_name: 'lookup' },
      { level: 'debug', msg: 'step finished', step_id: 's' },
      { level: 'debug', msg: 'subtask finished', task_id: 'k' },
    ]);
  });

  test('never contains the text of a message, an input or an output', () => {
    const appended = runAppended(everyEvent({ text: PRIVATE }));
    expect(JSON.stringify(linesAt('debug', [...everything, appended]))).not.toContain(PRIVATE);
  });
});

describe('the log of the inbox', () => {
  const changed: Omit<InboxChanged, 'type'> = {
    itemId: 'i',
    itemKind: 'escalation',
    seq: 1,
    at: 0,
    by: 'service',
    outcome: null,
    ageMs: 0,
  };
  const events: OrchestrationEvent[] = [
    { ...changed, type: 'inbox.opened' },
    { ...changed, type: 'inbox.claimed', by: 'maria' },
    { ...changed, type: 'inbox.released', outcome: 'lapsed' },
    { ...changed, type: 'inbox.resolved', by: 'maria', outcome: 'answered', ageMs: 70 },
    { ...changed, type: 'inbox.expired', itemKind: 'draft' },
    { type: 'inbox.overdue', itemId: 'i', itemKind: 'approval' },
  ];

  test('says at info which items ended and who decided, and which are overdue', () => {
    expect(linesAt('info', events)).toMatchObject([
      {
        level: 'info',
        msg: 'inbox item resolved',
        item_id: 'i',
        kind: 'escalation',
        by: 'maria',
        outcome: 'answered',
        age_ms: 70,
      },
      { level: 'info', msg: 'inbox item expired', item_id: 'i', kind: 'draft', by: 'service' },
      { level: 'info', msg: 'inbox item overdue', item_id: 'i', kind: 'approval' },
    ]);
  });

  test('says the rest at debug', () => {
    expect(linesAt('debug', events.slice(0, 3))).toMatchObject([
      { level: 'debug', msg: 'inbox item opened', item_id: 'i', by: 'service' },
      { level: 'debug', msg: 'inbox item claimed', item_id: 'i', by: 'maria' },
      { level: 'debug', msg: 'inbox item released', item_id: 'i', outcome: 'lapsed' },
    ]);
  });
});

describe('the log of runs', () => {
  const ids = { execution_id: 'e', workflow_id: 'w' };

  test('says at info who asked to cancel and retry a run, why, and how it ended', () => {
    const reason = 'wrong customer';
    const events: OrchestrationEvent[] = [
      runAppended([
        { type: 'execution.retried', by: 'api', attempt: 2, steps: ['a', 'b'] },
        { type: 'execution.started', attempt: 2 },
        { type: 'execution.cancel_requested', by: 'api', reason },
        { type: 'execution.cancelled', error: `cancelled: ${reason}`, durationMs: 4 },
      ]),
      {
        type: 'run.finished',
        runId: 'e',
        workflowId: 'w',
        status: 'CANCELLED',
        error: `cancelled: ${reason}`,
        cancelledBy: 'api',
        durationMs: 4,
      },
    ];
    const status = 'CANCELLED';
    expect(linesAt('info', events)).toMatchObject([
      { level: 'info', msg: 'workflow run retried', ...ids, by: 'api', attempt: 2, steps: 2 },
      { level: 'info', msg: 'workflow run cancel requested', ...ids, by: 'api', reason },
      {
        level: 'info',
        msg: 'workflow run finished',
        ...ids,
        status,
        cancelled_by: 'api',
        error: `cancelled: ${reason}`,
        duration_ms: 4,
      },
    ]);
  });

  test('says that a run was handed over at info, and that it was lost at warn', () => {
    const released: OrchestrationEvent[] = (['handed_over', 'lost'] as const).map((reason) => ({
      type: 'run.released',
      runId: 'e',
      workflowId: 'w',
      reason,
    }));
    expect(linesAt('info', released)).toMatchObject([
      { level: 'info', msg: 'workflow run handed over', ...ids },
      { level: 'warn', msg: 'workflow run lost to another process', ...ids },
    ]);
    expect(linesAt('warn', released)).toHaveLength(1);
  });

  test('says at info that a run continues after the loss of its process', () => {
    const recovered = { recoveries: 2, recoveriesWithoutProgress: 1, unknownSteps: ['a'], steps: ['b', 'c'] };
    expect(linesAt('info', [runAppended([{ type: 'execution.recovered', ...recovered }])])).toMatchObject([
      {
        level: 'info',
        msg: 'workflow run recovered',
        ...ids,
        recoveries: 2,
        recoveries_without_progress: 1,
        steps: 2,
        unknown_steps: 1,
      },
    ]);
  });

  test('limits and escapes the reason of a cancel, and masks secrets in it', () => {
    const reason = `hunter2-key \u001b[31m\u0085\u2028\n${'x'.repeat(50_000)}`;
    const kept = keepLines({ level: 'info', secrets: ['hunter2-key'] });
    logEvents(kept.logger)(runAppended([{ type: 'execution.cancel_requested', by: 'api', reason }]));
    const [line = ''] = kept.raw;
    expect(kept.raw).toHaveLength(1);
    expect(line.length).toBeLessThan(10_000);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(line.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
    expect(line).not.toContain('hunter2-key');
  });

  test('has the other events at debug, each at most once', () => {
    const appended = runAppended(Object.values(eventsByType()));
    const messages = linesAt('debug', [appended]).map(({ level, msg }) => `${level} ${msg}`);
    expect(messages).toEqual([
      'debug workflow run created',
      'debug workflow run started',
      'debug layer started',
      'debug step started',
      'debug step waits for another attempt',
      'debug items of a step ended',
      'info step waits',
      'debug step skipped',
      'info workflow run waits',
      'info workflow run resumed',
      'info workflow run cancel requested',
      'info workflow run retried',
      'info workflow run recovered',
    ]);
  });

  test('has cancelled steps and tools at debug only: they are no failures', () => {
    const events: OrchestrationEvent[] = [
      {
        type: 'step.finished',
        runId: 'e',
        stepId: 's',
        kind: 'tool',
        status: 'CANCELLED',
        error: 'cancelled',
        durationMs: 1,
      },
      {
        type: 'tool.executed',
        at: 0,
        registered: true,
        outcome: { ...outcome, status: 'error', output: null, error: 'cancelled', cancelled: true },
      },
    ];
    expect(linesAt('info', events)).toEqual([]);
    expect(linesAt('debug', events)).toMatchObject([
      { level: 'debug', msg: 'step finished', step_id: 's', status: 'CANCELLED' },
      { level: 'debug', msg: 'tool executed', tool_name: 'lookup', error: 'cancelled' },
    ]);
  });
});
