import { plainWords } from '../../lib/text/words.ts';
import { patternOf, readSections } from '../shared/reading/model-files.ts';

/** The lists of `models/conversation.txt`, the same for all languages. */
interface Lists {
  readonly aroundNumber: ReadonlySet<string>;
  readonly unhelpful: ReadonlySet<string>;
  readonly unhelpfulParts: readonly string[];
  readonly unanswered: RegExp;
  readonly unansweredHint: RegExp;
  readonly besideUnanswered: ReadonlySet<string>;
}

let loaded: Lists | undefined;

/** The lists, read for the first text. */
function lists(): Lists {
  if (loaded === undefined) {
    const sections = readSections('conversation.txt');
    const itemsOf = (name: string, separator: string) =>
      (sections.get(name) ?? []).flatMap((line) => line.split(separator));
    const patterns = (sections.get('unanswered') ?? []).map((line) => patternOf(line, sections));
    loaded = {
      aroundNumber: new Set(itemsOf('around_number', ' ')),
      unhelpful: new Set(itemsOf('unhelpful', ', ')),
      unhelpfulParts: itemsOf('unhelpful_part', ', ').map((phrase) => ` ${phrase} `),
      unanswered: new RegExp(`(?<![\\p{L}\\p{N}])(?:${patterns.join('|')})(?![\\p{L}\\p{N}])`, 'gu'),
      unansweredHint: new RegExp(itemsOf('unanswered_hint', '|').join('|'), 'i'),
      besideUnanswered: new Set(itemsOf('beside_unanswered', ' ')),
    };
  }
  return loaded;
}

/** Longer texts say more than a number. */
const MAX_NAMING_WORDS = 30;
const MAX_NAMING_LENGTH = 1_000;

/**
 * True for a text that consists of what was asked for and words around it: `order number: A-1234, thanks`. `named` is
 * what stands for it in the text. The words of the `question` say nothing more.
 */
export function isOnlyNaming(text: string, named: readonly string[], question: string): boolean {
  if (text.length > MAX_NAMING_LENGTH) return false;
  const longestFirst = named.toSorted((one, other) => other.length - one.length);
  const rest = plainWords(longestFirst.reduce((left, part) => left.replaceAll(part, ' '), text));
  const asked = new Set(plainWords(question.slice(0, MAX_NAMING_LENGTH)));
  const { aroundNumber } = lists();
  return rest.length <= MAX_NAMING_WORDS && rest.every((word) => aroundNumber.has(word) || asked.has(word));
}

/** Longer texts are searched at their beginning only. */
const MAX_UNANSWERED = 2_000;

/** The words of a text without those that say that no answer came; undefined where it says nothing of the kind. */
export function withoutUnanswered(text: string): string | undefined {
  const { unanswered, unansweredHint, besideUnanswered } = lists();
  const start = text.slice(0, MAX_UNANSWERED).normalize('NFC');
  if (!unansweredHint.test(start)) return undefined;
  const plain = plainWords(start).join(' ');
  const rest = plain.replace(unanswered, ' ');
  if (rest === plain) return undefined;
  const left = rest.split(' ').filter((word) => word !== '');
  return left.every((word) => besideUnanswered.has(word)) ? '' : left.join(' ');
}

/** Longer texts are no mere follow-ups: their intent decides. */
const MAX_UNHELPFUL_WORDS = 25;
const MAX_UNHELPFUL_LENGTH = 400;

/**
 * Tells a text that says, after an answer, that it did not help: as a `whole` it says nothing else. Undefined where it
 * does not, or is long.
 */
export function saysUnhelpful(text: string): 'whole' | 'part' | undefined {
  const words = plainWords(text.slice(0, MAX_UNHELPFUL_LENGTH));
  if (words.length > MAX_UNHELPFUL_WORDS) return undefined;
  const plain = words.join(' ');
  const { unhelpful, unhelpfulParts } = lists();
  if (unhelpful.has(plain)) return 'whole';
  const isSaid =
    unhelpfulParts.some((phrase) => ` ${plain} `.includes(phrase)) || withoutUnanswered(text) !== undefined;
  return isSaid ? 'part' : undefined;
}
