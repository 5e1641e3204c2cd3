import { readFileSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startReplyServer } from '../support/http/reply-server.ts';
import { readApi } from './api-report.ts';
import { installPackage, type Project } from './project.ts';

interface Manifest {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
}

let project: Project;
let manifest: Manifest;

beforeAll(async () => {
  project = await installPackage();
  manifest = JSON.parse(await readFile(join(project.installed, 'package.json'), 'utf8')) as Manifest;
}, 180_000);

afterAll(() => project?.remove());

/** Runs a module with this source in the project, and returns its standard output. */
async function runModule(text: string): Promise<string> {
  const path = join(project.folder, `module-${Math.random().toString(36).slice(2)}.ts`);
  await writeFile(path, text);
  const { code, stdout, stderr } = await project.node([path]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/**
 * The modules that an import of `entries` loads, without those of Node: of the package the paths of the sources that
 * are compiled into the files that are loaded.
 */
async function loadedBy(...entries: readonly string[]): Promise<readonly string[]> {
  const printed = await runModule(`
    import { registerHooks } from 'node:module';
    const urls: string[] = [];
    registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
    for (const entry of ${JSON.stringify(entries)}) await import(entry);
    console.log(JSON.stringify(urls));
  `);
  const urls = (JSON.parse(printed) as string[]).filter((url) => !url.startsWith('node:'));
  const own = /^.*\/node_modules\/orchestration-service\//;
  return urls.flatMap((url) => (own.test(url) ? sourcesIn(url.replace(own, '')) : [url]));
}

/** The paths of the sources in a compiled file, which a comment before each of them tells. */
function sourcesIn(path: string): readonly string[] {
  const text = readFileSync(join(project.installed, path), 'utf8');
  return Array.from(text.matchAll(/^\/\/ (src\/\S+\.ts)$/gm), ([, source = '']) => source);
}

describe('the package', () => {
  test('contains the modules with their types, the documentation, the examples, the models and the playbook, and nothing else', () => {
    const expected =
      /^(?:package\.json|README\.md|LICENSE|dist\/.+\.(?:js|d\.ts)|dist\/LICENSES\.txt|assets\/(?:redoc|swagger-ui|console(?:\/static)?)\/[\w.-]+|models\/(?:README\.md|(?:judgement|shop)\.json|(?:conversation|refund-reasons)\.txt|(?:guard|languages|lexicon|phrases)\/[a-z]{2}\.txt|(?:automatic|machine-talk)\/[a-z]{2,6}\.txt)|openapi\/[a-z]+\.yaml|playbook\/(?:playbook\.schema\.json|tickets\.json|(?:starter\/)?playbook\.yaml|texts\/[a-z]{2}\.yaml|(?:starter\/)?articles\/[a-z-]+\.md)|(?:CHANGELOG|CONTRIBUTING|SECURITY|training\/README)\.md|docs\/(?:spec\/)?[a-z-]+\.md|docs\/images\/[a-z-]+\.png|examples\/.+)$/;
    expect(project.files.filter((path) => !expected.test(path))).toEqual([]);
    expect(project.files).toEqual(
      expect.arrayContaining([
        'dist/main.js',
        'dist/LICENSES.txt',
        'assets/console/index.html',
        'assets/redoc/redoc.standalone.js',
        'assets/swagger-ui/swagger-ui-bundle.js',
        'models/judgement.json',
        'models/shop.json',
        'models/guard/pl.txt',
        'models/lexicon/de.txt',
        'models/phrases/en.txt',
        'models/machine-talk/en.txt',
        'openapi/messages.yaml',
        'models/automatic/nordic.txt',
        'models/conversation.txt',
        'models/languages/en.txt',
        'playbook/playbook.yaml',
        'playbook/texts/de.yaml',
        'playbook/starter/playbook.yaml',
        'playbook/articles/opening-hours.md',
        'docs/playbook.md',
        'examples/broadband/playbook.yaml',
      ]),
    );
  });

  test('has every file that its documentation links to or names', async () => {
    const files = new Set(project.files);
    const has = (path: string) =>
      files.has(path) || project.files.some((file) => file.startsWith(`${path}/`));
    const pages = project.files.filter((path) => /^(?:README|docs\/.+)\.md$/.test(path));
    expect(pages).toContain('docs/make-it-yours.md');
    const missing: string[] = [];
    for (const page of pages) {
      const text = await readFile(join(project.installed, page), 'utf8');
      const links = Array.from(text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g), ([, target = '']) => target);
      const linked = links
        .filter((target) => !/^[a-z]+:/.test(target))
        .map((target) => posix.join(posix.dirname(page), target).replace(/\/$/, ''));
      const named = Array.from(
        text.matchAll(/`((?:docs|examples|playbook)\/[\w./-]*[\w-])\/?`/g),
        ([, path = '']) => path,
      );
      missing.push(...[...linked, ...named].filter((path) => !has(path)).map((path) => `${page}: ${path}`));
    }
    expect(missing).toEqual([]);
  });

  test('begins a playbook whose texts name documentation that it has', async () => {
    const { stdout } = await project.start(join(project.installed, 'dist/main.js'), [
      'playbook',
      'init',
      'begun',
    ]).ended;
    const printed = Array.from(stdout.matchAll(/^\S.*: (\/.+\.md)$/gm), ([, path = '']) => path);
    expect(printed).toHaveLength(2);
    for (const path of printed) expect((await stat(path)).isFile()).toBe(true);
    const begun = await readFile(join(project.folder, 'begun/playbook.yaml'), 'utf8');
    const named = Array.from(begun.matchAll(/\bdocs\/[\w-]+\.md/g), ([path]) => path);
    expect(named.length).toBeGreaterThan(0);
    for (const path of named) expect(project.files).toContain(path);
  });

  test('has no dependency for the documentation pages, and no install script, neither its own nor one of a dependency', async () => {
    const lock = JSON.parse(await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
      readonly packages: Readonly<Record<string, { dev?: boolean; hasInstallScript?: boolean }>>;
    };
    const installed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev);
    expect(installed.length).toBeGreaterThan(10);
    expect(installed.filter(([path]) => /swagger|redoc|scarf/.test(path))).toEqual([]);
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
    const own = ['preinstall', 'install', 'postinstall', 'prepare'].filter(
      (name) => name in manifest.scripts,
    );
    expect(own).toEqual([]);
  });

  test('has no issues in publint', async () => {
    const { buffer, byteOffset, byteLength } = project.tarball;
    const tarball = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
    const { messages, pkg } = await publint({ strict: true, pack: { tarball } });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  test('has types that resolve in every mode with ES modules', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(project.tarball)));
    if (!analysis.types) throw new Error('the package has no types');
    expect(Object.keys(analysis.entrypoints)).toEqual(Object.keys(manifest.exports));
    // These two report that CommonJS cannot import the package, which is intended.
    const problems = analysis.problems.filter(
      (problem) =>
        !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind)),
    );
    expect(problems).toEqual([]);
  });

  test.each(['nodenext', 'bundler'])(
    'type-checks with all examples in a strict project, declarations included (%s)',
    async (moduleResolution) => {
      const compilerOptions = {
        target: 'es2024',
        types: ['node'],
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        module: moduleResolution === 'bundler' ? 'esnext' : moduleResolution,
        moduleResolution,
        exactOptionalPropertyTypes: true,
      };
      const config = join(project.folder, `tsconfig.${moduleResolution}.json`);
      // The demonstration imports the sources beside it, and is no example of the package.
      await writeFile(
        config,
        JSON.stringify({ compilerOptions, include: ['examples'], exclude: ['examples/demo'] }),
      );
      expect(await project.compile('-p', config)).toBe('');
    },
  );

  test('has the exports of its API report, each with a docstring and importable types', async () => {
    const api = readApi(project.installed, manifest.exports);
    expect(api.hidden).toEqual([]);
    expect(api.undocumented).toEqual([]);
    await expect(api.report).toMatchFileSnapshot('api-report.txt');
  });
});

describe('an import', () => {
  test('of the core loads no package and no adapter', async () => {
    const loaded = await loadedBy('orchestration-service');
    expect(loaded.length).toBeGreaterThan(10);
    expect(
      loaded.filter((path) => !/^src\/(?:entries\/index\.ts|(?:application|ports|domain|lib)\/)/.test(path)),
    ).toEqual([]);
  });

  test('of the defaults loads only the packages that read messages and playbooks', async () => {
    const loaded = await loadedBy('orchestration-service', 'orchestration-service/defaults');
    const packages = loaded.flatMap(
      (path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
    );
    const heavy = ['@redis/client', 'hono', '@hono/node-server', 'ai', 'prom-client', '@opentelemetry/api'];
    expect(packages.filter((name) => heavy.includes(name))).toEqual([]);
    for (const name of ['yaml', 'zod']) expect(packages).toContain(name);
  });

  test('of the client loads only the client', async () => {
    const loaded = await loadedBy('orchestration-service/client');
    expect(loaded.filter((path) => path.startsWith('src/')).sort()).toEqual([
      'src/adapters/http/client.ts',
      'src/adapters/http/events/read-events.ts',
    ]);
    const packages = /^src\/|\/node_modules\/(?:hono|eventsource-parser)\//;
    expect(loaded.filter((path) => !packages.test(path))).toEqual([]);
  });

  test('of the workflow builder loads no package and none of the core', async () => {
    const loaded = await loadedBy('orchestration-service/workflow');
    const builder =
      /^src\/(?:entries\/workflow|adapters\/builder\/[\w-]+|lib\/json\/json|lib\/text\/nearest-name)\.ts$/;
    expect(loaded.filter((path) => !builder.test(path))).toEqual([]);
  });

  test.each([
    'orchestration-service/http',
    'orchestration-service/llm',
    'orchestration-service/logging',
    'orchestration-service/postgres',
    'orchestration-service/redis',
    'orchestration-service/sqlite',
    'orchestration-service/telemetry',
    'orchestration-service/tools',
  ])('of %s finds all dependencies', async (entry) => {
    expect(await loadedBy(entry)).not.toEqual([]);
  });

  test('of a path that is not an entry is rejected', async () => {
    const printed = await runModule(`
      await import('orchestration-service/dist/main.js').catch((error) => console.log(error.code));
    `);
    expect(printed).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n');
  });
});

describe('the command', () => {
  const listening = /"port":(\d+),/;

  test('starts the service with extensions of the project, and serves its documentation', async () => {
    const rates = await startReplyServer((_request, reply) => reply.end('{"rate": 2}'));
    const service = project.start(join(project.installed, 'dist/main.js'), [], {
      PORT: '0',
      EXTENSIONS: './examples/extension/currency.ts',
      CURRENCY_URL: rates.url,
    });
    try {
      const [, port] = await service.waitForOutput(listening);
      const at = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);
      expect(await (await at('/health')).json()).toMatchObject({ status: 'ok', version: manifest.version });
      const { tools } = (await (await at('/tools')).json()) as { tools: { name: string }[] };
      expect(tools.map(({ name }) => name)).toContain('convert_currency');
      const answered = await fetch(`http://127.0.0.1:${port}/messages`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ customer_id: 'c', message: 'What are your opening hours?' }),
      });
      expect(await answered.json()).toMatchObject({
        status: 'COMPLETED',
        intent: 'general_question',
        disposition: 'answered',
        response: expect.stringContaining('Monday to Saturday'),
      });
      const page = await (await at('/docs')).text();
      const links = [...page.matchAll(/(?:href|src|data-document)="\.([^"]+)"/g)].map(
        ([, link = '']) => link,
      );
      expect(links.length).toBeGreaterThan(5);
      for (const path of ['/redoc', ...links]) {
        expect({ path, status: (await at(path)).status }).toEqual({ path, status: 200 });
      }
      const bundle = await (await at('/redoc/redoc.standalone.js')).text();
      expect(bundle.length).toBeGreaterThan(500_000);
      const routed = await fetch(`http://127.0.0.1:${port}/agents/route`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ goal: 'Tell me the exchange rate from EUR to USD.' }),
      });
      expect(await routed.json()).toMatchObject({
        status: 'completed',
        results: [{ agent_name: 'currency', output: { from: 'EUR', to: 'USD', rate: 2 } }],
      });
      expect(await service.stop('SIGTERM')).toMatchObject({ code: 0 });
    } finally {
      await service.stop('SIGKILL');
      await rates.close();
    }
  });

  test('is executable', async () => {
    const { mode } = await stat(join(project.installed, 'dist/main.js'));
    expect(mode & 0o111).toBe(0o111);
  });
});

describe('the example', () => {
  test('that embeds the service runs to completion', async () => {
    const { code, stdout, stderr } = await project.node(['examples/embed/main.ts']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('message: COMPLETED, refund, escalated: false');
    expect(stdout).toContain('workflow: COMPLETED');
    expect(stdout).toContain("stock: { article: 'blender', pieces: 12 }");
    expect(stdout).toContain('goal: completed');
  });

  test('that mounts the service serves it under its path for the client example', async () => {
    const shop = project.start(process.execPath, ['examples/mount/main.ts'], { PORT: '0' });
    const [, base] = await shop.waitForOutput(/listening on (http:\S+)\/docs/);
    expect(await (await fetch(new URL('/', base))).text()).toBe('Welcome to the shop.');
    const { code, stdout, stderr } = await project.node(['examples/client/main.ts', base ?? '']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('refund: ');
    expect(stdout).toContain('RECEIVED → CLASSIFIED → PLANNING → TOOL_EXECUTION → VERIFYING → COMPLETED');
    expect(stdout).toMatch(/workflow of 1 layer, at \/orchestration\/workflows\/[\da-f-]{36}\n/);
    expect(stdout).toMatch(/COMPLETED \{\s+policy: 'You can return/);
    expect(stdout).toContain('workflow "nowhere" not found');
    expect(await shop.stop('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
  });
});
