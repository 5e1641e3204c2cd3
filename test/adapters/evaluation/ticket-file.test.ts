import { describe, expect, test } from 'vitest';
import { parseTicketFile } from '../../../src/adapters/evaluation/ticket-file.ts';

const intents = ['refund', 'spam'];
const parse = (lines: readonly object[]) =>
  parseTicketFile(lines.map((line) => JSON.stringify(line)).join('\n'), 'export.jsonl', intents).tickets;

describe('an exported dataset in JSON Lines', () => {
  test('is evaluated by its accepted examples, with the escalations that are known', () => {
    const example = { message: 'a', intent: 'refund', status: 'accepted', customer_id: 'c' };
    expect(
      parse([
        { ...example, expected_escalated: true, example_id: '1' },
        { ...example, expected_escalated: null, example_id: '2' },
        { ...example, status: 'proposed', example_id: '3' },
        { ...example, status: 'rejected', example_id: '4', intent: '' },
      ]),
    ).toEqual([
      { message: 'a', expectedIntent: 'refund', expectedEscalated: true },
      { message: 'a', expectedIntent: 'refund' },
    ]);
  });

  test('may be tickets whose status means something else', () => {
    expect(parse([{ message: 'a', intent: 'refund', status: 'rejected' }])).toHaveLength(1);
  });
});
