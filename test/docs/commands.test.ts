import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../../build/service.ts';
import { parseConsoleCommand } from '../../src/adapters/http/console-proxy/command.ts';
import { parseUpstream } from '../../src/adapters/http/console-proxy/forward.ts';
import { parseSettings } from '../../src/adapters/settings/settings.ts';
import type { JsonValue } from '../../src/lib/json/json.ts';
import { makeTickets, toCsv } from '../support/classifier/made-up-tickets.ts';
import { type Block, blocksOf, guidePath, pages, root } from '../support/docs/pages.ts';
import { differences, type Ids } from '../support/docs/replies.ts';
import { startFakeProvider } from '../support/llm/fake-provider.ts';
import { failure } from '../support/llm/provider-replies.ts';
import { startProgram } from '../support/process/program.ts';
import { curl, findProgram } from '../support/process/programs.ts';
import { type Service, startService } from '../support/process/service.ts';

/** Stands for lines that a page leaves out. */
const ELLIPSIS = '…';

/**
 * Every difference between lines as a page shows them and those that a command printed. JSON at the end of a line is
 * compared as `differences` does. Empty lines do not count.
 */
function printedDifferences(shown: string, printed: string, ids: Ids): string[] {
  const actual = linesOf(printed);
  const found: string[] = [];
  let next = 0;
  let mayMiss = false;
  for (const line of linesOf(shown)) {
    if (line === ELLIPSIS) {
      mayMiss = true;
      continue;
    }
    const at = mayMiss ? actual.findIndex((text, index) => index >= next && isLike(line, text, ids)) : next;
    if (at < 0) return [...found, `shown ${line}, not printed`];
    found.push(...lineDifferences(line, actual[at], ids));
    next = at + 1;
    mayMiss = false;
  }
  if (!mayMiss && next < actual.length) found.push(`not shown: ${actual[next]}`);
  return found;
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');

const isLike = (shown: string, actual: string, ids: Ids): boolean =>
  lineDifferences(shown, actual, new Map(ids)).length === 0;

function lineDifferences(shown: string, actual: string | undefined, ids: Ids): string[] {
  const jsonAt = shown.indexOf('{');
  const prefix = jsonAt < 0 ? shown : shown.slice(0, jsonAt);
  if (actual === undefined || !actual.startsWith(prefix)) return [`shown ${shown}, printed ${actual}`];
  const rest = actual.slice(prefix.length);
  if (jsonAt < 0) return rest === '' ? [] : [`shown ${shown}, printed ${actual}`];
  return differences(parse(shown.slice(jsonAt)), parse(rest), ids);
}

function parse(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}

const manifest: { version: string; scripts: Record<string, string> } = JSON.parse(
  await readFile(join(root, 'package.json'), 'utf8'),
);

/** Blocks that are run: requests, programs of the page, waits for a file, and `kill`. */
const isRequest = ({ language, code }: Block): boolean =>
  language === 'sh' && (code.includes('curl ') || /^(?:node [\w-]+\.ts|until test |kill )/m.test(code));
const hasRequests = (blocks: readonly Block[]): boolean => blocks.some(isRequest);

let folder: string;

beforeAll(async () => {
  await findProgram(curl);
  folder = await mkdtemp(join(tmpdir(), 'docs-commands-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** `NAME=VALUE` pairs at the beginning of a text. */
function assignments(text: string): Record<string, string> {
  const pairs = /^(?:[A-Z_]+=\S+ ?)*/.exec(text)?.[0] ?? '';
  return Object.fromEntries(
    Array.from(pairs.matchAll(/([A-Z_]+)=(\S+)/g), ([, name = '', value = '']) => [name, value]),
  );
}

/** Lets programs import this package by its name. */
const NODE_OPTIONS = `--import=${join(root, 'test/support/process/own-name.ts')}`;

/** The name of the file that a block is; undefined for other blocks. */
const fileOf = ({ mark }: Block): string | undefined =>
  /^(?:file|(?:extension|compiles|runs) as) ([\w.-]+)$/.exec(mark)?.[1];

/** A folder with the files of a page and the examples, in which its commands are run. */
async function createPageFolder(blocks: readonly Block[]): Promise<string> {
  const at = await mkdtemp(join(folder, 'page-'));
  await symlink(join(root, 'node_modules'), join(at, 'node_modules'));
  await symlink(join(root, 'examples'), join(at, 'examples'));
  await writeFile(join(at, 'package.json'), '{ "type": "module" }');
  for (const block of blocks) {
    const name = fileOf(block);
    if (name !== undefined) await writeFile(join(at, name), block.code);
  }
  return at;
}

const isService = ({ mark }: Block): boolean => mark === 'service';

/** Starts the service of a page as its block says, without settings where there is none. */
async function startPageService(block: Block | undefined, at: string): Promise<Service> {
  return block === undefined
    ? startService()
    : startService({ ...assignments(block.code), NODE_OPTIONS }, at);
}

/**
 * Runs the requests of a page in order; returns every difference from what the page shows. Where a page starts its
 * service once more, it must have stopped it before.
 */
async function runPage(blocks: readonly Block[]): Promise<string[]> {
  const at = await createPageFolder(blocks);
  const first = blocks.find(isService);
  let service = await startPageService(first, at);
  const ids: Ids = new Map();
  const variables: string[] = [];
  const found: string[] = [];
  try {
    for (const [index, block] of blocks.entries()) {
      if (isService(block) && block !== first) {
        await service.exited;
        service = await startPageService(block, at);
      }
      if (!isRequest(block)) continue;
      const reply = await runBlock(block, { service, at, variables }, ids);
      const next = blocks[index + 1];
      if (/^kill /m.test(block.code)) {
        if (reply !== '') found.push(`${block.place}: ${reply}`);
      } else if (next?.mark === 'prints') {
        found.push(...printedDifferences(next.code, reply, ids).map((text) => `${next.place}: ${text}`));
      } else {
        found.push(...checkReply(block, next?.mark === 'reply' ? next : undefined, reply, ids));
      }
    }
  } finally {
    await service.stop();
  }
  return found;
}

/** Where the blocks of a page are run. */
interface PageRun {
  readonly service: Service;
  readonly at: string;
  /** The variables that earlier blocks have set, as lines of a script. */
  readonly variables: string[];
}

/** Runs one block against the service of its page, or one with the settings that it names; returns what it printed. */
async function runBlock(
  { mark, code }: Block,
  { service: ofPage, at, variables }: PageRun,
  ids: Ids,
): Promise<string> {
  const own = mark.startsWith('with ')
    ? await startService(assignments(mark.slice('with '.length)))
    : undefined;
  try {
    variables.push(...(code.match(/^[A-Z]+=\S+$/gm) ?? []));
    let script = `${variables.join('\n')}\n${code}`.replaceAll(
      'http://127.0.0.1:8000',
      (own ?? ofPage).baseUrl,
    );
    for (const [shown, real] of ids) script = script.replaceAll(shown, real);
    const env = { PATH: process.env['PATH'] ?? '', NODE_OPTIONS };
    const ended = await startProgram('bash', ['-euc', script], { cwd: at, env }).ended;
    return ended.code === 0 ? ended.stdout : `exit code ${ended.code}: ${ended.stderr}`;
  } finally {
    await own?.stop();
  }
}

function checkReply(block: Block, shown: Block | undefined, reply: string, ids: Ids): string[] {
  let actual: unknown;
  try {
    actual = JSON.parse(reply);
  } catch {
    return [`${block.place}: printed no JSON: ${reply.slice(0, 200)}`];
  }
  if (shown !== undefined) {
    return differences(JSON.parse(shown.code), JSON.parse(reply), ids).map(
      (text) => `${shown.place} ${text}`,
    );
  }
  const isError =
    typeof actual === 'object' && actual !== null && Object.keys(actual).join() === 'error,detail';
  return isError ? [`${block.place}: was answered ${reply}`] : [];
}

const withRequests = pages
  .filter(({ path }) => path !== guidePath)
  .map((page) => ({ path: page.path, blocks: blocksOf(page) }));

describe('the requests of a page', () => {
  test.each(withRequests.filter(({ blocks }) => hasRequests(blocks)))(
    'run, and are answered as the page shows: $path',
    async ({ blocks }) => {
      expect(await runPage(blocks)).toEqual([]);
    },
  );

  test('come before each reply that a page shows', () => {
    const lost = withRequests.flatMap(({ blocks }) =>
      blocks.filter(({ mark }, index) => {
        const before = blocks[index - 1];
        return (mark === 'reply' || mark === 'prints') && (before === undefined || !isRequest(before));
      }),
    );
    expect(lost.map(({ place }) => place)).toEqual([]);
  });
});

/** The parts of a command line that are commands by themselves, without comments. */
function commandsIn(code: string): readonly string[] {
  return code.split('\n').flatMap((line) =>
    line
      .replace(/\s+#.*$/, '')
      .split(' && ')
      .map((command) => command.trim()),
  );
}

/** The fault of the arguments of the command `console`; undefined without one. */
function consoleIssue(args: string): string | undefined {
  try {
    const { url } = parseConsoleCommand(args.split(' '));
    parseUpstream(url, undefined);
    return undefined;
  } catch (error) {
    return `console ${args}: ${error}`;
  }
}

/** The fault of a command that is not run; undefined without one. */
function commandIssue(command: string): string | undefined {
  const settings = assignments(command);
  const outcome = parseSettings(settings);
  if (outcome.settings === undefined) return `${command}: has settings that the service rejects`;
  const unknown = Object.keys(settings).filter((name) => !Object.hasOwn(outcome.settings, name));
  if (unknown.length > 0) return `${command}: there is no setting ${unknown.join()}`;
  const rest = command.replace(/^(?:[A-Z_]+=\S+ )*/, '');
  if (rest === 'npx orchestration-service') return undefined;
  const args = /^(?:npx orchestration-service|npm start --) console (.+)$/.exec(rest)?.[1];
  if (args !== undefined) return consoleIssue(args);
  if (rest === 'npm ci' || rest === 'npm pack') return undefined;
  if (rest === `npm install ./orchestration-service-${manifest.version}.tgz`) return undefined;
  if (rest === 'npx vitest run --config test/vitest.config.ts test/domain') return undefined;
  const script = /^npm (?:run ([\w:-]+)|(start|test)$)/.exec(rest);
  const name = script?.[1] ?? script?.[2] ?? '';
  return Object.hasOwn(manifest.scripts, name) ? undefined : `${command}: is no command of this project`;
}

const others = withRequests.flatMap(({ blocks }) =>
  blocks.filter((block) => block.language === 'sh' && !isRequest(block)),
);

describe('the other commands', () => {
  test('name scripts and settings that exist', () => {
    const issues = others.flatMap(({ place, code }) =>
      commandsIn(code).flatMap((command) => {
        const issue = commandIssue(command);
        return issue === undefined ? [] : [`${place} ${issue}`];
      }),
    );
    expect(issues).toEqual([]);
  });

  const evaluations = others.flatMap(({ code }) => code.match(/^npm run evaluate -- .+$/gm) ?? []);

  test.each(evaluations)('reach their gates: %s', async (command) => {
    const tickets = withRequests.flatMap(({ blocks }) =>
      blocks.filter(({ mark }) => mark === 'file tickets.json'),
    );
    await writeFile(join(folder, 'tickets.json'), tickets[0]?.code ?? '');
    const args = [program, 'evaluate', ...command.split(' ').slice(4)];
    const { code, stdout } = await startProgram(process.execPath, args, { cwd: folder, env: {} }).ended;
    expect(code).toBe(0);
    expect(stdout).toContain(command.includes('--out') ? 'wrote' : 'classification_accuracy');
  });

  test('include evaluations', () => {
    expect(evaluations.length).toBeGreaterThan(1);
  });

  const withModel = others.flatMap(
    ({ code }) => code.match(/^(?:[A-Z_]+=\S+ )+npm run evaluate -- .+$/gm) ?? [],
  );

  test('evaluate with a language model in their order, also where it accepts no request', async () => {
    await using provider = await startFakeProvider(() => failure(400));
    const at = await mkdtemp(join(folder, 'with-model-'));
    const [tickets] = withRequests.flatMap(({ blocks }) =>
      blocks.filter(({ mark }) => mark === 'file tickets.json'),
    );
    await writeFile(join(at, 'tickets.json'), tickets?.code ?? '');
    const ended: (readonly [number | null, string])[] = [];
    for (const command of withModel) {
      const local = command.replace(/(?<=LLM_BASE_URL=)\S+/, provider.baseUrl);
      const args = local.slice(local.indexOf(' -- ') + 4).split(' ');
      const { code, stderr } = await startProgram(process.execPath, [program, 'evaluate', ...args], {
        cwd: at,
        env: assignments(local),
      }).ended;
      ended.push([code, stderr]);
    }
    expect(ended).toEqual(
      withModel.map((command) =>
        command.includes('--model-confidence')
          ? [1, expect.stringMatching(/how sure the model was/)]
          : [0, ''],
      ),
    );
    expect(withModel.length).toBeGreaterThan(3);
    expect(provider.calls()).toBeGreaterThan(0);
  });

  const trainings = others.flatMap(({ code }) => code.match(/^npm run train -- [^#\n]+/gm) ?? []);

  test.each(trainings)('train a classifier: %s', async (command) => {
    await writeFile(join(folder, 'tickets.csv'), toCsv(makeTickets(20)));
    await writeFile(join(folder, 'others.csv'), toCsv(makeTickets(5, 2)));
    const args = [program, 'train', ...command.trim().split(' ').slice(4)];
    const { code, stdout } = await startProgram(process.execPath, args, { cwd: folder, env: {} }).ended;
    expect(code).toBe(0);
    expect(stdout).toContain('120');
  });

  test('include trainings', () => {
    expect(trainings.length).toBeGreaterThan(1);
  });
});

describe('the check of commands', () => {
  test.each([
    ['another line', 'one\ntwo', 'one\nthree', 1],
    ['a missing line after those left out', 'one\n…\nfour', 'one\ntwo\nthree', 1],
    ['a line too many', 'one', 'one\ntwo', 1],
    ['other JSON in a line', 'data: {"a": 1}', 'data: {"a": 2}', 1],
    ['nothing, where lines are left out and an id differs', 'id: 1\n…\n3 end', 'id: 1\n2 work\n3 end \n', 0],
  ])('finds in a printed text %s', (_what, shown, printed, expected) => {
    expect(printedDifferences(shown, printed, new Map())).toHaveLength(expected);
  });

  test.each([
    'npm run nothing',
    'npm stop',
    'node src/main.ts',
    'NO_SUCH_SETTING=1 npm start',
    'PORT=many npm start',
    'npx orchestration-service console --urls https://orchestration.example',
    'npm start -- console --url orchestration.example',
    'npm install ./orchestration-service-0.0.1.tgz',
  ])('rejects the planted %j', (command) => {
    expect(commandIssue(command)).toBeDefined();
  });

  test('reports a planted reply that the service does not give, and a failing request', async () => {
    const block = { place: 'planted:1', language: 'sh', mark: '', code: '' };
    const health: Block = { ...block, code: 'curl -s http://127.0.0.1:8000/health' };
    const reply: Block = {
      ...block,
      language: 'json',
      mark: 'reply',
      code: '{"status": "broken", "…": "…"}',
    };
    const missing: Block = { ...block, code: 'curl -s http://127.0.0.1:8000/nowhere' };
    const failing: Block = { ...block, code: 'curl -s http://127.0.0.1:1/health' };
    const found = await runPage([health, reply, missing, failing]);
    expect(found.map((text) => text.slice(0, 50))).toEqual([
      'planted:1 .status: shown "broken", replied "ok"',
      expect.stringContaining('planted:1: was answered {"error":"Not Found"'),
      expect.stringContaining('planted:1: printed no JSON: exit code 7'),
    ]);
  });

  test.each([
    ['a member that is not shown', { a: 1 }, { a: 1, b: 2 }, ['.b: not shown']],
    ['another value', { a: { b: 1 } }, { a: { b: 2 } }, ['.a.b: shown 1, replied 2']],
    ['a missing member', { a: 1 }, {}, ['.a: shown 1, replied undefined']],
    ['a missing member of any value', { a: '…' }, {}, ['.a: shown "…", replied undefined']],
    ['more items', [1], [1, 2], [': shown 1 items, replied 2']],
    ['another text', 'begins with…', 'does not', [': shown "begins with…", replied "does not"']],
    [
      'a duration of another type',
      { duration_ms: 1 },
      { duration_ms: null },
      ['.duration_ms: shown 1, replied null'],
    ],
  ])('finds %s', (_what, shown, actual, expected) => {
    expect(differences(shown, actual, new Map())).toEqual(expected);
  });

  test('finds two ids that a page shows as one', () => {
    const id = (digit: string): string => `01a1fb9e-a8bc-7000-bd31-00000000000${digit}`;
    const shown = { one: id('1'), other: id('1') };
    expect(differences(shown, { one: id('2'), other: id('2') }, new Map())).toEqual([]);
    expect(differences(shown, { one: id('2'), other: id('3') }, new Map())).toHaveLength(1);
  });

  test('accepts other ids, times, durations and confidences, and what is left out', () => {
    const shown = {
      at: '2026-11-21T01:00:41.532Z',
      duration_ms: 1,
      confidence: 0.9,
      list: [1, '…'],
      text: 'Hello…',
      '…': '…',
    };
    const actual = {
      at: '2027-01-01T00:00:00.000Z',
      duration_ms: 9,
      confidence: 0.8,
      list: [1, 2],
      text: 'Hello there',
      more: 1,
    };
    expect(differences(shown, actual, new Map())).toEqual([]);
  });
});
