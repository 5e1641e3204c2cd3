import { describe, expect, test } from 'vitest';
import { createTrainingReader } from '../../../../src/adapters/stages/analysis.ts';
import { createConceptFinder } from '../../../../src/adapters/stages/judgement/concept-finder.ts';
import { judgeText } from '../../../../src/adapters/stages/judgement/judge.ts';
import {
  type QuantizedModel,
  readBuiltInModel,
} from '../../../../src/adapters/stages/judgement/model-file.ts';
import { OUTPUTS, signals } from '../../../../src/adapters/stages/judgement/outputs.ts';
import {
  type ReadPart,
  readText,
  toModelWord,
  vectorOf,
} from '../../../../src/adapters/stages/judgement/reading.ts';
import {
  createScorer,
  type ScoredWord,
  type Scorer,
} from '../../../../src/adapters/stages/judgement/scorer.ts';
import { classifyClauses } from '../../../../src/adapters/stages/rules/classify.ts';
import { intents } from '../../../../src/domain/message/message.ts';
import { BUCKETS } from '../../../../src/lib/learning/features.ts';
import { type LinearWeights, scoreVector } from '../../../../src/lib/learning/train.ts';
import { tokenize } from '../../../../src/lib/text/tokenize.ts';
import { hostilePieces, repeated } from '../../../support/hostile-texts.ts';
import { assorted } from '../assorted.ts';
import { concernWordings } from '../concern-wordings.ts';

/** What the rules find in a text of which they know nothing. */
const noFindings = { clauses: [], classified: classifyClauses([]), explained: 0 };

const model = readBuiltInModel(OUTPUTS);
const scorer = createScorer(model);
const read = createTrainingReader();
const concepts = createConceptFinder();

/** The weights of a model as numbers. */
function weightsOf({ outputs, rows, scales, bias }: QuantizedModel): LinearWeights {
  const weights = Float32Array.from(rows, (weight, at) => weight * Number(scales[at % outputs]));
  return { outputs, rows: weights, bias };
}

const weights = weightsOf(model);

function scored(part: ReadPart, by: Scorer = scorer): ReadPart<ScoredWord> {
  return { ...part, words: part.words.map(by.scoreWord) };
}

const texts = [
  ...assorted.map(([, text]) => text),
  ...Object.values(concernWordings).flat(),
  ...hostilePieces.map((piece) => repeated(piece, 500)),
  ...['', ' ', '?', 'hi', '12345 12345 and 12345', 'no no no no no. no no', 'refund refund refunds REFUND'],
];

describe('the scores of a text', () => {
  test('are those of its features, one by one', () => {
    for (const text of texts) {
      const { whole, parts } = read(text);
      for (const part of [whole, ...parts]) {
        const fast = scorer.scorePart(scored(part), OUTPUTS);
        const slow = scoreVector(weights, vectorOf(part));
        fast.forEach((score, output) => {
          expect(Math.abs(score - Number(slow[output])), text).toBeLessThan(1e-3);
        });
      }
    }
  });

  test('do not depend on whether a repeated word is one object or several', () => {
    for (const text of ['order 12345 and 12345', 'no no no', 'where is it? where is it?']) {
      const part = read(text).whole;
      const copies = { ...part, words: part.words.map((word) => ({ ...word })) };
      expect(vectorOf(copies)).toEqual(vectorOf(part));
      const byToken = new Map(scored(part).words.map((word) => [word.token, word]));
      const shared = part.words.flatMap(({ token }) => byToken.get(token) ?? []);
      expect(scorer.scorePart({ ...part, words: shared }, OUTPUTS)).toEqual(
        scorer.scorePart(scored(copies), OUTPUTS),
      );
    }
  });

  test('may be those of the first outputs only', () => {
    const part = scored(read('You will hear from my lawyer').whole);
    expect(scorer.scorePart(part, 4)).toEqual(scorer.scorePart(part, OUTPUTS).slice(0, 4));
  });

  test('are the biases for a text without features', () => {
    expect(scorer.scorePart({ words: [], extras: [] }, OUTPUTS)).toEqual(model.bias);
    expect([...vectorOf({ words: [], extras: [] }).values]).toEqual([]);
  });

  test('are of vectors of length 1', () => {
    for (const text of texts) {
      const { values } = vectorOf(read(text).whole);
      const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
      if (values.length > 0) expect(length).toBeCloseTo(1, 4);
    }
  });
});

describe('a judgement', () => {
  const judge = (text: string, by = scorer) => {
    const { whole, parts, unmistakable } = read(text);
    const scoredText = {
      whole: scored(whole, by),
      parts: parts.map((part) => scored(part, by)),
      unmistakable,
    };
    return judgeText(scoredText, by, noFindings);
  };

  test('has all intents, the likeliest first, with probabilities that sum to 1', () => {
    for (const text of texts) {
      const { intents: ranked } = judge(text);
      expect(ranked.map(({ intent }) => intent).sort()).toEqual([...intents].sort());
      const shares = ranked.map(({ confidence }) => confidence);
      expect(shares).toEqual(shares.toSorted((a, b) => b - a));
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 4);
    }
  });

  test('has a finite score for each signal', () => {
    for (const text of texts) {
      const found = judge(text).signals;
      expect(Object.keys(found).sort()).toEqual([...signals].sort());
      expect(Object.values(found).every(Number.isFinite)).toBe(true);
    }
  });

  test('has the score of the part that gives a signal most clearly', () => {
    // Of this model, the word `alpha` alone gives the first signal, and other words speak against it.
    const rows = new Int8Array(BUCKETS * OUTPUTS);
    const { buckets } = vectorOf({
      words: tokenize('alpha').map((word) => toModelWord(word, concepts)),
      extras: [],
    });
    for (const bucket of buckets) rows[bucket * OUTPUTS] = 100;
    const scales = new Float32Array(OUTPUTS).fill(0.01);
    const bias = new Float32Array(OUTPUTS).fill(-1);
    const own = createScorer({ outputs: OUTPUTS, rows, scales, bias });
    const [first] = signals;
    if (first === undefined) throw new Error('there are no signals');
    const alone = judge('alpha', own).signals[first];
    const diluted = judge('alpha beta gamma delta epsilon zeta', own).signals[first];
    const beside = judge('Beta gamma delta epsilon zeta. Alpha.', own).signals[first];
    expect(diluted).toBeLessThan(alone);
    expect(beside).toBeCloseTo(alone, 1);
  });
});

describe('reading', () => {
  const readPlain = (text: string) =>
    readText(
      tokenize(text).map((word) => toModelWord(word, concepts)),
      noFindings,
      concepts,
    );
  const tokensOf = ({ words }: ReadPart) => words.map(({ token }) => token).join(' ');

  test('splits a text into sentences, without their marks but for the question mark', () => {
    const { whole, parts } = readPlain('It broke. Can you help me? Yes!\nNow; please');
    expect(parts.map(tokensOf)).toEqual(['it broke', 'can you help me ?', 'yes', 'now', 'please']);
    expect(tokensOf(whole)).toBe('it broke can you help me ? yes now please');
  });

  test.each(['Where is my order', 'Where is my order?', '', '...', '\n'])(
    'has no parts beside the whole in %j',
    (text) => {
      expect(readPlain(text).parts).toEqual([]);
    },
  );

  test('splits a sentence into clauses of some length', () => {
    const { parts } = readPlain('My parcel is lost, ok, and I will call my lawyer: he knows what to do');
    expect(parts.map(tokensOf)).toEqual([
      'my parcel is lost',
      'and i will call my lawyer',
      'he knows what to do',
    ]);
    expect(readPlain('No, thanks').parts).toEqual([]);
  });

  test('reads the first 200 parts alone, and all as a whole', () => {
    const { whole, parts } = readPlain('Yes it is. '.repeat(1_000));
    expect(parts).toHaveLength(200);
    expect(whole.words).toHaveLength(3_000);
  });

  test('has few further features, however many concepts a sentence names', () => {
    const names =
      'lawyer court sue police fraud hacked gdpr journalist died suicide burned racist threat data';
    const { whole } = readPlain(`${names} `.repeat(200));
    expect(whole.extras.length).toBeGreaterThan(5);
    expect(whole.extras.length).toBeLessThanOrEqual(16 + (16 * 15) / 2);
    expect(new Set(whole.extras).size).toBe(whole.extras.length);
  });
});

describe('the concepts of a text', () => {
  const find = (text: string) => concepts.find(tokenize(text).map(concepts.lookUp));

  test('are named once, in their order', () => {
    const numbers = concepts.find(tokenize('I burned my hand, and my hand is burned').map(concepts.lookUp));
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  });

  test('are the same for inflections and curly apostrophes', () => {
    expect(find('my hand is burned')).toEqual(find('his hands are burned'));
    expect(find('I can’t go on')).toEqual(find("I can't go on"));
  });

  test('raise a concern by themselves where they are unmistakable', () => {
    const [first] = find('Somebody wrote that he wants to kill myself');
    expect(first === undefined ? undefined : concepts.sureConcern(first)).toBe('self_harm');
    const [other] = find('the killer bees in the book');
    expect(other === undefined ? undefined : concepts.sureConcern(other)).toBeUndefined();
  });

  test('are none for everyday words', () => {
    expect(find('the blue one looks nice')).toEqual([]);
    expect(find('')).toEqual([]);
  });
});
