import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusalsOf } from '../../../../src/adapters/stages/llm/guard.ts';
import type { Refusal } from '../../../../src/adapters/stages/llm/guard-claims.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { runsOf } from '../../../support/extent.ts';

const policy: JsonObject = {
  policy:
    'You can return any unused item within 30 days of delivery for a full refund. The refund goes back to the way you paid, within 5 to 10 working days after we have received the item.',
  window_days: 30,
};
const order: JsonObject = { order_id: 'A-1234', status: 'shipped', carrier: 'DHL', eta_days: 3 };
const article: JsonObject = {
  title: 'Delivery costs',
  excerpt:
    'Standard delivery costs €4.90, and is free of charge from 1,250 euros. Express costs 12.50 EUR. We save you 15 % with the code SPRING25. Orders before 2 p.m. leave on the same day, Monday to Friday. Call +49 30 1234-5678. The sale ends on 2026-03-04. If your parcel is lost, we will send you a replacement or refund you.',
};
const done: JsonObject = {
  refund: 'approved',
  refunded: true,
  amount_eur: 40,
  tracking_number: '1Z999AA10123456784',
};

const refused = (
  reply: string,
  outputs: readonly JsonObject[],
  texts: readonly string[] = [],
): readonly Refusal[] => refusalsOf(reply, { outputs, texts, own: [], instructions: '', language: 'en' });

describe('a reply keeps to what is known', () => {
  test.each<[string, JsonObject]>([
    ['You can send it back within 30 days.', policy],
    ['You have thirty days to send it back.', policy],
    ['The money is back with you 5-10 days after we have received the item.', policy],
    ['Please choose one of these options. First, open your account.', policy],
    ['You get the refund within five to ten working days.', policy],
    ['1. Open your account.\n2. Choose the item.\n3) Print the label.', policy],
    ['Thank you for contacting us today. We will be happy to help. Have a nice day!', policy],
    ['Hello,\n\nthank you for your message. We are sorry that it did not fit.\n\nKind regards', policy],
    ['We have received your message. I have checked your order A-1234: it has been shipped.', order],
    ['Your order a1234 was shipped with DHL and should take three days.', order],
    ['Delivery costs 4,90 euros; from €1250 or 1.250 EUR or 1 250 € it is free of charge.', article],
    ['Express delivery is twelve euros fifty, or 12.5 EUR.'.replace('twelve euros fifty, or ', ''), article],
    ['You save 15 percent with the code SPRING25.', article],
    ['Orders before 14:00 leave on the same day, Monday to Friday.', article],
    ['Please call +49 (30) 12345678 if you need help.', article],
    ['The sale ends on March 4, 2026, a Wednesday.', article],
    ['The sale ends on 4 March.', article],
    ['If your parcel is lost, we will send you a replacement or refund you.', article],
    ['Good news: we have refunded you 40 euros. Your refund has been approved.', done],
    ['You can follow it with the number 1Z999AA10123456784.', done],
    ['You may find our articles helpful. It is not a problem; we understand that this is annoying.', policy],
    ['Sie können den Artikel innerhalb von 30 Tagen zurücksenden. Vielen Dank für Ihre Nachricht.', policy],
    ['Vous pouvez renvoyer votre article dans les trente jours. Merci pour votre message.', policy],
    ['Puede devolver su artículo en un plazo de treinta días. Gracias por su mensaje.', policy],
  ])('%j is sent', (reply, output) => {
    expect(refused(reply, [output])).toEqual([]);
  });

  test.each<[string, JsonObject]>([
    ...(
      [
        'You have 60 days to return it.',
        'You have sixty days to return it.',
        'You will get $30 back.',
        'It costs 30 euros.',
        'That is 30% off.',
        'You get forty euros.',
        'You get twenty-five dollars from us.',
        'We take off half the price.',
        'Please allow three weeks.',
        'It takes a few days.',
        'It should be there in a week.',
        'It comes tomorrow.',
        'It is there by Friday.',
        'It is there by next week.',
        'Your parcel comes on 3 May.',
        'Your parcel comes on May 3rd.',
        'Your parcel comes on 03/05/2026.',
        'We are open until 6 pm.',
        'We are open until 18:30.',
        'Call us at 555-010-2030.',
        'Your order A-1234 is fine.',
        'Your tracking number is 1Z999AA10123456784.',
        'Shipping it back is free of charge.',
        'You are entitled to a voucher.',
        'It costs ３９ euros.',
        'It costs ٣٩ euros.',
      ] as const
    ).map((reply): [string, JsonObject] => [reply, policy]),
    ['Your order A-1235 has been shipped.', order],
    ['Your order arrives in 4 days.', order],
    ['Your order A-1234 costs 3 euros.', order],
    ['Your order was delivered.', { ...order, status: 'in_transit' }],
    ['Express delivery costs 4.90 dollars.', article],
    ['Orders before 2 a.m. leave on the same day.', article],
    ['Orders leave on Saturdays too.', article],
    ['The sale ends on 5 March.', article],
    ['Call +49 30 1234-5679.', article],
    ['We have refunded you.', { status: 'not refunded' }],
    ['We have refunded you.', { refunded: false }],
  ])('%j is not sent', (reply, output) => {
    expect(refused(reply, [output])).not.toEqual([]);
  });

  test.each([
    'We have refunded you.',
    "We've refunded your order.",
    "I've cancelled your order.",
    'I have just gone ahead and cancelled it.',
    'We refunded you.',
    'I went ahead and cancelled it.',
    'Your account has been closed.',
    'Your account is now closed.',
    'Your subscription was cancelled.',
    'The refund has already been issued to your card.',
    "It's been taken care of.",
    "It's all taken care of.",
    'A refund is being processed.',
    "We're processing your refund.",
    'I am cancelling it for you.',
    'We will refund you.',
    "We'll gladly refund you in full.",
    'We will not charge you.',
    'We are going to replace it.',
    "I'm going to escalate this.",
    'A colleague will call you.',
    'Someone from our team will be in touch and will contact you.',
    'A member of our team will get back to you.',
    'Our team is looking into it.',
    'A colleague calls you back.',
    'We will send you a replacement.',
    'We will check, and send a new one.',
    'I have escalated this.',
    'I have escalated this to our management.',
    'This has been escalated.',
    'You will receive a refund.',
    "You'll hear from us.",
    'You will be refunded.',
    'You can expect a call.',
    'Your refund will be processed.',
    'Your parcel will arrive.',
    'We can offer you a discount.',
    'We could send you a new one.',
    'We guarantee it.',
    'I promise.',
    'Let me cancel that for you.',
    'All done!',
    'Done.',
    'Refund approved.',
    'Consider it done.',
    'Your refund is on its way.',
    'We have received your parcel.',
    'We’ve ｒｅｆｕｎｄｅｄ you.',
    'We have re\u00adfunded you.',
    'Wir haben Ihnen das Geld erstattet.',
    'Ihre Bestellung wurde storniert.',
    'Ihr Konto ist geschlossen.',
    'Wir werden Ihnen einen Ersatz schicken.',
    'Wir erstatten Ihnen den Betrag.',
    'Ein Kollege wird Sie anrufen.',
    'Ein Kollege meldet sich bei Ihnen.',
    'Ich habe den Fall weitergeleitet.',
    'Sie erhalten eine Gutschrift.',
    'Nous vous avons remboursé.',
    'Votre commande a été annulée.',
    "J'ai annulé votre commande.",
    'Nous vous enverrons un produit.',
    'Nous allons vous rembourser.',
    'Un collègue vous appellera.',
    'Vous recevrez un remboursement.',
    'Hemos reembolsado su pedido.',
    'Su pedido ha sido cancelado.',
    'Le enviaremos un producto nuevo.',
    'Vamos a cancelar su pedido.',
    'Un compañero le llamará.',
    'Recibirá un reembolso.',
    'Das kostet vierzig Euro.',
    'Das dauert fünfundzwanzig Tage.',
    'Es kommt morgen.',
    'Es kommt am Freitag.',
    'Cela coûte quarante-cinq euros.',
    'Il arrive demain.',
    'Il arrive vendredi.',
    'Cuesta cuarenta euros.',
    'Llega mañana.',
    'Llega el viernes.',
    'Zwróciliśmy pieniądze na konto klienta, bardzo przepraszamy serdecznie.',
    'Мы вернули вам деньги.',
    '我们已经退款了。',
  ])('%j is not sent where nothing says so', (reply) => {
    expect(refused(reply, [{ note: 'Thank you for your message.' }])).not.toEqual([]);
  });

  test('a promise does not become a deed', () => {
    expect(refused('We will refund you.', [article])).toEqual([]);
    expect(refused('We have refunded you.', [article])).toMatchObject([{ kind: 'deed' }]);
    expect(refused('We have sent you a replacement.', [article])).toMatchObject([{ kind: 'deed' }]);
  });

  test('the reply of the rules is known', () => {
    const reply = 'Your order A-7 is on its way to you. It should arrive tomorrow, and costs 4 euros.';
    expect(refused(reply, [])).not.toEqual([]);
    expect(refused(reply, [], [reply])).toEqual([]);
  });

  test.each<[string, string, JsonObject]>([
    ['a deed that the source tells with a noun', 'We refund you within five to ten working days.', policy],
    ['a number word that counts nothing known', 'Please choose one of these two options, or both.', policy],
    ['a number whose unit no source tells', 'It takes 3 days.', { order_id: 'A-1234', eta: 3 }],
  ])('%s is refused, although it may be right', (_name, reply, output) => {
    expect(refused(reply, [output])).not.toEqual([]);
  });
});

const pieces = fc.oneof(
  fc.constantFrom(
    ...['30 days', 'forty euros', '€1,234.50', '15 %', 'by Friday', 'tomorrow', 'on 4 March', '2026-03-04'],
    ...[
      '10:30 a.m.',
      'A-1234',
      '+49 30 1234567',
      'we have refunded you',
      'we will call you',
      'it was cancelled',
    ],
    ...[
      'wir haben Ihnen das Geld erstattet',
      'nous vous enverrons',
      'hemos cancelado',
      'for free',
      'the',
      '\n',
    ],
    ...[
      '. ',
      ', ',
      '#50',
      'order 7',
      '½',
      '1.2.3',
      '24/7',
      'and',
      'or',
      '1. ',
      'within a week',
      'a few days',
    ],
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(' '));

describe('whatever a text says', () => {
  test('it may be sent as it is, when a tool brought it', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const reply = text.replaceAll(/[<[\]@:.]/g, ' ');
        expect(refused(reply, [], [reply])).toEqual([]);
      }),
      { numRuns: runsOf(500, 2_000) },
    );
  });

  test('a number that nothing contains is never sent, however it is written', () => {
    const written = fc
      .integer({ min: 13, max: 999_999 })
      .chain((n) =>
        fc.constantFrom(
          String(n),
          n.toLocaleString('en'),
          n.toLocaleString('de'),
          `${n}.00`,
          `$${n}`,
          `${n}€`,
          `${n}%`,
          `A-${n}`,
        ),
      );
    fc.assert(
      fc.property(written, texts, (number, around) => {
        const reply = `${around}. Your number: ${number} is it.`;
        expect(refused(reply, [{ note: 'Nothing.' }])).not.toEqual([]);
      }),
      { numRuns: runsOf(250, 1_000) },
    );
  });

  test('a number counts as the same however it is written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_999_999 }), (n) => {
        const forms = [
          String(n),
          n.toLocaleString('en'),
          n.toLocaleString('de'),
          n.toLocaleString('en').replaceAll(',', ' '),
        ];
        for (const one of forms) {
          for (const other of forms)
            expect(refused(`It costs ${one} euros.`, [{ price: `EUR ${other}` }])).toEqual([]);
        }
      }),
    );
  });
});
