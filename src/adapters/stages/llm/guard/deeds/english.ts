import {
  actions,
  gains,
  harmlessFuture,
  harmlessOfThings,
  harmlessPast,
  isPast,
  isProgressive,
  promises,
  verbOf,
} from './verbs.ts';

/** A deed that a text claims: done, in progress or a state, or promised. */
export interface Deed {
  readonly kind: 'done' | 'state' | 'promise';
  readonly verb: string;
}

const first = new Set(['we', 'i']);
const customers = new Set(['you', 'who', 'they', 'customers', 'others', 'people']);
const agents = new Set(
  `colleague colleagues team staff agent agents representative representatives specialist specialists manager managers
   department member members somebody someone supervisor expert experts technician warehouse driver courier carrier
   support service company bank person advisor adviser human operator management`.split(/\s+/),
);
const adverbs = new Set(
  `also already just now then not never still of course both all each ever always again soon today tomorrow tonight
   hereby even almost first next so thus indeed in full straight away right back since once more twice`.split(
    /\s+/,
  ),
);
const auxiliaries = new Set(['have', 'has', 'had']);
const futures = new Set(['will', 'shall', 'should', "won't"]);
const abilities = new Set(['can', 'could', 'may', 'might', 'would']);
const forms = new Set(['am', 'are', 'is', 'was', 'were']);

/** The deeds that an English text claims. The text must be normalized. */
export function englishDeeds(text: string): readonly Deed[] {
  return expand(text)
    .split(/[.!?;:\n]/)
    .flatMap((sentence) => {
      const words = sentence.match(/[\p{L}']+/gu) ?? [];
      return words.flatMap((_, at) => deedsAt(words, at));
    });
}

/** Writes contractions out. */
function expand(text: string): string {
  return text
    .replaceAll("won't", 'will not')
    .replaceAll("can't", 'can not')
    .replaceAll("n't", ' not')
    .replaceAll(
      /\b(\p{L}+)'(ve|ll|re|m)\b/gu,
      (_, word: string, end: keyof typeof endings) => `${word} ${endings[end]}`,
    )
    .replaceAll(/'s (?=(?:\p{L}+ly |already |now |just |also )?(?:been|gone|arrived|\p{L}+ed\b))/gu, ' has ')
    .replaceAll(/\b(he|she|it|that|who)'s\b/g, '$1 is');
}

const endings = { ve: 'have', ll: 'will', re: 'are', m: 'am' } as const;

function deedsAt(words: readonly string[], at: number): readonly Deed[] {
  const word = words[at] ?? '';
  if (auxiliaries.has(word)) return perfect(words, at);
  if (futures.has(word)) return future(words, at, at);
  if (word === 'going' && words[at + 1] === 'to') return future(words, at + 1, at - 1);
  if (forms.has(word)) return present(words, at);
  if (first.has(word)) return firstPerson(words, at);
  if (agents.has(word)) return agentActs(words, at);
  if ((word === 'let' || word === 'allow') && words[at + 1] === 'me') {
    return promised(words, nextWord(words, words[at + 2] === 'to' ? at + 2 : at + 1), actions);
  }
  return [];
}

/** `we have refunded`, `your order has been cancelled`; not `you have ordered`. */
function perfect(words: readonly string[], at: number): readonly Deed[] {
  const subject = subjectBefore(words, at);
  let next = nextWord(words, at);
  const passive = words[next] === 'been';
  if (passive) next = nextWord(words, next);
  if (customers.has(subject) && !passive) return [];
  const verb = words[next] ?? '';
  if (passive && isProgressive(verb)) return [{ kind: 'state', verb: verbOf(verb) }];
  return isPast(verb) ? done(words, next, passive) : [];
}

/** A participle and those that are joined to it. */
function done(words: readonly string[], at: number, passive: boolean): readonly Deed[] {
  const harmless = (word: string): boolean =>
    !passive &&
    (harmlessPast.has(verbOf(word)) || (verbOf(word) === verbOf('received') && isMail(words, at)));
  return joined(words, at)
    .filter((word) => isPast(word) && !harmless(word))
    .map((word) => ({ kind: 'done', verb: verbOf(word) }));
}

/** True where a message follows: `we have received your request`. */
function isMail(words: readonly string[], at: number): boolean {
  const mail = /^(?:messages?|e?mails?|requests?|questions?|inquiry|enquiry|note|letter|feedback|report)$/;
  return words.slice(at + 1, at + 4).some((word) => mail.test(word));
}

/** `we will refund`, `you will receive`, `it will be sent`, `should arrive`. */
function future(words: readonly string[], at: number, before: number): readonly Deed[] {
  const subject = subjectBefore(words, before);
  const next = nextWord(words, at);
  const verb = words[next] ?? '';
  if (verb === 'be') {
    const after = words[nextWord(words, next)] ?? '';
    if (isPast(after) || (isProgressive(after) && !customers.has(subject)))
      return [{ kind: 'promise', verb: verbOf(after) }];
    return [];
  }
  if (verb === 'have' && words[nextWord(words, next)] === 'been') return [];
  if (customers.has(subject)) return promised(words, next, gains);
  const isPerson = first.has(subject) || agents.has(subject);
  if (words[at] === 'should' && isPerson) return [];
  const isHarmless = harmlessFuture.has(verbOf(verb)) || (!isPerson && harmlessOfThings.has(verbOf(verb)));
  if (verb === '' || isHarmless) return [];
  return [{ kind: 'promise', verb: verbOf(verb) }, ...promised(words, next, actions)];
}

/** A verb of a set and those that are joined to it. */
function promised(words: readonly string[], at: number, verbs: ReadonlySet<string>): readonly Deed[] {
  return joined(words, at)
    .filter((word) => verbs.has(verbOf(word)))
    .map((word) => ({ kind: 'promise', verb: verbOf(word) }));
}

/** `we are sending`, `your order is cancelled`, `was refunded`, `is being prepared`, `is on its way`. */
function present(words: readonly string[], at: number): readonly Deed[] {
  const subject = subjectBefore(words, at);
  let next = nextWord(words, at);
  const isPastForm = words[at] === 'was' || words[at] === 'were';
  if (words[next] === 'being') {
    next = nextWord(words, next);
    return [{ kind: 'state', verb: verbOf(words[next] ?? '') }];
  }
  const verb = words[next] ?? '';
  if (customers.has(subject))
    return verb === 'entitled' || verb === 'eligible' ? [{ kind: 'state', verb }] : [];
  if (isProgressive(verb) && (first.has(subject) || agents.has(subject))) {
    const isHarmless =
      verb === 'going' || (verb === 'looking' && words[next + 1] === 'forward') || verb === 'writing';
    return isHarmless ? [] : [{ kind: 'promise', verb: verbOf(verb) }];
  }
  if (!isPast(verb) || !(actions.has(verbOf(verb)) || verb === 'done' || verb === 'sorted')) return [];
  return [{ kind: isPastForm ? 'done' : 'state', verb: verbOf(verb) }];
}

/** `we cancelled`, `I can offer`, `we guarantee`. */
function firstPerson(words: readonly string[], at: number): readonly Deed[] {
  const next = nextWord(words, at);
  const word = words[next] ?? '';
  if (auxiliaries.has(word) || forms.has(word)) return [];
  if (abilities.has(word)) return promised(words, nextWord(words, next), actions);
  if (promises.has(word)) return [{ kind: 'promise', verb: verbOf(word) }];
  if (words[at + 1] === 'hereby') return [{ kind: 'done', verb: verbOf(word) }];
  return isPast(word) && word !== 'let' && word !== 'put' ? done(words, next, false) : [];
}

/** `a colleague calls you`, `our team has cancelled`, `somebody can refund`. */
function agentActs(words: readonly string[], at: number): readonly Deed[] {
  const next = nextWord(words, at);
  const word = words[next] ?? '';
  if (abilities.has(word)) return promised(words, nextWord(words, next), actions);
  const acts =
    /^(?:calls|contacts|writes|emails|reaches|gets|responds|replies|reviews|looks|handles|takes|sends)$/;
  return acts.test(word) ? [{ kind: 'promise', verb: verbOf(word) }] : [];
}

/** The position of the next word that is no adverb. */
function nextWord(words: readonly string[], at: number): number {
  let next = at + 1;
  while (next < words.length && isAdverb(words[next] ?? '')) next++;
  return next;
}

function isAdverb(word: string): boolean {
  return (
    adverbs.has(word) || (word.length > 4 && word.endsWith('ly') && word !== 'reply' && word !== 'apply')
  );
}

/** The word that a verb belongs to: the last one before it that is no adverb. `a member of our team` is a team. */
function subjectBefore(words: readonly string[], at: number): string {
  let before = at - 1;
  while (before > 0 && isAdverb(words[before] ?? '')) before--;
  return words[before] ?? '';
}

/** How far joined verbs are looked for, in words. */
const REACH = 16;

/** A word and those that `and` or `or` joins to it in the same sentence. */
function joined(words: readonly string[], at: number): readonly string[] {
  const found = [words[at] ?? ''];
  for (let next = at + 1; next < Math.min(words.length, at + REACH); next++) {
    const word = words[next] ?? '';
    if (word === 'and' || word === 'or') found.push(words[nextWord(words, next)] ?? '');
  }
  return found;
}
