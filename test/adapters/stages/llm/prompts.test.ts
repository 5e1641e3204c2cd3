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
});
