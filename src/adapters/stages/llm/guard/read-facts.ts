import { takeTimes } from './calendar.ts';
import { takeCodes } from './codes.ts';
import { readDeeds } from './deeds/deeds.ts';
import { type Fact, normalize } from './facts.ts';
import { writeNumbersAsDigits } from './number-words.ts';
import { readQuantities, takePhones } from './quantities.ts';

/** The number of an item of a list at the beginning of a line. */
const listNumbers = /^ *\d{1,2}[.)] /gm;

/**
 * Everything that a text states and that could be wrong: numbers, dates, times, codes and deeds. In known texts, also
 * small number words without a unit count.
 */
export function readFacts(given: string, isKnown: boolean): readonly Fact[] {
  const facts: Fact[] = [];
  const text = normalize(given);
  readDeeds(text, facts);
  let rest = takeTimes(text, facts);
  rest = takeCodes(rest, facts);
  rest = takePhones(rest, facts);
  if (!isKnown) rest = rest.replaceAll(listNumbers, '');
  readQuantities(writeNumbersAsDigits(rest, isKnown), facts);
  return facts;
}
