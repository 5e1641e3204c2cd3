import { describe, expect, test } from 'vitest';
import { harmLexicon } from '../../../../src/adapters/stages/judgement/lexicon-harm.ts';
import { lawAndDataLexicon } from '../../../../src/adapters/stages/judgement/lexicon-law.ts';
import { peopleLexicon } from '../../../../src/adapters/stages/judgement/lexicon-people.ts';
import { entriesOf, REFUSED } from '../../../../src/adapters/stages/rules/concepts.ts';
import { type CueTable, parseCue, strengths } from '../../../../src/adapters/stages/rules/cue-matcher.ts';
import { intentCues } from '../../../../src/adapters/stages/rules/intent-cues.ts';
import { actions } from '../../../../src/adapters/stages/rules/lexicon/actions.ts';
import { objects } from '../../../../src/adapters/stages/rules/lexicon/objects.ts';
import { markers, questions } from '../../../../src/adapters/stages/rules/lexicon/questions.ts';
import { sentiment } from '../../../../src/adapters/stages/rules/lexicon/sentiment.ts';

const lexicons = { objects, questions, actions, sentiment, markers };

describe('the cues of the intents', () => {
  const table: CueTable<string> = intentCues;
  const lexicon: Readonly<Record<string, string>> = {
    ...{ ...objects, ...questions, ...actions },
    ...{ ...sentiment, ...markers },
  };
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
    // What a customer wants to keep is no cue: it only speaks against one.
    expect(Object.keys(lexicon).filter((concept) => !used.has(concept))).toEqual(['keepIt']);
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

describe.each([
  ['the intents', lexicons],
  ['the concerns', { harm: harmLexicon, law: lawAndDataLexicon, people: peopleLexicon }],
])('the lexicon of %s', (_name, tables: Readonly<Record<string, Readonly<Record<string, string>>>>) => {
  test('has each concept in one table', () => {
    const names = Object.values(tables).flatMap((table) => Object.keys(table));
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(Object.entries(tables))('has %s in lower-case words, each once per concept', (_name, table) => {
    for (const [concept, list] of Object.entries(table)) {
      const entries = entriesOf(list);
      expect(entries.filter((entry) => !/^=?(?:[a-z0-9]+(?: [a-z0-9]+)*|[$£€])$/.test(entry))).toEqual([]);
      expect(new Set(entries).size, concept).toBe(entries.length);
    }
  });
});
