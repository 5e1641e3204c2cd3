import { spawn } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFakeProvider } from './support/llm/fake-provider.ts';
import { byPurpose, failure, inTurn } from './support/llm/provider-replies.ts';
import { compileCache } from './support/process/compile-cache.ts';
import { invokeAll, type Outcome } from './support/process/invocations.ts';

const program = fileURLToPath(new URL('../src/bin/evaluate.ts', import.meta.url));
const usage =
  'usage: orchestration-service evaluate [--playbook FILE] [--model FILE]... [--tickets FILE] [--seed N] [--size N] [--gate NAME=NUMBER]... [--show wrong|needless|all] [--json] [--out FILE]\n';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evaluate-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

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

async function fileOf(name: string, content: unknown): Promise<string> {
  await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return name;
}

const gates = ['--gate', 'classification_accuracy=0.5', '--gate', 'escalation_accuracy=0.5'];
const refund = { message: 'I want a refund', expected_intent: 'refund' };

const invocations = {
  help: { args: ['--help'], env: { PORT: 'abc' } },
  passed: { args: ['--seed', '4', '--size', '150', ...gates] },
  file: { args: ['--tickets', 'own.json', '--gate', 'classification_accuracy=0.5'] },
  notJudged: { args: ['--tickets', 'one.json', '--gate', 'escalation_accuracy=0'] },
  gate: { args: ['--gate', 'speed=1'] },
  size: { args: ['--size', 'many'] },
  unknown: { args: ['--verbose'] },
  missing: { args: ['--tickets', 'missing.json'] },
  notJson: { args: ['--tickets', 'broken.json'] },
  notIntent: { args: ['--tickets', 'unknown.json'] },
  threshold: { args: ['--tickets', 'one.json'], env: { ESCALATION_THRESHOLD: '1' } },
  wrong: { args: ['--tickets', 'own.json', '--show', 'wrong'] },
  needless: { args: ['--tickets', 'one.json', '--show', 'needless'], env: { ESCALATION_THRESHOLD: '1' } },
  all: { args: ['--tickets', 'own.json', '--show', 'all', '--json'] },
  out: { args: ['--tickets', 'own.json', '--show', 'wrong', '--json', '--out', 'mistakes.json'] },
  lines: { args: ['--tickets', 'own.json', '--show', 'all', '--out', 'all.jsonl'] },
  linesWithoutShow: { args: ['--tickets', 'own.json', '--out', 'all.jsonl'] },
  outFolder: { args: ['--tickets', 'missing.json', '--out', 'folder'] },
  outNowhere: { args: ['--tickets', 'missing.json', '--out', 'nowhere/report.txt'] },
  outMissed: {
    args: ['--tickets', 'own.json', '--out', 'missed.txt', '--gate', 'classification_accuracy=1'],
  },
  outLink: { args: ['--tickets', 'own.json', '--json', '--out', 'link.json'] },
  outDevice: { args: ['--tickets', 'own.json', '--out', '/dev/null'] },
};

let outcomes: Readonly<Record<keyof typeof invocations, Outcome>>;

beforeAll(async () => {
  await fileOf('own.json', [
    { ...refund, expected_tools: ['refund_policy'] },
    { message: 'I want a refund', expected_intent: 'spam', expected_escalated: false },
  ]);
  await fileOf('one.json', { tickets: [refund] });
  await fileOf('broken.json', '{"tickets": ');
  await fileOf('unknown.json', [{ message: 'a', expected_intent: 'b' }]);
  await mkdir(join(folder, 'folder'));
  await fileOf('target.json', 'from before');
  await symlink('target.json', join(folder, 'link.json'));
  outcomes = await invokeAll({ path: program, name: 'runEvaluate' }, folder, invocations);
});

describe('the evaluation command', () => {
  test('prints its usage with --help, even with invalid settings', () => {
    expect(outcomes.help).toEqual({ code: 0, stdout: usage, stderr: '' });
  });

  test('prints the scores of synthetic tickets and exits with 0 when every gate is passed', () => {
    const ended = outcomes.passed;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^150 tickets \(synthetic, seed 4\)\. Messages made from templates/);
    for (const row of ['macro_f1', 'calibration_error', 'order_status', '0.45', '1.00']) {
      expect(ended.stdout).toContain(`\n${row} `);
    }
    expect(ended.stdout).not.toMatch(/NaN|undefined|null/);
  });

  test('exits with 1 and names each missed gate after the scores', async () => {
    const scores = ['macro_f1=1', 'classification_accuracy=0', 'tool_selection_accuracy=1.0'];
    const ended = await evaluate(['--size', '150', ...scores.flatMap((score) => ['--gate', score])]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /^macro_f1 is 0\.\d+, below 1\ntool_selection_accuracy is 0\.\d+, below 1\n$/,
    );
    expect(ended.stdout).toContain('150 tickets');
  });

  test('scores tickets from a file', () => {
    const ended = outcomes.file;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(
      /^tickets: \S*own\.json\n2 tickets \(request\)\. The tickets of the request\.\n/,
    );
    expect(ended.stdout).toMatch(/\nclassification_accuracy +0\.500\n/);
    expect(ended.stdout).toMatch(/\ntool_selection_accuracy +1\.000\n/);
  });

  test('misses a gate on a score that no ticket has data for', () => {
    expect(outcomes.notJudged).toMatchObject({ code: 1, stderr: 'escalation_accuracy was not judged\n' });
  });

  test.each([
    ['gate', '--gate must name one of'],
    ['size', '--size must be an integer'],
    ['unknown', "Unknown option '--verbose'"],
    ['missing', 'missing.json'],
  ] as const)('rejects invalid arguments with a reason and its usage: %s', (name, reason) => {
    const ended = outcomes[name];
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(reason);
    expect(ended.stderr.endsWith(usage)).toBe(true);
    expect(ended.stderr).not.toContain('    at ');
  });

  test('rejects a file without tickets, with a reason', () => {
    expect(outcomes.notJson).toEqual({
      code: 1,
      stdout: '',
      stderr: `the tickets are not valid: the file is not JSON\n${usage}`,
    });
    expect(outcomes.notIntent.code).toBe(1);
    expect(outcomes.notIntent.stderr).toContain('0.expected_intent: ');
  });

  test('rejects invalid settings like the service, without showing a secret', async () => {
    const ended = await evaluate([], { ESCALATION_THRESHOLD: '2', LLM_API_KEY: 'canary\u00e9key' });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^ESCALATION_THRESHOLD: /m);
    expect(ended.stderr).toMatch(/^LLM_API_KEY: /m);
    expect(ended.stderr).not.toContain('canary');
  });

  test('uses the configured escalation threshold', () => {
    expect(outcomes.threshold.stdout).toMatch(/\nescalation_rate +1\.000\n/);
  });
});

/** The part of the standard output after the scores. */
const shownIn = ({ stdout }: Outcome, title: string) => stdout.slice(stdout.indexOf(`\n${title}: `) + 1);

describe('the evaluation command with --show', () => {
  test('tells which tickets were decided wrongly, with what was expected and decided, and why', () => {
    expect(outcomes.wrong).toMatchObject({ code: 0, stderr: '' });
    expect(shownIn(outcomes.wrong, 'wrong').split('\n')).toEqual([
      'wrong: 1 of 2 tickets',
      '',
      '2: "I want a refund"',
      '  mistakes: intent',
      '  expected: spam, not escalated',
      expect.stringMatching(
        /^ {2}decided: {2}refund, answered, tools: refund_policy, confidence [01]\.\d\d$/,
      ),
      expect.stringMatching(/^ {2}classifier: .*refund/),
      expect.stringMatching(/^ {4}intent: "refund"/),
      expect.stringMatching(/^ {2}planner: ./),
      expect.stringMatching(/^ {2}verifier: ./),
      expect.stringMatching(/^ {2}responder: ./),
      '',
    ]);
  });

  test('tells which tickets a person got needlessly, and why', () => {
    const shown = shownIn(outcomes.needless, 'needless');
    expect(shown).toMatch(/^needless: 1 of 1 tickets\n\n1: "I want a refund"\n {2}mistakes: needless\n/);
    expect(shown).toContain('\n  because:  low_confidence\n');
  });

  test('tells all tickets as JSON, in the form of the reply to POST /evaluation', () => {
    const json = JSON.parse(outcomes.all.stdout);
    expect(json).toMatchObject({
      ...{ status: 'completed', total_tickets: 2, classification_accuracy: 0.5, classifier: null },
      show: 'all',
      tickets: [
        { number: 1, wrong: [], needless: false, expected: { tools: ['refund_policy'] } },
        {
          ...{ number: 2, message: 'I want a refund', wrong: ['intent'], needless: false, reasons: [] },
          expected: { intent: 'spam', tools: null, escalated: false, disposition: null, concerns: null },
          decided: { intent: 'refund', disposition: 'answered', escalated: false, concerns: [] },
          evidence: [
            { stage: 'classifier' },
            { stage: 'planner' },
            { stage: 'verifier' },
            { stage: 'responder' },
          ],
        },
      ],
    });
  });

  test('writes to a file with --out, and says so', async () => {
    expect(outcomes.out).toEqual({ code: 0, stdout: 'wrote mistakes.json\n', stderr: '' });
    const json = JSON.parse(await readFile(join(folder, 'mistakes.json'), 'utf8'));
    expect(json).toMatchObject({ show: 'wrong', tickets: [{ number: 2 }] });
  });

  test('writes JSON Lines to a file of that name, a ticket on each', async () => {
    expect(outcomes.lines).toEqual({ code: 0, stdout: 'wrote all.jsonl\n', stderr: '' });
    const lines = (await readFile(join(folder, 'all.jsonl'), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { classifier: null, number: 1, wrong: [], decided: { intent: 'refund' } },
      { classifier: null, number: 2, wrong: ['intent'], expected: { intent: 'spam' } },
    ]);
    const refused = outcomes.linesWithoutShow;
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^--out must come with --show for JSON Lines/);
  });

  test('refuses a folder and a place that is not there, before it evaluates anything', () => {
    for (const [outcome, reason] of [
      [outcomes.outFolder, '--out must name a file: folder is a folder'],
      [outcomes.outNowhere, '--out must name a file: there is no folder nowhere'],
    ] as const) {
      expect(outcome).toEqual({ code: 1, stdout: '', stderr: `${reason}\n${usage}` });
    }
  });

  test('writes the report also where a gate is missed, and leaves no other file behind', async () => {
    expect(outcomes.outMissed).toMatchObject({ code: 1, stdout: 'wrote missed.txt\n' });
    expect(await readFile(join(folder, 'missed.txt'), 'utf8')).toMatch(/\nclassification_accuracy +0\.500\n/);
    expect((await readdir(folder)).filter((name) => name.includes('.tmp'))).toEqual([]);
  });

  test('replaces the file that a link leads to, and writes to what is no file', async () => {
    expect(outcomes.outLink).toMatchObject({ code: 0 });
    expect((await lstat(join(folder, 'link.json'))).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await readFile(join(folder, 'target.json'), 'utf8'))).toMatchObject({
      total_tickets: 2,
    });
    expect(outcomes.outDevice).toEqual({ code: 0, stdout: 'wrote /dev/null\n', stderr: '' });
    expect((await lstat('/dev/null')).isCharacterDevice()).toBe(true);
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
    const own = await fileOf('model.json', [
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
    const ended = await evaluate(['--tickets', 'one.json'], settings(provider.baseUrl));
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('\nfallbacks to the rules: 1 (classifier: unauthorized)\n');
    expect(ended.stdout).not.toContain('canary');
  });
});
