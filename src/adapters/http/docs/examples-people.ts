/** Examples like those of `examples.ts`, for what people work on. */

import { at, traceExample } from './examples.ts';

const traceId = traceExample.trace_id;
const itemId = '01a1fb9e-b4f2-7000-9c1d-2f3a4b5c6d7e';
const later = '2026-11-21T05:00:41.532Z';
const text = 'The heater burned my hand. I want my money back.';
const reply = 'We are very sorry. A colleague calls you today.';

export const itemExample = {
  item_id: itemId,
  kind: 'escalation',
  status: 'open',
  priority: 1,
  title: text,
  reasons: ['injury'],
  subject: { kind: 'message', id: traceId },
  customer_id: 'customer-42',
  conversation_id: 'thread-7',
  excerpt: text,
  draft: null,
  assignee: null,
  claimed_until: null,
  opened_at: at,
  due_at: later,
  resolved_at: null,
  resolution: null,
  payload: null,
  response_schema: null,
  notes: [],
  version: 1,
};

const entry = { trace_id: traceId, disposition: 'escalated', item_id: itemId, at };

export const conversationExample = {
  conversation_id: 'thread-7',
  customer_id: 'customer-42',
  open_item_id: itemId,
  entries: [
    { from: 'customer', text, ...entry },
    { from: 'service', text: 'Hello,\n\nWe are sorry to hear that. …', ...entry },
  ],
  created_at: at,
  updated_at: at,
};

const escalatedTrace = {
  ...traceExample,
  message: text,
  conversation_id: 'thread-7',
  item_id: itemId,
  escalated: true,
  disposition: 'escalated',
  concerns: ['injury'],
};

export const caseExample = { ...itemExample, trace: escalatedTrace, conversation: conversationExample };

export const inboxExample = {
  items: [itemExample],
  limit: 50,
  next_cursor: null,
  counts: {
    open: 1,
    claimed: 0,
    overdue: 0,
    kinds: { escalation: 1, draft: 0, approval: 0, recovery: 0 },
  },
};

export const nextRequestExample = { by: 'maria', kinds: ['escalation', 'draft'] };
export const claimRequestExample = { by: 'maria', version: 1 };
export const assignRequestExample = { by: 'maria', assignee: 'tom' };
export const noteRequestExample = { by: 'maria', note: 'Called twice, nobody answered.' };
export const resolveRequestExample = {
  outcome: 'answered',
  by: 'maria',
  response: reply,
  intent: 'refund',
  escalation_right: true,
  note: 'Product safety is informed',
};

export const claimedItemExample = {
  ...itemExample,
  status: 'claimed',
  assignee: 'maria',
  claimed_until: '2026-11-21T01:30:41.532Z',
  version: 2,
};

export const notedItemExample = {
  ...claimedItemExample,
  notes: [{ ...noteRequestExample, at }],
  version: 3,
};

export const resolvedItemExample = {
  ...itemExample,
  status: 'resolved',
  assignee: 'maria',
  resolved_at: at,
  version: 4,
  resolution: { ...resolveRequestExample, at, data: null, output: null },
};

export const eraseRequestExample = { customer_id: 'customer-42' };
export const erasedExample = { traces: 3, conversations: 1, inbox_items: 1, examples: 1, runs: 2, routes: 1 };

export const datasetsExample = {
  datasets: [{ dataset_id: 'inbox', total: 3, proposed: 1, accepted: 2, rejected: 0 }],
};

const exampleExample = {
  example_id: itemId,
  dataset_id: 'inbox',
  status: 'proposed',
  message: text,
  intent: 'refund',
  expected_escalated: true,
  trace_id: traceId,
  customer_id: 'customer-42',
  created_at: at,
  decided_by: null,
  decided_at: null,
};

export const examplesExample = { limit: 50, next_cursor: null, examples: [exampleExample] };

export const decidedExampleExample = {
  ...exampleExample,
  status: 'accepted',
  decided_by: 'tom',
  decided_at: later,
};

export const examplesCsvExample = `message,intent,expected_escalated,status,example_id\r\n${text},refund,true,accepted,${itemId}\r\n`;
