import type { GoalWord } from './goal-words.ts';

/** Which words of a clause start a keyword, and which end one. */
export interface KeywordPlaces {
  readonly starts: ReadonlySet<number>;
  readonly ends: ReadonlySet<number>;
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** The words before `do not` and `never` where they start an instruction. Others report: `I do not`, `it never`. */
const beforeInstruction = set('please kindly and but or so also just now then you however yet simply');

/** After `do not` these ask for something: `do not only echo`, `do not forget to echo`, `don't you`. */
const afterAffirmed = set('only just merely simply forget fail hesitate neglect omit miss you we i');

const modals = set('must should shall may need');
const negatedModals = set('mustnt shouldnt shant neednt');
const modalSubjects = set('you it this that they these');
const wishes = set('want need wish require');
const wished = set('a an any you');
const scopeEnds = set('but instead rather only then however');

/**
 * Which words of a clause are under a negated instruction: those after `do not`, `never`, `without`, `no need to` and
 * similar, up to a comma, `but` or other punctuation, or up to an `and` after an object (`do not echo it and summarize
 * it`). Negations that report, as in `I have not received my order`, negate no instruction. The time is linear in the
 * number of words.
 */
export function negatedWords(words: readonly GoalWord[], keywords: KeywordPlaces): boolean[] {
  const negated: boolean[] = [];
  const listGoesOn = beforeOr(words);
  let active = false;
  let from = 0;
  words.forEach(({ lower, gap }, at) => {
    if (gap === 'stop' || gap === 'material' || (gap === 'comma' && !listGoesOn[at])) active = false;
    if (scopeEnds.has(lower) || (lower === 'and' && !keywords.ends.has(at - 1))) active = false;
    const length = at < from ? 0 : cueLength(words, at, keywords);
    if (length > 0) {
      active = true;
      from = at + length;
    }
    negated.push(active && at >= from);
  });
  return negated;
}

/** For each word, whether `or` comes before the next `and` or `but`: `do not echo, repeat or summarize`. */
function beforeOr(words: readonly GoalWord[]): boolean[] {
  const found: boolean[] = new Array<boolean>(words.length).fill(false);
  let or = false;
  for (let at = words.length - 1; at >= 0; at--) {
    const word = words[at];
    if (word?.lower === 'or' || word?.lower === 'nor') or = true;
    else if (word?.lower === 'and' || word?.lower === 'but' || word?.lower === 'then') or = false;
    found[at] = or;
    if (word?.gap === 'stop' || word?.gap === 'material') or = false;
  }
  return found;
}

/** The number of words of the negation that starts at a word; 0 where none does. */
function cueLength(words: readonly GoalWord[], at: number, keywords: KeywordPlaces): number {
  const lower = (index: number): string => words[index]?.lower ?? '';
  const before = words[at]?.gap === 'blank' ? lower(at - 1) : '';
  const starts = before === '' || beforeInstruction.has(before);
  const word = lower(at);
  if (word === 'dont' || (word === 'do' && lower(at + 1) === 'not')) {
    return doNotLength(lower, at, before, starts, word === 'dont' ? 1 : 2);
  }
  if (word === 'never') return starts && !/(?:ed|got|had|came)$/.test(lower(at + 1)) ? 1 : 0;
  if (negatedModals.has(word)) return modalSubjects.has(before) ? 1 : 0;
  if (modals.has(word) && lower(at + 1) === 'not') return modalSubjects.has(before) ? 2 : 0;
  if (word === 'not' && lower(at + 1) === 'to') return starts || before === 'sure' ? 2 : 0;
  return withoutLength(lower, at, starts, keywords);
}

/** `do not`, where it forbids; and in `I do not want a …`. */
function doNotLength(
  lower: (at: number) => string,
  at: number,
  before: string,
  starts: boolean,
  length: number,
): number {
  const next = lower(at + length);
  if (starts) return afterAffirmed.has(next) ? 0 : length;
  const isWish = (before === 'i' || before === 'we') && wishes.has(next);
  return isWish && wished.has(lower(at + length + 1)) ? length + 1 : 0;
}

/** `without echoing`, `instead of echoing`, `avoid echoing`, `skip the summary`, `no need to echo`, `no summary`. */
function withoutLength(
  lower: (at: number) => string,
  at: number,
  starts: boolean,
  keywords: KeywordPlaces,
): number {
  const next = lower(at + 1);
  switch (lower(at)) {
    case 'without':
      return isGerund(next) || next === 'a' || next === 'any' || keywords.starts.has(at + 1) ? 1 : 0;
    case 'instead':
    case 'rather':
      return (next === 'of' || next === 'than') && isGerund(lower(at + 2)) ? 2 : 0;
    case 'avoid':
    case 'stop':
      return starts && isGerund(next) ? 1 : 0;
    case 'refrain':
      return next === 'from' ? 2 : 0;
    case 'skip':
    case 'omit':
      return starts && (next === 'the' || next === 'any') && keywords.starts.has(at + 2) ? 2 : 0;
    case 'no':
      return next === 'need' ? 2 : starts && isRefused(lower, at + 1, keywords) ? 1 : 0;
    default:
      return 0;
  }
}

function isGerund(word: string): boolean {
  return word.length > 4 && word.endsWith('ing');
}

/** `no summary`, where no more than `please` or `needed` follows. */
function isRefused(lower: (at: number) => string, at: number, keywords: KeywordPlaces): boolean {
  if (!keywords.starts.has(at) || !keywords.ends.has(at)) return false;
  return ['', 'please', 'needed', 'necessary', 'required'].includes(lower(at + 1));
}
