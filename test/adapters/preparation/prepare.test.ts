import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPreparation } from '../../../src/adapters/preparation/prepare.ts';
import { prepared, prepareMessage } from './prepare-message.ts';

const SIZE = 32_768;
const filled = (piece: string) => piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE);

const hostile = [
  '<',
  '>',
  '&',
  ' ',
  '\n',
  '-- \n',
  '4',
  '4111 ',
  '<blockquote>',
  '<div>x',
  '</p>',
  '<!--',
  '&#',
  '> ',
  '>\n',
  '> a\n',
  'On 2024 ',
  'On 1 2024\n',
  'From: a@b\n',
  'Sent from my ',
  'a@',
  'password is ',
  'cvv ',
  'DE89',
  'your message ',
  "l'",
  'I am on leave until ',
  '<br>',
  '<a href="',
  '\u00a0',
  '_____\n',
  'Kind regards\nA B\n',
  'http://',
  '[',
  'é',
  '\r',
  '٤',
  'this e-mail is confidential ',
  'ist ',
  'message could not be ',
];

const pieces = fc.constantFrom(
  'Where is my lamp?',
  '',
  'On 4 Feb 2025, Birch <care@birch.test> wrote:',
  '> Which size?',
  '>> older',
  'nine',
  '-- ',
  'Kim Oak',
  'Kind regards,',
  '+44 20 7946 0958',
  'Sent from my iPhone',
  '-----Original Message-----',
  'From: a@b.test',
  'Subject: lamp',
  'This e-mail and any attachments are confidential.',
  'P.S. blue',
  '________',
  'Thanks',
  '> ',
  '👍',
);

const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? [];

describe('preparation', () => {
  test('gives the fields of the message, null where absent', () => {
    expect(prepareMessage('Where is my lamp?')).toEqual({
      source: 'email',
      customerId: 'c-1',
      message: 'Where is my lamp?',
      subject: null,
      conversationId: null,
      locale: null,
      metadata: null,
      prepared: { text: 'Where is my lamp?', setApart: [], language: 'en', automatic: false },
    });
  });

  test('keeps given fields', () => {
    const given = { subject: 'Lamp', conversationId: 'v-1', locale: 'en-GB', metadata: { shop: 'oak' } };
    const message = { source: 'chat', customerId: 'c-2', message: 'hi', ...given };
    expect(createPreparation({ redactPii: true, languages: ['en'] })(message)).toMatchObject(message);
  });

  test('loses no word: each is in the text or was set apart', () => {
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 25 }), (all) => {
        const message = all.join('\n');
        const { text, setApart } = prepared(message);
        const found = [text, ...setApart.map((part) => part.text)].flatMap(wordsOf);
        expect(found.sort()).toEqual([...wordsOf(message)].sort());
      }),
    );
  });

  test('loses no word of any text', () => {
    const prepare = createPreparation({ redactPii: false, languages: ['en'] });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (message) => {
        fc.pre(!/[<&]/.test(message));
        const { text, setApart } = prepare({ source: 's', customerId: 'c', message }).prepared;
        const found = [text, ...setApart.map((part) => part.text)].flatMap(wordsOf);
        expect(found.sort()).toEqual([...wordsOf(message)].sort());
      }),
    );
  });

  test('gives the same for the same message', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (message) => {
        expect(prepareMessage(message)).toEqual(prepareMessage(message));
      }),
    );
  });

  test.each(hostile)('ends for a long message of %j', (piece) => {
    for (const message of [filled(piece), `hello\n${filled(piece)}`, `<p>${filled(piece)}</p>`]) {
      expect(prepareMessage(message, filled(piece).slice(0, 256)).prepared.language).toMatch(/^[a-z]{2,3}$/);
    }
  });
});
