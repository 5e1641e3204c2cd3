import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defaultPorts } from '../../../src/entries/defaults.ts';
import { createHttpApp } from '../../../src/entries/http.ts';
import { createOrchestrator, type WorkflowDraft } from '../../../src/entries/index.ts';
import {
  cel,
  defineWorkflow,
  literal,
  shape,
  text,
  toWorkflowRequest,
  type Values,
} from '../../../src/entries/workflow.ts';

/** A workflow with every kind of step and every policy. */
const built = defineWorkflow({
  name: 'Refund',
  description: 'Refunds what is too dear',
  input: z.object({ order_id: z.string(), note: z.string().optional() }),
  timeoutMs: 60_000,
  maxConcurrentSteps: 2,
  steps: {
    order: {
      kind: 'tool',
      toolName: 'check_order_status',
      input: ({ input }) => ({ order_id: input.order_id, plain: '$input.order_id' }),
      returns: shape<{ total: number; lines: { sku: string }[] }>(),
      retry: { maxAttempts: 3, backoffMs: 10, factor: 3, maxBackoffMs: 500 },
      timeoutMs: 5_000,
    },
    'each-line': {
      kind: 'agent',
      agentName: 'echo',
      foreach: { items: ({ steps }) => steps.order.lines, concurrency: 4, onItemError: 'continue' },
      input: ({ item, index }) => ({ text: text`${index}: ${item('sku')}` }),
      onError: { output: { results: [], text: '$taken as it is' } },
    },
    listed: {
      kind: 'tool',
      toolName: 'price',
      foreach: { items: ({ input }) => [1, input.note, literal('$input')] },
      onError: 'continue',
    },
    ask: {
      kind: 'approval',
      when: ({ steps, input }) => cel`${steps.order.total} > ${500} && has(${input.note})`,
      title: ({ steps }) => text`Refund ${steps.order.total} EUR?`,
      payload: ({ steps }) => ({ lines: steps['each-line']('results') }),
      responseSchema: { type: 'object' },
      expiresInMs: 1_000,
      onExpire: 'approve',
      onReject: 'continue',
    },
    pause: { kind: 'wait', durationMs: 10, dependsOn: ['ask'] },
    later: {
      kind: 'wait',
      until: ({ steps }) => steps.ask.decided_at,
      runIf: 'always',
      dependsOn: ['pause'],
    },
    child: {
      kind: 'workflow',
      workflowId: 'other',
      input: { a: 1 },
      when: 'input.order_id != ""',
      dependsOn: ['later'],
    },
  },
  output: ({ steps, input }) => ({
    order: input.order_id,
    result: steps.child.output,
    approved: steps.ask.approved,
  }),
});

/** The same, written by hand. */
const written: WorkflowDraft = {
  name: 'Refund',
  description: 'Refunds what is too dear',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { order_id: { type: 'string' }, note: { type: 'string' } },
    required: ['order_id'],
  },
  timeoutMs: 60_000,
  maxConcurrentSteps: 2,
  steps: [
    {
      id: 'order',
      kind: 'tool',
      toolName: 'check_order_status',
      staticInput: { order_id: '${{ input.order_id }}', plain: '$input.order_id' },
      retry: { maxAttempts: 3, backoffMs: 10, factor: 3, maxBackoffMs: 500 },
      timeoutMs: 5_000,
    },
    {
      id: 'each-line',
      kind: 'agent',
      agentName: 'echo',
      dependsOn: ['order'],
      staticInput: { text: '${{ index }}: ${{ item.sku }}' },
      foreach: { items: 'steps.order.lines', concurrency: 4, onItemError: 'continue' },
      onError: { output: { results: [], text: '$taken as it is' } },
    },
    {
      id: 'listed',
      kind: 'tool',
      toolName: 'price',
      foreach: { items: [1, '${{ input.note }}', '$$input'] },
      onError: 'continue',
    },
    {
      id: 'ask',
      kind: 'approval',
      title: 'Refund ${{ steps.order.total }} EUR?',
      payload: { lines: "${{ steps['each-line'].results }}" },
      responseSchema: { type: 'object' },
      expiresInMs: 1_000,
      onExpire: 'approve',
      onReject: 'continue',
      dependsOn: ['order', 'each-line'],
      when: 'steps.order.total > 500 && has(input.note)',
    },
    { id: 'pause', kind: 'wait', durationMs: 10, dependsOn: ['ask'] },
    {
      id: 'later',
      kind: 'wait',
      until: 'steps.ask.decided_at',
      dependsOn: ['pause', 'ask'],
      runIf: 'always',
    },
    {
      id: 'child',
      kind: 'workflow',
      workflowId: 'other',
      dependsOn: ['later'],
      staticInput: { a: 1 },
      when: 'input.order_id != ""',
    },
  ],
  output: {
    order: '${{ input.order_id }}',
    result: '${{ steps.child.output }}',
    approved: '${{ steps.ask.approved }}',
  },
};

describe('defineWorkflow', () => {
  test('makes the definition that one would write by hand', () => {
    expect(built).toStrictEqual(written);
  });

  test('makes plain JSON', () => {
    expect(JSON.parse(JSON.stringify(built))).toStrictEqual(built);
  });

  test('is accepted by the orchestrator, which finds the layers', async () => {
    const orchestrator = createOrchestrator(defaultPorts());
    const { layers } = await orchestrator.workflows.create(
      defineWorkflow({
        name: 'Layers',
        steps: {
          late: {
            kind: 'agent',
            agentName: 'summary',
            input: ({ steps }) => ({ text: steps.early('text') }),
          },
          early: { kind: 'agent', agentName: 'echo', input: { text: 'hello' } },
        },
      }),
    );
    expect(layers).toEqual([['early'], ['late']]);
    await orchestrator.close();
  });

  test('adds the steps that are referred to anywhere to those in dependsOn, each once', () => {
    const { steps } = defineWorkflow({
      name: 'Dependencies',
      steps: {
        a: { kind: 'wait', durationMs: 1 },
        b: { kind: 'tool', toolName: 'x' },
        c: { kind: 'tool', toolName: 'x' },
        d: { kind: 'tool', toolName: 'x' },
        f: { kind: 'tool', toolName: 'x' },
        e: {
          kind: 'approval',
          dependsOn: ['d', 'a'],
          foreach: { items: ({ steps: of }) => cel`${of.b}.list` },
          when: ({ steps: of }) => cel`has(${of.b('x')})`,
          title: ({ steps: of, index }) =>
            text`${of.d('names')(of.f('index'), index)} ${of.c('list', of.a('key'))}`,
        },
      },
    });
    expect(steps[5]?.dependsOn).toEqual(['d', 'a', 'b', 'f', 'c']);
  });

  test('takes a type alone for the input, with or without a JSON Schema', () => {
    const input = shape<{ id: string }>();
    const steps = { a: { kind: 'tool', toolName: 'x' } } as const;
    expect(defineWorkflow({ name: 'Shape', input, steps })).not.toHaveProperty('inputSchema');
    const inputSchema = { type: 'object' };
    expect(defineWorkflow({ name: 'Shape', input, inputSchema, steps })).toHaveProperty(
      'inputSchema',
      inputSchema,
    );
    expect(() => defineWorkflow({ name: 'Both', input: z.object({}), inputSchema, steps })).toThrow(
      'there must be no inputSchema',
    );
  });

  test('refuses item and index where there is no foreach', () => {
    const step = (): WorkflowDraft =>
      defineWorkflow({
        name: 'No foreach',
        steps: {
          a: {
            kind: 'tool',
            toolName: 'x',
            // @ts-expect-error: only a step with foreach has an index
            input: ({ index }) => ({ deep: [index] }),
          },
        },
      });
    expect(step).toThrow('steps.a: only a step with foreach has item and index');
  });

  test('refuses members that an output cannot have', () => {
    const wrong =
      (key: string): (() => WorkflowDraft) =>
      () =>
        defineWorkflow({
          name: 'Members',
          steps: {
            each: { kind: 'tool', toolName: 'x', foreach: { items: [1] } },
            ask: { kind: 'approval', title: 'x' },
          },
          output: ({ steps }) => ({ a: steps.each(key), b: steps.ask(key) }),
        });
    expect(wrong('total')).toThrow(
      'the output of step "each" has no "total": with foreach it has results, errors, count, failed',
    );
    expect(wrong('count')).toThrow('the output of step "ask" has no "count"');
  });

  test('names the place of a value that is not JSON', () => {
    const wrong =
      (value: unknown): (() => WorkflowDraft) =>
      () =>
        defineWorkflow({
          name: 'Not JSON',
          steps: { a: { kind: 'tool', toolName: 'x', input: { list: [{ value: value as string }] } } },
        });
    expect(wrong(Number.NaN)).toThrow('steps.a.input.list.0.value: NaN is not JSON');
    expect(wrong(new Date(0))).toThrow('steps.a.input.list.0.value: a value of type object is not JSON');
    expect(wrong(undefined)).toThrow('steps.a.input.list.0.value: undefined is not JSON');
    expect(wrong(() => 1)).toThrow('steps.a.input.list.0.value: a value of type function is not JSON');
  });

  test('refuses an input that is no object', () => {
    const wrong =
      (value: unknown): (() => WorkflowDraft) =>
      () =>
        defineWorkflow({
          name: 'No object',
          steps: { a: { kind: 'tool', toolName: 'x', input: value as Values } },
        });
    for (const value of [literal({ a: 1 }), [1], 'x', () => shape()]) {
      expect(wrong(value)).toThrow('steps.a.input: must be an object');
    }
  });

  test('refuses a reference in a template literal of JavaScript, where it would be lost', () => {
    const make = (): WorkflowDraft =>
      defineWorkflow({
        name: 'Lost',
        steps: { a: { kind: 'tool', toolName: 'x', input: ({ input }) => ({ text: `${input}` }) } },
      });
    expect(make).toThrow('use text`…` for texts');
  });
});

describe('toWorkflowRequest', () => {
  test('gives the names of the HTTP API to everything but the data of the user', () => {
    const request = toWorkflowRequest(built);
    expect(request).toMatchObject({
      input_schema: { required: ['order_id'] },
      timeout_ms: 60_000,
      max_concurrent_steps: 2,
      output: written.output,
    });
    expect(request.steps).toStrictEqual([
      {
        id: 'order',
        kind: 'tool',
        tool_name: 'check_order_status',
        static_input: { order_id: '${{ input.order_id }}', plain: '$input.order_id' },
        timeout_ms: 5_000,
        retry: { max_attempts: 3, backoff_ms: 10, factor: 3, max_backoff_ms: 500 },
      },
      {
        id: 'each-line',
        kind: 'agent',
        agent_name: 'echo',
        depends_on: ['order'],
        static_input: { text: '${{ index }}: ${{ item.sku }}' },
        on_error: { output: { results: [], text: '$taken as it is' } },
        foreach: { items: 'steps.order.lines', concurrency: 4, on_item_error: 'continue' },
      },
      {
        id: 'listed',
        kind: 'tool',
        tool_name: 'price',
        on_error: 'continue',
        foreach: { items: [1, '${{ input.note }}', '$$input'] },
      },
      {
        id: 'ask',
        kind: 'approval',
        title: 'Refund ${{ steps.order.total }} EUR?',
        payload: { lines: "${{ steps['each-line'].results }}" },
        response_schema: { type: 'object' },
        expires_in_ms: 1_000,
        on_expire: 'approve',
        on_reject: 'continue',
        depends_on: ['order', 'each-line'],
        when: 'steps.order.total > 500 && has(input.note)',
      },
      { id: 'pause', kind: 'wait', duration_ms: 10, depends_on: ['ask'] },
      {
        id: 'later',
        kind: 'wait',
        until: 'steps.ask.decided_at',
        depends_on: ['pause', 'ask'],
        run_if: 'always',
      },
      {
        id: 'child',
        kind: 'workflow',
        workflow_id: 'other',
        depends_on: ['later'],
        static_input: { a: 1 },
        when: 'input.order_id != ""',
      },
    ]);
  });

  test('is a body that the service accepts', async () => {
    const orchestrator = createOrchestrator(defaultPorts());
    const app = createHttpApp({ orchestrator });
    const draft = defineWorkflow({
      name: 'Over HTTP',
      steps: {
        first: { kind: 'agent', agentName: 'echo', input: { text: 'hello' } },
        second: { kind: 'agent', agentName: 'echo', input: ({ steps }) => ({ text: steps.first('text') }) },
      },
    });
    const response = await app.request('/workflows', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(toWorkflowRequest(draft)),
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({
      name: 'Over HTTP',
      layers: [['first'], ['second']],
      steps: [{ id: 'first' }, { id: 'second', depends_on: ['first'] }],
    });
    await orchestrator.close();
  });
});
