import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProgram } from '../support/process/program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = (path: string): string => JSON.stringify(pathToFileURL(join(root, 'src', path)).href);

/** Loads each list of extensions in its argument, as the service does, and prints the outcomes. */
const loader = `
import { createOrchestrator } from ${source('entries/index.ts')};
import { defaultPorts } from ${source('adapters/defaults.ts')};
import { importExtensions } from ${source('adapters/extensions.ts')};

const ports = defaultPorts();
const names = (all) => all.map(({ name }) => name);
const outcomes = [];
for (const list of JSON.parse(process.argv[2])) {
  const orchestrator = createOrchestrator(ports);
  const before = names(orchestrator.agents.list());
  try {
    for (const extension of await importExtensions(list, process.cwd())) await extension.register(orchestrator);
    const agents = names(orchestrator.agents.list()).filter((name) => !before.includes(name));
    const { tool, origin } = orchestrator.tools.listRegistered()[0] ?? {};
    const schema = tool?.input.toJSONSchema();
    outcomes.push({ agents, tools: names(orchestrator.tools.list()), origin, schema });
  } catch ({ name, code, message }) {
    outcomes.push({ name, code, message });
  }
}
console.log(JSON.stringify(outcomes));
`;

const agent = (name: string): string =>
  `{ name: ${JSON.stringify(name)}, description: 'Replies nothing', handle: () => ({}) }`;

const registering = (name: string): string =>
  `export default ({ agents }) => agents.register(${agent(name)});`;

const manifest = (fields: object): string => JSON.stringify({ type: 'module', ...fields });

const files: Readonly<Record<string, string>> = {
  'loader.mjs': loader,
  'by-path.mjs': registering('by_path'),
  'by-path.ts': `const name: string = 'by_typed_path';\n${registering('x').replace('"x"', 'name')}`,
  'in a folder/ümlaut.mjs': registering('by_odd_path'),
  'later.mjs': `export default async ({ agents }) => { await 0; agents.register(${agent('later')}); };`,
  'after.mjs': `export default ({ agents }) => { agents.register(${agent('after')}); };`,
  'node_modules/plain-package/package.json': manifest({ name: 'plain-package', main: './index.js' }),
  'node_modules/plain-package/index.js': registering('by_name'),
  'node_modules/only-import/package.json': manifest({ exports: { import: './only.js' } }),
  'node_modules/only-import/only.js': registering('by_import_only'),
  'node_modules/@scope/several/package.json': manifest({ exports: { './one': './one.js' } }),
  'node_modules/@scope/several/one.js': registering('by_subpath'),
  'node_modules/old-style/package.json': JSON.stringify({ main: './index.cjs' }),
  'node_modules/old-style/index.cjs': `module.exports = ({ agents }) => agents.register(${agent('old_style')});`,
  'node_modules/own-zod/package.json': manifest({ exports: './index.js' }),
  'node_modules/own-zod/index.js': `import { z } from 'zod';
    export default ({ tools }) => tools.register({
      name: 'own_zod', description: 'Has a zod of its own', input: z.object({ count: z.number().int() }), execute: () => ({}),
    });`,
  'claims.mjs': `const input = { safeParse: (data) => ({ success: true, data }), toJSONSchema: () => ({}) };
    export default ({ tools }) =>
      tools.register({ name: 'claims', description: '', input, execute: () => ({}) }, 'playbook');`,
  'nothing.mjs': 'export const nothing = 1;',
  'no-function.mjs': 'export default { tools: [] };',
  'throws.mjs': `export default () => { throw new Error('no credentials'); };`,
  'throws-text.mjs': `export default () => { throw 'no credentials'; };`,
  'rejects.mjs': `export default () => Promise.reject(new Error('no connection'));`,
  'breaks.mjs': `throw new Error('while loading');`,
  'wrong.mjs': 'export default (',
  'no-schema.mjs': `export default ({ tools }) => tools.register({ name: 'bare', description: '', execute: () => ({}) });`,
  'bad-name.mjs': `export default ({ tools }) => tools.register({ name: 'no blanks', description: '' });`,
  'no-handle.mjs': `export default ({ agents }) => agents.register({ name: 'idle', description: '' });`,
  'imports-missing.mjs': `import 'missing-package';\nexport default () => {};`,
};

const found = [
  ['a path', './by-path.mjs', 'by_path'],
  ['a path without a dot', 'by-path.mjs', 'by_path'],
  ['a path of TypeScript', './by-path.ts', 'by_typed_path'],
  ['a path with blanks and non-ASCII letters', './in a folder/ümlaut.mjs', 'by_odd_path'],
  ['the name of a package in the working directory', 'plain-package', 'by_name'],
  ['the name of a package that can only be imported', 'only-import', 'by_import_only'],
  ['the name of a module within a package', '@scope/several/one', 'by_subpath'],
  ['the name of a CommonJS package', 'old-style', 'old_style'],
] as const;

const rejected = [
  ['has no default export', './nothing.mjs', 'its default export is not a function'],
  ['exports no function', './no-function.mjs', 'its default export is not a function'],
  ['throws', './throws.mjs', 'no credentials'],
  ['throws a value that is not an error', './throws-text.mjs', 'no credentials'],
  ['rejects', './rejects.mjs', 'no connection'],
  ['throws while it is loaded', './breaks.mjs', 'while loading'],
  ['is not valid code', './wrong.mjs', 'Unexpected end of input'],
  ['does not exist', './missing.mjs', 'Cannot find module'],
  ['is a package that is not installed', 'missing-package', "Cannot find package 'missing-package'"],
  [
    'imports a package that is not installed',
    './imports-missing.mjs',
    "Cannot find package 'missing-package'",
  ],
  ['is not exported by its package', '@scope/several/two', "Package subpath './two' is not defined"],
  ['registers a tool without a schema', './no-schema.mjs', 'the tool "bare" has no input schema'],
  ['registers under a name that is not allowed', './bad-name.mjs', 'but it is "no blanks"'],
  ['registers an agent that cannot reply', './no-handle.mjs', 'the agent "idle" has no handle function'],
] as const;

interface Loaded {
  readonly tools?: readonly string[];
  readonly agents?: readonly string[];
  readonly origin?: string;
  readonly schema?: object;
  readonly code?: string;
  readonly message?: string;
}

let folder: string;

/** Loads lists of extensions in a process whose working directory contains them, each list for a new orchestrator. */
async function load(...lists: readonly (readonly string[])[]): Promise<readonly Loaded[]> {
  const args = [join(folder, 'loader.mjs'), JSON.stringify(lists)];
  const { code, stdout, stderr } = await startProgram(process.execPath, args, { cwd: folder, env: {} }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Loaded[];
}

/** The outcome of each extension that is loaded alone. */
const outcomes = new Map<string, Loaded>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'extensions-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const ownZod = join(folder, 'node_modules/own-zod/node_modules/zod');
  await cp(join(root, 'node_modules/zod'), ownZod, { recursive: true });
  const names = [...found, ...rejected].map(([, name]) => name);
  const loaded = await load(...names.map((name) => [name]));
  for (const [index, name] of names.entries()) outcomes.set(name, loaded[index] ?? {});
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('an extension', () => {
  test.each(found)('is found by %s', (_, name, registered) => {
    expect(outcomes.get(name)).toMatchObject({ agents: [registered] });
  });

  test('is found by an absolute path and by a URL', async () => {
    const path = join(folder, 'by-path.mjs');
    const loaded = await load([path], [pathToFileURL(path).href]);
    expect(loaded.map(({ agents }) => agents)).toEqual([['by_path'], ['by_path']]);
  });

  test('is found beside the service if the working directory has no such package', async () => {
    // zod is installed beside the service, and is no extension.
    const [outcome] = await load(['zod']);
    expect(outcome?.message).toBe('extension "zod": its default export is not a function');
  });

  test('is awaited before the next is loaded', async () => {
    const [outcome] = await load(['./later.mjs', './after.mjs']);
    expect(outcome?.agents).toEqual(['later', 'after']);
  });

  test('registers tools as those of an extension, whatever it says', async () => {
    const loaded = await load(['own-zod'], ['./claims.mjs']);
    expect(loaded).toMatchObject([
      { tools: ['own_zod'], origin: 'extension' },
      { tools: ['claims'], origin: 'extension' },
    ]);
  });

  test('may use its own version of zod', async () => {
    const [outcome] = await load(['own-zod']);
    expect(outcome?.tools).toEqual(['own_zod']);
    expect(outcome?.schema).toMatchObject({ type: 'object', properties: { count: { type: 'integer' } } });
  });
});

describe('an invalid extension is rejected with its name and the reason', () => {
  test.each(rejected)('when it %s', (_, name, reason) => {
    const { code, message } = outcomes.get(name) ?? {};
    expect({ code, message }).toEqual({ code: 'registration', message: expect.stringContaining(reason) });
    expect(message?.startsWith(`extension ${JSON.stringify(name)}: `)).toBe(true);
  });

  test('when a name is taken, by the extension before it or by itself loaded twice', async () => {
    const [outcome] = await load(['./by-path.mjs', './by-path.mjs']);
    expect(outcome).toMatchObject({
      code: 'registration',
      message: 'extension "./by-path.mjs": the agent "by_path" is already registered',
    });
  });
});
