import { z } from 'zod';
import { unknownOutcomePolicies } from '../../domain/run/recover.ts';

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** The words of a switch: those of a flag, and `on` and `off`. */
const switchWords: ReadonlyMap<string, boolean> = new Map([...booleans, ['on', true], ['off', false]]);

/** `true`, `false`, `1` or `0` in any case. */
export const flag = wordWithDefault(booleans, 'must be true, false, 1 or 0', false);

/** A flag that is on unless it is turned off. */
export const flagByDefault = wordWithDefault(booleans, 'must be true, false, 1 or 0', true);

/** A part of the service that is on or off; undefined where the setting is absent. */
export const onOrOff = switchWord().optional();

/** A part of the service that is on unless it is turned off: also `on` or `off`. */
export const onByDefault = switchWord().prefault('true');

function switchWord() {
  return word(switchWords, 'must be on, off, true, false, 1 or 0');
}

function wordWithDefault(words: ReadonlyMap<string, boolean>, message: string, fallback: boolean) {
  return word(words, message).prefault(String(fallback));
}

function word(words: ReadonlyMap<string, boolean>, message: string) {
  return z.string().transform((text, context) => {
    const value = words.get(text.trim().toLowerCase());
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
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

/** The temperature of a language model, from 0 to 2; undefined where the setting is absent. */
export const temperature = z
  .string()
  .trim()
  .regex(/^(?:[01](?:\.\d{1,9})?|0?\.\d{1,9}|2(?:\.0{1,9})?)$/, 'must be a number from 0 to 2')
  .transform(Number)
  .optional();

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

/** A sentence that people read; undefined where the setting is absent. */
export const notice = z
  .string()
  .trim()
  .max(200, 'must be at most 200 characters')
  .regex(/^\P{Cc}*$/u, 'must be one line without control characters')
  .optional();

const path = z.string().trim().max(4_096, 'must be at most 4096 characters');

/** The path of a file; undefined where the setting is absent. */
export const file = path.optional();

/** The path of a file, with a default. */
export const fileByDefault = (fallback: string) => path.prefault(fallback);

/** Where rate limits are counted. */
export const rateLimitBackend = oneOf(
  ['memory', 'kvstore', 'postgres'],
  'must be memory, kvstore or postgres',
);

/** Where records are stored. */
export const recordBackend = oneOf(
  ['memory', 'sqlite', 'kvstore', 'postgres'],
  'must be memory, sqlite, kvstore or postgres',
);

/** The schema of a database in which records are kept. */
export const databaseSchema = z
  .string()
  .trim()
  .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must be 1 to 63 of a-z, 0-9 and _, and begin with no digit')
  .prefault('orchestration');

/** The policy for unfinished runs whose process has stopped. */
export const runRecovery = oneOf(['interrupt', 'resume'], 'must be interrupt or resume');

/** The policy for a `write` step that was under way when its process stopped. */
export const unknownOutcome = oneOf(unknownOutcomePolicies, 'must be fail, ask or retry');

/** One of some words, in any case; the first one where the setting is absent. */
function oneOf<const Word extends string>(words: readonly [Word, ...Word[]], error: string) {
  return z.string().trim().toLowerCase().pipe(z.enum(words, { error })).prefault(words[0]);
}

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

/** The key of a provider. */
export const providerKey = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters')
  .optional();

/** The address of a provider. */
export const providerAddress = url(['http:', 'https:'], 'must be an http:// or https:// URL')
  .refine(isPlainAddress, 'must contain no user, query or fragment')
  .optional();

/** True for a URL without user, query and fragment, and for other texts, which {@link url} reports. */
function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password, search, hash } = new URL(text);
  return username + password + search + hash === '';
}
