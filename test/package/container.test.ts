import { globSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildImage, type Image } from '../support/docs/dockerfile.ts';
import { blocksOf, pageAt, root } from '../support/docs/pages.ts';
import { startProgram } from '../support/process/program.ts';
import { type Registry, startRegistry } from '../support/process/registry.ts';
import { startRedisServer } from '../support/redis/server.ts';
import { PATH } from './project.ts';

const MAX_TREE_BYTES = 120_000_000;

let place: string;
let registry: Registry;
let image: Image;

beforeAll(async () => {
  const [block] = blocksOf(pageAt('docs/deployment.md')).filter(({ language }) => language === 'dockerfile');
  if (block === undefined) throw new Error('docs/deployment.md has no Dockerfile');
  place = await mkdtemp(join(tmpdir(), 'image-'));
  registry = await startRegistry();
  await mkdir(join(place, 'home'));
  const env = { PATH, HOME: join(place, 'home'), npm_config_registry: registry.url };
  image = await buildImage(block.code, { context: root, place, env });
}, 300_000);

afterAll(async () => {
  await registry?.close();
  if (place !== undefined) await rm(place, { recursive: true, force: true });
});

describe('the image of the documentation', () => {
  test('is built without a warning, neither from the checkout nor from the package', () => {
    expect(image.written).toHaveLength(2);
    expect(image.written.join('').match(/^.*(?:\bwarn\b|install-scripts|allow-scripts).*$/gim) ?? []).toEqual(
      [],
    );
  });

  test('runs no script of a package, and has none that would', async () => {
    const lock = JSON.parse(await readFile(join(image.cwd, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
    };
    expect(Object.keys(lock.packages).length).toBeGreaterThan(40);
    expect(Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
  });

  test('has each of the files that the package names', async () => {
    const installed = join(image.cwd, 'node_modules/orchestration-service');
    const { files } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
      readonly files: readonly string[];
    };
    const missing = files.filter((path) => globSync(path, { cwd: installed }).length === 0);
    expect(missing).toEqual([]);
  });

  test('needs less than 120 MB on a disk with blocks of 4 KiB', async () => {
    const files = await readdir(image.cwd, { recursive: true, withFileTypes: true });
    const blocks = files
      .filter((file) => file.isFile())
      .map((file) => Math.ceil(statSync(join(file.parentPath, file.name)).size / 4_096));
    expect(4_096 * blocks.reduce((sum, count) => sum + count, 0)).toBeLessThan(MAX_TREE_BYTES);
  });

  /** Starts the container's command; its port is a free one. */
  function startContainer(settings: Readonly<Record<string, string>>) {
    const [command = '', ...args] = image.command;
    expect(command).toBe('node');
    const env = { ...image.variables, PATH, PORT: '0', ...settings };
    return startProgram(process.execPath, args, { cwd: image.cwd, env });
  }

  test('runs a workflow in the background, in the queue of Redis', async () => {
    const redis = await startRedisServer();
    const stores = { TRACE_BACKEND: 'kvstore', KVSTORE_URL: redis.url, RUN_RECOVERY: 'resume' };
    const service = startContainer(stores);
    try {
      const [, port] = await service.waitForOutput(/"port":(\d+),/);
      const send = async (path: string, body: unknown) => {
        const init = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          ...init,
          body: JSON.stringify(body),
        });
        return (await response.json()) as { readonly id: string; readonly execution_id: string };
      };
      const steps = [{ id: 'policy', tool_name: 'refund_policy' }];
      const { id } = await send('/workflows', { name: 'w', steps });
      const { execution_id } = await send(`/workflows/${id}/run`, { background: true });
      const read = async () => (await fetch(`http://127.0.0.1:${port}/runs/${execution_id}`)).json();
      await expect.poll(read).toMatchObject({ status: 'COMPLETED' });
      expect((await redis.keys('')).filter((key) => key.includes('queue:runs'))).not.toEqual([]);
      expect(await service.stop('SIGTERM')).toMatchObject({ code: 0 });
    } finally {
      await service.stop('SIGKILL');
      await redis.close();
    }
  });

  test('starts, is healthy, and answers a message', async () => {
    const service = startContainer({ CONSOLE: 'on' });
    try {
      const [, port] = await service.waitForOutput(/"port":(\d+),/);
      const health = await fetch(`http://127.0.0.1:${port}/health?probe=ready`);
      expect([health.status, await health.json()]).toMatchObject([200, { status: 'ok' }]);
      const answered = await fetch(`http://127.0.0.1:${port}/messages`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ customer_id: 'c', message: 'What are your opening hours?' }),
      });
      expect(await answered.json()).toMatchObject({ status: 'COMPLETED', intent: 'general_question' });
      expect((await fetch(`http://127.0.0.1:${port}/console/`)).status).toBe(200);
      expect(await service.stop('SIGTERM')).toMatchObject({ code: 0 });
    } finally {
      await service.stop('SIGKILL');
    }
  });
});
