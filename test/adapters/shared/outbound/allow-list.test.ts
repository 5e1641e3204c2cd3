import { describe, expect, test } from 'vitest';
import { allowListIssues, createAllowList } from '../../../../src/adapters/shared/outbound/allow-list.ts';

describe('an entry', () => {
  test.each([
    ['erp.internal', 'erp.internal', 443, true],
    ['ERP.Internal.', 'erp.internal', 443, true],
    ['erp.internal', 'erp.internal.', 443, true],
    ['erp.internal:8443', 'erp.internal', 8443, true],
    ['erp.internal:8443', 'erp.internal', 443, false],
    ['erp.internal:80', 'erp.internal', 80, true],
    ['erp.internal', 'x.erp.internal', 443, false],
    ['my_host-1', 'my_host-1', 1, true],
    ['bücher.example', 'xn--bcher-kva.example', 443, true],
  ])('%j names host %s at port %i: %s', (entry, host, port, expected) => {
    expect(createAllowList([entry]).allowsHost(host, port)).toBe(expected);
  });

  test.each([
    ['10.0.0.0/8', '10.255.0.1', 1, true],
    ['10.0.0.0/8', '11.0.0.1', 1, false],
    ['127.0.0.1', '127.0.0.1', 1, true],
    ['127.0.0.1:8080', '127.0.0.1', 8080, true],
    ['127.0.0.1:8080', '127.0.0.1', 8081, false],
    ['2130706433', '127.0.0.1', 1, true],
    ['::1', '::1', 1, true],
    ['[::1]:8080', '::1', 8080, true],
    ['[::1]:8080', '::1', 8081, false],
    ['fd00::/8', 'fd12::1', 1, true],
    ['fd00::/8', 'fe80::1', 1, false],
    ['0.0.0.0/0', '::1', 1, false],
    ['0.0.0.0/0', '10.0.0.1', 1, true],
  ])('%j contains address %s at port %i: %s', (entry, address, port, expected) => {
    expect(createAllowList([entry]).allowsAddress(address, port)).toBe(expected);
  });

  test.each([
    ...[
      '',
      'https://erp.internal',
      'erp.internal/path',
      'user@erp.internal',
      '*.internal',
      'a b',
      'a..b',
      '.a',
    ],
    ...[
      'erp.internal:0',
      'erp.internal:65536',
      'erp.internal:x',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0/8',
      '::/129',
    ],
    ...['erp.internal/8', '10.0.0.0/', '/8', '1.2.3.4.5', '[::1', '::1]:1', 'a\nb', '%', 'a'.repeat(300)],
  ])('%j is an issue', (entry) => {
    const issue = 'must be a host or an address, also with a port, or a range such as 10.0.0.0/8';
    expect(allowListIssues(['good.example', entry])).toEqual([`entry 2 ${issue}`]);
    expect(() => createAllowList([entry])).toThrow(`the allowed targets are not valid: entry 1 ${issue}`);
  });
});

test('a list without entries allows nothing', () => {
  const list = createAllowList([]);
  expect([list.allowsHost('localhost', 80), list.allowsAddress('127.0.0.1', 80)]).toEqual([false, false]);
});
