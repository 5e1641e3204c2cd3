import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import openapiTypescript from 'openapi-typescript';
import { expect, test } from 'vitest';
import { createTestApp, jsonOf } from '../support/http/app.ts';
import { startProgram } from '../support/process/program.ts';
import { compiler } from './project.ts';

async function description(apiKeys: readonly string[] | undefined): Promise<object> {
  const { request } = createTestApp({ http: { apiKeys } });
  return jsonOf<object>(await request('/openapi.json', { headers: { 'X-Api-Key': apiKeys?.[0] ?? '' } }));
}

test.each([
  ['without authentication', undefined],
  ['with authentication', ['key']],
])('a linter finds no problem in the OpenAPI document, %s', async (_, apiKeys) => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    // The specification requires the trailing slash of the listing of traces.
    rules: { 'no-path-trailing-slash': 'off' },
  });
  const source = JSON.stringify(await description(apiKeys));
  const problems = await lintFromString({ source, config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
    [],
  );
});

/** Code that uses the generated types. */
const use = `
import type { components, paths } from './service.js';

type Body<T> = T extends { content: { 'application/json': infer B } } ? B : never;
type Post = paths['/messages']['post'];

export const request: Body<NonNullable<Post['requestBody']>> = { customer_id: 'customer-42', message: 'Hello' };
export const notFound: components['schemas']['Error'] = { error: 'Not Found', detail: 'nothing is there' };
// @ts-expect-error the message is required
export const incomplete: Body<NonNullable<Post['requestBody']>> = { customer_id: 'customer-42' };

export function summarize(reply: Body<Post['responses'][200]>): string {
  const intent: 'refund' | 'spam' | 'unknown' | (string & {}) = reply.intent;
  return reply.escalated ? 'a person answers' : \`\${intent}, \${reply.confidence.toFixed(2)}: \${reply.response}\`;
}

export function outputs(execution: components['schemas']['Execution']): readonly string[] {
  // @ts-expect-error a step that failed has no output
  const keys = Object.values(execution.step_results).map(({ output }) => output.toString());
  return keys;
}
`;

test('the types generated from the OpenAPI document compile and are exact', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  try {
    // The generator changes its argument.
    const types = await openapiTypescript((await description(undefined)) as never);
    await writeFile(join(folder, 'service.d.ts'), types);
    await writeFile(join(folder, 'use.ts'), use);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    const options = [
      '--singleThreaded',
      '--strict',
      '--noEmit',
      '--target',
      'es2024',
      '--module',
      'nodenext',
      '--types',
      '',
    ];
    const args = [compiler, ...options, 'use.ts'];
    const { code, stdout } = await startProgram(process.execPath, args, { cwd: folder, env: {} }).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
