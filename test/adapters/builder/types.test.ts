import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { WorkflowDraft } from '../../../src/entries/index.ts';
import { cel, defineWorkflow, type Ref, shape, text } from '../../../src/entries/workflow.ts';

const input = z.object({
  order_id: z.string(),
  customer: z.object({ name: z.string(), phone: z.string().nullable() }).optional(),
  lines: z.array(z.object({ sku: z.string() })),
});

describe('the compiler', () => {
  test('knows the input from its schema, through optional members and lists', () => {
    const draft = defineWorkflow({
      name: 'Typed',
      input,
      steps: {
        order: {
          kind: 'tool',
          toolName: 'check_order_status',
          input: ({ input: given }) => {
            expectTypeOf(given.order_id).toEqualTypeOf<Ref<string>>();
            expectTypeOf(given.customer.name).toEqualTypeOf<Ref<string>>();
            expectTypeOf(given.lines(0).sku).toEqualTypeOf<Ref<string>>();
            // @ts-expect-error: the input has no such member
            expect(given.order).toBeDefined();
            // @ts-expect-error: nor has its customer
            expect(given.customer.nam).toBeDefined();
            return { id: given.order_id };
          },
        },
      },
    });
    expectTypeOf(draft).toEqualTypeOf<WorkflowDraft>();
  });

  test('knows the outputs of approvals, child workflows and of steps that say what they return', () => {
    defineWorkflow({
      name: 'Typed',
      steps: {
        order: { kind: 'tool', toolName: 'order', returns: z.object({ total: z.number() }) },
        ask: { kind: 'approval', title: 'Pay?', responseSchema: z.object({ amount: z.number() }) },
        child: { kind: 'workflow', workflowId: 'w', returns: shape<{ done: boolean }>() },
        untyped: { kind: 'agent', agentName: 'echo' },
      },
      output: ({ steps }) => {
        expectTypeOf(steps.order.total).toEqualTypeOf<Ref<number>>();
        expectTypeOf(steps.ask.data.amount).toEqualTypeOf<Ref<number>>();
        expectTypeOf(steps.child.output.done).toEqualTypeOf<Ref<boolean>>();
        expectTypeOf(steps.untyped('any', 0, 'key')).toEqualTypeOf<Ref<unknown>>();
        // @ts-expect-error: an approval has no such member
        expect(() => ({ a: steps.ask.aproved })).not.toThrow();
        // @ts-expect-error: a step whose output is not known is called with keys
        expect(steps.untyped.any).toBeDefined();
        return { total: steps.order.total };
      },
    });
  });

  test('accepts only ids of other steps as dependencies and references', () => {
    defineWorkflow({
      name: 'Typed',
      steps: {
        a: { kind: 'tool', toolName: 'x' },
        d: { kind: 'wait', durationMs: 1, dependsOn: ['a', 'e'] },
        e: { kind: 'tool', toolName: 'x' },
      },
    });
    const nobody = () =>
      defineWorkflow({
        name: 'Typed',
        steps: {
          a: { kind: 'tool', toolName: 'x' },
          // @ts-expect-error: there is no step "aa"
          b: { kind: 'tool', toolName: 'x', dependsOn: ['aa'] },
        },
      });
    expect(nobody).toThrow('steps.b.dependsOn: there is no step "aa"');
    const itself = () =>
      defineWorkflow({
        name: 'Typed',
        steps: {
          // @ts-expect-error: a step cannot depend on itself
          c: { kind: 'tool', toolName: 'x', dependsOn: ['c'] },
        },
      });
    expect(itself).toThrow('steps.c.dependsOn: names the step itself');
    const unknown = () =>
      defineWorkflow({
        name: 'Typed',
        steps: {
          a: { kind: 'tool', toolName: 'x' },
          // @ts-expect-error: there is no step "aa"
          b: { kind: 'tool', toolName: 'x', when: ({ steps }) => cel`has(${steps.aa})` },
        },
      });
    expect(unknown).toThrow('there is no step "aa"');
    const own = () =>
      defineWorkflow({
        name: 'Typed',
        steps: {
          // @ts-expect-error: a step cannot refer to its own output
          a: { kind: 'tool', toolName: 'x', input: ({ steps }) => ({ a: steps.a('x') }) },
        },
      });
    expect(own).toThrow('step "a" refers to its own output');
  });

  test('asks for the members of each kind, and refuses those of others', () => {
    defineWorkflow({
      name: 'Typed',
      steps: {
        // @ts-expect-error: a tool needs its name
        a: { kind: 'tool' },
        // @ts-expect-error: an agent too
        b: { kind: 'agent', toolName: 'x' },
        // @ts-expect-error: and a workflow its id
        c: { kind: 'workflow' },
        // @ts-expect-error: a wait has one of durationMs and until
        d: { kind: 'wait', durationMs: 1, until: '2030-01-01T00:00:00Z' },
        // @ts-expect-error: an approval is not attempted again
        e: { kind: 'approval', title: 'x', retry: { maxAttempts: 2 } },
        // @ts-expect-error: a tool has no schema of a response
        f: { kind: 'tool', toolName: 'x', responseSchema: {} },
        // @ts-expect-error: there is no such condition
        g: { kind: 'tool', toolName: 'x', runIf: 'never' },
      },
    });
    // @ts-expect-error: there is no such kind
    defineWorkflow({ name: 'Typed', steps: { a: { kind: 'tol' } } });
  });

  test('refuses references outside of functions that take them, and computing with them', () => {
    const wrong = () =>
      defineWorkflow({
        name: 'Typed',
        input,
        steps: {
          a: { kind: 'tool', toolName: 'x' },
          // @ts-expect-error: a comparison needs cel`…`
          b: { kind: 'tool', toolName: 'x', when: ({ steps }) => steps.a > 5 },
        },
      });
    expect(wrong).toThrow('use text`…` for texts, and cel`…` to compute with it');
    // @ts-expect-error: a text cannot be a part of an expression
    expect(() => cel`size(${text`a`})`).toThrow('cannot be a part');
  });
});
