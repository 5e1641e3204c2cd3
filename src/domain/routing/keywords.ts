import { itemAt } from '../../lib/array.ts';
import { type GoalWord, wordsOf } from './goal-words.ts';
import { negatedWords } from './negation.ts';

/** The part of an agent that the keyword decomposer uses. */
export interface KeywordAgent {
  readonly name: string;
  readonly keywords?: readonly string[];
}

/** A keyword of an agent as stems; most have one word. */
interface Phrase {
  readonly agent: KeywordAgent;
  readonly stems: readonly string[];
}

/** The keywords of the agents, by their first stem. */
export type Phrases = ReadonlyMap<string, readonly Phrase[]>;

/** A keyword that was found in a clause. */
export interface KeywordMatch {
  readonly agent: KeywordAgent;
  /** The words as the goal has them. */
  readonly text: string;
  /** The index of its first and of its last word in the clause. */
  readonly first: number;
  readonly last: number;
  /** True where the words are under a negated instruction: they choose no agent. */
  readonly isNegated: boolean;
}

type Stemmer = (word: string) => string;

/** The keywords of some agents, prepared to be found in a goal. */
export function phrasesOf(agents: readonly KeywordAgent[], stemmer: Stemmer): Phrases {
  const phrases = new Map<string, Phrase[]>();
  for (const agent of agents) {
    for (const keyword of agent.keywords ?? []) {
      const words = wordsOf(keyword, { start: 0, end: keyword.length });
      const stems = words.map(({ lower }) => stemmer(lower));
      const [first] = stems;
      if (first === undefined) continue;
      const known = phrases.get(first);
      if (known === undefined) phrases.set(first, [{ agent, stems }]);
      else known.push({ agent, stems });
    }
  }
  return phrases;
}

/**
 * The keywords among the words of a clause, in their order. They match complete words and their inflections, in any
 * case; several words match as a phrase, but not around material.
 */
export function keywordMatches(
  goal: string,
  words: readonly GoalWord[],
  phrases: Phrases,
  stemmer: Stemmer,
): KeywordMatch[] {
  const stems = words.map(({ lower }) => stemmer(lower));
  const found: Omit<KeywordMatch, 'isNegated'>[] = [];
  stems.forEach((stem, first) => {
    for (const { agent, stems: parts } of phrases.get(stem) ?? []) {
      const isHere = parts.every(
        (part, index) =>
          part === stems[first + index] && (index === 0 || words[first + index]?.gap !== 'material'),
      );
      if (!isHere) continue;
      const last = first + parts.length - 1;
      found.push({
        agent,
        text: goal.slice(itemAt(words, first).start, itemAt(words, last).end),
        first,
        last,
      });
    }
  });
  if (found.length === 0) return [];
  const starts = new Set(found.map(({ first }) => first));
  const ends = new Set(found.map(({ last }) => last));
  const negated = negatedWords(words, { starts, ends });
  return found.map((match) => ({ ...match, isNegated: negated[match.first] === true }));
}
