import { describe, expect, test } from 'vitest';
import { createPreparation } from '../../../src/adapters/preparation/prepare.ts';
import { prepareMessage } from './prepare-message.ts';

const masked = (message: string) => prepareMessage(message).message;

describe('masking', () => {
  test.each([
    ['pay with 4111 1111 1111 1111 please', 'pay with [card number] please'],
    ['4111-1111-1111-1111', '[card number]'],
    ['4111\u00a01111\u00a01111\u00a01111', '[card number]'],
    ['٤١١١ ١١١١ ١١١١ ١١١١', '[card number]'],
    ['５５５５５５５５５５５５４４４４', '[card number]'],
    ['4111 1111 1111 1111 12/27 123', '[card number] 12/27 [security code]'],
    ['378282246310005, 1234', '[card number], [security code]'],
    ['cvv 123', 'cvv [security code]'],
    ['the security code is 123', 'the security code is [security code]'],
    ['IBAN DE89 3704 0044 0532 0130 00', 'IBAN [IBAN]'],
    ['gb29nwbk60161331926819', '[IBAN]'],
    ['my password is hunter2', 'my password is [password]'],
    ['my password is swordfish.', 'my password is [password].'],
    ['pw: hunter2, thanks', 'pw: [password], thanks'],
    ['PIN is 4711', 'PIN is [password]'],
    ['Passwort: Geheim', 'Passwort: [password]'],
  ])('replaces what is secret in %j', (message, expected) => {
    expect(masked(message)).toBe(expected);
  });

  test.each([
    'order 1234 5678 9012 3456',
    '4111 1111 1111 1112',
    'tracking number 4111111111111111',
    'my order number is 4111111111111111',
    'call +44 20 7946 0958 0123',
    'DE89 3704 0044 0532 0130 01',
    'my password is not working',
    'password is wrong',
    'the password is too short',
    'password reset does not arrive',
    'the pin is bent',
    'PIN code 560034',
    'the security code never arrives',
    'paid 123 and 456 on 12/27',
    '0000 0000 0000 0000',
  ])('leaves %j as it is', (message) => {
    expect(masked(message)).toBe(message);
  });

  test('covers every field that the stages and the trace see', () => {
    const card = '4111111111111111';
    const message = `pw: hunter2\n\nOn 4 Feb 2025, Birch <c@birch.test> wrote:\n> ${card}`;
    const result = createPreparation({ redactPii: true, languages: ['en'] })({
      source: 'email',
      customerId: 'c-1',
      message,
      subject: `card ${card}`,
      metadata: { note: card },
    });
    expect(JSON.stringify(result)).not.toMatch(/4111|hunter2/);
    expect(result).toMatchObject({ subject: 'card [card number]', metadata: { note: '[card number]' } });
    expect(result.prepared.setApart[0]?.text).toContain('[card number]');
  });

  test('finds numbers with mark-up within', () => {
    const result = prepareMessage('<p>card 4111 <b>1111</b> 1111&nbsp;1111</p>');
    expect(result.message).toBe('card [card number]');
    expect(result.prepared.text).toBe('card [card number]');
  });

  test('is left out when the operator turned it off', () => {
    const message = 'my password is hunter2, card 4111 1111 1111 1111';
    const result = createPreparation({ redactPii: false, languages: ['en'] })({
      source: 's',
      customerId: 'c',
      message,
    });
    expect([result.message, result.prepared.text]).toEqual([message, message]);
  });
});
