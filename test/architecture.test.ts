import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { importsOf, type Token, tokenize } from './support/source-code.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface SourceFile {
  /** Its path in the repository. */
  readonly path: string;
  readonly source: string;
}

const files: readonly SourceFile[] = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path: `src/${path}`, source: readFileSync(`${root}src/${path}`, 'utf8') }));

/** What a part of the sources may import. */
interface Rule {
  /** Files and folders of the repository; a folder ends with a slash. */
  readonly paths: readonly string[];
  /** npm packages. */
  readonly packages?: readonly string[];
  /** Built-ins of Node. */
  readonly builtins?: boolean;
  /** Modules whose names are known only at run time. */
  readonly computed?: boolean;
}

const core = ['src/application/', 'src/ports/', 'src/domain/'];

/** Files of the adapters that belong to no vendor: any adapter may use them, they use no adapter's folder. */
const shared = [
  'src/adapters/system.ts',
  'src/adapters/turns.ts',
  'src/adapters/version.ts',
  'src/adapters/settings.ts',
  'src/adapters/records.ts',
];

const adapter = (name: string, ...packages: readonly string[]): [string, Rule] => [
  `src/adapters/${name}/`,
  { paths: [...core, ...shared, `src/adapters/${name}/`], packages, builtins: true },
];

/** Each layer and each adapter with what it may import; of two rows that fit a file, the longer one counts. */
const rules = new Map<string, Rule>([
  ['src/domain/', { paths: ['src/domain/'] }],
  ['src/ports/', { paths: ['src/ports/', 'src/domain/'] }],
  ['src/application/', { paths: core }],
  ['src/adapters/', { paths: [...core, ...shared], packages: ['zod'], builtins: true }],
  adapter('decomposer', 'zod'),
  adapter('evaluation', 'zod'),
  adapter(
    'http',
    'hono',
    '@hono/node-server',
    '@hono/zod-openapi',
    '@hono/swagger-ui',
    'swagger-ui-dist',
    'redoc',
    'zod',
  ),
  adapter('llm', 'ai', '@ai-sdk/openai', 'zod'),
  adapter('logging'),
  adapter('memory'),
  adapter('redis', 'redis'),
  adapter('stages', 'zod'),
  adapter(
    'telemetry',
    'prom-client',
    '@opentelemetry/api',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace-node',
  ),
  adapter('tools', 'zod'),
  [
    'src/adapters/extensions.ts',
    { paths: [...core, ...shared], packages: ['zod'], builtins: true, computed: true },
  ],
  ['src/adapters/defaults.ts', { paths: [...core, 'src/adapters/'], builtins: true }],
  // What the package offers under a name of its own: re-exports, and adapters put together for embedders.
  ['src/entries/', { paths: [...core, 'src/adapters/'] }],
  ['src/main.ts', { paths: ['src/'], builtins: true }],
  ['src/compose.ts', { paths: ['src/'], builtins: true }],
  ['src/evaluate.ts', { paths: ['src/'], builtins: true }],
]);

function ruleFor(path: string): Rule | undefined {
  const names = [...rules.keys()].filter(
    (name) => path === name || (name.endsWith('/') && path.startsWith(name)),
  );
  const longest = names.sort((one, other) => other.length - one.length)[0];
  // An adapter's folder without a row of its own has no rule: the common row is for the files beside the folders.
  if (longest === 'src/adapters/' && path.slice(longest.length).includes('/')) return undefined;
  return longest === undefined ? undefined : rules.get(longest);
}

function allows(rule: Rule, path: string, specifier: string | null): boolean {
  if (specifier === null) return rule.computed === true;
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(path), specifier);
    return rule.paths.some((place) => target === place || (place.endsWith('/') && target.startsWith(place)));
  }
  if (isBuiltin(specifier)) return rule.builtins === true;
  const [scope = '', name] = specifier.split('/');
  return rule.packages?.includes(scope.startsWith('@') ? `${scope}/${name}` : scope) === true;
}

/** Every import of a file that its layer does not allow. */
function forbiddenImports({ path, source }: SourceFile): readonly string[] {
  const rule = ruleFor(path);
  if (rule === undefined) return [`${path}: no rule says what it may import`];
  return importsOf(source)
    .filter(({ specifier }) => !allows(rule, path, specifier))
    .map(({ specifier, line }) => `${path}:${line} imports ${specifier ?? 'a computed name'}`);
}

const names =
  /^(?:setTimeout|setInterval|setImmediate|queueMicrotask|fetch|performance|crypto|globalThis|require)$/;

/** Every use of a clock, randomness, the process, the network or the console in a file. */
function impurities({ path, source }: SourceFile): readonly string[] {
  const tokens = tokenize(source);
  return tokens.flatMap((token, index) => {
    const use = impurity(tokens.slice(index, index + 4));
    const before = tokens[index - 1]?.text;
    const counts = use !== undefined && before !== '.' && before !== 'new';
    return counts ? [`${path}:${token.line} uses ${use}`] : [];
  });
}

function impurity([first, second, third, fourth]: readonly Token[]): string | undefined {
  if (first?.kind !== 'word') return undefined;
  const start = [first.text, second?.text, third?.text].join(' ');
  if (start === 'Date . now' || start === 'Math . random') return start.replaceAll(' ', '');
  if (start === 'Date ( )') return 'Date()';
  if (first.text === 'new' && second?.text === 'Date' && (third?.text !== '(' || fourth?.text === ')')) {
    return 'new Date()';
  }
  if ((first.text === 'process' || first.text === 'console') && second?.text === '.') return `${first.text}.`;
  return names.test(first.text) && second?.text !== ':' ? first.text : undefined;
}

const MAX_LINES = 250;

describe('the layers', () => {
  test.each([...rules.keys()].filter((name) => name.endsWith('/')))('%s holds sources', (folder) => {
    expect(files.filter(({ path }) => path.startsWith(folder))).not.toEqual([]);
  });

  test('import nothing but what lies inwards, and no adapter another', () => {
    expect(files.flatMap(forbiddenImports)).toEqual([]);
  });

  test('are the only folders of the sources, with the composition roots beside them', () => {
    const tops = new Set(files.map(({ path }) => path.split('/')[1]));
    expect([...tops].sort()).toEqual([
      'adapters',
      'application',
      'compose.ts',
      'domain',
      'entries',
      'evaluate.ts',
      'main.ts',
      'ports',
    ]);
  });
});

describe('the core', () => {
  test.each(core)('%s knows no clock, randomness, process, network or console', (folder) => {
    const impure = files.filter(({ path }) => path.startsWith(folder)).flatMap(impurities);
    expect(impure).toEqual([]);
  });
});

describe('a source file', () => {
  test(`never has more than ${MAX_LINES} lines`, () => {
    const long = files.filter(({ source }) => source.trimEnd().split('\n').length > MAX_LINES);
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});

describe('the check itself', () => {
  test('keeps its place in every source: what opens also closes', () => {
    const lost = files.filter(({ source }) => {
      const signs = tokenize(source).filter(({ kind }) => kind === 'sign');
      const count = (sign: string) => signs.filter(({ text }) => text === sign).length;
      return count('(') !== count(')') || count('[') !== count(']') || count('{') !== count('}');
    });
    expect(lost.map(({ path }) => path)).toEqual([]);
  });

  test.each([
    ['src/domain/a.ts', `import { z } from 'zod';`],
    ['src/domain/a.ts', `import type { z } from "zod";`],
    ['src/domain/a.ts', `import { readFileSync } from 'node:fs';`],
    ['src/domain/a.ts', `import fs from 'fs';`],
    ['src/domain/a.ts', `import '../ports/clock.ts';`],
    ['src/domain/a.ts', `import type { Clock } from '../ports/clock.ts';`],
    ['src/domain/a.ts', `export * from '../application/limits.ts';`],
    ['src/domain/a.ts', `export { x } from '../application/limits.ts';`],
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
    ['src/domain/a.ts', `import { x } from './../../src/ports/clock.ts';`],
    ['src/ports/a.ts', `import { x } from '../application/limits.ts';`],
    ['src/ports/a.ts', `import type { z } from 'zod';`],
    ['src/application/a.ts', `import { x } from '../adapters/system.ts';`],
    ['src/application/a.ts', `import { hash } from 'node:crypto';`],
    ['src/application/a.ts', `import { z } from 'zod/v4';`],
    ['src/adapters/memory/a.ts', `import { x } from '../redis/client.ts';`],
    ['src/adapters/memory/a.ts', `import { x } from '../defaults.ts';`],
    ['src/adapters/memory/a.ts', `import { createClient } from 'redis';`],
    ['src/adapters/http/a.ts', `import type { Registry } from 'prom-client';`],
    ['src/adapters/http/a.ts', `import { x } from '@hono/unheard-of';`],
    ['src/adapters/http/a.ts', `import { x } from '../../main.ts';`],
    ['src/adapters/http/a.ts', `import { x } from '../httpx/a.ts';`],
    ['src/adapters/system.ts', `import { x } from './memory/record-store.ts';`],
    ['src/adapters/system.ts', `import { x } from './defaults.ts';`],
    ['src/adapters/unheard-of/a.ts', `export const x = 1;`],
    ['src/unheard-of/a.ts', `export const x = 1;`],
  ])('finds in %s the planted %j', (path, source) => {
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
    ['src/adapters/http/a.ts', `import { x } from '../system.ts'; import { y } from './b.ts';`],
    ['src/adapters/http/a.ts', `import { Hono } from 'hono/tiny'; import { z } from '@hono/zod-openapi';`],
    ['src/adapters/extensions.ts', `await import(name);`],
    ['src/adapters/defaults.ts', `import { x } from './memory/record-store.ts';`],
    ['src/main.ts', `import { x } from './adapters/redis/client.ts';`],
  ])('lets %s have %j', (path, source) => {
    expect(forbiddenImports({ path, source })).toEqual([]);
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
  ])('finds the planted impurity %j', (source) => {
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
