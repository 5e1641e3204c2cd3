import { expect } from 'vitest';
import type { InboxItem } from '../../../src/domain/inbox/item.ts';
import { sampleItem } from '../inbox.ts';
import { type Script, scriptedStages } from '../stages.ts';
import { createTestApp, jsonOf, type TestApp, type TestAppOverrides } from './app.ts';

/** An item as the tests read it. */
export interface ItemBody {
  readonly item_id: string;
  readonly kind: string;
  readonly status: string;
  readonly title: string;
  readonly assignee: string | null;
  readonly version: number;
  readonly notes: readonly object[];
  readonly resolution: Readonly<Record<string, unknown>> | null;
}

/** A page of the inbox as the tests read it. */
export interface InboxBody {
  readonly items: readonly ItemBody[];
  readonly limit: number;
  readonly next_cursor: string | null;
  readonly counts: {
    readonly open: number;
    readonly claimed: number;
    readonly overdue: number;
    readonly kinds: Readonly<Record<string, number>>;
  };
}

/** The app with stages that decide as scripted, by default to escalate. */
export function createPeopleApp(script: Script = {}, overrides: TestAppOverrides = {}): TestApp {
  const verdict = { escalated: true, reasons: ['human_requested'] };
  const stages = scriptedStages({ verdict, ...script });
  return createTestApp({ ...overrides, ports: { stages, ...overrides.ports } });
}

/** Sends a message. Returns the ids of its trace and its item. */
export async function send(app: TestApp, members: object = {}) {
  const sent = { customer_id: 'ann', message: 'I want to talk to somebody', ...members };
  const response = await app.post('/messages', sent);
  expect(response.status).toBe(200);
  return jsonOf<{ trace_id: string; item_id: string; disposition: string; response: string }>(response);
}

/** Reads an item. */
export async function itemAt(app: TestApp, id: string): Promise<ItemBody> {
  return jsonOf<ItemBody>(await app.request(`/inbox/${id}`));
}

/** A record of an item about a step, which the engine would make. */
export function stepItem(members: Partial<InboxItem> = {}): InboxItem {
  return sampleItem({
    itemId: 'step-1',
    kind: 'approval',
    priority: 2,
    title: 'Refund 900 EUR?',
    reasons: ['approval'],
    subject: { kind: 'execution', id: 'run-1', stepId: 'approve' },
    customerId: null,
    excerpt: null,
    dueAt: null,
    expiresAt: null,
    payload: { amount: 900 },
    responseSchema: { type: 'object' },
    ...members,
  });
}
