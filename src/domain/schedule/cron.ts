import { itemAt } from '../../lib/array.ts';

/** The most characters of a cron expression. */
export const MAX_CRON_LENGTH = 200;

/** The most characters of the name of a time zone. */
export const MAX_TIMEZONE_LENGTH = 64;

/** The fields of a cron expression with the smallest and the largest number that each may name. */
const fields = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  { name: 'day of the week', min: 0, max: 7 },
] as const;

/** The characters of a field; the library decides if their order makes sense. */
const fieldPattern = /^[\d*,/A-Za-z#-]+$/;

/** A number that names a time: the width of a step and the week of `5#2` have bounds of their own. */
const numberPattern = /(?<![\d/#])\d+/g;

/**
 * The fault of a cron expression as far as its text tells: the number of its fields, their characters and numbers.
 * Undefined without one.
 */
export function cronProblem(cron: string): string | undefined {
  if (cron.length > MAX_CRON_LENGTH) return `must have at most ${MAX_CRON_LENGTH} characters`;
  const texts = cronFields(cron);
  if (texts.length !== fields.length) {
    return `must have five fields (minute, hour, day of the month, month, day of the week), not ${texts.length}`;
  }
  for (const [index, { name, min, max }] of fields.entries()) {
    const text = itemAt(texts, index);
    if (!fieldPattern.test(text)) return `the ${name} has a character that means nothing there`;
    for (const [number] of text.matchAll(numberPattern)) {
      if (Number(number) < min || Number(number) > max) {
        return `the ${name} ${number} is not between ${min} and ${max}`;
      }
    }
  }
  return undefined;
}

/** The fields of a cron expression. */
function cronFields(cron: string): readonly string[] {
  const trimmed = cron.trim();
  return trimmed === '' ? [] : trimmed.split(/\s+/);
}

/** True where the hours of a cron expression go by elapsed time: its hour begins with `*`. */
export function hasWildcardHour(cron: string): boolean {
  return itemAt(cronFields(cron), 1).startsWith('*');
}
