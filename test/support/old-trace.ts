/** A trace as version 0.6 stored it. */
export const oldTrace = {
  traceId: '01a1fb9e-a8bd-7000-8b5c-93a7e7f3a0aa',
  source: 'email',
  customerId: 'customer-1',
  message: 'Where is it?',
  status: 'COMPLETED',
  intent: 'order_status',
  confidence: 0.8,
  escalated: true,
  response: 'Hello.',
  error: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  completedAt: '2026-01-01T00:00:00.001Z',
  durationMs: 1,
  otelTraceId: null,
  timeline: [
    {
      type: 'pipeline.transition',
      traceId: '01a1fb9e-a8bd-7000-8b5c-93a7e7f3a0aa',
      at: 1_767_225_600_000,
      from: null,
      to: 'RECEIVED',
      durationMs: 0,
    },
  ],
} as const;
