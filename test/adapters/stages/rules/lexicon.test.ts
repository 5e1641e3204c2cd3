import { describe, expect, test } from 'vitest';
import { entriesOf, REFUSED } from '../../../../src/adapters/stages/rules/concepts.ts';
import { concernCues, concernLexicon } from '../../../../src/adapters/stages/rules/concerns.ts';
import { type CueTable, parseCue, strengths } from '../../../../src/adapters/stages/rules/cue-matcher.ts';
import { intentCues } from '../../../../src/adapters/stages/rules/intent-cues.ts';
import { actions } from '../../../../src/adapters/stages/rules/lexicon/actions.ts';
import { objects } from '../../../../src/adapters/stages/rules/lexicon/objects.ts';
import { markers, questions } from '../../../../src/adapters/stages/rules/lexicon/questions.ts';
import { sentiment } from '../../../../src/adapters/stages/rules/lexicon/sentiment.ts';

const lexicons = { objects, questions, actions, sentiment, markers };

describe.each([
  ['the intents', intentCues, { ...objects, ...questions, ...actions, ...sentiment, ...markers }],
  ['the concerns', concernCues, concernLexicon],
])('the cues of %s', (_name, table: CueTable<string>, lexicon: Readonly<Record<string, string>>) => {
  const all = Object.entries(table).flatMap(([topic, row]) =>
    strengths.flatMap((strength) => entriesOf(row[strength] ?? '').map((cue) => ({ topic, strength, cue }))),
  );
  const written = all.filter(({ cue }) => cue !== '');
  const concepts = ({ cue }: { cue: string }): string[] => {
    const { first, required, excluded } = parseCue(cue);
    return [first, ...required, ...excluded];
  };

  test('have only concepts of the lexicon', () => {
    const known = new Set([...Object.keys(lexicon), REFUSED]);
    expect(written.flatMap(concepts).filter((concept) => !known.has(concept))).toEqual([]);
  });

  test('use all concepts of the lexicon', () => {
    const used = new Set(written.flatMap(concepts));
    expect(Object.keys(lexicon).filter((concept) => !used.has(concept))).toEqual([]);
  });

  test('are not redundant: no other cue of the topic matches in all cases of one and weighs as much', () => {
    const idle = written.filter((one) =>
      written.some((other) => {
        if (one === other || one.topic !== other.topic) return false;
        const [mine, theirs] = [concepts(one).length, concepts(other).length];
        if (strengths.indexOf(other.strength) > strengths.indexOf(one.strength) || theirs > mine)
          return false;
        const { first, required, excluded } = parseCue(one.cue);
        const broader = parseCue(other.cue);
        return (
          [broader.first, ...broader.required].every((concept) => [first, ...required].includes(concept)) &&
          broader.excluded.every((concept) => excluded.includes(concept))
        );
      }),
    );
    expect(idle).toEqual([]);
  });
});

describe('the lexicon', () => {
  test('has each concept in one table', () => {
    const names = Object.values(lexicons).flatMap((table) => Object.keys(table));
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(Object.entries(lexicons))('has %s in lower-case words, each once per concept', (_name, table) => {
    for (const [concept, list] of Object.entries(table)) {
      const entries = entriesOf(list);
      expect(entries.filter((entry) => !/^=?(?:[a-z0-9]+(?: [a-z0-9]+)*|[$£€])$/.test(entry))).toEqual([]);
      expect(new Set(entries).size, concept).toBe(entries.length);
    }
  });
});
