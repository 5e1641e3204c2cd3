import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const logger = new URL('../../../src/adapters/logging/logger.ts', import.meta.url).href;

const children: ChildProcess[] = [];
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-lines-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a process that runs `code` with a logger on standard output. */
function start(code: string, stdout: 'pipe' | number): ChildProcess {
  const program = `import { createLogger } from ${JSON.stringify(logger)};
    const logger = createLogger({ level: 'info' });
    const many = (count) => { for (let n = 0; n < count; n++) logger.info('x'.repeat(900), { n }); };
    ${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', stdout, 'pipe'],
  });
  children.push(child);
  return child;
}

/** Waits until a process exits and returns its exit code and what it wrote to standard error. */
async function ended(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  const chunks: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = await once(child, 'close');
  return { code, stderr: Buffer.concat(chunks).toString() };
}

function numbers(text: string): unknown[] {
  const lines = text.split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line).n);
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

async function readAll(child: ChildProcess): Promise<string> {
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return Buffer.concat(chunks).toString();
}

describe('lines on standard output', () => {
  const endings = [
    ['returns', ''],
    ['exits at once', 'process.exit(0);'],
    ['crashes', 'throw new Error("crash");'],
  ] as const;

  test.each(endings)('are all in a file, in order, when the process %s', async (_name, ending) => {
    const path = join(folder, 'log');
    const file = openSync(path, 'w');
    await ended(start(`many(3000); ${ending}`, file));
    closeSync(file);
    expect(numbers(readFileSync(path, 'utf8'))).toEqual(upTo(3_000));
  });

  test.each(endings)('all reach the reader of a pipe when the process %s', async (_name, ending) => {
    expect(numbers(await readAll(start(`many(50); ${ending}`, 'pipe')))).toEqual(upTo(50));
  });

  test('all reach a slow reader of a pipe when they are flushed before the exit', async () => {
    const child = start('many(3000); await logger.flush(); process.exit(0);', 'pipe');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(numbers(await readAll(child))).toEqual(upTo(3_000));
  });

  test('do not keep the process from exiting when the pipe is never read', async () => {
    const child = start('many(40000); await logger.flush(); process.exit(7);', 'pipe');
    expect(await ended(unread(child))).toEqual({ code: 7, stderr: '' });
  });

  test('are dropped once the reader of a pipe is gone', async () => {
    const child = start(
      `for (let round = 0; round < 20; round++) {
         many(100);
         await new Promise((resolve) => setTimeout(resolve, 10));
       }
       await logger.flush();
       process.exitCode = 7;`,
      'pipe',
    );
    child.stdout?.destroy();
    expect(await ended(child)).toEqual({ code: 7, stderr: '' });
  });

  test.runIf(process.platform === 'linux')('are dropped while a device is full', async () => {
    const full = openSync('/dev/full', 'w');
    const child = start('many(100); await logger.flush(); many(100); process.exitCode = 7;', full);
    closeSync(full);
    expect(await ended(child)).toEqual({ code: 7, stderr: '' });
  });

  test('that were dropped are counted in the next line that can be written', async () => {
    const child = start(
      `many(40000);
       process.stderr.write('written');
       while (process.stdout.writableLength > 0) await new Promise((resolve) => setTimeout(resolve, 5));
       logger.info('after', { n: 'after' });
       await logger.flush();
       process.exit(0);`,
      'pipe',
    );
    if (child.stderr !== null) await once(child.stderr, 'data');
    const lines = (await readAll(child))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const report = lines.find((line) => line.dropped !== undefined);
    expect(report).toMatchObject({ level: 'warn', msg: 'log lines could not be written' });
    expect(report.dropped).toBe(40_000 - (lines.length - 2));
    expect(lines.at(-1)).toMatchObject({ n: 'after' });
  });
});

/** Leaves the pipe of a process full until the process has exited. */
function unread(child: ChildProcess): ChildProcess {
  child.stdout?.pause();
  child.once('exit', () => child.stdout?.destroy());
  return child;
}
