import { describe, expect, test } from 'vitest';
import { createAssessorFor } from '../../../../src/adapters/rule-based.ts';
import { readText } from '../../../../src/adapters/shared/reading/read-text.ts';
import {
  createJudge,
  type Judge,
  learnHarmless,
  signals,
} from '../../../../src/adapters/stages/analysis/judgement.ts';
import { limits } from '../../../../src/adapters/stages/assessment.ts';
import { type Concern, concerns } from '../../../../src/domain/message/message.ts';
import type { Playbook, PlaybookConcern } from '../../../../src/domain/playbook/playbook.ts';
import { assessor, messageOf } from '../stage-inputs.ts';
import { assorted, concernWordings, nearMisses } from '../texts.ts';

const NORMAL = limits.concern.normal;

const HIGH = limits.concern.high;

/** Ordinary messages to a theatre, a school of fencing and a maker of dummies, in words that alarm elsewhere. */
const harmless = [
  'The hospital scene burned in the projector',
  'The victim dummy lost an arm in the fire drill and burned',
  'The dummy caught fire, exploded and lost its hand, please send a new hand',
  'We need fake blood and a fake gun for the play',
  'The lawyer in act two needs a new wig',
  'Der Fechter wurde am Arm getroffen, wann ist die nächste Stunde?',
  'Where can I get my sabre sharpened before the attack lesson?',
];

const strongest = (judge: Judge, text: string): number => {
  const found = judge(readText(text), 'en').signals;
  return Math.max(...concerns.map((concern) => found[concern]), found.concern);
};

const plain = createJudge();
const corrections = learnHarmless(harmless);
const taught = createJudge(corrections);

describe('harmless texts', () => {
  test('raise no concern any more', () => {
    expect(harmless.filter((text) => strongest(plain, text) > HIGH).length).toBeGreaterThan(2);
    for (const text of harmless) {
      expect(strongest(taught, text), text).toBeLessThan(HIGH / 2);
      expect(strongest(taught, text)).toBeLessThanOrEqual(strongest(plain, text));
    }
  });

  test('leave other texts their concerns where these are clear', () => {
    const texts = Object.values(concernWordings).flat();
    const before = texts.filter((text) => strongest(plain, text) > NORMAL + 0.1);
    expect(before.length).toBeGreaterThan(50);
    const lost = before.filter((text) => strongest(taught, text) <= NORMAL);
    expect(lost.length, lost.join('\n')).toBeLessThanOrEqual(before.length * 0.05);
  });

  test('raise none elsewhere, and change nothing but concerns', () => {
    for (const text of [...nearMisses, ...assorted.slice(0, 60).map(([, one]) => one)]) {
      if (strongest(plain, text) > NORMAL) continue;
      expect(strongest(taught, text), text).toBeLessThanOrEqual(NORMAL);
    }
    for (const text of harmless) {
      const [before, after] = [plain, taught].map((judge) => judge(readText(text), 'en').signals);
      for (const signal of signals) {
        if (signal === 'concern' || concerns.some((concern) => concern === signal)) continue;
        expect(after?.[signal]).toBe(before?.[signal]);
      }
    }
  });

  test('are learned on top of what was learned before, which stays as it was', () => {
    const copy = new Map(Array.from(corrections, ([bucket, own]) => [bucket, Float32Array.from(own)]));
    const more = learnHarmless(['My opponent hit me on the arm in round three'], corrections);
    expect(corrections).toEqual(copy);
    const judge = createJudge(more);
    for (const text of [...harmless, 'My opponent hit me on the arm in round three']) {
      expect(strongest(judge, text), text).toBeLessThan(HIGH);
    }
  });

  test('that are calm already, and texts without words, correct nothing', () => {
    expect(learnHarmless(['When do you open?', '', '😀']).size).toBe(0);
    expect(learnHarmless([]).size).toBe(0);
  });

  test('are learned the same way each time', () => {
    expect(learnHarmless(harmless)).toEqual(corrections);
  });
});

/** The concerns that a playbook finds, with other members of its concerns. */
function concernsWith(change: Partial<PlaybookConcern>, only: readonly Concern[] = concerns) {
  const own = { ...assessor.playbook.concerns };
  for (const concern of only) own[concern] = { ...own[concern], ...change };
  const playbook: Playbook = { ...assessor.playbook, concerns: own };
  const changed = createAssessorFor({ playbook });
  return (text: string): readonly Concern[] => changed.assess(messageOf(text)).concerns;
}

describe('a playbook', () => {
  test('calms with its harmless texts, but no unmistakable phrase and none of its own phrases', () => {
    const texts = [
      'My lawyer will call you',
      'The ladder collapsed and I broke my wrist',
      'the red rope snapped',
    ];
    const find = concernsWith({ harmless: texts, phrases: ['red rope'] }, ['injury']);
    expect(find('My lawyer will call you')).toEqual(['legal']);
    expect(find('The ladder collapsed and I broke my wrist')).toEqual([]);
    expect(find('the red rope snapped')).toEqual(['injury']);
  });

  test('finds the more concerns the more sensitive it is', () => {
    const [low, normal, high] = (['low', 'normal', 'high'] as const).map((sensitivity) =>
      concernsWith({ sensitivity }),
    );
    const texts = [...Object.values(concernWordings).flat(), ...nearMisses];
    const count = (find: typeof low): number => texts.filter((text) => (find?.(text).length ?? 0) > 0).length;
    for (const text of texts) {
      expect(normal?.(text)).toEqual(expect.arrayContaining([...(low?.(text) ?? [])]));
      expect(high?.(text)).toEqual(expect.arrayContaining([...(normal?.(text) ?? [])]));
    }
    expect(count(high)).toBeGreaterThan(count(low));
  });

  test('takes what its intents have as examples for ordinary, where they are answered', () => {
    const text = 'The ladder collapsed and I broke my wrist';
    const withExample = (handover: boolean): readonly Concern[] => {
      const { playbook } = assessor;
      const intent = assessor.intentOf('general_question');
      const own = { ...intent, handover, examples: [...intent.examples, text] };
      const intents = new Map([...playbook.intents, ['general_question', own]]);
      return createAssessorFor({ playbook: { ...playbook, intents } }).assess(messageOf(text)).concerns;
    };
    expect(withExample(true)).toEqual(['injury']);
    expect(withExample(false)).toEqual([]);
  });
});
