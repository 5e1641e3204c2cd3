/** What somebody wants. */
const requests = [
  /\b(?:please|kindly|must|shall|asks? (?:for|to|that|us|you)|demands?|requests|urgent|urgently|asap|deadline|required?|expects?)\b/iu,
  /\b(?:i|we)(?: would|['’]d)? (?:also )?(?:want|need|like|expect|insist|prefer)\b/iu,
  /\b(?:can|could|would|will) (?:you|somebody|someone)\b/iu,
  /\b(?:ha(?:s|ve)|needs?|wants?) to\b/iu,
];

const days = '(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tonight|tomorrow|noon|midnight';
const months = '(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}';

/** Until when: `by Friday`, `before 5 pm`, `within three days`, `no later than 3 May`. */
const deadlines = [
  new RegExp(
    `\\b(?:by|before|until|till|no later than|due(?: on| by)?) (?:the |next |this )?(?:${days}|${months}\\b|end of|\\d|close of|week|month)`,
    'iu',
  ),
  /\b(?:within|in) (?:the next )?(?:\d{1,3}|an?|one|two|three|four|five|six|seven|ten) (?:minute|hour|day|week|month|business|working)/iu,
];

/** Amounts of money. */
const amounts = [/[$€£¥]\s?\d|\d\s?[$€£¥]/u, /\d\s?(?:eur|euros?|usd|dollars?|gbp|pounds?|chf|francs?)\b/iu];

/** Numbers of orders, invoices and parcels: `A-1234`, `#1234`, `order 1234`. */
const numbers = [
  /#\d{2,}|\b[a-z]{1,5}-?\d{3,}\b/iu,
  /\b(?:order|invoice|ticket|parcel|tracking|case|reference)(?: number| no\.?)? \d{2,}/iu,
];

/** How much of a long sentence is looked at, in characters. */
const MAX_LENGTH = 2_000;

/**
 * How much a sentence says of what is wanted and by when: 2 for a request, 2 for a deadline, 1 for an amount and for a
 * number of an order. It knows English only.
 */
export function demandOf(sentence: string): number {
  const text = sentence.slice(0, MAX_LENGTH);
  const has = (patterns: readonly RegExp[]): boolean => patterns.some((pattern) => pattern.test(text));
  return (has(requests) ? 2 : 0) + (has(deadlines) ? 2 : 0) + (has(amounts) ? 1 : 0) + (has(numbers) ? 1 : 0);
}
