import { createPhraseIndex } from '../../../lib/text/phrase-index.ts';

/** Words for the reasons of a refund, in the terms of the tool `refund_policy`. */
const findReason = createPhraseIndex({
  damaged: [
    ...['damaged', 'damage', 'broken', 'broke', 'cracked', 'crack', 'scratched', 'scratch', 'dented', 'dent'],
    ...['torn', 'ripped', 'stained', 'faulty', 'defective', 'defect', 'smashed', 'shattered', 'leaking'],
    ...['chipped', 'bent', 'does not work', 'doesnt work', 'not working', 'stopped working', 'wont turn on'],
    ...['dead on arrival', 'fell apart', 'fault', 'mouldy', 'unusable'],
  ],
  wrong_item: [
    ...['wrong', 'incorrect', 'instead of', 'not what i ordered', 'different item', 'different one'],
    ...['different colour', 'different color', 'someone elses order', 'mixed up', 'mix up', 'not the one'],
    'another item',
  ],
  not_received: [
    ...['never arrived', 'never came', 'never received', 'never turned up', 'never showed up', 'not arrived'],
    ...['not received', 'not come', 'hasnt arrived', 'hasnt come', 'havent received', 'didnt arrive'],
    ...['didnt come', 'didnt receive', 'did not arrive', 'did not come', 'did not receive', 'not here yet'],
    ...['still waiting for', 'missing', 'lost in the post', 'lost in transit', 'never got'],
  ],
});

/** The first reason for a refund that a text gives. */
export function findRefundReason(text: string): string | undefined {
  return findReason(text);
}
