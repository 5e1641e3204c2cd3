import { describe, expect, test } from 'vitest';
import { logEvents } from '../../../src/adapters/logging/log-events.ts';
import type { OrchestrationEvent } from '../../../src/domain/events.ts';
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
  { type: 'pipeline.transition', traceId: 't', at: 0, from: null, to: 'RECEIVED', durationMs: 0 },
  {
    type: 'agent.decided',
    traceId: 't',
    at: 0,
    agent: 'classifier',
    source: 'llm',
    summary: PRIVATE,
    data: { text: PRIVATE },
  },
  { type: 'message.escalated', traceId: 't', reasons: ['low confidence'] },
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
    durationMs: 4,
  },
  { type: 'routing.finished', routingId: 'r', status: 'partial', total: 2, failed: 1, durationMs: 5 },
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
    taskId: 'k',
    agentName: 'echo',
    status: 'failed',
    error: 'gone',
    durationMs: 1,
  },
];

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
        ...{ level: 'info', msg: 'message finished', trace_id: 't', status: 'COMPLETED', duration_ms: 3 },
        ...{ intent: 'refund', escalated: true, disposition: 'escalated', concerns: ['legal'] },
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
      ...{ type: 'tool.executed', at: 0, registered: true },
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
    expect(JSON.stringify(linesAt('debug', everything))).not.toContain(PRIVATE);
  });
});
