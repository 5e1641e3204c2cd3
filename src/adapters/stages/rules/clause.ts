import { type Concept, type Concepts, TURNED_DOWN } from './concept.ts';

/** A part of a message that says one thing. */
export interface Clause {
  /** The concepts of the lexicon that it speaks of, each once, in the order in which they came up. */
  readonly concepts: readonly Concept[];
  /** `asked` for a question, a wish or a command, `aside` for a reason or circumstance, else `told`. */
  readonly stance: Stance;
  /** True where it follows a `but`: then it is what the customer is getting at. */
  readonly turned: boolean;
}

export type Stance = 'asked' | 'told' | 'aside';

/** How concepts behave in a sentence. */
export interface Grammar {
  /** Concepts that a pronoun can stand for in the next clause (`I made an order, can I cancel it?`). */
  readonly things: ReadonlySet<string>;
  /** Concepts that ask for something where a clause begins with them (`cancel …`). */
  readonly commands: ReadonlySet<string>;
  /** Concepts that do not count where the customer refuses them (`I don't want a refund`). */
  readonly refusable: ReadonlySet<string>;
}

/** How one concept behaves; see {@link Grammar}. */
export interface Trait {
  readonly asks: boolean;
  readonly refuses: boolean;
  readonly thing: boolean;
  readonly command: boolean;
  readonly refusable: boolean;
}

/** The traits of all concepts by their numbers, and the concept of what was turned down. */
export interface Traits {
  readonly byConcept: readonly Trait[];
  readonly turnedDown: Concept;
}

/** What a word does to the clause that it stands in: a mark or joint ends it, and a joint opens the next. */
export type Role = 'plain' | 'pronoun' | 'speaker' | 'mark' | 'question' | Joint;

/** What a clause is to the message, by the word that opens it. */
type Joint = 'further' | 'aside' | 'turn';

const roles: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['and', 'further'],
  ['or', 'further'],
  ['so', 'further'],
  ['but', 'turn'],
  ['however', 'turn'],
  ['because', 'aside'],
  ['since', 'aside'],
  ['although', 'aside'],
  ['though', 'aside'],
  ['while', 'aside'],
  ['before', 'aside'],
  ['until', 'aside'],
  ['apart', 'aside'],
  ['otherwise', 'aside'],
  ...['it', 'this', 'that', 'them', 'these', 'those', 'one', 'they'].map(
    (word) => [word, 'pronoun'] as const,
  ),
  ['i', 'speaker'],
  ...['.', ',', ';', ':', '!', '\n'].map((mark) => [mark, 'mark'] as const),
  ['?', 'question'],
]);

/** The role of a word or mark. */
export function roleOf(word: string): Role {
  return roles.get(word) ?? 'plain';
}

/** True for what ends a clause wherever it stands. */
export function isEnd(role: Role): boolean {
  return role === 'mark' || role === 'question';
}

/** True for words that open a new clause, unless they are part of a phrase. */
export function isJoint(role: Role): boolean {
  return role === 'further' || role === 'aside' || role === 'turn';
}

/** Takes a grammar apart by the concepts of a lexicon. */
export function traitsOf(grammar: Grammar, concepts: Concepts): Traits {
  const byConcept = Array.from(concepts.keys(), (name) => ({
    asks: name === 'asks',
    refuses: name === 'refusal',
    thing: grammar.things.has(name),
    command: grammar.commands.has(name),
    refusable: grammar.refusable.has(name),
  }));
  return { byConcept, turnedDown: concepts.get(TURNED_DOWN) ?? concepts.size };
}

/** The clauses of a message while it is read from its beginning to its end. */
export interface Draft {
  readonly traits: Traits;
  /** The clauses that said something. */
  readonly done: Clause[];
  /** What the clause at hand has said so far. */
  concepts: Concept[];
  /** The mark or word before it. */
  opening: Role;
  asked: boolean;
  begun: boolean;
  hasThing: boolean;
  refersBack: boolean;
  refusing: boolean;
  /** The concepts of the last clause that named things. */
  antecedent: readonly Concept[];
}

const nothing: readonly Concept[] = [];

/** A draft of which nothing is read yet. */
export function newDraft(traits: Traits): Draft {
  return {
    traits,
    done: [],
    concepts: [],
    opening: 'mark',
    asked: false,
    begun: false,
    hasThing: false,
    refersBack: false,
    refusing: false,
    antecedent: nothing,
  };
}

/** Takes a concept, and the first of the words that stand for it. */
export function note(draft: Draft, concept: Concept, word: string): void {
  const trait = draft.traits.byConcept[concept];
  if (trait === undefined) return;
  if (trait.asks) {
    draft.asked = true;
    draft.refusing = false;
  } else if (trait.refuses) draft.refusing = true;
  if (draft.refusing && trait.refusable) {
    addOnce(draft.concepts, draft.traits.turnedDown);
    return;
  }
  if (!draft.begun && trait.command && !word.endsWith('ed')) draft.asked = true;
  if (trait.thing) draft.hasThing = true;
  addOnce(draft.concepts, concept);
}

/** Takes a word as such: pronouns refer back, and `I` ends what was refused. */
export function hear(draft: Draft, role: Role): void {
  draft.begun = true;
  if (role === 'plain') return;
  if (role === 'pronoun') draft.refersBack = true;
  else if (role === 'speaker') draft.refusing = false;
}

/** Ends the clause at a mark or at a word that opens another. */
export function close(draft: Draft, end: Role): void {
  const { concepts, opening } = draft;
  if (draft.hasThing) draft.antecedent = concepts;
  else if (draft.refersBack) addThings(draft);
  if (concepts.length > 0) {
    const stance = opening === 'aside' ? 'aside' : draft.asked || end === 'question' ? 'asked' : 'told';
    draft.done.push({ concepts, stance, turned: opening === 'turn' });
    draft.concepts = [];
  }
  draft.opening = end;
  draft.asked = false;
  draft.begun = false;
  draft.hasThing = false;
  draft.refersBack = false;
  draft.refusing = false;
}

/** Adds the things that a pronoun stands for. */
function addThings({ antecedent, concepts, traits }: Draft): void {
  for (const concept of antecedent) {
    if (traits.byConcept[concept]?.thing === true) addOnce(concepts, concept);
  }
}

function addOnce(concepts: Concept[], concept: Concept): void {
  if (!concepts.includes(concept)) concepts.push(concept);
}
