import { describe, expect, test } from 'vitest';
import { type Concern, concerns } from '../../../src/domain/message/message.ts';
import { assessor, messageOf } from './stage-inputs.ts';
import { assorted, chatter, concernWordings, nearMisses, sentences } from './texts.ts';

function concernsOf(text: string): readonly Concern[] {
  return assessor.assess(messageOf(text)).concerns;
}

function shareOf(texts: readonly string[], holds: (text: string) => boolean): number {
  return texts.filter(holds).length / texts.length;
}

const hasConcern = (text: string): boolean => concernsOf(text).length > 0;
const isMissed = (text: string): boolean => !hasConcern(text);

describe('the concerns of a message', () => {
  test.each(concerns)('%s is nearly always found in a clear wording', (concern) => {
    const texts = concernWordings[concern];
    expect(texts).toHaveLength(10);
    expect(shareOf(texts, hasConcern), texts.filter(isMissed).join('\n')).toBeGreaterThanOrEqual(0.6);
  });

  test('are found in at least 90 % of clear wordings', () => {
    const texts = Object.values(concernWordings).flat();
    expect(shareOf(texts, hasConcern), texts.filter(isMissed).join('\n')).toBeGreaterThanOrEqual(0.9);
  });

  test('are mostly named rightly', () => {
    const rows = concerns.flatMap((concern) => concernWordings[concern].map((text) => ({ concern, text })));
    const wrong = rows.filter(({ concern, text }) => !concernsOf(text).includes(concern));
    const named = wrong.map(({ concern, text }) => `${concern}, not ${concernsOf(text).join(', ')}: ${text}`);
    expect(1 - wrong.length / rows.length, named.join('\n')).toBeGreaterThanOrEqual(0.75);
  });

  test('are found in at most 15 % of near misses', () => {
    expect(nearMisses).toHaveLength(30);
    const alarms = nearMisses.filter(hasConcern).map((text) => `${concernsOf(text).join(', ')}: ${text}`);
    expect(alarms.length / nearMisses.length, alarms.join('\n')).toBeLessThanOrEqual(0.15);
  });

  test('are found in at most 10 % of everyday messages', () => {
    const everyday = [
      ...Object.values(sentences).flat(),
      ...[...chatter, ...assorted].map(([, text]) => text),
    ];
    const alarms = everyday.filter(hasConcern).map((text) => `${concernsOf(text).join(', ')}: ${text}`);
    expect(alarms.length / everyday.length, alarms.join('\n')).toBeLessThanOrEqual(0.1);
  });

  test('are found whatever else the message says', () => {
    const wish = 'Thanks for the quick delivery of the two lamps. Where do I find my invoice?';
    const texts = Object.values(concernWordings).flat();
    const found = shareOf(texts, (text) => hasConcern(`${wish} ${text}.`) && hasConcern(`${text}. ${wish}`));
    expect(found).toBeGreaterThanOrEqual(0.75);
  });

  test('are named once each, the most serious first', () => {
    for (const text of Object.values(concernWordings).flat()) {
      const found = concernsOf(text);
      expect(found).toEqual(concerns.filter((concern) => found.includes(concern)));
    }
    const both = 'The heater exploded and burned my hand. You will hear from my lawyer.';
    expect(concernsOf(both)[0]).toBe('injury');
  });

  test.each([
    ["I'll sue you, you will hear from my lawyer", 'I’ll sue you, you will hear from my lawyer'],
    ['You will hear from my lawyer', 'YOU WILL HEAR FROM MY LAWYER'],
    ["I don't want to live anymore", 'I don’t want to live anymore'],
  ])('are the same in %j and %j', (one, other) => {
    expect(concernsOf(other)).toEqual(concernsOf(one));
    expect(concernsOf(one)).not.toEqual([]);
  });
});
