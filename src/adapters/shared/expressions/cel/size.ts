import { countCharacters } from '../../../../lib/text/characters.ts';
import type { Place } from '../error.ts';
import { isList, isMap, keysOf, type Value } from './value.ts';
import { spendCharacters, type Work } from './work.ts';

/** The size of a text in characters (code points), of a list in items, of an object in members. */
export function sizeOf(value: Value, work: Work, place: Place): Value | undefined {
  if (typeof value === 'string') return BigInt(sizeOfText(value, work, place));
  if (isList(value)) return BigInt(value.length);
  return isMap(value) ? BigInt(keysOf(value, work, place).length) : undefined;
}

/** The number of code points, within the budget. */
export function sizeOfText(text: string, work: Work, place: Place): number {
  spendCharacters(work, text.length, place);
  return countCharacters(text);
}
