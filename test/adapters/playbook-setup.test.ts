import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultPorts } from '../../src/adapters/defaults.ts';
import { PlaybookError } from '../../src/adapters/playbook/faults.ts';
import { playbookPorts } from '../../src/adapters/playbook-ports.ts';
import {
  type PlaybookSetup,
  type PlaybookSources,
  setUpPlaybook,
} from '../../src/adapters/playbook-setup.ts';
import { createOrchestrator } from '../../src/application/orchestrator.ts';

const playbook = `
company: { name: Hill Library, signature: Hill Library, languages: [en] }
example_tools: false
articles: ./articles
intents:
  - name: renew
    description: Wants to keep a book longer.
    examples: [Can I renew my loan?, I need the book for another week]
    articles: true
    replies: { en: '{{ articles[0].text }}' }
  - name: fee
    description: Asks about fees.
    examples: [How much is the fee?, Do I have to pay for late books?]
    tool: { name: fees, input: { reader: '\${{ customer.id }}' } }
    replies: { en: 'You owe {{ tool.amount }}.' }
tools:
  - name: fees
    description: The fees of a reader.
    input: { type: object, required: [reader], properties: { reader: { type: string } } }
    request: { url: 'https://library.example/fees/\${{ input.reader }}', headers: { Authorization: 'Bearer env:LIBRARY_KEY' } }
`;

const tools = `
tools:
  - name: shelf
    description: The shelf of a book.
    request: { url: 'https://library.example/shelf' }
`;

let folder: string;
let file: string;
const env = { LIBRARY_KEY: 'canary-key-of-the-library' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'playbook-setup-'));
  file = join(folder, 'playbook.yaml');
  await mkdir(join(folder, 'articles'));
  await writeFile(file, playbook);
  await writeFile(join(folder, 'tools.yaml'), tools);
  await writeFile(
    join(folder, 'articles', 'renewals.md'),
    '---\ntitle: Renewals\nintents: [renew]\n---\nYou can renew twice, at the desk.\n',
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The answer of a service with these sources. */
async function answer(setup: PlaybookSetup, message: string) {
  const orchestrator = createOrchestrator(defaultPorts(playbookPorts(setup)));
  for (const { tool, origin } of setup.tools) orchestrator.tools.register(tool, origin);
  const { intent, disposition, response } = await orchestrator.messages.process({
    source: 'chat',
    customerId: 'reader-7',
    message,
  });
  await orchestrator.close();
  return { intent, disposition, response };
}

const faultsOf = async (sources: PlaybookSources): Promise<string> => {
  const error: unknown = await setUpPlaybook(sources).catch((thrown: unknown) => thrown);
  if (!(error instanceof PlaybookError)) throw new Error('the playbook has no faults', { cause: error });
  return error.message;
};

describe('a playbook that is set up', () => {
  test('brings its tools, the search of its articles and its secrets, and leaves the examples out', async () => {
    const setup = await setUpPlaybook({ file, env });
    expect(setup.tools.map(({ tool, origin }) => [tool.name, origin])).toEqual([
      ['search_articles', 'playbook'],
      ['fees', 'playbook'],
    ]);
    expect(setup.secrets).toContain('canary-key-of-the-library');
    expect(await answer(setup, 'Can I renew my loan, please?')).toMatchObject({
      intent: 'renew',
      disposition: 'answered',
      response: expect.stringContaining('You can renew twice, at the desk.'),
    });
    setup.close();
  });

  test('is the built-in one without any source, with the example tools', async () => {
    const setup = await setUpPlaybook();
    expect(setup.playbook.source).toBe('built-in');
    expect(setup.tools.map(({ origin }) => origin)).toEqual(['example', 'example', 'example']);
    expect(await answer(setup, 'Where is my order A-1234?')).toMatchObject({ intent: 'order_status' });
  });

  test('gets the tools of a further file', async () => {
    const setup = await setUpPlaybook({ toolsFile: join(folder, 'tools.yaml') });
    expect(setup.tools.map(({ tool }) => tool.name)).toContain('shelf');
    setup.close();
  });

  test('is changed by code, the later one over the earlier, by name', async () => {
    const renew = (text: string) => ({
      intents: [
        { name: 'renew', description: 'Renews.', examples: ['Can I renew my loan?'], replies: { en: text } },
      ],
    });
    const additions = [
      { name: 'first', playbook: renew('From the first.') },
      { name: 'second', playbook: { ...renew('From the second.'), company: { signature: 'Your desk' } } },
    ];
    const setup = await setUpPlaybook({ file, env, additions });
    const { response } = await answer(setup, 'Can I renew my loan?');
    expect(response).toContain('From the second.');
    expect(response.endsWith('Your desk')).toBe(true);
    expect([...setup.playbook.intents.keys()]).toContain('fee');
    setup.close();
  });

  test('keeps the intents, articles and judgement of the built-in one when code changes only its texts', async () => {
    const additions = [{ name: 'mine', playbook: { company: { signature: 'Jo from Example Shop' } } }];
    const setup = await setUpPlaybook({ additions });
    const { intent, response } = await answer(setup, 'I want my money back for the broken lamp');
    expect(intent).toBe('refund');
    expect(response.endsWith('Jo from Example Shop')).toBe(true);
    expect(await answer(setup, 'How do I reset my password?')).toMatchObject({ disposition: 'answered' });
  });
});

describe('a fault', () => {
  test('of code names the module and the member', async () => {
    const playbook = { intents: [{ name: 'renew', reply: {} }] };
    expect(await faultsOf({ file, env, additions: [{ name: 'extension "./mine.ts"', playbook }] })).toMatch(
      /^extension ".\/mine.ts": intents\[0\]/,
    );
    expect(await faultsOf({ additions: [{ name: 'mine', playbook: 5 }] })).toMatch(/^mine: /);
  });

  test('is a variable of a tool that the environment lacks; its name is told, no value of another', async () => {
    const told = await faultsOf({ file, env: { OTHER: 'canary' } });
    expect(told).toMatch(/playbook\.yaml:\d+:\d+: tools\[0\].*LIBRARY_KEY/);
    expect(told).not.toContain('canary');
  });

  test('of a file of tools has its place', async () => {
    const path = join(folder, 'broken.yaml');
    await writeFile(path, 'tools:\n  - name: shelf\n    request: { url: "ftp://x" }\n    colour: red\n');
    const told = await faultsOf({ toolsFile: path });
    expect(told).toMatch(/broken\.yaml:\d+:\d+: tools\[0\]/);
    expect(told.split('\n').length).toBeGreaterThan(1);
    expect(await faultsOf({ toolsFile: join(folder, 'none.yaml') })).toContain('cannot be read (ENOENT)');
    expect(await faultsOf({ file: join(folder, 'none.yaml') })).toContain('cannot be read (ENOENT)');
  });

  test('is a classifier that was not trained on the intents', async () => {
    const model = join(folder, 'model.json');
    await writeFile(model, '{}');
    await expect(setUpPlaybook({ file, env, classifierFile: model })).rejects.toThrow('model.json');
  });
});
