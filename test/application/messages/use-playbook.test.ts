import { expect, test } from 'vitest';
import { z } from 'zod';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { createPlaybook } from '../../../src/adapters/playbook/load.ts';
import { playbookContext } from '../../../src/adapters/playbook-context.ts';
import { playbookPorts } from '../../../src/adapters/playbook-ports.ts';
import { createOrchestrator, type Orchestrator } from '../../../src/application/orchestrator.ts';
import type { PlaybookTools } from '../../../src/application/tools/registry.ts';
import type { PlaybookPorts } from '../../../src/ports/ports.ts';
import type { Tool } from '../../../src/ports/tool.ts';

interface Company {
  readonly ports: PlaybookPorts;
  readonly tools: PlaybookTools;
  isClosed(): boolean;
  /** Resolves when the tool of the company is called, which goes on then. */
  readonly called: Promise<void>;
  letGo(): void;
}

/** A company that names itself in replies and outputs, and hands emergencies over within so many minutes. */
function company(name: string, minutes = 60): Company {
  const intents = [
    {
      name: 'repair_status',
      description: 'Asks how far a repair is.',
      examples: ['Is my bike ready?', 'how far is my repair'],
      tool: { name: 'job_lookup' },
      replies: { en: `${name}: {{ tool.by }}.` },
    },
    {
      name: `asks_${name}`,
      description: 'Asks about the company.',
      examples: [`Who is ${name}?`],
      replies: { en: `We are ${name}.` },
    },
    {
      name: 'accident',
      description: 'A fall.',
      examples: ['I fell off the bike'],
      handover: 'always' as const,
    },
  ];
  const within = `${minutes}m`;
  const { playbook } = createPlaybook(
    {
      company: { name, signature: name, languages: ['en'] },
      intents,
      example_tools: false,
      sla: { 1: within, 2: within, 3: within, 4: within, 5: within },
    },
    playbookContext('fault', {}),
  );
  const called = Promise.withResolvers<void>();
  const isLetGo = Promise.withResolvers<void>();
  let closed = false;
  const lookup: Tool = {
    name: 'job_lookup',
    description: `of ${name}`,
    input: z.object({}).loose(),
    effect: 'read',
    async execute() {
      called.resolve();
      await isLetGo.promise;
      if (closed) throw new Error('the connections of this tool are closed');
      return { by: name };
    },
  };
  return {
    ports: playbookPorts({ playbook, classifier: undefined }),
    tools: {
      tools: [{ tool: lookup, origin: 'playbook' }],
      close: () => {
        closed = true;
      },
    },
    isClosed: () => closed,
    called: called.promise,
    letGo: isLetGo.resolve,
  };
}

const use = (orchestrator: Orchestrator, { tools, ports }: Company) =>
  orchestrator.usePlaybook(tools, () => ports);

function start(first: Company): Orchestrator {
  const orchestrator = createOrchestrator(defaultPorts());
  use(orchestrator, first);
  return orchestrator;
}

const send = (orchestrator: Orchestrator, message: string, conversationId?: string) =>
  orchestrator.messages.process({ source: 'chat', customerId: 'c-1', message, conversationId });

test('a message ends by the playbook and the tools that it has begun with, and the next one has the new ones', async () => {
  const [red, blue] = [company('red'), company('blue')];
  const orchestrator = start(red);
  const message = send(orchestrator, 'Is my bike ready?');
  await red.called;
  use(orchestrator, blue);
  expect(orchestrator.playbook.company.name).toBe('blue');
  expect(orchestrator.tools.list().map(({ description }) => description)).toEqual(['of blue']);
  blue.letGo();
  const next = await send(orchestrator, 'Is my bike ready?');
  expect(next).toMatchObject({ disposition: 'answered', response: expect.stringContaining('blue: blue.') });
  expect(red.isClosed()).toBe(false);
  red.letGo();
  const { response } = await message;
  expect(response).toContain('red: red.');
  expect(response).not.toContain('blue');
  expect([red.isClosed(), blue.isClosed()]).toEqual([true, false]);
  await orchestrator.close();
  // Whoever made them closes them, once nothing can come any more.
  expect(blue.isClosed()).toBe(false);
});

test('a message that waits for the one before in its conversation begins when it is its turn', async () => {
  const [red, blue] = [company('red'), company('blue')];
  const orchestrator = start(red);
  const first = send(orchestrator, 'Is my bike ready?', 'one');
  await red.called;
  const second = send(orchestrator, 'Who is blue?', 'one');
  use(orchestrator, blue);
  red.letGo();
  expect((await first).response).toContain('red: red.');
  expect((await second).response).toContain('We are blue.');
  expect(red.isClosed()).toBe(true);
});

test('what is due, which intents a person may choose and which tickets are made are of the new playbook', async () => {
  const blue = company('blue', 5);
  const orchestrator = start(company('red', 60));
  const minutesToAnswer = async () => {
    const { itemId } = await send(orchestrator, 'I fell off the bike');
    const item = (await orchestrator.inbox?.get(itemId ?? ''))?.item ?? expect.fail();
    return { item, minutes: (Date.parse(item.dueAt ?? '') - Date.parse(item.openedAt)) / 60_000 };
  };
  expect(Math.round((await minutesToAnswer()).minutes)).toBe(60);
  use(orchestrator, blue);
  const { item, minutes } = await minutesToAnswer();
  expect(Math.round(minutes)).toBe(5);
  const resolve = (intent: string) =>
    orchestrator.inbox?.resolve(item.itemId, { outcome: 'dismissed', by: 'ada', intent });
  await expect(resolve('asks_red')).rejects.toThrow('is no intent of the playbook');
  await expect(resolve('asks_blue')).resolves.toMatchObject({ status: 'resolved' });
  blue.letGo();
  const { scores } = await orchestrator.evaluation.run({ seed: 1, size: 60 });
  const expected = scores.perIntent.map(([intent]) => intent);
  expect(expected).toContain('asks_blue');
  expect(expected).not.toContain('asks_red');
});

test('an evaluation ends by the playbook that it has begun with', async () => {
  const [red, blue] = [company('red'), company('blue')];
  const orchestrator = start(red);
  const ticket = { message: 'Is my bike ready?', expectedIntent: 'repair_status' };
  const asks = { message: 'Who is red?', expectedIntent: 'asks_red' };
  const evaluation = orchestrator.evaluation.run({ tickets: [ticket, asks] });
  await red.called;
  use(orchestrator, blue);
  expect(red.isClosed()).toBe(false);
  red.letGo();
  const { scores, playbook } = await evaluation;
  expect([scores.classificationAccuracy, playbook.company.name]).toEqual([1, 'red']);
  expect(red.isClosed()).toBe(true);
});

test('a step of a run keeps the tool that it has called, and the next one calls the new one', async () => {
  const [red, blue] = [company('red'), company('blue')];
  const orchestrator = start(red);
  const step = { kind: 'tool', toolName: 'job_lookup' } as const;
  const { id } = await orchestrator.workflows.create({
    name: 'two look-ups',
    steps: [
      { ...step, id: 'first' },
      { ...step, id: 'second', dependsOn: ['first'] },
    ],
  });
  const run = orchestrator.workflows.run(id);
  await red.called;
  use(orchestrator, blue);
  red.letGo();
  blue.letGo();
  const { stepResults } = await run;
  expect(stepResults.map(({ output }) => output)).toEqual([{ by: 'red' }, { by: 'blue' }]);
});

test('nothing changes where the ports of the new playbook cannot be made, or a tool cannot be registered', async () => {
  const [red, blue] = [company('red'), company('blue')];
  const orchestrator = start(red);
  red.letGo();
  const broken = () => {
    throw new Error('no stages');
  };
  expect(() => orchestrator.usePlaybook(blue.tools, broken)).toThrow('no stages');
  const twice = { ...blue.tools, tools: [...blue.tools.tools, ...blue.tools.tools] };
  expect(() => orchestrator.usePlaybook(twice, () => blue.ports)).toThrow('is already registered');
  expect(orchestrator.playbook.company.name).toBe('red');
  expect((await send(orchestrator, 'Is my bike ready?')).response).toContain('red: red.');
  expect([red.isClosed(), blue.isClosed()]).toEqual([false, false]);
});

test('stages that ask for tools get those of their own playbook, also after the next one', async () => {
  const [red, blue] = [company('red'), company('blue')];
  const orchestrator = createOrchestrator(defaultPorts());
  const listed: string[] = [];
  /** Stages that note the tools that they see when they plan. */
  const noting = ({ ports, tools: given }: Company) =>
    orchestrator.usePlaybook(given, (tools) => ({
      ...ports,
      stages: {
        ...ports.stages,
        verify(input, context) {
          listed.push(...tools().map(({ description }) => description));
          return ports.stages.verify(input, context);
        },
      },
    }));
  noting(red);
  const message = send(orchestrator, 'Is my bike ready?');
  await red.called;
  noting(blue);
  red.letGo();
  await message;
  blue.letGo();
  await send(orchestrator, 'Is my bike ready?');
  expect(listed).toEqual(['of red', 'of blue']);
});
