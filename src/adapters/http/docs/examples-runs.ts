/** Examples like those of `examples.ts`, for executions. */

import { at, order, workflowId } from './examples.ts';

/** The id of the execution. */
export const executionId = '01a1fb9e-b076-7000-8e39-c1cb04ae37d6';

export const runRequestExample = { background: false, input: { order_id: 'A-1234' } };

const pendingSummary = {
  execution_id: executionId,
  workflow_id: workflowId,
  workflow_name: 'Answer an order question',
  version: 1,
  status: 'PENDING',
  background: true,
  attempt: 1,
  recoveries: 0,
  recoveries_without_progress: 0,
  parent_execution_id: null,
  rerun_of: null,
  customer_id: null,
  input: runRequestExample.input,
  output: null,
  error: null,
  waiting_for: [],
  actions: ['cancel'],
  created_at: at,
  started_at: null,
  completed_at: null,
  duration_ms: null,
};

const finishedSummary = {
  ...pendingSummary,
  status: 'COMPLETED',
  background: false,
  started_at: at,
  completed_at: at,
  duration_ms: 1.2,
  actions: ['rerun', 'delete'],
};

const pendingStep = {
  status: 'PENDING',
  attempts: 0,
  output: null,
  error: null,
  started_at: null,
  completed_at: null,
  duration_ms: null,
};

const finishedStep = {
  status: 'COMPLETED',
  attempts: 1,
  error: null,
  started_at: at,
  completed_at: at,
  duration_ms: 0.4,
};

export const pendingExecutionExample = {
  ...pendingSummary,
  step_results: {
    order: { step_id: 'order', kind: 'tool', layer: 0, ...pendingStep },
    answer: { step_id: 'answer', kind: 'agent', layer: 1, ...pendingStep },
  },
};

export const executionExample = {
  ...finishedSummary,
  step_results: {
    order: { step_id: 'order', kind: 'tool', layer: 0, output: order, ...finishedStep },
    answer: { step_id: 'answer', kind: 'agent', layer: 1, output: { status: 'shipped' }, ...finishedStep },
  },
};

export const executionsExample = { total: 1, limit: 50, offset: 0, executions: [finishedSummary] };

export const allExecutionsExample = { limit: 50, next_cursor: null, executions: [finishedSummary] };

export const cancelRequestExample = { reason: 'The customer withdrew the order' };

export const runningExecutionExample = {
  ...pendingExecutionExample,
  status: 'RUNNING',
  started_at: at,
  step_results: {
    ...pendingExecutionExample.step_results,
    order: { ...pendingExecutionExample.step_results.order, status: 'RUNNING', started_at: at },
  },
};

export const retriedExecutionExample = { ...pendingExecutionExample, attempt: 2 };

export const rerunRequestExample = { from_step: 'answer', background: true };

const newId = '01a1fbca-b076-7000-8e39-c1cb04ae37d7';
const rerun = { execution_id: newId, rerun_of: executionId };

export const rerunExecutionExample = { ...executionExample, ...rerun };

export const startedRerunExample = { ...pendingExecutionExample, ...rerun };

export const simulationRequestExample = {
  input: runRequestExample.input,
  mocks: { order: { output: order, delay_ms: 250 }, answer: { output: { status: 'shipped' } } },
};

export const simulatedExecutionExample = {
  ...executionExample,
  execution_id: '00000000-0000-7000-8000-000000000001',
  actions: [],
  simulated: true,
};
