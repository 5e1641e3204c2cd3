import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../build/service.ts';
import { invokeAll } from '../../support/process/invocations.ts';
import { startProgram } from '../../support/process/program.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'playbook-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs the command in a process of its own. */
function run(...args: readonly string[]) {
  return startProgram(process.execPath, [program, 'playbook', ...args], { cwd: folder, env: {} }).ended;
}

describe('playbook check', () => {
  test('prints every fault with its place, the warnings and a summary, and ends with 1', async () => {
    await writeFile(
      join(folder, 'p.yaml'),
      `intents:\n  - { name: a, description: A., tool: { name: b }, replies: { en: '{{ tol }}', de: Hallo } }\n`,
    );
    const { code: exit, stdout, stderr } = await run('check', 'p.yaml');
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /^p\.yaml:2:67: intents\[0\]\.replies\.en: there is no "tol"; did you mean "tool"\?/,
      ),
      expect.stringMatching(/^p\.yaml:2:80: intents\[0\]\.replies\.de: "de" is not in company\.languages/),
      expect.stringMatching(/^p\.yaml:1:1: warning: has no company\.name/),
      expect.stringMatching(/^p\.yaml:2:47: warning: intents\[0\]\.tool\.name: there is no tool "b" here/),
      'p.yaml: 2 faults, 2 warnings',
    ]);
  });

  test('counts what a playbook without faults has, and ends with 0', async () => {
    const file = fileURLToPath(new URL('../../../playbook/playbook.yaml', import.meta.url));
    const { code: exit, stdout } = await run('check', file);
    expect(exit).toBe(0);
    expect(stdout).toMatch(
      /playbook\.yaml: valid: 14 intents, 0 entities, \d\d articles, 0 tools, 0 warnings\n$/,
    );
  });

  test('prints JSON', async () => {
    await writeFile(join(folder, 'p.yaml'), 'company: { name: A }\nintents: []');
    const good = await run('check', 'p.yaml', '--json');
    expect(good.code).toBe(0);
    expect(JSON.parse(good.stdout)).toEqual({
      ok: true,
      faults: [],
      warnings: [],
      counts: { intents: 3, entities: 0, articles: 0, tools: 0 },
    });
    await writeFile(join(folder, 'p.yaml'), 'company: { name: A }\nintents: 5');
    const bad = await run('check', '--json', 'p.yaml');
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.stdout)).toEqual({
      ok: false,
      warnings: [],
      counts: null,
      faults: [{ path: 'intents', line: 2, column: 10, message: 'is a number; expected a list' }],
    });
  });
});

describe('playbook check --strict', () => {
  test('ends with 1 where there are warnings, and else as without it', async () => {
    await writeFile(join(folder, 'p.yaml'), 'intents: []');
    const lenient = await run('check', 'p.yaml');
    expect(lenient).toMatchObject({ code: 0, stdout: expect.stringMatching(/valid: .* 1 warning\n$/) });
    const strict = await run('check', '--strict', 'p.yaml');
    expect(strict).toMatchObject({ code: 1, stderr: '' });
    expect(strict.stdout.trimEnd().split('\n')).toEqual([
      expect.stringContaining('warning: has no company.name'),
      'p.yaml: 0 faults, 1 warning',
    ]);
    const asJson = await run('check', 'p.yaml', '--strict', '--json');
    expect(asJson.code).toBe(1);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ ok: false, faults: [], warnings: [{ path: '' }] });
    await writeFile(join(folder, 'p.yaml'), 'company: { name: A }\nintents: []');
    expect(await run('check', '--strict', 'p.yaml')).toMatchObject({ code: 0 });
  });
});

describe('playbook init', () => {
  test('writes a playbook that passes the check, and never overwrites one', async () => {
    const first = await run('init', 'mine');
    const docs = fileURLToPath(new URL('../../../docs', import.meta.url));
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout.trimEnd().split('\n')).toEqual([
      'wrote mine/playbook.yaml',
      'wrote mine/articles/opening-hours.md',
      'check it: orchestration-service playbook check mine/playbook.yaml',
      `step by step: ${docs}/make-it-yours.md`,
      `all members: ${docs}/playbook.md`,
    ]);
    expect(await run('check', 'mine/playbook.yaml')).toMatchObject({
      code: 0,
      stdout: 'mine/playbook.yaml: valid: 5 intents, 1 entity, 1 article, 0 tools, 0 warnings\n',
    });
    const second = await run('init', 'mine');
    expect(second).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('exists already') });
  });
});

describe('the command', () => {
  const wrong = [[], ['chekc', 'a'], ['check', 'a', '--loud'], ['init', '--json'], ['init', '--strict']];

  test('ends with 2 and tells its usage where its arguments are wrong, and with 0 for --help', async () => {
    const all = [...wrong, ['--help']];
    const invocations = Object.fromEntries(all.map((args) => [args.join(' '), { args }]));
    const outcomes = await invokeAll(['playbook'], folder, invocations);
    for (const args of wrong) {
      const outcome = outcomes[args.join(' ')];
      expect(outcome).toMatchObject({ code: 2, stdout: '' });
      expect(outcome?.stderr).toContain('usage: orchestration-service playbook check FILE [--json]');
    }
    expect(outcomes['--help']).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('playbook init [DIR]'),
    });
  });
});
