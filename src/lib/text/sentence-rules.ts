/** Abbreviations before a name or an example, which never end a sentence. */
const leading = new Set(
  [
    'dr mr mrs ms mx prof rev hon gen col lt sgt capt cmdr gov sen rep pres messrs mme mlle',
    'e.g eg i.e ie vs v cf ca approx viz resp',
  ]
    .join(' ')
    .split(' '),
);

/** Abbreviations before a number. */
const beforeNumber = new Set('no nos nr p pp fig figs vol vols ch chap sec sect art eq ed ver'.split(' '));

/** Abbreviations that end a sentence before a capital letter. */
const beforeCapital = new Set(
  'etc est min max hr hrs sec jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat sun'.split(
    ' ',
  ),
);

/** Abbreviations within names, as in `Acme Inc. Europe`. */
const withinNames = new Set(
  'inc ltd co corp bros dept univ assn st ave blvd rd mt jr sr al ph.d b.a m.a b.sc m.sc'.split(' '),
);

/** Words that start a sentence much more often than they continue a name. */
const openers = new Set(
  [
    'the this that these those there then they their he his she her it its we our you your i my if in on at as',
    'an after all although and any because before both but by during each even every finally first for from',
    'however how just let many meanwhile more most next no nobody not now of one only or other perhaps please',
    'since so some still such thank thanks though thus to today two until what when where which while who why',
    'with yet yesterday',
  ]
    .join(' ')
    .split(' '),
);

/** Words that never end a sentence: a line break after them is inside one. */
const unfinished = new Set(
  [
    'a an the of in on at to for from by with without and or but nor as than that which who whose when where while',
    'is are was were be been being has have had do does did will would can could shall should may might must',
    'this these those his her its their our your my into onto over under between about because if not very so',
  ]
    .join(' ')
    .split(' '),
);

/** The word after a period or line break. */
export interface Following {
  readonly kind: 'lower' | 'upper' | 'digit' | 'other';
  /** The word in lower case, without opening quotes and brackets. */
  readonly word: string;
}

/** True when the period after `word` ends a sentence. */
export function isSentencePeriod(word: string, next: Following): boolean {
  const lower = word.toLowerCase();
  if (leading.has(lower)) return false;
  if (beforeNumber.has(lower) && next.kind === 'digit') return false;
  if (beforeCapital.has(lower)) return next.kind === 'upper';
  if (isInitials(word) || withinNames.has(lower)) return next.kind === 'upper' && openers.has(next.word);
  return true;
}

/** Lines of this length, in characters, are probably wrapped text; others are separate items. */
const WRAPPED_FROM = 45;
const WRAPPED_TO = 100;

/** True when the sentence of a line that ends with `word`, without punctuation, continues on the next line. */
export function continuesOnNextLine(word: string, length: number, next: Following): boolean {
  if (unfinished.has(word.toLowerCase())) return true;
  if (next.kind === 'lower') return length >= WRAPPED_FROM;
  return next.kind === 'upper' && length >= WRAPPED_FROM && length <= WRAPPED_TO;
}

/** True for single letters except `I`, and for letters separated by periods: `J`, `U.S`, `p.m`. */
function isInitials(word: string): boolean {
  if (word === 'I' || word.length % 2 === 0) return false;
  for (let index = 0; index < word.length; index++) {
    const character = word.charAt(index);
    if (index % 2 === 1 ? character !== '.' : character.toLowerCase() === character.toUpperCase())
      return false;
  }
  return true;
}
