import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readText } from '../../../../src/adapters/shared/reading/read-text.ts';
import {
  calibratedLanguages,
  createJudge,
  type JudgementFile,
  partSignals,
  type Signal,
  type Signals,
  signalGroups,
  signals,
} from '../../../../src/adapters/stages/analysis/judgement.ts';
import { isRaised, limits } from '../../../../src/adapters/stages/assessment.ts';
import { concerns } from '../../../../src/domain/message/message.ts';
import { createScorer } from '../../../../src/lib/learning/stored-model.ts';
import { vectorOf } from '../../../../src/lib/learning/text-reader.ts';
import { fold } from '../../../../src/lib/text/tokenize.ts';
import { runsOf } from '../../../support/extent.ts';
import { hostilePieces, LONGEST_MESSAGE, repeated } from '../../../support/hostile-texts.ts';
import { assorted, concernWordings } from '../texts.ts';

const judge = createJudge();
const judged = (text: string, language = 'en') => judge(readText(text), language);
const signalsOf = (text: string, language?: string) => judged(text, language).signals;
const texts = [...assorted.map(([, text]) => text), ...Object.values(concernWordings).flat()];

describe('the built-in model', () => {
  const file: JudgementFile = JSON.parse(
    readFileSync(new URL('../../../../models/judgement.json', import.meta.url), 'utf8'),
  );

  test('has the signals of this program, each with a calibration by language that keeps its order', () => {
    expect(file.signals).toEqual(signals);
    expect(signalGroups.reduce((sum, { size }) => sum + size, 0)).toBe(signals.length);
    expect(Object.keys(file.calibration)).toEqual([...calibratedLanguages]);
    for (const language of calibratedLanguages) {
      expect(file.calibration[language]).toHaveLength(signals.length);
      for (const [offset, slope] of file.calibration[language]) {
        expect(Number.isFinite(offset)).toBe(true);
        expect(slope).toBeGreaterThan(0);
      }
    }
  });

  test('has whole weights, and a version', () => {
    expect(createScorer(file.weights)?.outputs).toBe(signals.length);
    expect(file.weights.bias.every(Number.isFinite)).toBe(true);
  });
});

const isConcern = (signal: Signal): boolean => concerns.some((concern) => concern === signal);

/** True where a signal counts in a text. */
function counts(signal: Signal, found: Signals): boolean {
  const concern = concerns.find((one) => one === signal);
  if (concern !== undefined) {
    return isRaised(concern, { own: found[concern], any: found.concern }, { sensitivity: 'normal' });
  }
  const own: Readonly<Record<string, unknown>> = limits;
  return found[signal] > Number(own[signal]);
}

describe('the judgement of a text', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(fc.constantFrom(...texts), { maxLength: 4 }).map((some) => some.join('\n')),
  );

  test('has a probability of each signal, the same each time', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom('en', 'de', 'fr', 'und', ''), (text, language) => {
        const found = signalsOf(text, language);
        expect(Object.keys(found)).toEqual(signals);
        expect(Object.values(found).every((one) => one >= 0 && one <= 1)).toBe(true);
        expect(createJudgeAgain(readText(text), language).signals).toEqual(found);
      }),
      { numRuns: runsOf(60, 300) },
    );
  });
  const createJudgeAgain = createJudge();

  test.each(hostilePieces)('is made of any text: %j', (piece) => {
    const found = signalsOf(repeated(piece, LONGEST_MESSAGE));
    expect(Object.values(found).every((one) => one >= 0 && one <= 1)).toBe(true);
  });

  test.each(['', ' ', '😀 …', '\ud800'])('is nothing for a text without words: %j', (text) => {
    expect(Object.values(signalsOf(text)).every((one) => one === 0)).toBe(true);
    expect(judged(text).evidenceFor('legal')).toEqual([]);
  });

  test.each<readonly [Signal, string, string]>([
    ['legal', 'en', 'You will hear from my lawyer, I will sue you'],
    ['legal', 'de', 'Ich gehe zum Anwalt und verklage Sie'],
    ['injury', 'en', 'The kettle exploded and burned my hand'],
    ['injury', 'de', 'Der Wasserkocher ist explodiert und ich habe mir die Hand verbrannt'],
    ['self_harm', 'en', 'I do not want to live anymore'],
    ['human', 'en', 'Let me talk to a real person please'],
    ['human', 'de', 'Ich möchte mit einem Menschen sprechen'],
    ['thanks', 'en', 'Thank you so much for your help'],
    ['thanks', 'de', 'Vielen Dank für Ihre Hilfe'],
    ['greeting', 'en', 'Good morning'],
    ['greeting', 'de', 'Guten Morgen'],
    ['spam', 'en', 'Buy cheap pills online now, best SEO backlinks, visit http://win.example'],
    ['automatic', 'en', 'I am out of the office until Monday and will reply when I am back'],
    ['unresolved', 'en', 'That did not help, it still does not work'],
  ])('finds %s (%s) in %j', (signal, language, text) => {
    const found = signalsOf(text, language);
    const calm = signalsOf(language === 'de' ? 'Wann haben Sie geöffnet?' : 'When do you open?', language);
    expect(counts(signal, found)).toBe(true);
    expect(counts(signal, calm)).toBe(false);
    if (isConcern(signal)) expect(concerns.toSorted((a, b) => found[b] - found[a])[0]).toBe(signal);
  });

  test('has the strongest of a text and its sentences, for signals that a sentence can give', () => {
    const [one, other] = [fc.constantFrom(...texts), fc.constantFrom(...texts)];
    fc.assert(
      fc.property(one, other, (first, second) => {
        const both = readText(`${first}.\n${second}.`);
        const found = judge(both, 'en').signals;
        for (const part of both.parts) {
          const alone = judge({ ...both, whole: part, parts: [] }, 'en').signals;
          for (const signal of partSignals)
            expect(found[signal]).toBeGreaterThanOrEqual(alone[signal] - 1e-9);
        }
      }),
      { numRuns: runsOf(60, 300) },
    );
  });

  test('is calibrated for its language, and for English where that is not known', () => {
    const text = 'Ich gehe zum Anwalt';
    expect(signalsOf(text, 'und')).toEqual(signalsOf(text, 'en'));
    expect(signalsOf(text, 'fr')).toEqual(signalsOf(text, 'pl'));
    expect(signalsOf(text, 'de')).not.toEqual(signalsOf(text, 'en'));
  });

  test('names at most four words of the text for a signal', () => {
    for (const concern of concerns) {
      for (const text of concernWordings[concern]) {
        const words = judged(text).evidenceFor(concern);
        expect(words.length).toBeLessThanOrEqual(4);
        const folded = fold(text).replaceAll("'", '');
        for (const word of words) if (!word.startsWith('0')) expect(folded).toContain(word.slice(0, 2));
      }
    }
    expect(judged('You will hear from my lawyer').evidenceFor('legal')).toContain('lawyer');
  });
});

test('corrections lower the signals that they name, and no others', () => {
  const text = readText('The ladder collapsed and I broke my wrist');
  const at = signals.indexOf('injury');
  const corrections = new Map(
    [text.whole, ...text.parts].flatMap((passage) =>
      [...vectorOf(text, passage).buckets].map((bucket) => {
        const own = new Float32Array(signals.length);
        own[at] = -1;
        return [bucket, own] as const;
      }),
    ),
  );
  const before = judge(text, 'en').signals;
  const after = createJudge(corrections)(text, 'en').signals;
  expect(after.injury).toBeLessThan(before.injury / 2);
  for (const signal of signals) if (signal !== 'injury') expect(after[signal]).toBeCloseTo(before[signal], 6);
});
