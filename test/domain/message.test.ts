import { describe, expect, test } from 'vitest';
import { messageRequestSchema } from '../../src/adapters/http/resources/messages.ts';
import { type CustomerMessage, customerMessageIssues } from '../../src/domain/message/message.ts';

const valid: CustomerMessage = { source: 'email', customerId: 'customer-1', message: 'where is my order?' };

describe('a customer message', () => {
  test.each<[string, Partial<CustomerMessage>]>([
    ['short texts', {}],
    [
      'texts of the maximum length',
      { message: 'x'.repeat(32_768), customerId: 'x'.repeat(128), source: 'x'.repeat(64) },
    ],
    ['emoji, which count as one character', { message: '😀'.repeat(32_768), customerId: '😀'.repeat(128) }],
    ['white space around the message', { message: ' hello \n' }],
  ])('is valid with %s, for HTTP too', (_name, fields) => {
    const message = { ...valid, ...fields };
    expect(customerMessageIssues(message)).toEqual([]);
    expect(isValidForHttp(message)).toBe(true);
  });

  test.each<[string, Partial<CustomerMessage>, string[]]>([
    ['an empty message', { message: '' }, ['message: must be a text of 1 to 32768 characters']],
    ['a message of white space', { message: ' \n\u00a0' }, ['message: must not be only white space']],
    [
      'too many characters',
      { message: 'x'.repeat(32_769) },
      ['message: must be a text of 1 to 32768 characters'],
    ],
    [
      'too many emoji',
      { customerId: '😀'.repeat(129) },
      ['customer_id: must be a text of 1 to 128 characters'],
    ],
    [
      'several invalid fields',
      { customerId: '', source: 'x'.repeat(65) },
      ['customer_id: must be a text of 1 to 128 characters', 'source: must be a text of 1 to 64 characters'],
    ],
  ])('is not valid with %s, for HTTP neither', (_name, fields, issues) => {
    const message = { ...valid, ...fields };
    expect(customerMessageIssues(message)).toEqual(issues);
    expect(isValidForHttp(message)).toBe(false);
  });
});

function isValidForHttp({ source, customerId, message }: CustomerMessage): boolean {
  return messageRequestSchema.safeParse({ source, customer_id: customerId, message }).success;
}
