/**
 * Examples of requests and responses for the OpenAPI document: a customer's question about an order, in all resources.
 * Tests compare every example with its schema and with the responses of the service.
 */

const traceId = '01a1fb9e-a8bc-7000-bd31-9056dd2860ed';
/** The id of the definition. */
export const workflowId = '01a1fb9e-ae39-7000-b823-af1ff3c3c331';
/** When everything happens. */
export const at = '2026-11-21T01:00:41.532Z';
/** The output of the tool that looks the order up. */
export const order = { order_id: 'A-1234', status: 'shipped', carrier: 'DHL', eta_days: 4 };
const reply =
  'Hello,\n\nThank you for asking about your order.\n\nYour order A-1234 has left our warehouse. It is delivered by DHL. It should arrive within 4 days.\n\nIf this does not answer your question, please reply and tell us what is missing.\n\nKind regards,\nYour customer service team';

export const messageExample = {
  source: 'email',
  customer_id: 'customer-42',
  message: 'Where is my order A-1234? It should have been here on Monday.',
};

export const messageResponseExample = {
  trace_id: traceId,
  status: 'COMPLETED',
  intent: 'order_status',
  confidence: 0.9819,
  escalated: false,
  disposition: 'answered',
  response: reply,
  item_id: null,
};

export const batchExample = {
  messages: [messageExample, { customer_id: 'customer-43', message: 'I want a refund.' }],
};

export const batchResponseExample = {
  results: [
    messageResponseExample,
    {
      trace_id: '01a1fb9e-a8bd-7000-8b5c-93a7e7f3a0d1',
      status: 'COMPLETED',
      intent: 'refund',
      confidence: 0.9692,
      escalated: false,
      disposition: 'answered',
      response: 'Hello,\n\nThank you for your message. This is how refunds work here:\n\n…',
      item_id: null,
    },
  ],
};

const traceSummary = {
  ...messageResponseExample,
  ...messageExample,
  subject: null,
  conversation_id: null,
  locale: null,
  metadata: null,
  prepared: { text: messageExample.message, set_apart: [], language: 'en', automatic: false },
  concerns: [],
  error: null,
  created_at: at,
  completed_at: at,
  duration_ms: 0.55,
  otel_trace_id: null,
};

export const tracesExample = { total: 1, limit: 50, offset: 0, traces: [traceSummary] };

const entry = (sequence: number) => ({ sequence, timestamp: at });

export const traceExample = {
  ...traceSummary,
  cost: null,
  currency: null,
  state_transitions: [
    { ...entry(1), from: null, to: 'RECEIVED', duration_ms: 0 },
    { ...entry(3), from: 'RECEIVED', to: 'CLASSIFIED', duration_ms: 0.31 },
    { ...entry(4), from: 'CLASSIFIED', to: 'PLANNING', duration_ms: 0.01 },
    { ...entry(6), from: 'PLANNING', to: 'TOOL_EXECUTION', duration_ms: 0.05 },
    { ...entry(8), from: 'TOOL_EXECUTION', to: 'VERIFYING', duration_ms: 0.08 },
    { ...entry(11), from: 'VERIFYING', to: 'COMPLETED', duration_ms: 0.1 },
  ],
  tool_calls: [
    {
      ...entry(7),
      tool_name: 'check_order_status',
      input: { order_id: 'A-1234' },
      output: order,
      status: 'success',
      attempts: 1,
      error: null,
      duration_ms: 0.04,
    },
  ],
  agent_decisions: [
    {
      ...entry(2),
      agent: 'classifier',
      source: 'deterministic',
      summary: 'The message is classified as order_status with confidence 0.98.',
      data: {
        judge: 'built_in',
        intent: 'order_status',
        confidence: 0.9819,
        wishes: ['order_status'],
        concerns: [],
        evidence: { intent: ['Where', 'order'] },
      },
    },
    {
      ...entry(5),
      agent: 'planner',
      source: 'deterministic',
      summary: 'Calls check_order_status for order_status.',
      data: {
        intent: 'order_status',
        wishes: ['order_status'],
        tools: ['check_order_status'],
        entities: { order_id: 'A-1234' },
      },
    },
    {
      ...entry(9),
      agent: 'verifier',
      source: 'deterministic',
      summary: 'Not escalated: there is something to answer with and nothing speaks against it.',
      data: { escalated: false, disposition: 'answered', reasons: ['answerable'], concerns: [] },
    },
    {
      ...entry(10),
      agent: 'responder',
      source: 'deterministic',
      summary: 'Replied with the text for order status.',
      data: { template: 'order_status' },
    },
  ],
};

const answerStep = {
  id: 'answer',
  kind: 'agent',
  agent_name: 'echo',
  depends_on: ['order'],
  static_input: { status: '$step.order.status' },
};

export const workflowRequestExample = {
  name: 'Answer an order question',
  description: 'Looks the order up and answers from what it finds',
  steps: [
    { id: 'order', tool_name: 'check_order_status', static_input: { order_id: '$input.order_id' } },
    answerStep,
  ],
};

export const workflowExample = {
  id: workflowId,
  version: 1,
  ...workflowRequestExample,
  steps: [
    { kind: 'tool', depends_on: [], ...workflowRequestExample.steps[0] },
    workflowRequestExample.steps[1],
  ],
  layers: [['order'], ['answer']],
  warnings: [],
  created_at: at,
};

/** The same workflow after a change. */
export const changedWorkflowRequestExample = {
  ...workflowRequestExample,
  description: 'Looks the order up and answers with its carrier',
  steps: [
    workflowRequestExample.steps[0],
    { ...answerStep, static_input: { carrier: '$step.order.carrier' } },
  ],
};

export const changedWorkflowExample = {
  ...workflowExample,
  version: 2,
  description: changedWorkflowRequestExample.description,
  steps: [workflowExample.steps[0], changedWorkflowRequestExample.steps[1]],
};

export const versionsExample = {
  total: 2,
  limit: 50,
  offset: 0,
  versions: [changedWorkflowExample, workflowExample],
};

export const workflowsExample = { total: 1, limit: 50, offset: 0, workflows: [workflowExample] };

export const validationExample = {
  valid: false,
  errors: [{ pointer: '/steps/1/when', detail: 'names step "oder", which does not exist' }],
  warnings: ['steps.0: a step has no member "dependsOn"; did you mean "depends_on"?'],
  layers: [['order'], ['answer']],
};
