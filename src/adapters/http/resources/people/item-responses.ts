import type { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Inbox, InboxCase } from '../../../../application/inbox/inbox.ts';
import type { InboxItem, Resolution } from '../../../../domain/inbox/item.ts';
import type { AppEnv } from '../../env.ts';
import { HttpError } from '../../errors.ts';
import { streamNestedJson } from '../../json-stream.ts';
import { versionTag } from '../../record-headers.ts';
import { errorResponse, jsonResponse } from '../../response.ts';
import { toExecutionResponse } from '../runs/run-responses.ts';
import { toTraceResponse } from '../traces.ts';
import { toConversationResponse } from './conversation-schemas.ts';
import type { caseSchema, itemSchema } from './item-schemas.ts';

const inboxIsOff = { status: 404, detail: 'the inbox is off' } as const;

/** The inbox of an orchestrator. Throws 404 where it is off. */
export function inboxOf({ inbox }: { readonly inbox: Inbox | undefined }): Inbox {
  if (inbox === undefined) throw new HttpError(inboxIsOff.status, inboxIsOff.detail);
  return inbox;
}

/** Responds 404 to every request below `/inbox`, whatever it is. For apps whose inbox is off. */
export function rejectInbox(app: OpenAPIHono<AppEnv>): void {
  // Routes and not middleware of `/inbox/*`, with which Hono runs the middleware twice for the path `/*`.
  app.all('/inbox', (c) => errorResponse(c, inboxIsOff));
  app.all('/inbox/:rest{.+}', (c) => errorResponse(c, inboxIsOff));
}

/** An item on the wire. */
export function toItemResponse(item: InboxItem): z.input<typeof itemSchema> {
  const { kind, id, stepId } = item.subject;
  return {
    item_id: item.itemId,
    kind: item.kind,
    status: item.status,
    priority: item.priority,
    title: item.title,
    reasons: [...item.reasons],
    subject: { kind, id, ...(stepId === null ? {} : { step_id: stepId }) },
    customer_id: item.customerId,
    conversation_id: item.conversationId,
    excerpt: item.excerpt,
    draft: item.draft,
    assignee: item.assignee,
    claimed_until: item.claimedUntil,
    opened_at: item.openedAt,
    due_at: item.dueAt,
    resolved_at: item.endedAt,
    resolution: item.resolution && toResolutionResponse(item.resolution),
    payload: item.payload,
    response_schema: item.responseSchema,
    notes: item.notes.map(({ by, note, at }) => ({ by, note, at })),
    version: item.version,
  };
}

function toResolutionResponse(resolution: Resolution) {
  const { outcome, by, at, note, response, intent, escalationRight, data, output } = resolution;
  return { outcome, by, at, note, response, intent, escalation_right: escalationRight, data, output };
}

/** A response with an item, which is also the one that the request's log line names. */
export function itemResponse(c: Context<AppEnv>, item: InboxItem) {
  c.set('logFields', { item_id: item.itemId });
  return jsonResponse(c, toItemResponse(item), 200, versionTag(item.version));
}

/**
 * A response with an item and what it is about. It must not be cached: its tag is that of the item, whose trace,
 * conversation or execution may change without it.
 */
export function caseResponse(c: Context<AppEnv>, { item, trace, conversation, run }: InboxCase) {
  const headers = { ...versionTag(item.version), 'Cache-Control': 'no-store' };
  const body: z.input<typeof caseSchema> =
    item.subject.kind === 'execution'
      ? { ...toItemResponse(item), execution: run && toExecutionResponse(run) }
      : {
          ...toItemResponse(item),
          trace: trace && toTraceResponse(trace),
          conversation: conversation && toConversationResponse(conversation),
        };
  const path = body.execution == null ? ['conversation', 'entries'] : ['execution', 'step_results'];
  return streamNestedJson(c, body, path, headers);
}
