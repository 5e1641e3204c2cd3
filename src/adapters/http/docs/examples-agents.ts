import { version } from '../../shared/version.ts';

/** Examples like those of `examples.ts`, for agents, tools, the evaluation and health. */

const at = '2026-11-21T01:00:41.532Z';
const text = 'It rained all morning. Then the sun came out. Everyone was happy.';

export const agentsExample = {
  count: 1,
  agents: [{ name: 'echo', description: 'Replies with its payload, unchanged.' }],
};

export const toolsExample = {
  count: 1,
  tools: [
    {
      name: 'check_order_status',
      description: 'Looks up how far an order is.',
      input_schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { order_id: { type: 'string', minLength: 1, maxLength: 64 } },
        required: ['order_id'],
      },
      output_schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { order_id: { type: 'string' }, status: { type: 'string' } },
        required: ['order_id', 'status'],
      },
    },
  ],
};

export const toolCallRequestExample = { input: { order_id: 'A-1234' }, idempotency_key: 'try-1' };

export const toolCallExample = {
  tool_name: 'check_order_status',
  input: { order_id: 'A-1234' },
  output: { order_id: 'A-1234', status: 'shipped', carrier: 'DHL', eta_days: 4 },
  status: 'success',
  attempts: 1,
  error: null,
  not_found: false,
  duration_ms: 0.04,
};

const payload = { text, max_sentences: 1 };

export const routeRequestExample = {
  goal: 'Say in one sentence what happened',
  subtasks: [{ agent_name: 'summary', payload }, { agent_name: 'nobody' }],
};

const routingHead = {
  routing_id: '01a1fbc4-7a84-7000-8290-fe74995be012',
  goal: routeRequestExample.goal,
  customer_id: null,
  status: 'partial',
  decomposition: 'explicit',
  unassigned: [],
  error: null,
  created_at: at,
  completed_at: at,
  duration_ms: 2.9,
};

export const routingExample = {
  ...routingHead,
  results: [
    {
      task_id: '01a1fbc4-7a84-7001-8a7a-64cdac0524f0',
      agent_name: 'summary',
      payload,
      matched: [],
      status: 'completed',
      output: { summary: 'It rained all morning.', sentence_count: 1, original_sentence_count: 3 },
      error: null,
      duration_ms: 2.6,
    },
    {
      task_id: '01a1fbc4-7a87-7000-accc-c9dde49ddf7c',
      agent_name: 'nobody',
      payload: {},
      matched: [],
      status: 'failed',
      output: null,
      error: 'no agent "nobody" is registered',
      duration_ms: 0.1,
    },
  ],
};

const planGoal = `Summarize this: "${text}" Then paint the fence.`;
const planText = `Summarize this: "${text}"`;

/** What `POST /agents/route?dry_run=true` answers to a goal of two instructions. */
export const routingPlanExample = {
  routing_id: null,
  goal: planGoal,
  customer_id: null,
  status: 'planned',
  decomposition: 'keyword',
  unassigned: ['paint the fence.'],
  error: null,
  created_at: at,
  completed_at: at,
  duration_ms: 0.2,
  results: [
    {
      task_id: null,
      agent_name: 'summary',
      payload: { text: planText, message: planText, goal: planGoal },
      matched: ['Summarize'],
      status: 'planned',
      output: null,
      error: null,
      duration_ms: 0,
    },
  ],
};

export const routesExample = {
  total: 1,
  limit: 50,
  offset: 0,
  routes: [{ ...routingHead, subtask_counts: { total: 2, completed: 1, failed: 1 } }],
};

export const evaluationRequestExample = {
  tickets: [
    {
      message: 'I want my money back',
      expected_intent: 'refund',
      expected_tools: ['refund_policy'],
      expected_disposition: 'answered',
      expected_concerns: [],
    },
    { message: 'Let me talk to a human', expected_intent: 'human_agent', expected_escalated: true },
    {
      message: 'The heater burned my hand. I want my money back.',
      expected_intent: 'refund',
      expected_disposition: 'escalated',
      expected_concerns: ['injury'],
    },
  ],
};

const right = { precision: 1, recall: 1, f1: 1 };

const calibrationExample = Array.from({ length: 10 }, (_, bin) => ({
  from: bin / 10,
  to: (bin + 1) / 10,
  count: bin === 9 ? 3 : 0,
  accuracy: bin === 9 ? 1 : null,
}));

export const evaluationExample = {
  status: 'completed',
  dataset: { name: 'request', size: 3, seed: null, description: 'The tickets of the request.' },
  total_tickets: 3,
  classification_accuracy: 1,
  macro_f1: 1,
  tool_selection_accuracy: 1,
  escalation_accuracy: 1,
  escalation_rate: 0.667,
  escalation_reasons: { human_requested: 1, nothing_to_answer_with: 1, injury: 1 },
  answered_wrong_rate: 0,
  failure_rate: 0,
  average_latency_ms: 0.13,
  p95_latency_ms: 0.15,
  calibration_error: 0.03,
  calibration: calibrationExample,
  per_intent: { refund: { ...right, support: 2 }, human_agent: { ...right, support: 1 } },
  confusion: { refund: { refund: 2 }, human_agent: { human_agent: 1 } },
  concerns: { recall: 1, precision: 1, per_concern: { injury: { recall: 1, precision: 1, support: 1 } } },
  dispositions: { answered: { answered: 1 }, escalated: { escalated: 1 } },
  misclassified: [],
  needless: [],
  thresholds: [{ threshold: 0.45, coverage: 0.333, error_rate: 0, escalation_rate: 0.667 }],
};

export const healthExample = {
  status: 'ok',
  version,
  uptime_seconds: 61,
  checks: { kvstore: 'ok', sqlite: 'not_configured', postgres: 'not_configured', llm: 'not_configured' },
};

export const metricsExample = `# HELP service_requests_total Requests answered, by route and status.
# TYPE service_requests_total counter
service_requests_total{route="/messages",status="200"} 1
`;
