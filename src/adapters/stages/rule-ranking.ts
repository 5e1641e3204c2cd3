import type { RankedIntent } from '../../domain/playbook/intent-classifier.ts';
import { tokenize } from '../../lib/text/tokenize.ts';
import { createReader } from './analysis.ts';
import { MAX_CORRECTIONS, type Token } from './rules/clause-analyzer.ts';
import { createWordCache } from './rules/word-cache.ts';

/**
 * Creates a function that ranks the built-in intents by the built-in rules alone, the likeliest first; it finds nothing
 * in a text without any cue. The rules are compiled for the first text. The time grows with the length of the text.
 */
export function createRuleRanking(): (text: string) => readonly RankedIntent[] {
  let compiled: Compiled | undefined;
  return (text) => {
    compiled ??= compile();
    const { reader, lookUp } = compiled;
    let corrections = MAX_CORRECTIONS;
    const tokens = tokenize(text).map((word) => {
      const token = lookUp(word, corrections > 0);
      if (token.misspelled) corrections--;
      return token;
    });
    const { intent, confidence, cues, alternatives } = reader.applyRules(tokens).classified;
    return cues.length === 0 ? [] : [{ intent, confidence }, ...alternatives];
  };
}

interface Compiled {
  readonly reader: ReturnType<typeof createReader>;
  readonly lookUp: (word: string, correctSpelling: boolean) => Token;
}

function compile(): Compiled {
  const reader = createReader();
  return {
    reader,
    lookUp: createWordCache((word, correctSpelling) => reader.tokenOf(word, correctSpelling)),
  };
}
