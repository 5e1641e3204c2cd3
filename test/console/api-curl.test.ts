import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type PlainRequest, quoteForShell, toCurl } from '../../console/api/curl.ts';

const hostile: readonly string[] = [
  '',
  "it's",
  `'; touch owned; echo '`,
  '$(touch owned) `touch owned` $API_KEY ${HOME}',
  '"double" \\back\\ \\',
  'two\nlines\ttab\r\n',
  '-d --data @file',
  '*?[a-z]{a,b}~ ! # & | ; < >',
  'é \u{1f600} \u202e \u200b',
  "'".repeat(50),
  'w'.repeat(20_000),
];

/** The arguments with which a shell would start curl, and all variables that the command may read. */
function argumentsOf(command: string): readonly string[] {
  const script = `curl() { for word; do printf '%s\\0' "$word"; done; }\n${command}`;
  const output = execFileSync('/bin/sh', ['-c', script], { env: { API_KEY: 'a key' }, encoding: 'utf8' });
  return output.split('\0').slice(0, -1);
}

const request = (values: Partial<PlainRequest> = {}): PlainRequest => ({
  method: 'GET',
  url: 'http://127.0.0.1:8000/runs',
  body: undefined,
  headers: [],
  ...values,
});

const base = 'http://127.0.0.1:8000/';

describe('A command for a request', () => {
  it('quotes any text as one word of a shell', () => {
    const command = `curl ${hostile.map(quoteForShell).join(' ')}`;
    expect(argumentsOf(command)).toEqual(hostile);
  });

  it('leaves plain words as they are', () => {
    expect(quoteForShell('http://127.0.0.1:8000/runs')).toBe('http://127.0.0.1:8000/runs');
    expect(toCurl(request(), base, null)).toBe('curl -s http://127.0.0.1:8000/runs');
  });

  it.each(hostile)('carries a body, a header and an address unchanged: %j', (text) => {
    const url = `${base}trace/?customer_id=${encodeURIComponent(text)}`;
    const body = JSON.stringify({ [text]: text });
    const headers = [['if-match', text.replaceAll(/[\r\n]/g, ' ')]] as const;
    const words = argumentsOf(toCurl(request({ method: 'POST', url, body, headers }), base, null));
    const json = ['-H', 'Content-Type: application/json'];
    const before = ['-s', url, '-H', `if-match: ${headers[0][1]}`, ...json, '-d'];
    expect(words.slice(0, -1)).toEqual(before);
    expect(JSON.parse(words.at(-1) ?? '')).toEqual({ [text]: text });
  });

  it('shows the characters of a body that would turn the text around', () => {
    const signs = '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c\u200e\u200f';
    const text = Array.from(signs).join('a');
    const body = JSON.stringify({ message: `\\${text}\\`, [text]: [text] });
    const command = toCurl(request({ method: 'POST', body }), base, null);
    expect(command).not.toMatch(/\p{Bidi_Control}/u);
    expect(command).toContain(String.raw`\u202aa\u202ba`);
    expect(JSON.parse(argumentsOf(command).at(-1) ?? '')).toEqual(JSON.parse(body));
  });

  it('leaves all other letters of a body as they are', () => {
    const body = '{"message":"é \u05e9\u05dc\u05d5\u05dd \u{1f600} \u200b"}';
    expect(argumentsOf(toCurl(request({ method: 'POST', body }), base, null)).at(-1)).toBe(body);
  });

  it('names the method where curl would choose another one', () => {
    expect(argumentsOf(toCurl(request({ method: 'DELETE' }), base, null))).toContain('DELETE');
    expect(argumentsOf(toCurl(request({ method: 'PUT', body: '{}' }), base, null))).toContain('PUT');
    // Without a body, curl would send GET.
    expect(argumentsOf(toCurl(request({ method: 'POST' }), base, null)).slice(0, 3)).toEqual([
      '-s',
      '-X',
      'POST',
    ]);
  });

  it('leaves out the headers that only the console sends', () => {
    const headers = [
      ['accept', 'application/json'],
      ['content-type', 'application/json'],
    ] as const;
    expect(argumentsOf(toCurl(request({ headers }), base, null))).toEqual(['-s', `${base}runs`]);
  });

  it.each(['https://api.example/team', 'https://api.example/team/'])(
    'asks the service itself behind the local proxy, with the key from a variable: %s',
    (upstream) => {
      const url = 'http://127.0.0.1:8001/runs?status=FAILED';
      const words = argumentsOf(toCurl(request({ url }), 'http://127.0.0.1:8001/', upstream));
      expect(words).toEqual(['-s', 'https://api.example/team/runs?status=FAILED', '-H', 'X-Api-Key: a key']);
    },
  );
});
