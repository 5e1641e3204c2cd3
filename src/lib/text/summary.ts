import { isLineBreak } from './characters.ts';
import { sentenceSpans, type TextSpan } from './sentences.ts';
import { eachWord, memoize, stemWord } from './words.ts';

/** A text in fewer of its own sentences. */
export interface Summary {
  readonly summary: string;
  readonly sentenceCount: number;
  readonly originalSentenceCount: number;
}

/** A sentence of more characters than this is cut: a text without any mark is no summary of itself. */
const MAX_SENTENCE = 2_000;

/** What an opening sentence counts for, beside any other: texts say first what they are about. */
const OPENING_WEIGHT = 1.3;

/** Keeps very short sentences from winning by one frequent word. */
const SHORTNESS = 6;

/** Only so many sentences are weighed: a megabyte of prose has half as many. */
const MAX_WEIGHED = 20_000;

/** Words that every English text is full of, by their stems. */
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
 * The at most `maxSentences` sentences of a text that say most of what it is about, in their own words and order.
 * A sentence weighs what its words occur in other sentences too, against its length; the same text has always the
 * same summary, and a sentence that repeats another comes last. Of a text of more than 20,000 sentences only those
 * are weighed. Time grows with the length of the text alone.
 */
export function summarize(text: string, maxSentences: number): Summary {
  const spans = sentenceSpans(text);
  const chosen =
    spans.length <= maxSentences
      ? spans
      : heaviest(text, spans.slice(0, Math.max(maxSentences, MAX_WEIGHED)), maxSentences);
  return {
    summary: join(text, chosen),
    sentenceCount: chosen.length,
    originalSentenceCount: spans.length,
  };
}

function heaviest(text: string, spans: readonly TextSpan[], count: number): TextSpan[] {
  const weights = weigh(text, spans);
  const least = weights.toSorted()[weights.length - count] ?? 0;
  let ties = count - weights.filter((weight) => weight > least).length;
  return spans.filter((_, index) => {
    const weight = weights[index] ?? 0;
    if (weight === least) ties--;
    return weight > least || (weight === least && ties >= 0);
  });
}

/** The weight of every sentence, in order. */
function weigh(text: string, spans: readonly TextSpan[]): Float64Array {
  const sentences = contentWords(text, spans);
  const occurrences: number[] = [];
  for (const words of sentences) for (const word of words) occurrences[word] = (occurrences[word] ?? 0) + 1;
  const seen = new Set<string>();
  return Float64Array.from(sentences, (words, index) => {
    const { start, end } = spans[index] ?? { start: 0, end: 0 };
    const said = seen.size;
    if (seen.add(text.slice(start, end)).size === said) return -1;
    let sum = 0;
    for (const word of words) sum += occurrences[word] ?? 0;
    return (sum / (words.length + SHORTNESS)) * (index === 0 ? OPENING_WEIGHT : 1);
  });
}

/** The words of every sentence that say something, each once, as numbers that stand for their stems. */
function contentWords(text: string, spans: readonly TextSpan[]): number[][] {
  const numbers = new Map<string, number>();
  const numberOf = memoize((word) => {
    const stem = stemWord(word);
    if (stopWords.has(stem)) return -1;
    const number = numbers.get(stem) ?? numbers.size;
    numbers.set(stem, number);
    return number;
  });
  const lastIn: number[] = [];
  return spans.map(({ start, end }, index) => {
    const words: number[] = [];
    eachWord(text, start, end, (from, to) => {
      const number = numberOf(text.slice(from, to));
      if (number < 0 || lastIn[number] === index) return;
      lastIn[number] = index;
      words.push(number);
    });
    return words;
  });
}

/** The sentences as one text: on lines of their own where they were, and without a blank where their script has none. */
function join(text: string, spans: readonly TextSpan[]): string {
  let joined = '';
  let last: TextSpan | undefined;
  for (const span of spans) {
    if (last !== undefined) joined += separator(text, last.end);
    const sentence = text.slice(span.start, span.end);
    joined += sentence.length > MAX_SENTENCE ? `${sentence.slice(0, MAX_SENTENCE)}…` : sentence;
    last = span;
  }
  return joined.toWellFormed();
}

function separator(text: string, at: number): string {
  const code = text.charCodeAt(at);
  if (!isLineBreak(code)) return code > 0x20 && text.charCodeAt(at - 1) > 0x2e7f ? '' : ' ';
  return '\n';
}
