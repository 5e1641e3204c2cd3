import { describe, expect, test } from 'vitest';
import { createTestApp, expectError, jsonOf } from '../support/http-app.ts';

const tickets = [
  { message: 'My money back, please', expected_intent: 'refund', expected_escalated: false },
  { message: 'Where is my parcel?', expected_intent: 'order_status', expected_tools: ['check_order_status'] },
];

describe('POST /evaluation', () => {
  test('judges the stages by tickets of the caller’s own', async () => {
    const { post } = createTestApp();
    const reply = await post('/evaluation', { tickets });
    expect(reply.status).toBe(200);
    const scores = await jsonOf<{ thresholds: object[] }>(reply);
    expect(scores).toEqual({
      status: 'completed',
      dataset: { name: expect.any(String), size: 2, seed: null },
      total_tickets: 2,
      classification_accuracy: 0.5,
      macro_f1: expect.any(Number),
      tool_selection_accuracy: 0,
      escalation_accuracy: 1,
      escalation_rate: 0,
      failure_rate: 0,
      average_latency_ms: expect.any(Number),
      p95_latency_ms: expect.any(Number),
      calibration_error: expect.closeTo(0.4),
      per_intent: expect.objectContaining({
        refund: { precision: 0.5, recall: 1, f1: expect.closeTo(2 / 3), support: 1 },
        order_status: { precision: 0, recall: 0, f1: 0, support: 1 },
      }),
      confusion: { refund: { refund: 1 }, order_status: { refund: 1 } },
      misclassified: [
        { message: 'Where is my parcel?', expected: 'order_status', predicted: 'refund', confidence: 0.9 },
      ],
      thresholds: expect.any(Array),
    });
    expect(scores.thresholds).toHaveLength(21);
    expect(scores.thresholds[10]).toEqual({
      threshold: 0.5,
      coverage: expect.any(Number),
      error_rate: expect.any(Number),
      escalation_rate: expect.any(Number),
    });
  });

  test.each([undefined, {}, { seed: 0, size: 200 }])('makes 200 tickets of its own from %o', async (body) => {
    const { post, request } = createTestApp();
    const reply = body ? await post('/evaluation', body) : await request('/evaluation', { method: 'POST' });
    expect(reply.status).toBe(200);
    expect(await jsonOf(reply)).toMatchObject({ total_tickets: 200, dataset: { size: 200, seed: 0 } });
  });

  test('stores no traces and tells of nothing', async () => {
    const { post, request, told } = createTestApp();
    await post('/evaluation', { size: 20 });
    expect(told.events).toEqual([]);
    expect(await jsonOf(await request('/trace/'))).toMatchObject({ total: 0 });
  });

  test.each([
    [{ size: 0 }, 'size: must be at least 1'],
    [{ size: 5_001 }, 'size: must be at most 5000'],
    [{ size: 1.5, seed: 'x' }, 'seed: must be a whole number; size: must be a whole number'],
    [{ tickets: [] }, 'tickets: must hold at least 1 ticket'],
    [{ tickets: [{ message: ' ', expected_intent: 'refund' }] }, 'tickets.0.message: must not be empty'],
  ])('refuses %o', async (body, detail) => {
    const { post } = createTestApp();
    await expectError(await post('/evaluation', body), 422, detail);
  });
});
