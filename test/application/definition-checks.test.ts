import { describe, expect, test } from 'vitest';
import { celExpressions } from '../../src/adapters/languages/languages.ts';
import type { StepDraft, WorkflowDraft } from '../../src/domain/workflow/definition.ts';
import type { JsonValue } from '../../src/lib/json/json.ts';
import { burnCpu, createTurnCounter } from '../support/event-loop.ts';
import { callTool, createTestEngine } from '../support/workflow/engine.ts';

describe('checking a definition', () => {
  test('lets other work run between expressions and between schemas that take long', async () => {
    const turns = createTurnCounter();
    const takeLong = () => {
      burnCpu(4);
      turns.count();
    };
    const engine = createTestEngine({
      ports: {
        expressions: {
          parse(...parameters) {
            takeLong();
            return celExpressions.parse(...parameters);
          },
          parseWhole(...parameters) {
            takeLong();
            return celExpressions.parseWhole(...parameters);
          },
          parseTexts(...parameters) {
            takeLong();
            return celExpressions.parseTexts(...parameters);
          },
        },
        schemas: {
          compile() {
            takeLong();
            return { issues: () => [] };
          },
        },
      },
    });
    const step = (index: number): StepDraft => ({
      id: `s${index}`,
      kind: 'approval',
      title: 'ok?',
      payload: { x: '${{ input.x }}' },
      when: 'true',
      foreach: { items: 'input.items' },
      responseSchema: {},
    });
    const steps = Array.from({ length: 10 }, (_, index) => step(index));
    const { issues } = await engine.workflows.validate({ name: 'n', steps });
    expect(issues).toEqual([]);
    // The fourth call in a turn begins after more than 10 ms.
    expect(turns.max).toBeLessThanOrEqual(4);
  });

  test('copies all parts of a draft', async () => {
    const { workflows } = createTestEngine();
    const make = (lists: Readonly<Record<'output' | 'x' | 'items' | 'z', JsonValue[]>>): WorkflowDraft => ({
      name: 'n',
      inputSchema: { type: 'object' },
      output: { list: lists.output },
      steps: [
        { ...callTool('a', 'ok', {}), onError: { output: { x: lists.x } }, foreach: { items: lists.items } },
        {
          id: 'b',
          kind: 'approval',
          title: 'ok?',
          payload: { z: lists.z },
          responseSchema: { type: 'object' },
        },
      ],
    });
    const lists = { output: ['$input'], x: [1], items: [{ y: 1 }], z: [1] };
    const expected = make(structuredClone(lists));
    const stored = await workflows.create(make(lists));
    for (const list of Object.values(lists)) list.length = 0;
    const { inputSchema, output, steps } = await workflows.get(stored.id);
    expect({ inputSchema, output, steps }).toEqual({
      inputSchema: expected.inputSchema,
      output: expected.output,
      steps: expected.steps.map((step) => ({ dependsOn: [], staticInput: {}, ...step })),
    });
  });

  test('names every part that is not JSON, together with other issues', async () => {
    const { workflows } = createTestEngine();
    const steps: StepDraft[] = [
      { ...callTool('a', 'ok', { x: Number.NaN }), when: '1' },
      {
        ...callTool('b', 'ok', {}),
        onError: { output: { x: Number.NaN } },
        foreach: { items: [Number.NaN] },
      },
    ];
    await expect(workflows.create({ name: 'n', output: { x: Number.NaN }, steps })).rejects.toMatchObject({
      issues: [
        'output: contains a number that is not finite',
        'steps.0.static_input: contains a number that is not finite',
        'steps.1.on_error.output: contains a number that is not finite',
        'steps.1.foreach.items: contains a number that is not finite',
        'steps.0.when: must be a boolean, but it is a number',
      ],
    });
  });

  test('looks up at most 100 workflows for its warnings', async () => {
    const { workflows } = createTestEngine();
    const steps = Array.from({ length: 300 }, (_, index): StepDraft => {
      return { id: `s${index}`, kind: 'workflow', workflowId: `w${index}` };
    });
    const { warnings } = await workflows.validate({ name: 'n', steps });
    expect(warnings).toHaveLength(100);
    expect(warnings[0]).toBe('steps.0.workflow_id: there is no workflow "w0" yet');
  });

  test('warns of every step whose workflow is known to be missing, also after those 100', async () => {
    const { workflows } = createTestEngine();
    const existing = await Promise.all(
      Array.from({ length: 99 }, () => workflows.create({ name: 'c', steps: [callTool('a', 'ok', {})] })),
    );
    const ids = ['nobody', ...existing.map(({ id }) => id), 'not-looked-up', 'nobody'];
    const steps = ids.map((workflowId, index): StepDraft => {
      return { id: `s${index}`, kind: 'workflow', workflowId };
    });
    const { warnings } = await workflows.validate({ name: 'n', steps });
    expect(warnings).toEqual([
      'steps.0.workflow_id: there is no workflow "nobody" yet',
      'steps.101.workflow_id: there is no workflow "nobody" yet',
    ]);
  });

  test('calls a kind that does not exist an issue', async () => {
    const { workflows } = createTestEngine();
    const steps = [{ id: 'a', kind: 'other' as 'tool', toolName: 'ok' }];
    await expect(workflows.create({ name: 'n', steps })).rejects.toMatchObject({
      issues: ['steps.0.kind: must be tool, agent, workflow, wait or approval'],
    });
  });
});
