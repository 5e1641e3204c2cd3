import { z } from '@hono/zod-openapi';
import type { PageRequest } from '../../../ports/storage/record-store.ts';
import type { CursorRequest } from '../../../ports/storage/run-log.ts';
import { count } from './schemas.ts';

// The query parameters of listings, and their pages.

/** The message for a parameter that is sent more than once. */
export const givenOnce = { error: 'must be given once' };

/** At most as many digits as a JavaScript number represents exactly. */
const integerDigits = /^\d{1,15}$/;

/** A number of a query, in plain decimal digits. */
export const plainDigits = (from: number, to?: number) =>
  z
    .string(givenOnce)
    .regex(integerDigits, 'must be an integer in plain decimal digits')
    .transform(Number)
    .refine((value) => value >= from && (to === undefined || value <= to), {
      error: to === undefined ? `must be ${from} or more` : `must be from ${from} to ${to}`,
    });

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

const limitSchema = plainDigits(1, MAX_LIMIT)
  .optional()
  .openapi({
    param: { description: 'Maximum number of records' },
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    example: DEFAULT_LIMIT,
  });

/** `limit` and `offset` of a listing with a total (specification, section 8). */
export const pageQuerySchema = z.object({
  limit: limitSchema,
  offset: plainDigits(0)
    .optional()
    .openapi({
      param: { description: 'Number of the newest records to skip' },
      type: 'integer',
      minimum: 0,
      default: 0,
      example: 0,
    }),
});

/** The page that a listing's query requests. */
export function toPageRequest({ limit, offset }: z.output<typeof pageQuerySchema>): PageRequest {
  return { limit: limit ?? DEFAULT_LIMIT, offset: offset ?? 0 };
}

/** The schema of a page of a listing. */
export function pageSchema<Name extends string, Item extends z.ZodType>(name: Name, item: Item) {
  const collection = { [name]: z.array(item) } as Record<Name, z.ZodArray<Item>>;
  return z.object({
    total: count('Number of records retained now, and of a filtered listing those that fit'),
    limit: count('Maximum number of records requested'),
    offset: count('Number of the newest records skipped'),
    ...collection,
  });
}

/** A cursor is a number that JavaScript represents exactly, in decimal digits. Clients need not know that. */
const cursorSchema = z
  .string(givenOnce)
  .regex(/^\d{1,16}$/, { error: 'must be the next_cursor of a page', abort: true })
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be the next_cursor of a page');

/** `limit` and `cursor` of a listing without a total. */
export const cursorQuerySchema = z.object({
  limit: limitSchema,
  cursor: cursorSchema.optional().openapi({
    param: { description: '`next_cursor` of the page before; the newest records when absent' },
    type: 'string',
    example: '1772323200000',
  }),
});

/** The page that a query requests. */
export function toCursorRequest({ limit, cursor }: z.output<typeof cursorQuerySchema>): CursorRequest {
  return { limit: limit ?? DEFAULT_LIMIT, cursor };
}

/** The schema of a page of a listing without a total. */
export function cursorPageSchema<Name extends string, Item extends z.ZodType>(name: Name, item: Item) {
  const collection = { [name]: z.array(item) } as Record<Name, z.ZodArray<Item>>;
  return z.object({
    limit: count('Maximum number of records requested'),
    next_cursor: z.string().nullable().describe('`cursor` of the next page; null on the last one'),
    ...collection,
  });
}

/** An optional query parameter: a list of statuses, separated by commas. */
export function statusListSchema<Status extends string>(statuses: readonly Status[]) {
  return wordListSchema(statuses, 'Only records with one of these statuses');
}

/** An optional query parameter: a list of words or numbers of a closed set, separated by commas. */
export function wordListSchema<Word extends string | number>(words: readonly Word[], description: string) {
  const known: ReadonlySet<string> = new Set(words.map(String));
  return z
    .string(givenOnce)
    .refine((text) => text.split(',').every((name) => known.has(name)), {
      error: `must be one or more of ${words.join(', ')}, separated by commas`,
    })
    .transform((text) => {
      const named = new Set(text.split(','));
      return words.filter((word) => named.has(String(word)));
    })
    .optional()
    .openapi({
      param: { description: `${description}, separated by commas: ${words.join(', ')}` },
      type: 'string',
      example: words.slice(-2).join(','),
    });
}

/** The message for a parameter that is none of some words, or is sent more than once. */
export function choiceError(message: string) {
  return ({ input }: { readonly input?: unknown }): string =>
    Array.isArray(input) ? givenOnce.error : message;
}

/** An optional query parameter: `true` or `false`. */
export function flagSchema(description: string) {
  return z
    .enum(['true', 'false'], { error: choiceError('must be true or false') })
    .transform((text) => text === 'true')
    .optional()
    .openapi({ param: { description }, type: 'string', enum: ['true', 'false'], example: 'true' });
}

/** An optional query parameter: any text. */
export function textParameter(description: string, example: string) {
  return z.string(givenOnce).optional().openapi({ param: { description }, example });
}

/** Enough for every time with nanoseconds and an offset. */
const MAX_TIME_LENGTH = 64;

const notATime =
  'must be an ISO 8601 time with Z or an offset, such as 2026-11-21T00:00:00Z (a + is sent as %2B)';

/** With and without seconds. */
const isoTimeSchema = z.union([
  z.iso.datetime({ offset: true }),
  z.iso.datetime({ offset: true, precision: -1 }),
]);

function isIsoTime(text: string): boolean {
  return text.length <= MAX_TIME_LENGTH && isoTimeSchema.safeParse(text).success;
}

/** The first millisecond at or after a time. Records have whole milliseconds, so that comparing with it is exact. */
function ceilMilliseconds(time: string): number {
  return Date.parse(time) + (/\.\d{3}\d*[1-9]/.test(time) ? 1 : 0);
}

function timeSchema(description: string, example: string) {
  return z
    .string(givenOnce)
    .refine(isIsoTime, { error: notATime })
    .transform(ceilMilliseconds)
    .optional()
    .openapi({ param: { description }, type: 'string', format: 'date-time', example });
}

/** The query parameters `since` and `until` of a listing, in milliseconds since the epoch. */
export const timeRangeShape = {
  since: timeSchema(
    'Only records that were created at this time or later: ISO 8601 with `Z` or an offset',
    '2026-11-21T00:00:00Z',
  ),
  until: timeSchema(
    'Only records that were created before this time: ISO 8601 with `Z` or an offset',
    '2026-11-22T00:00:00Z',
  ),
};

/** The filter with these members; undefined where none is given, which includes all records. */
export function toFilter<Filter extends object>(filter: Filter): Filter | undefined {
  return Object.values(filter).every((value) => value === undefined) ? undefined : filter;
}

/** The query parameter `include`: further members of each item of a list, such as a `tool`. */
export function includeParameter<const Member extends string>(members: readonly Member[], item: string) {
  const known: readonly string[] = members;
  return z
    .string(givenOnce)
    .refine((text) => text.split(',').every((name) => known.includes(name)), {
      error: `must be a list of ${members.join(', ')}`,
    })
    .optional()
    .openapi({
      param: { description: `Further members of each ${item}, separated by commas` },
      example: members.join(','),
    });
}

/** The members of an item that an `include` parameter names. */
export function included<Members extends object>(
  include: string | undefined,
  members: Members,
): Partial<Members> {
  const named = new Set(include?.split(','));
  const entries = Object.entries(members).filter(([name]) => named.has(name));
  return Object.fromEntries(entries) as Partial<Members>;
}
