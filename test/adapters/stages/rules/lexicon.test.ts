import { describe, expect, test } from 'vitest';
import { TURNED_DOWN } from '../../../../src/adapters/stages/rules/concept.ts';
import { concernCues, concernLexicon } from '../../../../src/adapters/stages/rules/concern-cues.ts';
import { takeApart } from '../../../../src/adapters/stages/rules/cue-index.ts';
import { cues } from '../../../../src/adapters/stages/rules/cues.ts';
import { actions } from '../../../../src/adapters/stages/rules/lexicon/actions.ts';
import { inquiries } from '../../../../src/adapters/stages/rules/lexicon/inquiries.ts';
import { manners } from '../../../../src/adapters/stages/rules/lexicon/manners.ts';
import { things } from '../../../../src/adapters/stages/rules/lexicon/things.ts';
import { turns } from '../../../../src/adapters/stages/rules/lexicon/turns.ts';
import { type CueTable, entriesOf, strengths } from '../../../../src/adapters/stages/rules/tables.ts';

const lexicons = { things, inquiries, actions, manners, turns };

describe.each([
  ['the intents', cues, { ...things, ...inquiries, ...actions, ...manners, ...turns }],
  ['the concerns', concernCues, concernLexicon],
])('the cues of %s', (_name, table: CueTable<string>, lexicon: Readonly<Record<string, string>>) => {
  const all = Object.entries(table).flatMap(([topic, row]) =>
    strengths.flatMap((strength) => entriesOf(row[strength] ?? '').map((cue) => ({ topic, strength, cue }))),
  );
  const written = all.filter(({ cue }) => cue !== '');
  const concepts = ({ cue }: { cue: string }): string[] => {
    const { anchor, present, absent } = takeApart(cue);
    return [anchor, ...present, ...absent];
  };

  test('speak of concepts that the lexicon knows', () => {
    const known = new Set([...Object.keys(lexicon), TURNED_DOWN]);
    expect(written.flatMap(concepts).filter((concept) => !known.has(concept))).toEqual([]);
  });

  test('leave no concept of the lexicon unused', () => {
    const used = new Set(written.flatMap(concepts));
    expect(Object.keys(lexicon).filter((concept) => !used.has(concept))).toEqual([]);
  });

  test('are none in vain: no other cue of the topic holds wherever one does and weighs as much', () => {
    const idle = written.filter((one) =>
      written.some((other) => {
        if (one === other || one.topic !== other.topic) return false;
        const [mine, theirs] = [concepts(one).length, concepts(other).length];
        if (strengths.indexOf(other.strength) > strengths.indexOf(one.strength) || theirs > mine)
          return false;
        const { anchor, present, absent } = takeApart(one.cue);
        const wide = takeApart(other.cue);
        return (
          [wide.anchor, ...wide.present].every((concept) => [anchor, ...present].includes(concept)) &&
          wide.absent.every((concept) => absent.includes(concept))
        );
      }),
    );
    expect(idle).toEqual([]);
  });
});

describe('the lexicon', () => {
  test('names each concept in one of its tables only', () => {
    const names = Object.values(lexicons).flatMap((table) => Object.keys(table));
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(Object.entries(lexicons))(
    'writes %s in plain lower-case words, each once a concept',
    (_name, table) => {
      for (const [concept, list] of Object.entries(table)) {
        const entries = entriesOf(list);
        expect(entries.filter((entry) => !/^=?(?:[a-z0-9]+(?: [a-z0-9]+)*|[$£€])$/.test(entry))).toEqual([]);
        expect(new Set(entries).size, concept).toBe(entries.length);
      }
    },
  );
});
