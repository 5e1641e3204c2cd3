import { isLineBreak } from './characters.ts';
import { sentenceSpans, type TextSpan } from './sentences.ts';
import { eachWord, memoize, stemWord } from './words.ts';

/** An extract of the sentences of a text. */
interface Summary {
  readonly summary: string;
  readonly sentenceCount: number;
  readonly originalSentenceCount: number;
}

/** Longer sentences are truncated, in characters. */
const MAX_SENTENCE_LENGTH = 2_000;

/** The factor of the first sentence, which often names the topic. */
const OPENING_WEIGHT = 1.3;

/** Added to the length of a sentence, so that one frequent word does not favor very short sentences. */
const LENGTH_OFFSET = 6;

/**
 * The weight that each point of {@link demandOf} adds, as a part of the greatest weight by words: such a sentence
 * outweighs others.
 */
const DEMAND_WEIGHT = 1;

/** Only the first sentences of a long text are considered. */
const MAX_WEIGHED_SENTENCES = 20_000;

/** The stems of words without content. */
const stopWords = new Set(
  [
    'a about after all also am an and any ar are as at be been befor but by can could did do doe down for from get got',
    'had ha has hav have he her here him his how i if in into is it its just me more most my no not now of on one onli or',
    'other our out over said sai she should so some such than that the their them then there these thei they thi this',
    'those to too up us wa was we were what when where which while who whom why will with would you your',
  ]
    .join(' ')
    .split(' '),
);

/**
 * Summarizes a text by at most `maxSentences` of its sentences, in their order. The weight of a sentence is the mean
 * number of sentences that share its words; sentences that say what is wanted, by when, how much, or of which order,
 * come before those, and repeated sentences come last. Only the first 20,000 sentences of a text are considered. The
 * same text always has the same summary, in time linear in its length.
 */
export function summarize(text: string, maxSentences: number): Summary {
  const spans = sentenceSpans(text);
  const chosen =
    spans.length <= maxSentences
      ? spans
      : selectSentences(text, spans.slice(0, Math.max(maxSentences, MAX_WEIGHED_SENTENCES)), maxSentences);
  return {
    summary: join(text, chosen),
    sentenceCount: chosen.length,
    originalSentenceCount: spans.length,
  };
}

/** The sentences with the greatest weights, in the order of the text; of equal ones the first. */
function selectSentences(text: string, spans: readonly TextSpan[], count: number): TextSpan[] {
  return weightedSentences(text, spans)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, count)
    .map(({ span }) => span)
    .sort((a, b) => a.start - b.start);
}

function weightedSentences(text: string, spans: readonly TextSpan[]): { span: TextSpan; weight: number }[] {
  const stemOf = memoize(stemWord);
  const sentences = spans.map((span) => ({ span, words: contentWords(text, span, stemOf) }));
  const sentencesWith = new Map<string, number>();
  for (const { words } of sentences) {
    for (const word of words) sentencesWith.set(word, (sentencesWith.get(word) ?? 0) + 1);
  }
  const byWords = sentences.map(({ words }, index) => {
    let sum = 0;
    for (const word of words) sum += sentencesWith.get(word) ?? 0;
    const factor = index === 0 ? OPENING_WEIGHT : 1;
    return (sum / (words.size + LENGTH_OFFSET)) * factor;
  });
  const greatest = byWords.reduce((most, weight) => Math.max(most, weight), 0);
  const seen = new Set<string>();
  return spans.map((span, index) => {
    const sentence = text.slice(span.start, span.end);
    if (seen.has(sentence)) return { span, weight: -1 };
    seen.add(sentence);
    return { span, weight: (byWords[index] ?? 0) + demandOf(sentence) * DEMAND_WEIGHT * greatest };
  });
}

/** The stems of the content words of a sentence. */
function contentWords(text: string, { start, end }: TextSpan, stemOf: (word: string) => string): Set<string> {
  const words = new Set<string>();
  eachWord(text, start, end, (from, to) => {
    const stem = stemOf(text.slice(from, to));
    if (!stopWords.has(stem)) words.add(stem);
  });
  return words;
}

/** Joins sentences, with a line break where the text has one, and without a blank in scripts without blanks. */
function join(text: string, spans: readonly TextSpan[]): string {
  let joined = '';
  let last: TextSpan | undefined;
  for (const span of spans) {
    if (last !== undefined) joined += separator(text, last.end);
    const sentence = text.slice(span.start, span.end);
    joined += sentence.length > MAX_SENTENCE_LENGTH ? `${sentence.slice(0, MAX_SENTENCE_LENGTH)}…` : sentence;
    last = span;
  }
  return joined.toWellFormed();
}

function separator(text: string, at: number): string {
  const code = text.charCodeAt(at);
  if (!isLineBreak(code)) return code > 0x20 && text.charCodeAt(at - 1) > 0x2e7f ? '' : ' ';
  return '\n';
}

// Demands

/** Requests. */
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

/** The part of a long sentence that is read, in characters. */
const MAX_LENGTH = 2_000;

/**
 * The weight of what a sentence wants and by when: 2 for a request, 2 for a deadline, 1 for an amount and for a
 * number of an order. It knows English only.
 */
function demandOf(sentence: string): number {
  const text = sentence.slice(0, MAX_LENGTH);
  const has = (patterns: readonly RegExp[]): boolean => patterns.some((pattern) => pattern.test(text));
  return (has(requests) ? 2 : 0) + (has(deadlines) ? 2 : 0) + (has(amounts) ? 1 : 0) + (has(numbers) ? 1 : 0);
}
