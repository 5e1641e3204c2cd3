import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findOrderId } from '../../../../src/adapters/stages/entities.ts';

describe('the order id of a message', () => {
  test.each([
    ['Where is order #A-1234?', 'A-1234'],
    ['Where is my order number 12345?', '12345'],
    ['order no. 99812 please', '99812'],
    ['Order No: 7', '7'],
    ['order nr 15', '15'],
    ['my order id is ord_2024_001!', 'ord_2024_001'],
    ['order ref ABC99', 'ABC99'],
    ['Order: 8812', '8812'],
    ['order:8812', '8812'],
    ['order#123', '123'],
    ['#4471', '4471'],
    ['the order is 5512.', '5512'],
    ['my order-number: 5512', '5512'],
    ['order 12345.Please hurry', '12345'],
    ['order "77123"', '77123'],
    ['order (77123)', '77123'],
    ['orders 5512 and 5513', '5512'],
    ['the status of purchase 0098123', '0098123'],
    ['is order 42?', '42'],
    ['missing-42 never came', 'missing-42'],
    ['Where is order missing-42?', 'missing-42'],
    ['any news on XK-20931', 'XK-20931'],
    ['Where is 73220134?', '73220134'],
    ['I paid $12.50 for order 5512', '5512'],
    ['order 2024-0012', '2024-0012'],
    ['I ordered on 2024-05-12, order 5512', '5512'],
  ])('%j is %s', (message, id) => {
    expect(findOrderId(message)).toBe(id);
  });

  test.each([
    'is my order missing?',
    'Where is my order?',
    'I placed an order 3 weeks ago',
    'I placed my order 14 days ago',
    'my order of 1200 dollars',
    'I ordered something for $12345',
    'it cost 12345 euros',
    'my order cost 1299.99',
    'order 12.345',
    'I ordered on 2024-05-12',
    'my order 2024-05-12',
    'order from 12/05/2024',
    'the order of 12.05.2024',
    'call me at 555-123-4567 about my order',
    'call me at 0170 1234567',
    'my phone number is 5551234567, where is my order',
    'reach me under +491701234567',
    'my postcode is 90210, where is my parcel',
    'see http://shop.example/12345',
    'write to me12345@mail.example',
    'order 100%',
    'order order order',
    `order ${'9'.repeat(33)}`,
    'I am 25 years old',
    '',
  ])('is not found in %j', (message) => {
    expect(findOrderId(message)).toBeUndefined();
  });

  test('is 1 to 32 letters, digits, dashes and underscores of any message', () => {
    const piece = fc.oneof(
      fc.constantFrom('order', '#', 'number', ':', '12345', 'A-1', '<b>', '"', '.', '__proto__'),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const message = pieces.join(' ');
        const id = findOrderId(message);
        if (id === undefined) return;
        expect(id).toMatch(/^[A-Za-z0-9][\w-]{0,31}$/);
        expect(message).toContain(id);
        expect(id).toMatch(/\d/);
      }),
      { numRuns: 500 },
    );
  });
});
