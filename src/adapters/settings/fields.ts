import { z } from 'zod';

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** `true`, `false`, `1` or `0` in any case. */
export const flag = flagWithDefault(false);

/** A flag that is on unless it is turned off. */
export const flagByDefault = flagWithDefault(true);

function flagWithDefault(fallback: boolean) {
  return z
    .string()
    .transform((text, context) => {
      const value = booleans.get(text.trim().toLowerCase());
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message: 'must be true, false, 1 or 0' });
      return z.NEVER;
    })
    .prefault(String(fallback));
}

/** An integer in decimal digits. */
export const integer = (min: number, max: number, fallback: number) =>
  z
    .string()
    .trim()
    .regex(/^\d{1,12}$/, `must be an integer from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be an integer from ${min} to ${max}`)
    .prefault(String(fallback));

/** A comma-separated list. */
export const list = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )
  .prefault('');

/** The path of a file; undefined where the setting is absent. */
export const file = z.string().trim().max(4_096, 'must be at most 4096 characters').optional();

/** Where records or rate limits are stored. */
export const backend = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.enum(['memory', 'kvstore'], { error: 'must be memory or kvstore' }))
  .prefault('memory');

/** A URL with a host and one of the protocols, each with its colon. */
export const url = (protocols: readonly string[], message: string) =>
  z
    .string()
    .trim()
    .refine((text) => {
      if (!URL.canParse(text)) return false;
      const { protocol, hostname } = new URL(text);
      return protocols.includes(protocol) && hostname !== '';
    }, message);

/** True for a URL without user, query and fragment, and for other texts, which {@link url} reports. */
export function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password, search, hash } = new URL(text);
  return username + password + search + hash === '';
}
