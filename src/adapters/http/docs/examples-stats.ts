import { version } from '../../shared/version.ts';
/** The examples of statistics and of the system for the OpenAPI document. A test compares them with their schemas. */

import { at, workflowId } from './examples.ts';
import { executionId } from './examples-runs.ts';

const tally = {
  messages: { answered: 31, escalated: 2, no_reply: 1, draft: 0, failed: 0 },
  latency_ms: { p50: 0.524, p95: 1.25, p99: 4.99 },
  runs: { started: 4, completed: 3, failed: 1, cancelled: 0 },
  steps: { failed: 1 },
  tools: { calls: 38, errors: 1, not_found: 2 },
  routes: { completed: 2, partial: 0, failed: 0 },
  inbox: { opened: 2, resolved: 1, expired: 0, withdrawn: 0, overdue: 1 },
};

const none = { open: 0, claimed: 0 };

export const statsExample = {
  window_seconds: 60,
  step_seconds: 60,
  from: '2026-11-21T01:00:00.000Z',
  to: '2026-11-21T01:01:00.000Z',
  series: [{ at: '2026-11-21T01:00:00.000Z', ...tally }],
  totals: { ...tally, escalated_share: 0.058823529411764705 },
  now: {
    at,
    runs: { running: 1, waiting: 0 },
    inbox: {
      escalation: { open: 3, claimed: 1 },
      draft: none,
      approval: none,
      recovery: none,
      overdue: 1,
      oldest_opened_at: '2026-11-20T21:00:41.532Z',
    },
  },
  needs: {
    overdue: { count: 1, oldest_opened_at: '2026-11-20T21:00:41.532Z', oldest_age_seconds: 14_400 },
    failed_runs: {
      count: 1,
      truncated: false,
      groups: [
        {
          workflow_id: workflowId,
          workflow_name: 'Answer an order question',
          error: 'step "order" failed: timed out after 2000 ms',
          count: 1,
          first_at: at,
          last_at: at,
          execution_ids: [executionId],
        },
      ],
    },
    parked_runs: { count: 0, execution_ids: [] },
  },
};

export const systemExample = {
  version,
  node: '24.16.0',
  started_at: '2026-11-20T21:00:41.532Z',
  uptime_seconds: 14_400,
  notice: 'Staging: customers do not get these replies',
  storage: {
    backend: 'sqlite' as const,
    run_recovery: 'resume' as const,
    max_recoveries: 3,
    unknown_outcome: 'ask' as const,
  },
  model: { configured: true, name: 'gpt-4o-mini', stages: ['classifier', 'responder'] },
  playbook: { name: 'Example Shop', version: '5f1d8a9c03be', mode: 'reply' as const, intents: 14 },
  authentication: { enabled: true, keys: 2 },
  inbox: true,
  queue: { waiting_runs: 0 },
  limits: {
    max_body_bytes: 1_048_576,
    max_event_streams: 1_000,
    max_batch_size: 100,
    max_workflow_steps: 1_000,
    max_foreach_items: 1_000,
    max_child_runs: 10_000,
    max_concurrent_steps: 256,
    max_background_runs: 256,
    max_waiting_runs: 10_000,
    max_subtasks: 100,
    max_input_bytes: 262_144,
    max_output_bytes: 1_048_576,
    tool_max_attempts: 3,
    tool_timeout_ms: 10_000,
    agent_timeout_ms: 60_000,
    cancel_grace_ms: 10_000,
    inbox_claim_ms: 1_800_000,
    idempotency_ttl_ms: 86_400_000,
    rate_limit: { requests: 600, window_seconds: 60 },
  },
  settings: ['API_KEYS', 'AUTH_ENABLED', 'LLM_API_KEY', 'RUN_RECOVERY', 'SQLITE_PATH', 'TRACE_BACKEND'],
};

export const reloadExample = {
  playbook: { source: 'playbook.yaml', version: 'c2e07b41d95a' },
  warnings: ['message_tools[0]: there is no tool "stock" here; an extension has to bring it'],
  changed: true,
};
