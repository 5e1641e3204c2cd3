import { z } from '@hono/zod-openapi';
import type { CursorRequest } from '../../../../ports/storage/run-log.ts';
import { pageQuerySchema } from '../schemas.ts';

/** A cursor is a number that JavaScript represents exactly, in decimal digits. Clients need not know that. */
const cursorSchema = z
  .string({ error: 'must be given once' })
  .regex(/^\d{1,16}$/, { error: 'must be the next_cursor of a page', abort: true })
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be the next_cursor of a page');

/** `limit` and `cursor` of a listing without a total. */
export const cursorQuerySchema = z.object({
  limit: pageQuerySchema.shape.limit,
  cursor: cursorSchema.optional().openapi({
    param: { description: '`next_cursor` of the page before; the newest records when absent' },
    type: 'string',
    example: '1772323200000',
  }),
});

/** The page that a query requests. */
export function toCursorRequest({ limit, cursor }: z.output<typeof cursorQuerySchema>): CursorRequest {
  return { limit: limit ?? 50, cursor };
}

/** The schema of a page of a listing without a total. */
export function cursorPageSchema<Name extends string, Item extends z.ZodType>(name: Name, item: Item) {
  const collection = { [name]: z.array(item) } as Record<Name, z.ZodArray<Item>>;
  return z.object({
    limit: z.number().int().describe('Maximum number of records requested'),
    next_cursor: z.string().nullable().describe('`cursor` of the next page; null on the last one'),
    ...collection,
  });
}
