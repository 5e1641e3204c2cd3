import { existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { defaultPorts } from '../../src/adapters/defaults.ts';
import { createHttpApp } from '../../src/adapters/http/app.ts';
import { readPlaybook } from '../../src/adapters/playbook/load.ts';
import { playbookContext } from '../../src/adapters/playbook-context.ts';
import { parseSettings } from '../../src/adapters/settings/settings.ts';
import { checkHttpTool, httpToolSchema } from '../../src/adapters/tools/http/http-tool.ts';
import { createOrchestrator } from '../../src/application/orchestrator.ts';
import { type Block, blocksOf, guidePath, pageAt, pages, root } from '../support/docs/pages.ts';
import { startProgram } from '../support/process/program.ts';

/** The marks that blocks of a language may have. A language without a row is not allowed. */
const allowedMarks = new Map([
  ['ts', /^(?:runs|compiles|extension) as [\w-]+\.ts$/],
  ['json', /^(?:reply|file [\w.-]+\.json|part of [\w./-]+)$/],
  ['sh', /^(?:service|with [A-Z_]+=\S+(?: [A-Z_]+=\S+)*)?$/],
  ['env', /^$/],
  ['yaml', /^(?:playbook|part of [\w./-]+|http tool)?$/],
  ['markdown', /^file [\w./-]+\.md$/],
  ['dockerfile', /^$/],
  ['promql', /^$/],
  ['text', /^(?:prints)?$/],
]);

const blocks = pages.filter(({ path }) => path !== guidePath).flatMap(blocksOf);
const inLanguage = (language: string): readonly Block[] =>
  blocks.filter((block) => block.language === language);

/** Where a marked block of TypeScript is written: each page has a folder of its own. */
function pathOf({ place, mark }: Block): string {
  const page = place.slice(0, place.lastIndexOf(':')).replaceAll(/\W/g, '-');
  return join(page, mark.slice(mark.lastIndexOf(' ') + 1));
}

const sources = inLanguage('ts');
const sourcesThat = (use: string): readonly string[] =>
  sources.filter(({ mark }) => mark.startsWith(`${use} as `)).map(pathOf);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docs-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['*/*.ts'], exclude: ['node_modules'] }),
  );
  for (const block of sources) {
    const path = join(folder, pathOf(block));
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, block.code);
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs Node in the folder of the blocks, with this package under its name; resolves to what it printed. */
async function node(...args: readonly string[]): Promise<string> {
  const hook = join(root, 'test/support/process/own-name.ts');
  const all = ['--import', hook, ...args];
  const { code, stdout, stderr } = await startProgram(process.execPath, all, { cwd: folder, env: {} }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const load = `
import { createOrchestrator } from 'orchestration-service';
import { defaultPorts } from 'orchestration-service/defaults';

const orchestrator = createOrchestrator(defaultPorts());
const before = orchestrator.agents.list().length;
const { default: extension } = await import(new URL(process.argv[1], 'file://' + process.cwd() + '/'));
await extension(orchestrator);
console.log(orchestrator.tools.list().length + orchestrator.agents.list().length - before);
`;

describe('every block of code', () => {
  test('has a language and a mark that say how it is checked', () => {
    const wrong = blocks.filter(({ language, mark }) => !allowedMarks.get(language)?.test(mark));
    expect(wrong.map(({ place, language, mark }) => `${place} ${language} "${mark}"`)).toEqual([]);
  });

  test('has a path of its own', () => {
    expect(new Set(sources.map(pathOf)).size).toBe(sources.length);
  });
});

describe('a block of TypeScript', () => {
  test('compiles', { timeout: 300_000 }, async () => {
    const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder];
    const { code, stdout } = await startProgram(process.execPath, args, { cwd: folder, env: {} }).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(sources.length).toBeGreaterThan(5);
  });

  test.each(sourcesThat('runs'))('runs to its end: %s', async (path) => {
    expect(await node(path)).not.toBe('');
  });

  test.each(sourcesThat('extension'))('registers something: %s', async (path) => {
    const args = ['--input-type=module', '--eval', load, path];
    expect(Number(await node(...args))).toBeGreaterThan(0);
  });
});

describe('a block of JSON', () => {
  test.each(inLanguage('json'))('is JSON: $place', ({ code }) => {
    expect(() => JSON.parse(code)).not.toThrow();
  });
});

/** The assignments of a block of settings. */
function settingsIn(code: string): Record<string, string> {
  const pairs = code.matchAll(/^([A-Z_]+)=(.*)$/gm);
  return Object.fromEntries(Array.from(pairs, ([, name = '', value = '']) => [name, value]));
}

describe('a block of settings', () => {
  test.each(inLanguage('env'))('has lines NAME=VALUE that the service accepts: $place', ({ code }) => {
    const settings = settingsIn(code);
    expect(Object.keys(settings)).toHaveLength(code.split('\n').length);
    const outcome = parseSettings(settings);
    expect(outcome).toHaveProperty('settings');
    const own = Object.keys(settings).filter((name) => !name.startsWith('OTEL_') || name === 'OTEL_ENABLED');
    expect(Object.keys(outcome.settings ?? {})).toEqual(expect.arrayContaining(own));
  });
});

describe('a block for a platform', () => {
  const ofPlatforms = inLanguage('yaml').filter(({ mark }) => mark === '');

  test.each(ofPlatforms)('probes paths that answer: $place', async ({ code }) => {
    const orchestrator = createOrchestrator(defaultPorts());
    const app = createHttpApp({ orchestrator });
    const paths = Array.from(code.matchAll(/\bpath: ([^,\s}]+)/g), ([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) expect((await app.request(path)).status).toBe(200);
    await orchestrator.close();
  });

  test.each(inLanguage('dockerfile'))(
    'copies files that exist, and starts the command: $place',
    async (block) => {
      const { code } = block;
      const copied = Array.from(code.matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, files = '']) =>
        files.split(' '),
      );
      for (const file of copied.flat()) expect(existsSync(join(root, file))).toBe(true);
      const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
      expect(code).toContain(`node_modules/${manifest.name}/${manifest.bin[manifest.name]}"]`);
      const variables = Array.from(code.matchAll(/\b([A-Z_]+)=(\S+)/g), ([, name = '', value = '']) => [
        name,
        value,
      ]);
      expect(parseSettings(Object.fromEntries(variables))).toHaveProperty('settings');
    },
  );
});

describe('a block that is a playbook', () => {
  const playbooks = inLanguage('yaml').filter(({ mark }) => mark === 'playbook');

  test.each(playbooks)('has no fault, with the articles of its page: $place', async ({ code, place }) => {
    const page = place.slice(0, place.lastIndexOf(':'));
    const articles = inLanguage('markdown').filter((block) => block.place.startsWith(`${page}:`));
    const at = await mkdtemp(join(tmpdir(), 'playbook-'));
    try {
      await mkdir(join(at, 'articles'));
      for (const { mark, code: text } of articles)
        await writeFile(join(at, mark.slice('file '.length)), text);
      await writeFile(join(at, 'playbook.yaml'), code);
      const { loaded, faults } = readPlaybook(join(at, 'playbook.yaml'), playbookContext('warning', {}));
      expect(faults).toEqual([]);
      expect(loaded?.playbook.intents.size).toBeGreaterThan(3);
    } finally {
      await rm(at, { recursive: true, force: true });
    }
  });

  test('is on the page about playbooks', () => {
    expect(playbooks.filter(({ place }) => place.startsWith('docs/playbook.md:')).length).toBeGreaterThan(1);
  });
});

describe('an HTTP tool', () => {
  const tools = inLanguage('yaml').filter(({ mark }) => mark === 'http tool');

  test.each(tools)('is complete and has no issue: $place', ({ code }) => {
    expect(checkHttpTool(httpToolSchema.parse(parse(code)))).toEqual([]);
  });

  test('is on the page about tools, which names all of its members', () => {
    expect(tools).toHaveLength(1);
    const { request, output, ...members } = httpToolSchema.shape;
    const names = [
      ...Object.keys(members),
      ...Object.keys(request.shape).map((name) => `request.${name}`),
      ...Object.keys(output.unwrap().shape).map((name) => `output.${name}`),
    ];
    const { markdown } = pageAt('docs/agents-and-tools.md');
    expect(names.filter((name) => !markdown.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('a block that is part of a file', () => {
  const parts = blocks.filter(({ mark }) => mark.startsWith('part of '));

  test.each(parts)('is in that file: $place', async ({ code, mark }) => {
    expect(await readFile(join(root, mark.slice('part of '.length)), 'utf8')).toContain(`${code}\n`);
  });

  test('is on the page about playbooks', () => {
    expect(parts.length).toBeGreaterThan(3);
  });
});

describe('the pages', () => {
  test('are all Markdown files of the repository that belong to the project', () => {
    expect(pages.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'docs/messages.md']));
    const files = globSync('docs/**/*', { cwd: root, withFileTypes: true, exclude: ['docs/images/**'] });
    expect(files.filter((file) => file.isFile())).toHaveLength(
      pages.filter(({ path }) => path.startsWith('docs/')).length,
    );
  });
});
