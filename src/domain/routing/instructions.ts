import type { GoalWord } from './goal-words.ts';

const set = (...words: readonly string[]): ReadonlySet<string> => new Set(words.join(' ').split(' '));

/** Words before the verb of an instruction. */
const fillers = set(
  'please kindly also and or but so now finally first firstly second secondly third thirdly next last lastly',
  'afterwards afterward just simply ok okay hey maybe perhaps additionally furthermore too again later',
);

/** Verbs that ask for work of their own. Before another noun (`paint the fence`) any verb does. */
const taskVerbs = set(
  'add analyse analyze archive arrange ask bake book build buy calculate call check classify clean collect compare',
  'compile compose compute convert cook copy count create debug delete deliver deploy describe design detect',
  'determine download draft draw edit email estimate evaluate explain export extract fetch file fill filter find',
  'format forward generate get give go import inform install invite launch list locate make measure merge move',
  'notify open order paint pay phone plan play post predict prepare print produce publish purchase rank rate',
  'recommend record remind remove rename rent replace report reschedule reserve rewrite run save schedule search',
  'sell send ship show sing sort start store submit suggest tell test transcribe transfer translate transform turn',
  'update upload validate verify visit walk wash water write',
);

/** Verbs that only say how, or that end a message politely: they belong to what is before them. */
const manners = set(
  'keep be use ensure remember note mind consider limit stay try think imagine assume suppose help let thank thanks',
  'advise hurry look see wait forget worry include mention bear feel have',
);

/** Words that no instruction starts with. */
const statementOpeners = set(
  'a an the this that these those there here i we you he she it they one who whom whose which what when where why how',
  'my our your his her its their mine ours yours some any all both each every either neither no none nothing nobody',
  'everyone everything everybody someone something many much most more few several such quite half not never yes',
  'hello hi dear good morning evening afternoon regards best sincerely cheers sorry welcome congratulations',
  'if because although though since while as after before until unless once whether in on at by for from with without',
  'about into onto over under between during of to than like is are was were am been being has had does did will',
  'would can could shall should may might must really very well still already always often sometimes today tomorrow',
  'yesterday',
);

/** The words that begin the object of a verb. */
const objects = set(
  'the a an my me us it them him this these those our your his its their all every each some any everyone everything',
);

/** After the subject of a statement: `Book prices are high`. */
const predicates = set('is are was were has had have will would can could');

/** The words by which a question refers back to the text before. */
const anaphors = set('it they them that this these those he she him there then');

/** Verbs of a head before a list of instructions: `Do the following:`. */
const introducers = set('do perform complete execute follow note remember see consider');

/** The last words of such a head. */
const introduced = set('steps tasks things instructions actions jobs');

/**
 * True for a clause that asks for something to be done. Others, such as statements, greetings and remarks on how to do
 * it, belong to a clause beside them. It looks at the first words, at a final question mark, and at what the clause
 * refers to, so it knows English only: a clause of another language is no instruction here.
 */
export function isInstruction(words: readonly GoalWord[], isQuestion: boolean): boolean {
  const rest = words.slice(leadingFillers(words)).map(({ lower }) => lower);
  const [first = '', second = '', third = ''] = rest;
  if (['can', 'could', 'would', 'will'].includes(first) && second === 'you') {
    const verb = rest.slice(2).find((word) => !fillers.has(word)) ?? '';
    return verb !== '' && !manners.has(verb);
  }
  if (isQuestion) return rest.length > 2 && !rest.some((word) => anaphors.has(word));
  if (first === 'i' || first === 'we') return isWish(rest.slice(1, 4));
  if (manners.has(first) || statementOpeners.has(first)) return false;
  if (isAdjusting(first, second)) return false;
  if (taskVerbs.has(first)) return !predicates.has(second) && !predicates.has(third);
  return objects.has(second) && /^[a-z]+(?<!s|ed|ing|ly)$/.test(first);
}

/** True for a clause such as `Keep it short` or `Please help`, which says how something is to be done. */
export function saysHow(words: readonly GoalWord[]): boolean {
  const at = leadingFillers(words);
  const first = words[at]?.lower ?? '';
  return manners.has(first) || isAdjusting(first, words[at + 1]?.lower ?? '');
}

function isAdjusting(first: string, second: string): boolean {
  return first === 'make' && ['it', 'sure', 'them'].includes(second);
}

/** The number of words before the verb of an instruction. */
export function leadingFillers(words: readonly GoalWord[]): number {
  let at = 0;
  while (at < words.length && (fillers.has(words[at]?.lower ?? '') || isNumber(words[at]?.lower ?? ''))) at++;
  return at;
}

function isNumber(word: string): boolean {
  return /^\d{1,3}$/.test(word);
}

/** `need a`, `want you to`, `would like some`, `d like to`; not `need it`, which is about what was said before. */
function isWish([verb = '', second = '', third = '']: readonly string[]): boolean {
  const isLike = (verb === 'would' || verb === 'd') && second === 'like';
  const object = isLike ? third : second;
  return (
    (isLike || verb === 'need' || verb === 'want') &&
    ['a', 'an', 'some', 'another', 'to', 'you'].includes(object)
  );
}

/** The last words of a label, whose value follows: `Order number: A-1234`. */
const labels = set('number no nr id code date name phone address reference ref');

/**
 * True where the words before `end` head instructions, such as `Do the following`, or are a label: what follows is no
 * material. The first `filled` words are fillers.
 */
export function introducesInstructions(words: readonly GoalWord[], filled: number, end: number): boolean {
  const last = words[end - 1]?.lower ?? '';
  return introducers.has(words[filled]?.lower ?? '') || introduced.has(last) || labels.has(last);
}

/** The nouns for texts that can be worked on. */
const documents = set(
  'text email mail message article note notes report document paragraph letter thread transcript chat conversation',
  'story passage review complaint ticket post page',
);

/** True for a line such as `Summarize the following text`, whose material is on the following lines. */
export function announcesLines(words: readonly GoalWord[]): boolean {
  return words.slice(-4).some(({ lower }) => lower === 'following' || lower === 'below');
}

/** True for a line such as `Summarize this email`. What is on the following lines may be material. */
export function pointsToText(words: readonly GoalWord[]): boolean {
  const [before, last] = words.slice(-2);
  return before?.lower === 'this' && documents.has(last?.lower ?? '');
}
