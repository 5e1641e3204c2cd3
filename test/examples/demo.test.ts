import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/docs/pages.ts';
import { bodyOf } from '../support/process/service.ts';

interface Demo {
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Its output so far. */
  output(): string;
  /** Its exit code, when it and all that have its output are gone. */
  readonly closed: Promise<number | null>;
}

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'demo-test-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function startDemo(settings: Readonly<Record<string, string>>): Demo {
  const env = { PATH: process.env['PATH'] ?? '', TMPDIR: folder, ...settings };
  const child = spawn(process.execPath, [join(root, 'examples/demo/main.ts')], { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { kill: (signal) => void child.kill(signal), output: () => output, closed };
}

/** The URL of the service, once it is filled. */
async function urlOf(demo: Demo): Promise<string> {
  await Promise.race([
    expect.poll(demo.output, { timeout: 60_000, interval: 100 }).toContain('/console/'),
    demo.closed.then(() => expect.fail(demo.output())),
  ]);
  return /http:\/\/[^/\s]+/.exec(demo.output())?.[0] ?? '';
}

describe('npm run demo', () => {
  test('fills every list, goes on by itself, and leaves nothing behind', async () => {
    const demo = startDemo({ PORT: '0' });
    try {
      const baseUrl = await urlOf(demo);
      const read = async <Shape>(path: string): Promise<Shape> => {
        const reply = await fetch(`${baseUrl}${path}`);
        expect({ path, status: reply.status }).toEqual({ path, status: 200 });
        return bodyOf<Shape>(reply);
      };
      const valuesOf = async (path: string, list: string, member: string): Promise<string[]> => {
        const body = await read<Record<string, Record<string, unknown>[]>>(path);
        return [...new Set((body[list] ?? []).map((record) => String(record[member])))].sort();
      };

      expect(await valuesOf('/trace/?limit=200', 'traces', 'disposition')).toEqual(
        expect.arrayContaining(['answered', 'draft', 'escalated', 'no_reply']),
      );
      expect(await valuesOf('/trace/?limit=200', 'traces', 'status')).toEqual(['COMPLETED', 'FAILED']);
      expect(await valuesOf('/trace/?limit=200', 'traces', 'customer_id')).toSatisfy((ids: string[]) =>
        ids.every((id) => id.startsWith('demo-') || id === 'agent'),
      );
      expect(await valuesOf('/runs?limit=200', 'executions', 'status')).toEqual(
        expect.arrayContaining(['CANCELLED', 'COMPLETED', 'FAILED', 'RUNNING', 'WAITING']),
      );
      expect(await valuesOf('/workflows?limit=200', 'workflows', 'name')).toSatisfy(
        (names: string[]) => names.length === 8 && names.every((name) => name.startsWith('Demo: ')),
      );
      expect(await valuesOf('/workflows?limit=200', 'workflows', 'warnings')).toEqual(['']);
      expect(await valuesOf('/inbox?limit=200', 'items', 'kind')).toEqual([
        ...['approval', 'draft', 'escalation', 'recovery'],
      ]);
      expect(await valuesOf('/inbox?limit=200&status=open,claimed,resolved', 'items', 'status')).toEqual([
        ...['claimed', 'open', 'resolved'],
      ]);
      expect(await valuesOf('/schedules', 'schedules', 'enabled')).toEqual(['false', 'true']);
      expect(await valuesOf('/agents/routes', 'routes', 'status')).toEqual(
        expect.arrayContaining(['completed', 'failed', 'partial']),
      );
      expect(await valuesOf('/tools?include=effect', 'tools', 'effect')).toEqual([
        ...['idempotent', 'read', 'write'],
      ]);
      const { datasets } = await read<{ datasets: object[] }>('/datasets');
      expect(datasets).toMatchObject([{ dataset_id: 'inbox', accepted: expect.any(Number) }]);

      const total = async (): Promise<number> => (await read<{ total: number }>('/trace/?limit=1')).total;
      const before = await total();
      await expect.poll(total, { timeout: 20_000, interval: 200 }).toBeGreaterThan(before);

      demo.kill('SIGINT');
      expect(await demo.closed).toBe(0);
      await expect(fetch(baseUrl)).rejects.toThrow('fetch failed');
      expect(await readdir(folder)).toEqual([]);
    } finally {
      demo.kill('SIGTERM');
      await demo.closed;
    }
  }, 120_000);

  test('stops cleanly while it starts', async () => {
    const demo = startDemo({ PORT: '0' });
    await expect.poll(() => readdir(folder), { timeout: 30_000, interval: 20 }).toHaveLength(1);
    demo.kill('SIGINT');
    expect({ code: await demo.closed, output: demo.output() }).toEqual({ code: 0, output: '' });
    expect(await readdir(folder)).toEqual([]);
  }, 60_000);

  test('refuses a host that others can reach', async () => {
    const demo = startDemo({ HOST: '0.0.0.0' });
    expect(await demo.closed).toBe(1);
    expect(demo.output()).toContain('HOST: the demonstration listens on this machine only');
  });
});
