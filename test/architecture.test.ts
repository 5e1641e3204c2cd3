import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { PropertyKey } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import {
  type Import,
  importsOf,
  nameOf,
  parse,
  placeOf,
  type SourceFile,
  sourcesIn,
  visit,
} from './support/source-code.ts';

const files = sourcesIn('src');

/** The imports that a part of the sources may have. */
interface Rule {
  /** Files and folders of the repository; a folder ends with a slash. */
  readonly paths: readonly string[];
  /** Of these files and folders only types may be imported. */
  readonly types?: readonly string[];
  /** npm packages. */
  readonly packages?: readonly string[];
  /** Built-ins of Node. */
  readonly builtins?: boolean;
  /** Modules whose names are known only at run time. */
  readonly computed?: boolean;
}

/** The layers that everything above them may use. */
const inner = ['src/lib/', 'src/domain/', 'src/ports/'];
const core = [...inner, 'src/application/'];

/** Code that any adapter may use. */
const shared = 'src/adapters/shared/';

const adapter = (name: string, ...packages: readonly string[]): [string, Rule] => [
  `src/adapters/${name}/`,
  {
    paths: [...inner, shared, `src/adapters/${name}/`],
    types: ['src/application/'],
    packages,
    builtins: true,
  },
];

/**
 * A use case may use the registries, the runs and the retries of changes, and the types of what it is given of others.
 */
const useCase = (name: string, ...given: readonly string[]): [string, Rule] => [
  `src/application/${name}/`,
  {
    paths: [
      ...inner,
      'src/application/agents/registry.ts',
      'src/application/retry-on-conflict.ts',
      'src/application/runs/',
      'src/application/tools/registry.ts',
      `src/application/${name}/`,
    ],
    types: given,
  },
];

const agentBus = 'src/application/agents/bus.ts';
const itemWriter = 'src/application/inbox/item-writer.ts';

/** Each layer, use case and adapter with what it may import. Of several rows that fit a file, the longest counts. */
const rules = new Map<string, Rule>([
  ['src/lib/', { paths: [] }],
  ['src/lib/json/', { paths: ['src/lib/array.ts', 'src/lib/json/'] }],
  ['src/lib/text/', { paths: ['src/lib/array.ts', 'src/lib/text/'] }],
  ['src/lib/async/', { paths: ['src/lib/async/'] }],
  ['src/lib/learning/', { paths: ['src/lib/array.ts', 'src/lib/learning/', 'src/lib/text/'] }],
  ['src/domain/', { paths: ['src/lib/array.ts', 'src/lib/json/', 'src/lib/text/', 'src/domain/'] }],
  ['src/ports/', { paths: ['src/ports/', 'src/domain/', 'src/lib/'] }],
  ['src/application/', { paths: core }],
  useCase('agents'),
  useCase('datasets'),
  // It measures other use cases.
  useCase(
    'evaluation',
    'src/application/datasets/datasets.ts',
    'src/application/messages/playbook-in-use.ts',
    'src/application/messages/process-message.ts',
  ),
  useCase('inbox'),
  useCase('messages', itemWriter),
  useCase('privacy', itemWriter),
  useCase('routing', agentBus),
  useCase('runs', agentBus, itemWriter),
  // It ends calls by the rules of tools and agents.
  ['src/application/runs/simulate/', { paths: core }],
  useCase('schedules'),
  useCase('stats'),
  ['src/application/storage/', { paths: [...inner, 'src/application/storage/'] }],
  useCase('tools'),
  useCase('workflows'),
  [
    'src/adapters/',
    { paths: [...inner, shared], types: ['src/application/'], packages: ['zod'], builtins: true },
  ],
  ['src/adapters/shared/', { paths: [...inner, shared], builtins: true }],
  adapter('shared/expressions', '@marcbachmann/cel-js'),
  adapter('shared/user-schema'),
  ['src/adapters/shared/linear-pattern.ts', { paths: inner, packages: ['re2js'] }],
  adapter('shared/outbound', 'ipaddr.js'),
  adapter('builder'),
  adapter('calendar', 'croner'),
  adapter('classifier', 'csv-parse', 'zod'),
  adapter('decomposer', 'zod'),
  [
    'src/adapters/embeddings/',
    {
      paths: [
        ...inner,
        shared,
        'src/adapters/embeddings/',
        // The same providers, with the same guard and the same failures.
        'src/adapters/llm/provider.ts',
      ],
      packages: ['zod'],
      builtins: true,
    },
  ],
  adapter('evaluation', 'zod'),
  adapter(
    'http',
    'hono',
    '@hono/node-server',
    '@hono/zod-openapi',
    '@hono/swagger-ui',
    'zod',
    'eventsource-parser',
    'yaml',
  ),
  ['src/adapters/languages/', { paths: [...inner, shared] }],
  adapter('llm', 'ai', '@ai-sdk/openai', 'zod'),
  adapter('logging'),
  adapter('memory'),
  adapter('playbook', 'liquidjs', 're2js', 'yaml', 'zod'),
  adapter('postgres', 'pg'),
  adapter('preparation', 'html-to-text', 'tinyld'),
  adapter('redis', '@redis/client', 'bullmq'),
  adapter('settings', 'zod'),
  adapter('sqlite'),
  adapter('stages', 'zod'),
  adapter(
    'telemetry',
    'prom-client',
    '@opentelemetry/api',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace-node',
  ),
  adapter('tools', 'yaml', 'zod'),
  [
    'src/adapters/extensions.ts',
    { paths: inner, types: ['src/application/'], builtins: true, computed: true },
  ],
  // Adapters that are made of several.
  ...[
    'defaults',
    'rule-based',
    'playbook-context',
    'playbook-ports',
    'playbook-reload',
    'playbook-setup',
  ].map((name): [string, Rule] => [
    `src/adapters/${name}.ts`,
    {
      paths: [...inner, 'src/adapters/'],
      types: ['src/application/'],
      builtins: name === 'playbook-setup',
    },
  ]),
  [
    'src/adapters/memory-storage.ts',
    { paths: [...inner, 'src/adapters/', 'src/application/storage/'], types: ['src/application/'] },
  ],
  // The entry points of the package: re-exports, and adapters combined for embedders.
  ['src/entries/', { paths: [...core, 'src/adapters/'] }],
  ['src/bin/', { paths: [...core, 'src/adapters/', 'src/bin/'], builtins: true }],
  ['src/main.ts', { paths: ['src/bin/'], builtins: true }],
]);

function ruleFor(path: string): Rule | undefined {
  const names = [...rules.keys()].filter(
    (name) => path === name || (name.endsWith('/') && path.startsWith(name)),
  );
  const longest = names.sort((one, other) => other.length - one.length)[0];
  // The common row is for the files of src/adapters: each of its folders needs a row.
  if (longest === 'src/adapters/' && path.slice(longest.length).includes('/')) return undefined;
  return longest === undefined ? undefined : rules.get(longest);
}

function allows(rule: Rule, path: string, { specifier, typeOnly }: Import): boolean {
  if (specifier === null) return rule.computed === true;
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(path), specifier);
    const places = typeOnly ? [...rule.paths, ...(rule.types ?? [])] : rule.paths;
    return places.some((place) => target === place || (place.endsWith('/') && target.startsWith(place)));
  }
  if (isBuiltin(specifier)) return rule.builtins === true;
  const [scope = '', name] = specifier.split('/');
  return rule.packages?.includes(scope.startsWith('@') ? `${scope}/${name}` : scope) === true;
}

/** Every import of a file that its layer does not allow. */
function forbiddenImports(file: SourceFile): readonly string[] {
  const rule = ruleFor(file.path);
  if (rule === undefined) return [`${file.path}: no rule says what it may import`];
  return importsOf(file)
    .filter((found) => !allows(rule, file.path, found))
    .map(({ specifier, start }) => `${placeOf(file, start)} imports ${specifier ?? 'a computed name'}`);
}

/** The files that import each other in a circle, be it only for types: one circle, or nothing where there is none. */
function circleOfImports(files: readonly SourceFile[]): readonly string[] {
  const rest = new Map(files.map((file) => [file.path, targetsOf(file)]));
  const next = (path: string): string | undefined => rest.get(path)?.find((target) => rest.has(target));
  // A file that imports nothing of the rest is in no circle.
  for (let size = Number.NaN; size !== rest.size; ) {
    size = rest.size;
    for (const path of rest.keys()) if (next(path) === undefined) rest.delete(path);
  }
  const walk: string[] = [];
  let path = rest.keys().next().value;
  while (path !== undefined && !walk.includes(path)) {
    walk.push(path);
    path = next(path);
  }
  return path === undefined ? [] : walk.slice(walk.indexOf(path));
}

/** The paths that a file imports by a relative one. */
function targetsOf(file: SourceFile): readonly string[] {
  return importsOf(file).flatMap(({ specifier }) =>
    specifier?.startsWith('.') ? [posix.join(posix.dirname(file.path), specifier)] : [],
  );
}

const globals =
  /^(?:setTimeout|setInterval|setImmediate|queueMicrotask|fetch|performance|crypto|globalThis|require)$/;

/** Every use of a clock, randomness, the process, the network or the console in a file. */
function impurities(file: SourceFile): readonly string[] {
  const found: string[] = [];
  const add = (start: number, use: string): void => {
    found.push(`${placeOf(file, start)} uses ${use}`);
  };
  /** Names of members, which refer to nothing global. */
  const members = new Set<object>();
  const declare = ({ key, computed }: { readonly key: object; readonly computed: boolean }): void => {
    if (!computed) members.add(key);
  };

  visit(file, {
    Property: declare,
    PropertyDefinition: declare,
    MethodDefinition: declare,
    TSPropertySignature: declare,
    TSMethodSignature: declare,
    MemberExpression({ start, object, property, computed }) {
      if (!computed) members.add(property);
      const owner = nameOf(object);
      const use = `${owner}.${property.type === 'Identifier' ? property.name : ''}`;
      if (owner === 'process' || owner === 'console' || use === 'Date.now' || use === 'Math.random') {
        add(start, use);
      }
    },
    CallExpression({ start, callee }) {
      if (nameOf(callee) === 'Date') add(start, 'Date()');
    },
    NewExpression({ start, callee, arguments: { length } }) {
      if (nameOf(callee) === 'Date' && length === 0) add(start, 'new Date()');
    },
    Identifier(node) {
      if (globals.test(node.name) && !members.has(node)) add(node.start, node.name);
    },
  });
  return found;
}

/** Keys in snake_case: they belong to the wire, which only adapters and the stored forms speak. */
const snakeCaseKey = /^[a-z]+(?:_[a-z0-9]+)+$/;

/** The files of the core that may have snake_case keys: the message response, and the input of agents. */
const snakeCaseAllowed = [
  'src/domain/message/trace.ts',
  'src/domain/routing/routing.ts',
  'src/application/agents/built-in.ts',
];

/** Every object key or member in snake_case, apart from the attributes of log lines and spans. */
function snakeCaseMembers(file: SourceFile): readonly string[] {
  const found: string[] = [];
  const called = new Set<object>();
  const check = (key: PropertyKey): void => {
    if (key.type === 'Identifier' && snakeCaseKey.test(key.name)) {
      found.push(`${placeOf(file, key.start)} ${key.name}`);
    }
  };
  const checkDeclared = (declared: { readonly key: PropertyKey; readonly readonly?: boolean }): void => {
    if (declared.readonly === true) check(declared.key);
  };

  visit(file, {
    CallExpression: ({ callee }) => void called.add(callee),
    MemberExpression(node) {
      if (!node.computed && !called.has(node)) check(node.property);
    },
    TSPropertySignature: checkDeclared,
    PropertyDefinition: checkDeclared,
  });
  return found;
}

/** Every use of a member of `RunLog` that writes to logs, or is told about them. */
function logWrites(file: SourceFile): readonly string[] {
  const found: string[] = [];
  visit(file, {
    MemberExpression({ start, object, property }) {
      const owner = object.type === 'MemberExpression' ? object.property : object;
      const isLog = owner.type === 'Identifier' && owner.name === 'runs';
      if (isLog && property.type === 'Identifier' && /^(?:append|create|listen)$/.test(property.name)) {
        found.push(`${placeOf(file, start)} uses runs.${property.name}`);
      }
    },
  });
  return found;
}

/** Variables of a module, rather than constants: mutable state. */
function mutableState(file: SourceFile): readonly string[] {
  return parse(file).program.body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    const isVariable = declared?.type === 'VariableDeclaration' && /^(?:let|var)$/.test(declared.kind);
    return isVariable ? [placeOf(file, statement.start)] : [];
  });
}

/** Files that are looked for from the place of a module, which compiling moves: `PACKAGE_FOLDER` leads to them. */
function placesOfModules(file: SourceFile): readonly string[] {
  const found: string[] = [];
  visit(file, {
    NewExpression({ start, callee, arguments: given }) {
      const isUrl = callee.type === 'Identifier' && callee.name === 'URL';
      const base = given[1];
      const isOfModule = base?.type === 'MemberExpression' && base.object.type === 'MetaProperty';
      if (isUrl && isOfModule) found.push(placeOf(file, start));
    },
  });
  return found;
}

describe('the layers', () => {
  test.each([...rules.keys()].filter((name) => name.endsWith('/')))('%s contains sources', (folder) => {
    expect(files.filter(({ path }) => path.startsWith(folder))).not.toEqual([]);
  });

  test('import only from inner layers; adapters and use cases import no sibling', () => {
    expect(files.flatMap(forbiddenImports)).toEqual([]);
  });

  test('are the only folders of the sources, beside main.ts', () => {
    const tops = new Set(files.map(({ path }) => path.split('/')[1]));
    expect([...tops].sort()).toEqual([
      'adapters',
      'application',
      'bin',
      'domain',
      'entries',
      'lib',
      'main.ts',
      'ports',
    ]);
  });
});

describe('the sources', () => {
  test('import each other in no circle', () => {
    expect(circleOfImports(files)).toEqual([]);
  });

  test.each(['bench', 'console', 'examples', 'test'])('of %s import each other in no circle', (folder) => {
    expect(circleOfImports(sourcesIn(folder))).toEqual([]);
  });

  test('find the files of the package from its folder, wherever they are compiled to', () => {
    expect(files.flatMap(placesOfModules)).toEqual([]);
  });
});

describe('the core', () => {
  test.each([
    'src/lib/json/',
    'src/lib/learning/',
    'src/lib/text/',
    'src/domain/',
    'src/ports/',
    'src/application/',
  ])('%s uses no clock, randomness, timer, process, network or console', (folder) => {
    const impure = files.filter(({ path }) => path.startsWith(folder)).flatMap(impurities);
    expect(impure).toEqual([]);
  });

  test.each(['src/domain/', 'src/ports/', 'src/application/'])('%s has no module-level state', (folder) => {
    expect(files.filter(({ path }) => path.startsWith(folder)).flatMap(mutableState)).toEqual([]);
  });

  test('appends to the logs of runs in src/application/runs alone, but for those that a migration stores', () => {
    const writers = files
      .filter((file) => file.path !== 'src/bin/migrate.ts' && logWrites(file).length > 0)
      .map(({ path }) => posix.dirname(path));
    expect([...new Set(writers)]).toEqual(['src/application/runs']);
  });

  test('uses camelCase names: wire names belong to adapters', () => {
    const sources = files.filter(
      ({ path }) => core.some((folder) => path.startsWith(folder)) && !snakeCaseAllowed.includes(path),
    );
    expect(sources.flatMap(snakeCaseMembers)).toEqual([]);
  });
});

describe('the check itself', () => {
  test.each([
    ['src/domain/a.ts', `import { z } from 'zod';`],
    ['src/domain/a.ts', `import type { z } from "zod";`],
    ['src/domain/a.ts', `import { readFileSync } from 'node:fs';`],
    ['src/domain/a.ts', `import fs from 'fs';`],
    ['src/domain/a.ts', `import '../ports/clock.ts';`],
    ['src/domain/a.ts', `import type { Clock } from '../ports/clock.ts';`],
    ['src/domain/a.ts', `import { sleep } from '../lib/async/sleep.ts';`],
    ['src/domain/a.ts', `export * from '../application/health.ts';`],
    ['src/domain/a.ts', `export { x } from '../application/health.ts';`],
    ['src/domain/a.ts', `export type {\n  X,\n  Y,\n} from /* far away */ '../ports/clock.ts';`],
    ['src/domain/a.ts', `const lazy = () => import('../ports/clock.ts');`],
    ['src/domain/a.ts', 'const lazy = () => import(`zod`);'],
    ['src/domain/a.ts', `const text = \`\${await import("zod")}\`;`],
    ['src/domain/a.ts', `const text = \`a \${[{ b: \`\${c}\` }].map(() => import("zod"))} d\`;`],
    ['src/domain/a.ts', `type T = import('../ports/clock.ts').Clock;`],
    ['src/domain/a.ts', `const c = import(\n  // comment\n  '../ports/clock.ts', { with: {} });`],
    ['src/domain/a.ts', `const m = require('node:fs');`],
    ['src/domain/a.ts', `const m = import(name);`],
    ['src/domain/a.ts', `const m = import('./a' + name);`],
    ['src/domain/a.ts', `const quote = /['"]/; import { z } from 'zod'; const other = /['"]/;`],
    ['src/domain/a.ts', `const url = 'https://x'; import { z } from 'zod';`],
    ['src/domain/nested/a.ts', `import { x } from '../../ports/clock.ts';`],
    ['src/domain/a.ts', `import { x } from '../../src/ports/clock.ts';`],
    ['src/lib/json/a.ts', `import { x } from '../../domain/errors.ts';`],
    ['src/lib/json/a.ts', `import { x } from '../text/quote.ts';`],
    ['src/ports/a.ts', `import { x } from '../application/health.ts';`],
    ['src/ports/a.ts', `import type { z } from 'zod';`],
    ['src/application/a.ts', `import { x } from '../adapters/shared/system.ts';`],
    ['src/application/a.ts', `import { hash } from 'node:crypto';`],
    ['src/application/a.ts', `import { z } from 'zod/v4';`],
    ['src/application/routing/a.ts', `import { x } from '../messages/pipeline.ts';`],
    ['src/application/runs/a.ts', `import { type X, y } from '../inbox/item-writer.ts';`],
    ['src/application/routing/a.ts', `import type { X } from '../messages/pipeline.ts';`],
    ['src/application/schedules/a.ts', `import type { X } from '../inbox/item-writer.ts';`],
    ['src/adapters/memory/a.ts', `import { x } from '../redis/storage.ts';`],
    ['src/adapters/memory/a.ts', `import type { X } from '../redis/storage.ts';`],
    ['src/adapters/memory/a.ts', `import { x } from '../defaults.ts';`],
    ['src/adapters/memory/a.ts', `import { createHealth } from '../../application/health.ts';`],
    ['src/adapters/memory/a.ts', `import { createClient } from '@redis/client';`],
    ['src/adapters/http/a.ts', `import type { Registry } from 'prom-client';`],
    ['src/adapters/http/a.ts', `import { x } from '@hono/unheard-of';`],
    ['src/adapters/http/a.ts', `import { x } from '../../main.ts';`],
    ['src/adapters/http/a.ts', `import { x } from '../httpx/a.ts';`],
    ['src/adapters/shared/a.ts', `import { x } from '../memory/store.ts';`],
    ['src/adapters/unheard-of/a.ts', `export const x = 1;`],
    ['src/unheard-of/a.ts', `export const x = 1;`],
  ])('finds the forbidden import in %s: %j', (path, source) => {
    expect(forbiddenImports({ path, source })).toHaveLength(1);
  });

  test.each([
    ['src/domain/a.ts', `// import { z } from 'zod';`],
    ['src/domain/a.ts', `/* import { z } from 'zod'; */ import { x } from './b.ts';`],
    ['src/domain/a.ts', `const text = "import { z } from 'zod'";`],
    ['src/domain/a.ts', 'const text = `import { z } from "zod"`;'],
    ['src/domain/a.ts', `const half = a / b; const x = "import 'zod'"; const c = a / b;`],
    ['src/domain/a.ts', `const record = { from: 'zod', import: 'zod' };`],
    ['src/domain/a.ts', `sheet.import('zod');`],
    ['src/domain/nested/a.ts', `import { x } from '../b.ts';`],
    ['src/application/a.ts', `import type { Clock } from '../ports/clock.ts';`],
    ['src/application/routing/a.ts', `import type { X } from '../agents/bus.ts';`],
    ['src/application/runs/a.ts', `import { type X, type Y } from '../inbox/item-writer.ts';`],
    ['src/application/routing/a.ts', `import { x } from '../runs/run-input.ts';`],
    ['src/adapters/http/a.ts', `import { x } from '../shared/system.ts'; import { y } from './b.ts';`],
    ['src/adapters/http/a.ts', `import type { Health } from '../../application/health.ts';`],
    ['src/adapters/http/a.ts', `import { Hono } from 'hono/tiny'; import { z } from '@hono/zod-openapi';`],
    ['src/adapters/extensions.ts', `await import(name);`],
    ['src/adapters/defaults.ts', `import { x } from './memory/store.ts';`],
    ['src/bin/serve.ts', `import { x } from '../adapters/redis/storage.ts';`],
  ])('allows the import in %s: %j', (path, source) => {
    expect(forbiddenImports({ path, source })).toEqual([]);
  });

  test.each([
    ['of two files', { a: `import { b } from './b.ts';`, b: `import { a } from './a.ts';` }],
    [
      'of types',
      {
        a: `import type { B } from './b.ts';`,
        b: `type A = import('./a.ts').A;`,
        c: `export * from './a.ts';`,
      },
    ],
    [
      'of a file that others use, and which uses others',
      { x: `import './a.ts';`, a: `import './y.ts';\nimport './b.ts';`, b: `export * from './a.ts';`, y: '' },
    ],
    ['of a file that is loaded later', { a: `const b = () => import('./b.ts');`, b: `import './a.ts';` }],
  ])('finds the circle of imports %s', (_, sources) => {
    const circle = circleOfImports(filesOf(sources));
    expect([...circle].sort()).toEqual(['src/lib/a.ts', 'src/lib/b.ts']);
  });

  test('finds the file that imports itself', () => {
    expect(circleOfImports(filesOf({ a: `import './a.ts';` }))).toEqual(['src/lib/a.ts']);
  });

  test('finds no circle where two ways lead to one file', () => {
    const sources = { a: `import './b.ts'; import './c.ts';`, b: `import './c.ts';`, c: `import 'zod';` };
    expect(circleOfImports(filesOf(sources))).toEqual([]);
  });

  test.each([
    'record.execution_id;',
    'const { status } = { a: result.duration_ms };',
    'interface A { readonly trace_id: string }',
  ])('finds the wire name %j', (source) => {
    expect(snakeCaseMembers({ path: 'src/domain/a.ts', source })).toHaveLength(1);
  });

  test.each(['await runs.append(id, 1, [], change);', 'ports.runs.create(run);', 'runs\n.listen(it);'])(
    'finds the write to a log %j',
    (source) => {
      expect(logWrites({ path: 'src/domain/a.ts', source })).toHaveLength(1);
    },
  );

  test.each(["new URL('a.txt', import.meta.url);", "read(new URL('../a/', import.meta.url));"])(
    'finds the place of a module in %j',
    (source) => {
      expect(placesOfModules({ path: 'src/adapters/a.ts', source })).toEqual(['src/adapters/a.ts:1']);
    },
  );

  test('finds module-level state', () => {
    const source = 'export let a = 1;\nlet b = 2;\nconst c = () => {\n  let d = 3;\n};';
    expect(mutableState({ path: 'src/domain/a.ts', source })).toEqual([
      'src/domain/a.ts:1',
      'src/domain/a.ts:2',
    ]);
  });

  test.each([
    'const t = Date.now();',
    'const t = Date\n  .now();',
    'const t = new Date();',
    'const t = new Date;',
    'const t = Date();',
    `const t = \`\${Date.now()}\`;`,
    'const r = Math.random();',
    'const e = process.env;',
    "fetch('http://x');",
    'setTimeout(work, 1);',
    'const later = setTimeout;',
    'console.log(1);',
    'globalThis.console;',
    'const a = b / Date.now() / c;',
  ])('finds the impurity %j', (source) => {
    expect(impurities({ path: 'src/domain/a.ts', source })).toHaveLength(1);
  });

  test.each([
    '// Date.now()',
    '/** setTimeout(work) */ const x = 1;',
    "const text = 'process.env, new Date()';",
    'const text = `Math.random()`;',
    'const text = new Date(ms).toISOString();',
    'messages.process(message);',
    'cache.fetch(key); store.process.length;',
    'interface Options { fetch: Work }',
    'const pattern = /console.log|Date.now/;',
  ])('finds no impurity in %j', (source) => {
    expect(impurities({ path: 'src/domain/a.ts', source })).toEqual([]);
  });
});

/** Files of one folder, by their names. */
function filesOf(sources: Readonly<Record<string, string>>): readonly SourceFile[] {
  return Object.entries(sources).map(([name, source]) => ({ path: `src/lib/${name}.ts`, source }));
}
