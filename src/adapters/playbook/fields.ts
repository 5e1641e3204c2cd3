import { z } from 'zod';
import { ANY_LANGUAGE } from './definition.ts';

/** The largest sizes in a playbook. Lengths are in UTF-16 units. */
export const playbookLimits = {
  intents: 200,
  /** Of all intents together. */
  examples: 2_000,
  entities: 50,
  tools: 100,
  models: 100,
  toolsOfIntent: 4,
  languages: 20,
  contacts: 20,
  required: 10,
  phrases: 200,
  phraseLength: 100,
  harmless: 200,
  labels: 500,
  nameLength: 64,
  shortLength: 200,
  descriptionLength: 1_000,
  exampleLength: 500,
  patternLength: 200,
  textLength: 2_000,
  replyLength: 8_000,
  pathLength: 500,
  modelLength: 256,
  /** The highest price of a million tokens. */
  price: 1_000_000,
} as const;

/** Names that every object has; a name of a playbook must not be one. */
const reserved: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** A text with something in it. */
export function text(maximum: number): z.ZodString {
  return z.string().max(maximum).regex(/\S/, { error: 'must be a text that is not empty' });
}

/** The name of an intent or an entity. */
export const name = z
  .string()
  .max(playbookLimits.nameLength)
  .regex(/^[a-z][a-z0-9_]*$/, {
    error: 'must begin with a small letter and consist of small letters, digits and underscores',
    abort: true,
  })
  .refine((value) => !reserved.has(value), { error: 'is a reserved name; choose another one' });

/** The name of a tool. */
export const toolName = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, {
    error: 'must be the name of a tool: letters, digits, dots, hyphens and underscores',
  });

const languageNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

function languageCode(pattern: RegExp) {
  return z
    .string()
    .regex(pattern, { error: 'must be a language code of two small letters, such as en', abort: true })
    .refine((code) => code === ANY_LANGUAGE || languageNames.of(code) !== undefined, {
      error: 'is not a language code of ISO 639-1, such as en or de',
    });
}

/** An ISO 639-1 code. */
export const language = languageCode(/^[a-z]{2}$/);

/** An ISO 639-1 code, or `*` for any. */
export const anyLanguage = languageCode(/^(?:[a-z]{2}|\*)$/);

/** Texts by language. */
export function texts(maximum: number): z.ZodRecord<typeof language, z.ZodString> {
  return z.record(language, text(maximum));
}

const reply = texts(playbookLimits.replyLength);

/** Templates of a reply by language. */
export function replyTexts(description: string): typeof reply {
  return reply.describe(`${description} By language: templates of Liquid.`);
}

/** Hours of a day. */
export function hoursOfDay(description: string): z.ZodOptional<z.ZodString> {
  return z
    .string()
    .regex(/^(?:closed|(?:[01]\d|2[0-3]):[0-5]\d-(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00))$/, {
      error: 'must be hours such as 08:00-17:00, or closed',
      abort: true,
    })
    .refine((value) => value === 'closed' || value.slice(0, 5) < value.slice(6), {
      error: 'must end later than it begins',
    })
    .describe(description)
    .optional();
}

/** A time span. */
export const duration = z
  .string()
  .regex(/^[1-9]\d{0,3}[mhd]$/, { error: 'must be a number and a unit, such as 30m, 2h or 1d' });
