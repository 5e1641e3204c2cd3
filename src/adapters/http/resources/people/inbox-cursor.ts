import { z } from '@hono/zod-openapi';
import { RANK_LIMIT } from '../../../../domain/inbox/order.ts';
import type { InboxPosition } from '../../../../ports/storage/inbox-store.ts';

/** More than any id of an item has. */
const MAX_ID = 512;

/** A position in a listing as the `next_cursor` of a page. */
export function toCursor({ rank, itemId }: InboxPosition): string {
  return Buffer.from(`${rank}:${itemId}`).toString('base64url');
}

const positionPattern = /^(0|[1-9]\d{0,15}):(.+)$/s;

/** The position of a cursor; undefined for one that no page had. */
function fromCursor(cursor: string): InboxPosition | undefined {
  const [, rank, itemId = ''] = positionPattern.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const position = { rank: Number(rank), itemId };
  if (!(position.rank < RANK_LIMIT) || itemId.length > MAX_ID || toCursor(position) !== cursor)
    return undefined;
  return position;
}

const notACursor = 'must be the next_cursor of a page';

/** The query parameter `cursor` of the inbox: an opaque text for clients, a position inside. */
export const inboxCursorSchema = z
  .string({ error: 'must be given once' })
  .max(2 * MAX_ID, { error: notACursor, abort: true })
  .transform((text, context) => {
    const position = fromCursor(text);
    if (position !== undefined) return position;
    context.addIssue({ code: 'custom', message: notACursor });
    return z.NEVER;
  })
  .optional()
  .openapi({
    param: { description: '`next_cursor` of the page before; the first items when absent' },
    type: 'string',
    example: 'NDk3NzE6MDFhMWZiOWUtYjA3Ng',
  });
