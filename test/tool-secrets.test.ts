import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { startServer } from './support/outbound/server.ts';
import { bodyOf, postJson, startService } from './support/process/service.ts';

const token = 's3cr3t/Tok+en==Value9';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const unicode = (text: string): string =>
  [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

/** The header as upstreams repeat it in JSON, and what of it tells that it has come through. */
const shapes: Readonly<Record<string, (header: string) => string>> = {
  plain: (header) => `{"echo": "${header}"}`,
  php: (header) => `{"echo": "${header.replaceAll('/', '\\/')}"}`,
  dotnet: (header) => `{"echo": "${header.replaceAll('+', '\\u002B').replaceAll('=', '\\u003d')}"}`,
  unicode: (header) => `{"echo": "${unicode(header)}"}`,
  nested: (header) => JSON.stringify({ body: `{"echo":"${unicode(header)}"}` }),
  name: (header) => `{"${header.replaceAll('/', '\\/')}": {"deep": ["${header}"]}}`,
  upper: (header) => `{"echo": "${header.toUpperCase()}"}`,
  percent: (header) => `{"echo": "/?h=${encodeURIComponent(header)}"}`,
  base64: (header) => `{"echo": "${base64(header)}", "token": "${base64(token).replaceAll('/', '\\/')}"}`,
  base64url: (header) => `{"echo": "${Buffer.from(header).toString('base64url')}"}`,
  text: (header) => `not JSON: ${header}`,
};

/** The texts that would tell the secret, with those around it. */
const telling = [
  ...[/s3cr3t/i, /Tok\+en/i, /Tok%2ben/i, /Value9/i, /Tok\\u002b/i, /\\u0073\\u0033\\u0063/i],
  ...[base64(token).slice(2, 20), base64(`Bearer ${token}`).slice(12, 30), base64(token).slice(10)],
  Buffer.from(`Bearer ${token}`).toString('base64url').slice(12, 30),
];

function expectSilent(text: string): void {
  for (const part of telling) expect(text).not.toMatch(part);
}

test('a secret of an HTTP tool is in no reply, run, log line or file, in whatever shape it is echoed', async () => {
  const server = await startServer((request, response) => {
    const shape = shapes[request.url?.slice(1) ?? ''];
    const header = request.headers.authorization ?? '';
    response.writeHead(shape === undefined ? 500 : 200, header, { 'X-Echo': header });
    response.end(shape?.(header) ?? header);
  });
  const folder = await mkdtemp(join(tmpdir(), 'secrets-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const intent = {
    name: 'hours',
    description: 'Asks when we are open.',
    replies: { en: 'We are open.' },
    examples: ['When are you open?', 'What are your hours?', 'Are you open today?'],
  };
  const tool = {
    name: 'erp',
    description: 'Repeats the header',
    effect: 'read',
    retry: { max_attempts: 1 },
    input: { type: 'object', properties: { shape: { type: 'string' } }, additionalProperties: false },
    request: {
      method: 'GET',
      url: `http://127.0.0.1:${server.port}/\${{ input.shape }}`,
      headers: { Authorization: 'Bearer env:ERP_TOKEN' },
    },
  };
  await writeFile(join(folder, 'playbook.yaml'), stringify({ intents: [intent], tools: [tool] }));
  const service = await startService(
    {
      PLAYBOOK: './playbook.yaml',
      ERP_TOKEN: token,
      OUTBOUND_ALLOW: '127.0.0.1',
      TRACE_BACKEND: 'sqlite',
      LOG_LEVEL: 'trace',
      RATE_LIMIT_REQUESTS: '100000',
    },
    folder,
  );
  onTestFinished(() => service.stop());
  const { baseUrl } = service;
  for (const shape of [...Object.keys(shapes), 'unknown']) {
    const reply = await postJson(`${baseUrl}/tools/erp/call`, { input: { shape } });
    const text = await reply.text();
    expectSilent(text);
    if (shape !== 'text' && shape !== 'unknown') expect(text).toContain('[secret]');
    const step = { id: 'a', tool_name: 'erp', static_input: { shape } };
    const { id } = await bodyOf<{ id: string }>(
      await postJson(`${baseUrl}/workflows`, { name: 'w', steps: [step] }),
    );
    const run = await bodyOf<{ execution_id: string }>(await postJson(`${baseUrl}/workflows/${id}/run`, {}));
    for (const path of [`/runs/${run.execution_id}`, `/runs/${run.execution_id}/events`]) {
      expectSilent(await (await fetch(baseUrl + path)).text());
    }
  }
  expect(server.received.every(({ headers }) => headers.authorization === `Bearer ${token}`)).toBe(true);
  const data = join(folder, 'data');
  for (const name of await readdir(data)) expectSilent((await readFile(join(data, name))).toString('latin1'));
  expectSilent(service.output());
});
