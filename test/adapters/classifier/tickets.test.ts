import { describe, expect, test } from 'vitest';
import { cleanTickets, readTickets } from '../../../src/adapters/classifier/tickets.ts';

const read = (text: string) => readTickets(Buffer.from(text));

/** The faults of a file, line by line. */
async function issuesOf(text: string): Promise<readonly string[]> {
  return read(text).then(
    () => [],
    (error: unknown) => (error instanceof Error ? error.message.split('\n') : []),
  );
}

describe('tickets from CSV', () => {
  test('may have the columns in any order, further ones, quotes, line breaks and commas', async () => {
    const text =
      'id,Intent, message \n1,refund,"Hello, it is ""broken"".\nMoney back!"\n2,shipping,Where is it?\n';
    expect(await read(text)).toEqual([
      { message: 'Hello, it is "broken".\nMoney back!', intent: 'refund', line: 2 },
      { message: 'Where is it?', intent: 'shipping', line: 4 },
    ]);
  });

  test('may be an exported dataset: of its examples only the accepted ones count', async () => {
    const text = [
      'message,intent,expected_escalated,status,example_id',
      '"one, please",refund,true,accepted,1',
      'two,refund,false,accepted,2',
      'three,shipping,,accepted,3',
      'four,shipping,,proposed,4',
      'five,,,rejected,5',
    ].join('\r\n');
    expect(await read(text)).toEqual([
      { message: 'one, please', intent: 'refund', line: 2, expectedEscalated: 'true' },
      { message: 'two', intent: 'refund', line: 3, expectedEscalated: 'false' },
      { message: 'three', intent: 'shipping', line: 4 },
    ]);
    const none = 'message,intent,status,example_id\na,b,proposed,1\n';
    expect(await issuesOf(none)).toEqual(['has no accepted examples']);
  });

  test('may have a column status that means something else', async () => {
    expect(await read('message,intent,status\na,b,rejected\n')).toHaveLength(1);
    const lines = [
      { message: 'a', intent: 'b', status: 'accepted', example_id: '1', expected_escalated: null },
      { message: 'c', intent: 'd', status: 'rejected', example_id: '2', expected_escalated: true },
      { message: 'e', intent: 'f', status: 'proposed' },
    ];
    expect(await read(lines.map((line) => JSON.stringify(line)).join('\n'))).toEqual([
      { message: 'a', intent: 'b', line: 1 },
      { message: 'e', intent: 'f', line: 3 },
    ]);
  });

  test.each([
    ['a byte order mark and CRLF', '\uFEFFmessage,intent\r\n"a\r\nb",x\r\nc,y\r\n'],
    ['CR alone', 'message,intent\r"a\rb",x\rc,y'],
    ['semicolons', 'message;intent\n"a\nb";x\nc;y\n'],
    ['tabs', 'message\tintent\n"a\nb"\tx\nc\ty\n'],
  ])('may have %s', async (_what, text) => {
    expect(await read(text)).toEqual([
      { message: 'a\nb', intent: 'x', line: 2 },
      { message: 'c', intent: 'y', line: 4 },
    ]);
  });

  test('are refused with the first ten lines that are wrong', async () => {
    const bad = Array.from({ length: 12 }, () => ' ,x').join('\n');
    const issues = await issuesOf(`message,intent\n"fine\nso far",x\n\nonly one column\n${bad}\n`);
    expect(issues).toHaveLength(11);
    expect(issues[0]).toBe('line 5: has 1 columns, and the header has 2');
    expect(issues[1]).toBe('line 6: message is empty');
    expect(issues[10]).toBe('and 3 more');
  });

  test.each([
    ['text,category\na,b\n', 'line 1: the header must have the columns message and intent, each once'],
    ['', 'line 1: the header must have the columns message and intent, each once'],
    ['message,intent\n', 'has no tickets'],
    ['message,intent\na,\n', 'line 2: intent is empty'],
    [`message,intent\na,${'x'.repeat(65)}\n`, 'line 2: intent is longer than 64 characters'],
    ['message,intent\na,"b\nc"\n', 'line 2: intent has a control character or a line break'],
    [`message,intent\n${'x'.repeat(32_769)},a\n`, 'line 2: message is longer than 32768 characters'],
    [
      'message,intent\na,b\nx"y,c\n',
      'line 3: a quotation mark in the wrong place, or one that is never closed',
    ],
    [
      `message,intent\n"${'x, y\n'.repeat(60_000)}`,
      expect.stringContaining('is there a quotation mark that is never closed?'),
    ],
  ])('are refused: %.30j', async (text, issue) => {
    expect(await issuesOf(text)).toEqual([issue]);
  });

  test('are refused when they are not UTF-8', async () => {
    await expect(readTickets(Buffer.from('message,intent\ngr\u00fc\u00dfe,a\n', 'latin1'))).rejects.toThrow(
      'is not UTF-8',
    );
  });
});

describe('tickets from JSON Lines', () => {
  test('ignore further members and empty lines', async () => {
    expect(await read('{"message":"a","intent":" x ","n":1}\r\n\n{"intent":"y","message":"b"}')).toEqual([
      { message: 'a', intent: 'x', line: 1 },
      { message: 'b', intent: 'y', line: 3 },
    ]);
  });

  test('are refused with every line that is wrong', async () => {
    expect(await issuesOf('{"message":"a","intent":"x"}\n[]\nno\n{"message":1,"intent":"x"}\n{}\n')).toEqual([
      'line 2: is no JSON object',
      'line 3: is not JSON',
      'line 4: message must be a text',
      'line 5: message must be a text',
    ]);
  });
});

describe('tickets to train on', () => {
  const tickets = (...rows: readonly (readonly [string, string])[]) =>
    rows.map(([message, intent], at) => ({ message, intent, line: at + 2 }));

  test('repeat and contradict no other', () => {
    const clean = cleanTickets(
      tickets(['a', 'x'], ['A ', 'x'], ['b', 'x'], ['c', 'y'], ['d', 'y'], ['e  e', 'x'], ['E e', 'y']),
    );
    expect(clean.examples.map(({ message }) => message)).toEqual(['a', 'b', 'c', 'd']);
    expect(clean).toMatchObject({
      intents: ['x', 'y'],
      duplicates: 1,
      contradictions: [{ lines: [7, 8], intents: ['x', 'y'] }],
    });
  });

  test('have at least two intents with two messages each', () => {
    expect(() => cleanTickets(tickets(['a', 'x'], ['b', 'x']))).toThrow('one intent only');
    expect(() => cleanTickets(tickets(['a', 'x'], ['b', 'x'], ['c', 'refnud'], ['C', 'refnud']))).toThrow(
      'line 4: the intent refnud needs at least 2 different messages, and has 1',
    );
  });
});
