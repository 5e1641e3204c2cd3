import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startFakeProvider } from './support/llm/fake-provider.ts';
import { byPurpose, failure, inTurn } from './support/llm/provider-replies.ts';
import { compileCache } from './support/process/compile-cache.ts';

const program = fileURLToPath(new URL('../src/bin/evaluate.ts', import.meta.url));
const usage =
  'usage: orchestration-service evaluate [--playbook FILE] [--model FILE]... [--tickets FILE] [--seed N] [--size N] [--gate NAME=NUMBER]...\n';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evaluate-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in an empty folder, with only these settings. */
function evaluate(args: readonly string[], settings: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...compileCache, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 25_000,
    killSignal: 'SIGKILL',
  });
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...written }));
  });
}

async function fileOf(content: unknown): Promise<string> {
  await writeFile(join(folder, 'own.json'), typeof content === 'string' ? content : JSON.stringify(content));
  return 'own.json';
}

describe('the evaluation command', () => {
  test('prints its usage with --help, even with invalid settings', async () => {
    expect(await evaluate(['--help'], { PORT: 'abc' })).toEqual({ code: 0, stdout: usage, stderr: '' });
  });

  test('prints the scores of synthetic tickets and exits with 0 when every gate is passed', async () => {
    const gates = ['--gate', 'classification_accuracy=0.5', '--gate', 'escalation_accuracy=0.5'];
    const ended = await evaluate(['--seed', '4', '--size', '150', ...gates]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^150 tickets \(synthetic, seed 4\)\. Messages made from templates/);
    for (const row of ['macro_f1', 'calibration_error', 'order_status', '0.45', '1.00']) {
      expect(ended.stdout).toContain(`\n${row} `);
    }
    expect(ended.stdout).not.toMatch(/NaN|undefined|null/);
  });

  test('exits with 1 and names each missed gate after the scores', async () => {
    const gates = [
      '--gate',
      'macro_f1=1',
      '--gate',
      'classification_accuracy=0',
      '--gate',
      'tool_selection_accuracy=1.0',
    ];
    const ended = await evaluate(['--size', '150', ...gates]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /^macro_f1 is 0\.\d+, below 1\ntool_selection_accuracy is 0\.\d+, below 1\n$/,
    );
    expect(ended.stdout).toContain('150 tickets');
  });

  test('scores tickets from a file', async () => {
    const own = await fileOf([
      { message: 'I want a refund', expected_intent: 'refund', expected_tools: ['refund_policy'] },
      { message: 'I want a refund', expected_intent: 'spam', expected_escalated: false },
    ]);
    const ended = await evaluate(['--tickets', own, '--gate', 'classification_accuracy=0.5']);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(
      /^tickets: \S*own\.json\n2 tickets \(request\)\. The tickets of the request\.\n/,
    );
    expect(ended.stdout).toMatch(/\nclassification_accuracy +0\.500\n/);
    expect(ended.stdout).toMatch(/\ntool_selection_accuracy +1\.000\n/);
  });

  test('misses a gate on a score that no ticket has data for', async () => {
    const own = await fileOf({ tickets: [{ message: 'I want a refund', expected_intent: 'refund' }] });
    const ended = await evaluate(['--tickets', own, '--gate', 'escalation_accuracy=0']);
    expect(ended).toMatchObject({ code: 1, stderr: 'escalation_accuracy was not judged\n' });
  });

  test.each([
    [['--gate', 'speed=1'], '--gate must name one of'],
    [['--size', 'many'], '--size must be an integer'],
    [['--verbose'], "Unknown option '--verbose'"],
    [['--tickets', 'missing.json'], 'missing.json'],
  ])('rejects invalid arguments with a reason and its usage: %s', async (args, reason) => {
    const ended = await evaluate(args);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(reason);
    expect(ended.stderr.endsWith(usage)).toBe(true);
    expect(ended.stderr).not.toContain('    at ');
  });

  test('rejects a file without tickets, with a reason', async () => {
    const ended = await evaluate(['--tickets', await fileOf('{"tickets": ')]);
    expect(ended).toEqual({
      code: 1,
      stdout: '',
      stderr: `the tickets are not valid: the file is not JSON\n${usage}`,
    });
    const unknown = await evaluate(['--tickets', await fileOf([{ message: 'a', expected_intent: 'b' }])]);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('0.expected_intent: ');
  });

  test('rejects invalid settings like the service, without showing a secret', async () => {
    const ended = await evaluate([], { ESCALATION_THRESHOLD: '2', LLM_API_KEY: 'canary\u00e9key' });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^ESCALATION_THRESHOLD: /m);
    expect(ended.stderr).toMatch(/^LLM_API_KEY: /m);
    expect(ended.stderr).not.toContain('canary');
  });

  test('uses the configured escalation threshold', async () => {
    const own = await fileOf([{ message: 'I want a refund', expected_intent: 'refund' }]);
    const ended = await evaluate(['--tickets', own], { ESCALATION_THRESHOLD: '1' });
    expect(ended.stdout).toMatch(/\nescalation_rate +1\.000\n/);
  });
});

describe('the evaluation with a language model', () => {
  const settings = (baseUrl: string) => ({
    LLM_API_KEY: 'canary-of-the-provider',
    LLM_BASE_URL: baseUrl,
    LLM_STAGES: 'classifier',
  });

  test('scores the decisions of the model', async () => {
    await using provider = await startFakeProvider(
      byPurpose({ classifier: { intent: 'feedback', confidence: 0.8 } }),
    );
    const own = await fileOf([
      { message: 'I want a refund', expected_intent: 'feedback' },
      { message: 'where is my order?', expected_intent: 'feedback' },
    ]);
    const ended = await evaluate(
      ['--tickets', own, '--gate', 'classification_accuracy=1'],
      settings(provider.baseUrl),
    );
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(provider.calls()).toBe(2);
    expect(ended.stdout).not.toMatch(/canary|left to the rules/);
  });

  test('reports the decisions that fell back to the rules', async () => {
    await using provider = await startFakeProvider(inTurn(failure(401)));
    const own = await fileOf([{ message: 'I want a refund', expected_intent: 'refund' }]);
    const ended = await evaluate(['--tickets', own], settings(provider.baseUrl));
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('\nfallbacks to the rules: 1 (classifier: unauthorized)\n');
    expect(ended.stdout).not.toContain('canary');
  });
});
