import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProgram } from './support/process/program.ts';
import { curl, findProgram } from './support/process/programs.ts';
import { type Service, startService } from './support/process/service.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = await readFile(join(root, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text);
const requests = blocks.filter((text) => text.includes('curl '));
const evaluations = blocks.flatMap((text) => text.match(/^npm run evaluate -- .*$/gm) ?? []);

let service: Service;
let folder: string;

beforeAll(async () => {
  await findProgram(curl);
  folder = await mkdtemp(join(tmpdir(), 'readme-commands-'));
  service = await startService();
});

afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs one of the README's request blocks against the service, with `ids` of this run in place of those it quotes. */
async function run(path: string, ids: Readonly<Record<string, string>> = {}): Promise<string> {
  const [block, ...more] = requests.filter((text) => new RegExp(`:8000${path}(?: |$)`, 'm').test(text));
  expect(more).toEqual([]);
  let script = (block ?? 'false').replaceAll('http://127.0.0.1:8000', service.baseUrl);
  for (const [quoted, real] of Object.entries(ids)) script = script.replaceAll(quoted, real);
  const args = ['-euc', script];
  const { code, stdout } = await startProgram('bash', args, { cwd: folder, env: {} }).ended;
  expect(code).toBe(0);
  return stdout;
}

/** The id that a block quotes behind some text. */
function quotedAfter(text: string): string {
  const at = readme.indexOf(text) + text.length;
  return readme.slice(at, at + '01a1fb9e-a8bc-7000-bd31-9056dd2860ed'.length);
}

describe('the commands in the README', () => {
  test('send a message, and read its trace', async () => {
    const reply = JSON.parse(await run('/messages'));
    expect(reply).toMatchObject({ status: 'COMPLETED', intent: 'order_status', escalated: false });
    expect(readme).toContain(JSON.stringify(reply.response).slice(1, -1));
    const quoted = quotedAfter('curl -s http://127.0.0.1:8000/trace/');
    const trace = JSON.parse(await run(`/trace/${quoted}`, { [quoted]: reply.trace_id }));
    expect(trace).toMatchObject({ trace_id: reply.trace_id, source: 'email', customer_id: 'customer-42' });
  });

  test('define a workflow, and run it', async () => {
    const created = await run('/workflows');
    expect(created).toMatch(/^HTTP\/1.1 201 /);
    const workflow = JSON.parse(created.slice(created.indexOf('\r\n\r\n')));
    expect(readme).toContain(JSON.stringify(workflow.layers));
    const quoted = quotedAfter('\nWORKFLOW_ID=');
    const execution = JSON.parse(await run('/workflows/\\$WORKFLOW_ID/run', { [quoted]: workflow.id }));
    expect(execution).toMatchObject({ status: 'COMPLETED', workflow_id: workflow.id });
    expect(readme).toContain(execution.step_results.summary.output.summary);
  });

  test('route a goal to two agents', async () => {
    const routing = JSON.parse(await run('/agents/route'));
    expect(routing).toMatchObject({ status: 'completed', decomposition: 'keyword' });
    expect(routing.results).toHaveLength(2);
  });

  test('evaluate, with gates that are reached', async () => {
    const message = 'I want a refund for my broken blender.';
    await writeFile(join(folder, 'tickets.json'), JSON.stringify([{ message, expected_intent: 'refund' }]));
    expect(evaluations).toHaveLength(2);
    for (const command of evaluations) {
      const args = [join(root, 'src/bin/evaluate.ts'), ...command.split(' ').slice(4)];
      const { code, stdout } = await startProgram(process.execPath, args, { cwd: folder, env: {} }).ended;
      expect({ command, code }).toEqual({ command, code: 0 });
      expect(stdout).toContain('classification_accuracy');
    }
  });

  test('are npm scripts that there are, or requests that were tried above', async () => {
    const manifest: { scripts: object } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const scripts = Object.keys(manifest.scripts);
    const others = blocks
      .filter((text) => !requests.includes(text))
      .flatMap((text) => text.trim().split('\n'));
    const named = others.map((line) => /npm (?:run ([\w:-]+)|(start|test)\b)/.exec(line));
    expect(named.every((match) => match !== null && scripts.includes(match[1] ?? match[2] ?? ''))).toBe(true);
    expect(requests).toHaveLength(5);
  });
});
