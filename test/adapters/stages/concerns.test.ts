import { describe, expect, test } from 'vitest';
import { findConcerns } from '../../../src/adapters/stages/analysis.ts';
import type { Concern } from '../../../src/adapters/stages/rules/concerns.ts';
import { assorted } from './assorted.ts';
import { chatter } from './chatter.ts';
import { sentences } from './sentences.ts';
import { messageOf } from './stage-inputs.ts';

function concernsOf(text: string): readonly Concern[] {
  return findConcerns(messageOf(text));
}

describe('the concerns of a message', () => {
  test.each([
    ['legal_action', 'You will hear from my lawyer'],
    ['legal_action', 'See you in court!'],
    ['legal_action', 'I am going to sue you for this'],
    ['legal_action', 'my lawer says you have to pay'],
    ['legal_action', 'I will report you to the trading standards office'],
    ['legal_action', 'I shall take legal steps'],
    ['fraud', 'Somebody used my card without my permission'],
    ['fraud', 'I do not recognise this charge'],
    ['fraud', 'this whole shop is a scam'],
    ['fraud', 'there is fruad going on with my account'],
    ['fraud', 'my account was hacked last night'],
    ['fraud', 'An unauthorized transaction showed up'],
    ['injury', 'The kettle gave me an electric shock'],
    ['injury', 'I burnt my hand on the pan'],
    ['injury', 'My son cut his finger on the toy'],
    ['injury', 'the charger caught fire'],
    ['injury', 'She had an allergic reaction to the cream'],
    ['self_harm', 'I want to kill myself'],
    ['self_harm', "i don't want to live anymore"],
    ['self_harm', 'Sometimes I feel suicidal'],
    ['data_protection', 'Under the GDPR I ask you to erase everything'],
    ['data_protection', 'Please delete all my personal data'],
    ['data_protection', 'I want a copy of the data you hold about me'],
    ['data_protection', 'What information do you have about me?'],
  ])('include %s in %j', (concern, message) => {
    expect(concernsOf(message)).toEqual([concern]);
  });

  test.each([
    'I bought a skirt from Sue',
    'Do you have shoes for the tennis court?',
    'I burned the toast',
    'You should cut the prices',
    'I chose the wrong one',
    'Stop spamming me',
    'I do not recognise the changes in the new app',
    'the garden swing is lovely',
    'this queue is killing me',
    'I am dying to see the new lamps',
    'Please delete my account',
    'I want to change my personal details',
    '',
  ])('are not found in %j', (message) => {
    expect(concernsOf(message)).toEqual([]);
  });

  test('are all listed, the most serious first', () => {
    expect(concernsOf('My lawyer knows that your heater exploded, and that you are a fraud')).toEqual([
      'injury',
      'fraud',
      'legal_action',
    ]);
  });

  test('are found even in a denial', () => {
    expect(concernsOf("I don't want to sue you, but I might have to go to court")).toEqual(['legal_action']);
  });

  test('are rare in everyday messages', () => {
    const everyday = [
      ...Object.values(sentences).flat(),
      ...[...chatter, ...assorted].map(([, text]) => text),
    ];
    expect(everyday.filter((text) => concernsOf(text).length > 0)).toEqual([
      'Somebody got into my account, I need it blocked',
    ]);
  });
});
