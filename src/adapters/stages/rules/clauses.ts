import { type Concept, type ConceptIds, conceptId, REFUSED } from './concepts.ts';

/** A part of a message that says one thing. */
export interface Clause {
  /** Its concepts, each once, in the order of the text. */
  readonly concepts: readonly Concept[];
  readonly kind: ClauseKind;
  /** True after a `but`, which introduces what matters to the customer. */
  readonly contrasts: boolean;
}

/** `request` for a question or a command, `background` for a reason or circumstance, else `statement`. */
export type ClauseKind = 'request' | 'statement' | 'background';

/** How the concepts of a lexicon behave in a clause. */
export interface ClauseRules {
  /** Concepts that a pronoun in the next clause can refer to (`I made an order, can I cancel it?`). */
  readonly referents: ReadonlySet<string>;
  /** Concepts that make a clause a request when it starts with them (`cancel …`). */
  readonly imperatives: ReadonlySet<string>;
  /** Concepts that do not count when the customer refuses them (`I don't want a refund`). */
  readonly refusable: ReadonlySet<string>;
}

/** How one concept behaves; see {@link ClauseRules}. */
interface ConceptRules {
  readonly isRequest: boolean;
  readonly isRefusal: boolean;
  readonly isReferent: boolean;
  readonly isImperative: boolean;
  readonly isRefusable: boolean;
}

/** The rules of all concepts, and the concept that replaces a refused one. */
export interface CompiledClauseRules {
  readonly byConcept: ReadonlyMap<Concept, ConceptRules>;
  readonly refused: Concept;
}

/** The role of a word in its clause: punctuation ends it, and a conjunction ends it and starts the next. */
export type WordRole = 'plain' | 'pronoun' | 'first_person' | 'punctuation' | 'question_mark' | Conjunction;

type Conjunction = 'coordinating' | 'subordinating' | 'contrasting';

const roles: ReadonlyMap<string, WordRole> = new Map<string, WordRole>([
  ['and', 'coordinating'],
  ['or', 'coordinating'],
  ['so', 'coordinating'],
  ['but', 'contrasting'],
  ['however', 'contrasting'],
  ['because', 'subordinating'],
  ['since', 'subordinating'],
  ['although', 'subordinating'],
  ['though', 'subordinating'],
  ['while', 'subordinating'],
  ['before', 'subordinating'],
  ['until', 'subordinating'],
  ['apart', 'subordinating'],
  ['otherwise', 'subordinating'],
  ...['it', 'this', 'that', 'them', 'these', 'those', 'one', 'they'].map(
    (word) => [word, 'pronoun'] as const,
  ),
  ['i', 'first_person'],
  ...['.', ',', ';', ':', '!', '\n'].map((mark) => [mark, 'punctuation'] as const),
  ['?', 'question_mark'],
]);

/** The role of a word or punctuation mark. */
export function roleOf(word: string): WordRole {
  return roles.get(word) ?? 'plain';
}

/** True for punctuation, which always ends a clause. */
export function isPunctuationRole(role: WordRole): boolean {
  return role === 'punctuation' || role === 'question_mark';
}

/** True for conjunctions, which start a new clause unless they are part of a phrase. */
export function isConjunction(role: WordRole): boolean {
  return role === 'coordinating' || role === 'subordinating' || role === 'contrasting';
}

/** Looks up the rules for the concepts of a lexicon. */
export function compileClauseRules(rules: ClauseRules, concepts: ConceptIds): CompiledClauseRules {
  const byConcept = new Map<Concept, ConceptRules>();
  for (const [name, concept] of concepts) {
    byConcept.set(concept, {
      isRequest: name === 'asks',
      isRefusal: name === 'refusal',
      isReferent: rules.referents.has(name),
      isImperative: rules.imperatives.has(name),
      isRefusable: rules.refusable.has(name),
    });
  }
  return { byConcept, refused: conceptId(concepts, REFUSED) };
}

/** The state of the analysis of a message from start to end. */
export interface ClauseState {
  readonly rules: CompiledClauseRules;
  /** The finished clauses that have concepts. */
  readonly done: Clause[];
  /** The concepts of the current clause so far. */
  concepts: Concept[];
  /** The role of the word before the current clause. */
  opening: WordRole;
  isRequest: boolean;
  hasWords: boolean;
  hasReferent: boolean;
  hasPronoun: boolean;
  /** True while concepts are refused. */
  isRefusal: boolean;
  /** The concepts of the last clause that had a referent. */
  antecedent: readonly Concept[];
}

/** The state at the start of a message. */
export function startClauses(rules: CompiledClauseRules): ClauseState {
  return {
    rules,
    done: [],
    concepts: [],
    opening: 'punctuation',
    isRequest: false,
    hasWords: false,
    hasReferent: false,
    hasPronoun: false,
    isRefusal: false,
    antecedent: [],
  };
}

/** Adds a concept to the current clause; `word` is the first of the words that stand for it. */
export function addConcept(state: ClauseState, concept: Concept, word: string): void {
  const rules = state.rules.byConcept.get(concept);
  if (rules === undefined) throw new Error(`unknown concept ${concept}`);
  if (rules.isRequest) {
    state.isRequest = true;
    state.isRefusal = false;
  } else if (rules.isRefusal) state.isRefusal = true;
  if (state.isRefusal && rules.isRefusable) {
    addOnce(state.concepts, state.rules.refused);
    return;
  }
  if (!state.hasWords && rules.isImperative && !word.endsWith('ed')) state.isRequest = true;
  if (rules.isReferent) state.hasReferent = true;
  addOnce(state.concepts, concept);
}

/** Adds a word to the current clause: pronouns refer to an earlier clause, and `I` ends a refusal. */
export function addWord(state: ClauseState, role: WordRole): void {
  state.hasWords = true;
  if (role === 'pronoun') state.hasPronoun = true;
  else if (role === 'first_person') state.isRefusal = false;
}

/** Ends the current clause at a word with this role, and starts the next. */
export function endClause(state: ClauseState, end: WordRole): void {
  const { concepts } = state;
  if (state.hasReferent) state.antecedent = concepts;
  else if (state.hasPronoun) addReferents(state);
  if (concepts.length > 0) {
    state.done.push({ concepts, kind: kindOf(state, end), contrasts: state.opening === 'contrasting' });
    state.concepts = [];
  }
  state.opening = end;
  state.isRequest = false;
  state.hasWords = false;
  state.hasReferent = false;
  state.hasPronoun = false;
  state.isRefusal = false;
}

function kindOf({ opening, isRequest }: ClauseState, end: WordRole): ClauseKind {
  if (opening === 'subordinating') return 'background';
  return isRequest || end === 'question_mark' ? 'request' : 'statement';
}

/** Adds the concepts that a pronoun refers to. */
function addReferents({ antecedent, concepts, rules }: ClauseState): void {
  for (const concept of antecedent) {
    if (rules.byConcept.get(concept)?.isReferent === true) addOnce(concepts, concept);
  }
}

function addOnce(concepts: Concept[], concept: Concept): void {
  if (!concepts.includes(concept)) concepts.push(concept);
}
