import { describe, expect, test } from 'vitest';
import { hostilePieces, LONGEST_MESSAGE, repeated } from '../../../support/hostile-texts.ts';
import { assessor, messageOf } from '../stage-inputs.ts';

const findEntities = assessor.entitiesOf;

describe('the entities of a message', () => {
  test('are its order id and the reason for a refund', () => {
    expect(findEntities(messageOf('The vase in order A-1234 arrived broken'))).toEqual({
      order_id: 'A-1234',
      refund_reason: 'damaged',
    });
  });

  test('are none where it names none', () => {
    expect(findEntities(messageOf('What are your opening hours?'))).toEqual({});
    expect(findEntities(messageOf(''))).toEqual({});
  });

  test.each([
    ['damaged', 'My blender arrived broken, I want a refund'],
    ['damaged', 'the screen is cracked'],
    ['damaged', 'It doesn’t work at all'],
    ['damaged', 'The zip is ripped'],
    ['wrong_item', 'You sent the wrong size'],
    ['wrong_item', 'I got a mug instead of the plate'],
    ['wrong_item', 'This is not what I ordered'],
    ['not_received', 'The parcel never arrived'],
    ['not_received', "It hasn't come, give me my money back"],
    ['not_received', 'It hasn’t arrived'],
    ['not_received', 'I did not receive the second box'],
  ])('have the reason %s in %j', (reason, text) => {
    expect(findEntities(messageOf(text))['refund_reason']).toBe(reason);
  });

  test.each(['I want a refund', 'The shoes do not fit', 'I changed my mind'])(
    'have no reason in %j',
    (text) => {
      expect(findEntities(messageOf(text))).toEqual({});
    },
  );

  test('have the first reason of several', () => {
    const text = 'You sent the wrong lamp, and it was broken';
    expect(findEntities(messageOf(text))['refund_reason']).toBe('wrong_item');
  });

  test('have the order id of the subject where the text has none', () => {
    const inSubject = messageOf('Where is it?', {}, { subject: 'My order A-1234' });
    expect(findEntities(inSubject)['order_id']).toBe('A-1234');
    const inBoth = messageOf('Where is order 5512?', {}, { subject: 'My order A-1234' });
    expect(findEntities(inBoth)['order_id']).toBe('5512');
    for (const subject of [null, undefined, '', 'A question']) {
      expect(findEntities(messageOf('Where is it?', {}, { subject }))).toEqual({});
    }
  });

  test('come from the newest text only', () => {
    const message = messageOf('Where is it?\n> order A-1234 is broken', {
      text: 'Where is it?',
      setApart: [{ kind: 'quote', text: 'order A-1234 is broken' }],
    });
    expect(findEntities(message)).toEqual({});
  });

  test.each(hostilePieces)('are found in a long text of %j', (piece) => {
    const { order_id = '0', refund_reason = 'damaged' } = findEntities(
      messageOf(repeated(piece, LONGEST_MESSAGE)),
    );
    expect(order_id).toMatch(/^[\w-]{1,32}$/);
    expect(['damaged', 'wrong_item', 'not_received']).toContain(refund_reason);
  });
});
