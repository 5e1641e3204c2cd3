import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { WorkflowDraft } from '../../../src/entries/index.ts';
import {
  cel,
  defineWorkflow,
  type Ref,
  shape,
  text,
  type UntypedReference,
} from '../../../src/entries/workflow.ts';

const input = z.object({
  order_id: z.string(),
  customer: z.object({ name: z.string(), phone: z.string().nullable() }).optional(),
  lines: z.array(z.object({ sku: z.string() })),
});

const name = 'Typed';

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
        expectTypeOf(steps.untyped('any', 0, 'key')).toEqualTypeOf<UntypedReference>();
        // @ts-expect-error: an approval has no such member
        expect(() => ({ a: steps.ask.aproved })).not.toThrow();
        // @ts-expect-error: a step whose output is not known is called with keys
        expect(steps.untyped.any).toBeDefined();
        return { total: steps.order.total };
      },
    });
  });

  test('knows the results of a step with foreach, and what its items are', () => {
    defineWorkflow({
      name: 'Typed',
      steps: {
        order: { kind: 'tool', toolName: 'order', returns: shape<{ lines: { sku: string }[] }>() },
        book: {
          kind: 'tool',
          toolName: 'book',
          foreach: { items: ({ steps }) => steps.order.lines, item: shape<{ sku: string }>() },
          returns: shape<{ booking: string }>(),
          input: ({ item, index }) => {
            expectTypeOf(item.sku).toEqualTypeOf<Ref<string>>();
            expectTypeOf(index).toEqualTypeOf<Ref<number>>();
            // @ts-expect-error: an item has no such member
            expect(item.skuu).toBeDefined();
            return { item };
          },
        },
        untyped: {
          kind: 'tool',
          toolName: 'x',
          foreach: { items: 'input.lines' },
          input: ({ item }) => {
            expectTypeOf(item).toEqualTypeOf<UntypedReference>();
            return { sku: item('sku') };
          },
        },
        later: {
          kind: 'tool',
          toolName: 'x',
          input: ({ steps }) => {
            expectTypeOf(steps.book.results(0).booking).toEqualTypeOf<Ref<string>>();
            expectTypeOf(steps.book.failed).toEqualTypeOf<Ref<number>>();
            // @ts-expect-error: this is the output of one item
            expect(() => steps.book.booking).not.toThrow();
            // @ts-expect-error: a list has no length: size() has
            const wrong: string = steps.order.lines.length;
            return { first: steps.book.results(0).booking, wrong: wrong === undefined };
          },
        },
      },
    });
  });

  test('knows item and index only in steps with foreach', () => {
    const step = () =>
      defineWorkflow({
        name: 'Typed',
        steps: {
          // @ts-expect-error: there is no foreach
          a: { kind: 'tool', toolName: 'x', input: ({ item }) => ({ item }) },
        },
      });
    expect(step).toThrow('steps.a: only a step with foreach has item and index');
  });

  test('checks what a condition, a time and a list of items refer to', () => {
    defineWorkflow({
      name: 'Typed',
      input: shape<{ n: number; text: string; yes: boolean; lines: { sku: string }[] }>(),
      steps: {
        // @ts-expect-error: a number is no condition
        a: { kind: 'tool', toolName: 'x', when: ({ input: given }) => given.n },
        b: { kind: 'tool', toolName: 'x', when: ({ input: given }) => given.yes },
        // @ts-expect-error: a number is no time
        c: { kind: 'wait', until: ({ input: given }) => given.n },
        d: { kind: 'wait', until: ({ input: given }) => given.text },
        // @ts-expect-error: a text is no list
        e: { kind: 'tool', toolName: 'x', foreach: { items: ({ input: given }) => given.text } },
        f: { kind: 'tool', toolName: 'x', foreach: { items: ({ input: given }) => given.lines } },
        // An expression, and a reference whose type is not known, fit everywhere.
        g: { kind: 'tool', toolName: 'x', when: ({ steps, input: given }) => cel`${given.n} > ${steps.b}` },
        h: { kind: 'wait', until: ({ steps }) => steps.b('at') },
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

  test('asks for the members of each kind', () => {
    defineWorkflow({
      name: 'Typed',
      steps: {
        // @ts-expect-error: a tool needs its name
        a: { kind: 'tool' },
        // @ts-expect-error: and a workflow its id
        b: { kind: 'workflow' },
        // @ts-expect-error: there is no such condition
        c: { kind: 'tool', toolName: 'x', runIf: 'never' },
      },
    });
  });

  test('refuses kinds that do not exist, and members that a kind has not', () => {
    const refused: readonly (readonly [define: () => WorkflowDraft, error: string])[] = [
      [
        // @ts-expect-error: there is no such kind
        () => defineWorkflow({ name, steps: { a: { kind: 'tol' } } }),
        'steps.a.kind: must be one of tool, agent, workflow, wait, approval',
      ],
      [
        // @ts-expect-error: the member of another kind
        () => defineWorkflow({ name, steps: { a: { kind: 'agent', agentName: 'x', toolName: 'x' } } }),
        'steps.a: a step of kind agent has no member "toolName"',
      ],
      [
        // @ts-expect-error: an approval is not attempted again
        () => defineWorkflow({ name, steps: { a: { kind: 'approval', title: 'x', retry: {} } } }),
        'steps.a: a step of kind approval has no member "retry"',
      ],
      [
        // @ts-expect-error: a tool has no schema of a response
        () => defineWorkflow({ name, steps: { a: { kind: 'tool', toolName: 'x', responseSchema: {} } } }),
        'steps.a: a step of kind tool has no member "responseSchema"',
      ],
      [
        // @ts-expect-error: the name of the HTTP API
        () => defineWorkflow({ name, steps: { a: { kind: 'tool', toolName: 'x', timeout_ms: 5 } } }),
        'steps.a: a step of kind tool has no member "timeout_ms"; did you mean "timeoutMs"?',
      ],
      [
        // @ts-expect-error: a wait has one of the two
        () => defineWorkflow({ name, steps: { a: { kind: 'wait', durationMs: 1, until: 'input.at' } } }),
        'steps.a: a wait has either durationMs or until',
      ],
    ];
    for (const [define, error] of refused) expect(define).toThrow(error);
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
