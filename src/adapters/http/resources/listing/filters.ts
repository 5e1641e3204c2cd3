import { z } from '@hono/zod-openapi';

/** The message for a parameter that is sent more than once. */
const givenOnce = { error: 'must be given once' };

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

/** An optional query parameter: `true` or `false`. */
export function flagSchema(description: string) {
  return z
    .enum(['true', 'false'], {
      error: ({ input }) => (Array.isArray(input) ? givenOnce.error : 'must be true or false'),
    })
    .transform((text) => text === 'true')
    .optional()
    .openapi({ param: { description }, type: 'string', enum: ['true', 'false'], example: 'true' });
}

/** An optional query parameter: any text. */
export function textSchema(description: string, example: string) {
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
