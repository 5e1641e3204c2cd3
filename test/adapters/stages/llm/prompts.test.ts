import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { PlaybookDefinition } from '../../../../src/adapters/playbook/definition.ts';
import { assessed, fits, modelWith } from '../../../support/llm/fake-model.ts';
import { spyTool } from '../../../support/llm/model-places.ts';
import { outcomeOf } from '../stage-inputs.ts';
import { llmRig } from './llm-rig.ts';

const workshop: PlaybookDefinition = {
  company: {
    name: 'Tannenhof Cycles',
    about: 'We repair and rent bicycles in Lindau.',
    style: 'Warm and short.',
    languages: ['en', 'de', '*'],
  },
  message_tools: ['opening_hours'],
  entities: [{ name: 'job', pattern: '\\bWJ-[0-9]{5}\\b' }],
  intents: [
    {
      name: 'repair',
      description: 'Asks how far a repair is.',
      examples: ['How far is my repair?', 'Is my bike ready?'],
      required: [{ entity: 'job', question: { en: 'Which job?', de: 'Welcher Auftrag?' } }],
      tool: { name: 'job', input: { job: '${{ entities.job }}', customer: '${{ customer.id }}' } },
      replies: { en: 'It is {{ tool.state }}.', de: 'Es ist {{ tool.state }}.' },
    },
  ],
  concerns: { injury: { harmless: ['a puncture in the front tyre'] } },
};

const text = z.string().min(1);
const tools = [
  spyTool('job', 'read', z.object({ job: text, customer: text, detail: z.boolean().optional() })),
  spyTool('opening_hours', 'read', z.object({ day: text.optional() })),
  spyTool('wipe', 'write'),
];

/** A folder that is removed with its scope. */
async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'prompts-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A golden file: a change of a prompt is seen in the change of its file. */
const golden = (name: string): string => `golden/${name}.txt`;

describe('the prompts of a language model', () => {
  test('are as they were read by people', async () => {
    const message =
      'Is WJ-12345 ready? Your brake pad caught fire and I am in hospital with burns on my leg.';
    const model = modelWith({
      classifier: assessed('repair'),
      second_look: { raised: false, words: '' },
      responder: { reply: 'It is ready.', used: ['c1'], left_open: [] },
      verifier: fits,
    });
    await llmRig(model, { playbook: workshop, tools }).run(message, (name) =>
      outcomeOf(name, { state: 'ready' }),
    );
    expect(model.requests.map(({ purpose }) => purpose)).toEqual([
      'classifier',
      'second_look',
      'responder',
      'verifier',
    ]);
    for (const { purpose, instructions, data } of model.requests) {
      const whole = `${instructions}\n\n--- data ---\n${JSON.stringify(data, null, 2)}\n`;
      await expect(whole).toMatchFileSnapshot(golden(purpose));
    }
  });

  test('name no tool that writes, and nothing that the playbook sets', async () => {
    const model = modelWith({ classifier: assessed('repair') });
    await llmRig(model, { playbook: workshop, tools }).run('Is WJ-12345 ready?');
    const { instructions } = model.requests[0] ?? { instructions: '' };
    expect(instructions).toContain('"name":"job"');
    expect(instructions).not.toContain('wipe');
    expect(instructions).not.toContain('"customer":');
  });

  test('have whole articles, or of many their titles and with each message the five that fit best', async () => {
    await using folder = await temporaryFolder();
    const write = async (count: number, body: string) => {
      for (let at = 0; at < count; at++) {
        const title = at === 7 ? 'Punctured tyres' : `Subject ${at}`;
        const text = at === 7 ? `A puncture of the tyre costs 12 euros. ${body}` : body;
        await writeFile(
          join(folder.path, 'articles', `a${at}.md`),
          `---\ntitle: ${title}\nintents: [repair]\n---\n${text}\n`,
        );
      }
    };
    await mkdir(join(folder.path, 'articles'));
    const playbook = { ...workshop, articles: 'articles' };
    const ask = async () => {
      const model = modelWith({ classifier: assessed('repair') });
      await llmRig(model, { playbook, tools, directory: folder.path }).run('My tyre has a puncture');
      return model.requests[0];
    };
    await write(10, 'Ordinary words.');
    const few = await ask();
    expect(few?.instructions).toContain('# Punctured tyres\nA puncture of the tyre costs 12 euros.');
    expect(few?.data).not.toHaveProperty('articles');
    await write(200, 'Ordinary words of the shop. '.repeat(10));
    const many = await ask();
    expect(many?.instructions).toContain('- Punctured tyres');
    expect(many?.instructions).not.toContain('costs 12 euros');
    expect(many?.data['articles']).toMatchObject([
      { title: 'Punctured tyres', text: expect.stringContaining('costs 12 euros') },
    ]);
  });

  test('stay within bounds, however large a playbook is', async () => {
    const intents = Array.from({ length: 200 }, (_, at) => ({
      name: `intent_${at}`,
      description: 'd'.repeat(900),
      examples: Array.from({ length: 8 }, (_example, number) => `${at} ${number} ${'e'.repeat(280)}`),
      replies: { en: 'Yes.', de: 'Ja.' },
    }));
    const shape = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`member_${at}`, text.describe('m'.repeat(100)).optional()]),
    );
    const many = Array.from({ length: 64 }, (_, at) => spyTool(`tool_${at}`, 'read', z.object(shape)));
    const model = modelWith({ classifier: assessed('intent_7') });
    const playbook = { ...workshop, intents, entities: [], message_tools: many.map(({ name }) => name) };
    await llmRig(model, { playbook, tools: many }).run('Hello there, what about it?');
    expect(model.requests[0]?.instructions.length).toBeLessThan(160_000);
  });
});
