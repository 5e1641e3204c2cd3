import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultPorts } from '../../src/adapters/defaults.ts';
import { playbookPorts } from '../../src/adapters/playbook-ports.ts';
import { createPlaybookReload, type PlaybookReloadOptions } from '../../src/adapters/playbook-reload.ts';
import { type PlaybookSources, setUpPlaybook } from '../../src/adapters/playbook-setup.ts';
import { createOrchestrator } from '../../src/application/orchestrator.ts';
import { OrchestrationError } from '../../src/domain/errors.ts';
import { recordLogs } from '../support/fakes.ts';
import { heldBytes } from '../support/heap.ts';
import { startServer } from '../support/outbound/server.ts';

const playbook = (text: string, more = '') => `
company: { name: Hill Library, languages: [en] }
example_tools: false
articles: ./articles
intents:
  - name: hours
    description: Asks when we are open.
    examples: [When are you open?, Are you open on Sunday?]
    replies: { en: '${text}' }
  - name: renew
    description: Wants to keep a book longer.
    examples: [Can I renew my loan?, I need the book for another week]
    articles: true
${more}`;

const shelf = (port: number) => `
tools:
  - name: shelf
    description: Where a book stands.
    effect: read
    request: { url: 'http://127.0.0.1:${port}/shelf' }
`;

const article = (text: string) => `---\ntitle: Renewals\nintents: [renew]\n---\n${text}\n`;

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'playbook-reload-'));
  file = join(folder, 'playbook.yaml');
  await mkdir(join(folder, 'articles'));
  await write('playbook.yaml', playbook('We open at nine.'));
  await write('articles/renewals.md', article('You can renew twice.'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Writes a file at once, so that no reload reads a half of it. */
async function write(name: string, text: string): Promise<void> {
  const path = join(folder, name);
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

/** A program with a playbook, and what reloads it. */
async function start(sources: PlaybookSources = { file }, options: Partial<PlaybookReloadOptions> = {}) {
  const setup = await setUpPlaybook(sources);
  const logger = recordLogs();
  const orchestrator = createOrchestrator(defaultPorts({ logger }));
  orchestrator.usePlaybook(setup, () => playbookPorts(setup));
  const reload = createPlaybookReload({ orchestrator, sources, logger, ...options });
  const answer = async (message: string) => {
    const { response } = await orchestrator.messages.process({ source: 'chat', customerId: 'c', message });
    return response;
  };
  return { orchestrator, reload, answer, logger, version: () => orchestrator.playbook.version };
}

/** The faults that a reload is refused with. */
async function faultsOf(reload: () => Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await reload().catch((thrown: unknown) => thrown);
  if (!(error instanceof OrchestrationError)) throw new Error('nothing was refused', { cause: error });
  expect(error.code).toBe('validation');
  return error.issues ?? [];
}

describe('a reload', () => {
  test('uses the changed file from then on, and says so', async () => {
    const { reload, answer, version } = await start();
    const before = version();
    expect(await answer('When are you open?')).toContain('We open at nine.');
    await write('playbook.yaml', playbook('We open at ten.'));
    const reloaded = await reload();
    expect(reloaded).toEqual({
      playbook: { source: file, version: version() },
      warnings: [],
      changed: true,
    });
    expect(version()).not.toBe(before);
    expect(await answer('When are you open?')).toContain('We open at ten.');
  });

  test.each([
    ['an article', () => write('articles/renewals.md', article('You can renew three times.'))],
    ['a further article', () => write('articles/more.md', article('Or by telephone.'))],
    ['the file of tools', () => write('tools.yaml', `${shelf(1)}    timeout_ms: 700\n`)],
  ])('takes %s that was changed', async (_, change) => {
    await write('tools.yaml', shelf(1));
    const toolsFile = join(folder, 'tools.yaml');
    const { reload, version } = await start({ file, toolsFile, outboundAllow: ['127.0.0.1'] });
    const before = version();
    await change();
    expect(await reload()).toMatchObject({ changed: true });
    expect(version()).not.toBe(before);
  });

  test('changes nothing where all is as before, whatever the comments and the order of members', async () => {
    const { reload, orchestrator } = await start();
    const { playbook: before } = orchestrator;
    await write(
      'playbook.yaml',
      `# reviewed\n${playbook('We open at nine.').replace('{ name: Hill Library, languages: [en] }', '{ languages: [en], name: Hill Library }')}`,
    );
    expect(await reload()).toMatchObject({ changed: false, playbook: { version: before.version } });
    expect(orchestrator.playbook).toBe(before);
  });

  test('finds the articles that are there now, and lists the tools that are there now', async () => {
    const { reload, answer, orchestrator } = await start();
    expect(await answer('Can I renew my loan?')).toContain('You can renew twice.');
    await write('articles/renewals.md', article('You can renew three times.'));
    await write('playbook.yaml', playbook('We open at nine.', shelf(1)));
    await reload();
    expect(await answer('Can I renew my loan?')).toContain('You can renew three times.');
    expect(orchestrator.tools.list().map(({ name }) => name)).toEqual(['search_articles', 'shelf']);
  });

  test('tells and logs what may be wrong, and uses the playbook all the same', async () => {
    const { reload, logger } = await start();
    const unused = 'entities: [{ name: shelf_mark, pattern: "S-[0-9]{3}" }]\nmessage_tools: [by_extension]\n';
    await write('playbook.yaml', playbook('We open at ten.', unused));
    const { warnings, changed } = await reload();
    expect(changed).toBe(true);
    expect(warnings).toEqual([expect.stringMatching(/^message_tools\[0\]: .*by_extension/)]);
    const lines = logger.lines.filter(({ message }) => message === 'the playbook has a flaw');
    expect(lines.map(({ warning }) => warning)).toEqual(warnings);
  });

  test('keeps the tools that code has registered, which win over those of the new playbook', async () => {
    const { reload, orchestrator } = await start();
    const own = orchestrator.tools.get('search_articles') ?? expect.fail();
    orchestrator.tools.register({ ...own, name: 'shelf', description: 'of code' });
    await write('playbook.yaml', playbook('We open at nine.', shelf(1)));
    await reload();
    expect(orchestrator.tools.get('shelf')?.description).toBe('of code');
  });

  test('keeps nothing of the playbooks that are in use no more', async () => {
    const { reload, answer, orchestrator } = await start();
    const replaced: WeakRef<object>[] = [];
    for (const hour of ['ten', 'eleven', 'noon', 'one', 'two', 'three']) {
      await answer('When are you open?');
      await answer('Can I renew my loan?');
      replaced.push(new WeakRef(orchestrator.playbook));
      await write('playbook.yaml', playbook(`We open at ${hour}.`));
      await reload();
    }
    await answer('When are you open?');
    await setImmediate();
    heldBytes();
    // The first one is kept by `start`, which has made it.
    const [, ...reloaded] = replaced.map((one) => one.deref()?.constructor);
    expect(reloaded).toEqual(reloaded.map(() => undefined));
  });

  test('closes the connections of the tools that are in use no more', async () => {
    const server = await startServer((_, response) => response.end('{"at":"7B"}'));
    await write('playbook.yaml', playbook('We open at nine.', shelf(server.port)));
    const { reload, orchestrator } = await start({ file, outboundAllow: ['127.0.0.1'] });
    const call = () => orchestrator.tools.call({ toolName: 'shelf', input: {} });
    expect(await call()).toMatchObject({ output: { at: '7B' } });
    expect(server.openConnections()).toBe(1);
    await write('playbook.yaml', playbook('We open at ten.', shelf(server.port)));
    await reload();
    await expect.poll(server.openConnections).toBe(0);
    expect(await call()).toMatchObject({ output: { at: '7B' } });
    expect(server.openConnections()).toBe(1);
  });
});

describe('faults', () => {
  test('of all files are told together, and nothing changes', async () => {
    await write('tools.yaml', shelf(1));
    const sources = { file, toolsFile: join(folder, 'tools.yaml'), outboundAllow: ['127.0.0.1'] };
    const { reload, orchestrator, answer, version } = await start(sources);
    const before = version();
    await write('playbook.yaml', playbook('{{ tool.state', 'colour: red\n'));
    await write('articles/renewals.md', 'no front matter');
    await write('tools.yaml', 'tools: [{ name: shelf, description: 5 }]');
    await write('model.json', '{}');
    const broken = createPlaybookReload({
      orchestrator,
      sources: { ...sources, classifierFile: join(folder, 'model.json') },
    });
    const faults = await faultsOf(broken);
    const told = faults.map((fault) => fault.replaceAll(`${folder}/`, ''));
    expect(told).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^playbook\.yaml:\d+:\d+: colour: /),
        expect.stringMatching(/^playbook\.yaml:\d+:\d+: intents\[0\]\.replies\.en: /),
        expect.stringMatching(/^articles\/renewals\.md:1:1: /),
        expect.stringMatching(/^tools\.yaml:1:\d+: tools\[0\]\.description: /),
        expect.stringMatching(/^model\.json: /),
      ]),
    );
    expect(version()).toBe(before);
    expect(await answer('When are you open?')).toContain('We open at nine.');
    expect(await faultsOf(reload)).not.toHaveLength(0);
    await write('playbook.yaml', playbook('We open at ten.'));
    await write('articles/renewals.md', article('You can renew twice.'));
    await write('tools.yaml', shelf(1));
    expect(await reload()).toMatchObject({ changed: true });
  });

  test('are a playbook that is gone, and two tools of one name', async () => {
    await write('tools.yaml', shelf(1));
    const sources = { file, toolsFile: join(folder, 'tools.yaml'), outboundAllow: ['127.0.0.1'] };
    const { reload, answer } = await start(sources);
    await write('playbook.yaml', playbook('We open at ten.', shelf(1)));
    expect(await faultsOf(reload)).toEqual(['the tool "shelf" is already registered']);
    await rm(file);
    expect(await faultsOf(reload)).toEqual([`${file}: cannot be read (ENOENT)`]);
    expect(await answer('When are you open?')).toContain('We open at nine.');
  });
});

describe('the built-in playbook', () => {
  test('stays as it is', async () => {
    const { reload } = await start({});
    expect(await reload()).toMatchObject({ playbook: { source: 'built-in' }, changed: false });
    expect(createOrchestrator(defaultPorts()).playbook.version).toBe((await reload()).playbook.version);
  });

  test('takes a changed file of tools', async () => {
    await write('tools.yaml', shelf(1));
    const { reload, orchestrator } = await start({
      toolsFile: join(folder, 'tools.yaml'),
      outboundAllow: ['127.0.0.1'],
    });
    await write('tools.yaml', shelf(1).replace('shelf', 'shelves'));
    expect(await reload()).toMatchObject({ playbook: { source: 'built-in' }, changed: true });
    expect(orchestrator.tools.has('shelves')).toBe(true);
    expect(orchestrator.tools.has('shelf')).toBe(false);
  });
});

describe('reloads at the same time', () => {
  test('wait for the one under way, and those that wait share the next one', async () => {
    let made = 0;
    const { reload, answer } = await start(
      { file },
      {
        decide: (setup) => {
          made += 1;
          return playbookPorts(setup);
        },
      },
    );
    await write('playbook.yaml', playbook('We open at ten.'));
    const first = reload();
    await write('playbook.yaml', playbook('We open at eleven.'));
    const [one, two] = await Promise.all([reload(), reload(), first]);
    expect(one).toEqual(two);
    expect(await answer('When are you open?')).toContain('We open at eleven.');
    expect(made).toBeLessThanOrEqual(2);
  });

  test('are not held up by one that has failed', async () => {
    const { reload } = await start();
    await write('playbook.yaml', 'intents: 5');
    const failed = faultsOf(reload);
    await failed;
    await write('playbook.yaml', playbook('We open at ten.'));
    expect(await reload()).toMatchObject({ changed: true });
  });

  test('are refused when the program shuts down', async () => {
    const { reload } = await start({ file }, { signal: AbortSignal.abort() });
    await expect(reload()).rejects.toMatchObject({ code: 'unavailable' });
  });
});
