import type { Term } from './phrase-book.ts';

/** A part of a message that says one thing. */
export interface Clause {
  /** The concepts of the lexicon that it speaks of. */
  readonly concepts: ReadonlySet<string>;
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

/** Puts clauses together while a message is read from its beginning to its end. */
export interface ClauseBuilder {
  /** Takes a word or phrase that the lexicon knows. */
  note(concepts: readonly string[], first: Term): void;
  /** Takes a word as such: pronouns refer back, and `I` ends what was refused. */
  hear(word: string): void;
  /** Ends the clause at a mark or at a word that opens another. */
  close(end: string): void;
  /** The clauses that said something. */
  clauses(): readonly Clause[];
}

/** The concept of a clause in which something was turned down that does not count then. */
export const TURNED_DOWN = 'turnedDown';

/** Words that open a clause, by what it then is to the message. */
const joints: ReadonlyMap<string, 'further' | 'aside' | 'turn'> = new Map([
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
]);
const pronouns = new Set(['it', 'this', 'that', 'them', 'these', 'those', 'one', 'they']);

/** True for words that open a new clause. */
export function isJoint(word: string): boolean {
  return joints.has(word);
}

/** A builder of clauses under a grammar. */
export function createClauseBuilder(grammar: Grammar): ClauseBuilder {
  const done: Clause[] = [];
  let concepts = new Set<string>();
  let joint = '.';
  let [asked, begun, hasThing, refersBack, refusing] = [false, false, false, false, false];
  let lastThings: readonly string[] = [];

  function add(concept: string, first: Term): void {
    if (concept === 'asks') {
      asked = true;
      refusing = false;
    } else if (concept === 'refusal') refusing = true;
    if (refusing && grammar.refusable.has(concept)) {
      concepts.add(TURNED_DOWN);
      return;
    }
    if (!begun && grammar.commands.has(concept) && !first.word.endsWith('ed')) asked = true;
    if (grammar.things.has(concept)) hasThing = true;
    concepts.add(concept);
  }

  return {
    note(found, first) {
      for (const concept of found) add(concept, first);
    },
    hear(word) {
      begun = true;
      if (pronouns.has(word)) refersBack = true;
      else if (word === 'i') refusing = false;
    },
    close(end) {
      if (hasThing) lastThings = [...concepts].filter((concept) => grammar.things.has(concept));
      else if (refersBack) for (const thing of lastThings) concepts.add(thing);
      if (concepts.size > 0) {
        const opening = joints.get(joint);
        const stance = opening === 'aside' ? 'aside' : asked || end === '?' ? 'asked' : 'told';
        done.push({ concepts, stance, turned: opening === 'turn' });
      }
      concepts = new Set();
      joint = end;
      [asked, begun, hasThing, refersBack, refusing] = [false, false, false, false, false];
    },
    clauses: () => done,
  };
}
