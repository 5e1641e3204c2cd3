import { tokenize } from '../text/tokenize.ts';
import { hashText, type Meanings, type Word } from './text-reader.ts';

/** The words of one language by class of meaning: see {@link parseLexicon}. */
export type Lexicon = ReadonlyMap<string, readonly string[]>;

/**
 * Parses a lexicon: a line for each class, `money.refund: refund, reimburse, money back`. Empty lines and those that
 * begin with `#` are ignored. Throws where a line has no name.
 */
export function parseLexicon(text: string): Lexicon {
  const classes = new Map<string, readonly string[]>();
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const colon = line.indexOf(':');
    if (colon < 1) throw new Error(`a line of a lexicon has no class: ${line.slice(0, 80)}`);
    const words = line.slice(colon + 1).split(',');
    classes.set(
      line.slice(0, colon).trim(),
      words.map((word) => word.trim()).filter((word) => word !== ''),
    );
  }
  return classes;
}

/** The languages whose inflections are known. */
export type LexiconLanguage = 'en' | 'de';

/** The words of a language as they are looked up. */
interface Table {
  readonly language: LexiconLanguage;
  readonly words: ReadonlyMap<string, readonly number[]>;
  /** Terms of several words by their first one, the longest first. */
  readonly terms: ReadonlyMap<string, readonly Term[]>;
}

interface Term {
  readonly words: readonly string[];
  readonly meaning: number;
}

/** The number of a class of meaning: the same whatever else a lexicon has, so that trained models stay valid. */
export function numberOfMeaning(name: string): number {
  return hashText(name);
}

/** Creates the look-up of meanings in a lexicon: see {@link Meanings}. */
export function createMeanings(language: LexiconLanguage, lexicon: Lexicon): Meanings {
  const table = toTable(language, lexicon);
  return {
    meaningsOf: (token) => (token.length < 2 || token.startsWith('0') ? [] : lookUp(token, table)),
    termsAt(words, at, end, found) {
      const first = words[at]?.token ?? '';
      for (const term of table.terms.get(first) ?? termsOfBase(table.terms, first, language)) {
        if (!matches(term, words, at, end, language)) continue;
        found(term.meaning);
        return;
      }
    },
  };
}

const none: readonly Term[] = [];

function termsOfBase(terms: Table['terms'], token: string, language: LexiconLanguage): readonly Term[] {
  for (const base of basesOf(token, language)) {
    const found = terms.get(base);
    if (found !== undefined) return found;
  }
  return none;
}

function matches(
  { words: wanted }: Term,
  words: readonly Word[],
  at: number,
  end: number,
  language: LexiconLanguage,
): boolean {
  if (at + wanted.length > end) return false;
  return wanted.every((one, offset) => {
    const token = words[at + offset]?.token ?? '';
    return token === one || (token.length > one.length && basesOf(token, language).includes(one));
  });
}

function toTable(language: LexiconLanguage, lexicon: Lexicon): Table {
  const words = new Map<string, number[]>();
  const terms = new Map<string, Term[]>();
  for (const [name, entries] of lexicon) {
    const meaning = numberOfMeaning(name);
    for (const entry of entries) {
      // Most entries are plain words, which are their own token.
      if (/^[a-z]+$/.test(entry)) {
        appendTo(words, entry, meaning);
        continue;
      }
      const [first, ...others] = tokenize(entry);
      if (first === undefined) continue;
      if (others.length === 0) appendTo(words, first, meaning);
      else appendTo(terms, first, { words: [first, ...others], meaning });
    }
  }
  for (const list of terms.values()) list.sort((a, b) => b.words.length - a.words.length);
  return { language, words, terms };
}

function appendTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function lookUp(token: string, { words, language }: Table): readonly number[] {
  const own = words.get(token);
  if (own !== undefined) return own;
  for (const base of basesOf(token, language)) {
    const found = words.get(base);
    if (found !== undefined) return found;
  }
  return language === 'de' && token.length >= 7 ? meaningsOfCompound(token, words) : [];
}

/** Words that a token may be an inflection of, the likeliest first. */
function basesOf(token: string, language: LexiconLanguage): readonly string[] {
  return language === 'en' ? englishBases(token) : germanBases(token);
}

function englishBases(token: string): readonly string[] {
  const bases: string[] = [];
  const cut = (ending: string, ...instead: readonly string[]): void => {
    if (!token.endsWith(ending) || token.length - ending.length < 2) return;
    const base = token.slice(0, -ending.length);
    for (const end of instead) bases.push(base + end);
    const last = base.at(-1);
    if (ending !== 's' && ending !== 'ies' && last !== undefined && base.at(-2) === last)
      bases.push(base.slice(0, -1));
  };
  cut('ies', 'y', 'ie');
  cut('ied', 'y');
  cut('ier', 'y');
  cut('iest', 'y');
  cut('ily', 'y');
  cut('es', '', 'e');
  cut('s', '');
  cut('ed', '', 'e');
  cut('ing', '', 'e');
  cut('ly', '', 'le');
  cut('er', '', 'e');
  cut('est', '', 'e');
  cut('ness', '');
  cut('ment', '');
  cut('able', '', 'e');
  return bases;
}

const germanEndings = [
  ...[
    'testen',
    'tester',
    'testes',
    'test',
    'sten',
    'stes',
    'ster',
    'ste',
    'ten',
    'tet',
    'end',
    'ern',
    'es',
    'en',
    'er',
  ],
  ...['em', 'st', 'te', 'e', 'n', 's', 't'],
];

function germanBases(token: string): readonly string[] {
  const stems = new Set<string>();
  const addStems = (word: string): void => {
    for (const ending of germanEndings) {
      if (word.endsWith(ending) && word.length - ending.length >= 3) stems.add(word.slice(0, -ending.length));
    }
  };
  stems.add(token);
  addStems(token);
  // Participles: `repariert` has `reparieren`, `abgeholt` has `abholen`, `gekauft` has `kaufen`.
  const participle = /^(.*?)(?:ge|zu)(\p{L}{2,}?)(?:t|en|et)?$/u.exec(token);
  if (participle !== null) stems.add(`${participle[1]}${participle[2]}`);
  const bases: string[] = [];
  for (const stem of stems) {
    if (stem !== token) bases.push(stem);
    bases.push(`${stem}en`, `${stem}n`, `${stem}e`);
    // A plural or comparative with an umlaut: `schloesser` has `schloss`, `haeuser` has `haus`.
    const plain = stem
      .replace(/aeu/, 'au')
      .replace(/ae/, 'a')
      .replace(/oe/, 'o')
      .replace(/ue(?!r?$)/, 'u');
    if (plain !== stem) bases.push(plain, `${plain}e`);
  }
  return bases;
}

/** The letters between the parts of a compound. */
const links = ['', 's', 'es', 'n', 'en', 'er', 'e'];

const MIN_PART = 3;

/** The meanings of the parts of a compound, that of the last part first: it says what the whole is. */
function meaningsOfCompound(token: string, words: Table['words']): readonly number[] {
  for (let at = token.length - MIN_PART - 1; at >= MIN_PART; at--) {
    const head = token.slice(at);
    const meaning = words.get(head) ?? firstKnown(germanBases(head), words);
    if (head.length < MIN_PART + 1 || meaning === undefined) continue;
    const front = token.slice(0, at);
    for (const link of links) {
      if (!front.endsWith(link) || front.length - link.length < MIN_PART) continue;
      const part = front.slice(0, front.length - link.length);
      const other = words.get(part) ?? words.get(`${part}e`) ?? words.get(`${part}en`);
      if (other !== undefined) return [...meaning, ...other];
    }
  }
  return [];
}

function firstKnown(bases: readonly string[], words: Table['words']): readonly number[] | undefined {
  for (const base of bases) {
    const found = words.get(base);
    if (found !== undefined) return found;
  }
  return undefined;
}
