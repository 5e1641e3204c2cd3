/** Examples of events for the OpenAPI document. Tests compare them with their schemas and with the responses. */

const at = '2026-11-21T01:00:41.532Z';
const subject = { kind: 'message', id: '01a1fb9e-a8bc-7000-bd31-9056dd2860ed' };

const received = {
  seq: 1,
  type: 'pipeline.transition',
  at,
  subject,
  data: { from: null, to: 'RECEIVED', duration_ms: 0 },
};

const finished = {
  seq: 12,
  type: 'message.finished',
  at,
  subject,
  data: {
    status: 'COMPLETED',
    intent: 'order_status',
    confidence: 0.9819,
    escalated: false,
    disposition: 'answered',
    error: null,
    duration_ms: 0.55,
  },
};

export const eventsExample = { events: [received], last_seq: 12, ended: false };

export const feedExample = { events: [finished, received], limit: 2, next_cursor: '1763945012345-0' };

export const eventStreamExample = `retry: 2000

id: 12
event: message.finished
data: ${JSON.stringify(finished)}

event: stream.end
data: {}

`;
