import { describe, expect, test } from 'vitest';
import { prepared } from './prepare-message.ts';

const lines = (...all: readonly string[]) => all.join('\n');
const kinds = (message: string) => prepared(message).setApart.map(({ kind }) => kind);

const quotes: readonly (readonly [string, string])[] = [
  ['On … wrote', lines('On Tue, 4 Feb 2025 at 09:12, Birch Shop <care@birch.test> wrote:', '> Which size?')],
  [
    'a broken line',
    lines('On Tue, 4 Feb 2025 at 09:12, Birch Shop', '<care@birch.test> wrote:', '', '> Which size?'),
  ],
  [
    'three lines',
    lines('On Tue, 4 Feb 2025 at 09:12,', 'Birch Shop', '<care@birch.test> wrote:', '> Which size?'),
  ],
  [
    'no signs',
    lines('On 4 Feb 2025, at 09:12, Birch Shop <care@birch.test> wrote:', '', 'Which size?', 'Birch'),
  ],
  ['German', lines('Am 04.02.2025 um 09:12 schrieb Birke <info@birke.test>:', '> Welche Größe?')],
  [
    'French',
    lines('Le mar. 4 févr. 2025 à 09:12, Bouleau <sav@bouleau.test> a écrit :', '> Quelle taille ?'),
  ],
  ['Spanish', lines('El mar, 4 feb 2025 a las 9:12, Abedul (<hola@abedul.test>) escribió:', '> ¿Qué talla?')],
  [
    'Italian',
    lines('Il giorno mar 4 feb 2025 alle ore 09:12 Betulla <info@betulla.test> ha scritto:', '> Che taglia?'),
  ],
  ['Dutch', lines('Op di 4 feb 2025 om 09:12 schreef Berk <info@berk.test>:', '> Welke maat?')],
  [
    'Portuguese',
    lines('Em ter., 4 de fev. de 2025 às 09:12, Bétula <ola@betula.test> escreveu:', '> Que tamanho?'),
  ],
  ['Polish', lines('W dniu wt., 4.02.2025 o 09:12 Brzoza <info@brzoza.test> napisał(a):', '> Jaki rozmiar?')],
  ['Swedish', lines('Den tis 4 feb. 2025 kl 09:12 skrev Björk <info@bjork.test>:', '> Vilken storlek?')],
  [
    'Original Message',
    lines('-----Original Message-----', 'From: Birch', 'Sent: Tuesday 09:12', 'Subject: Size', '', 'Which?'),
  ],
  [
    'Outlook',
    lines(
      'From: Birch <care@birch.test>',
      'Sent: Tuesday, 4 February 2025 09:12',
      'To: Kim',
      'Subject: Size',
      '',
      'Which?',
    ),
  ],
  [
    'bold headers',
    lines('*From:* Birch <care@birch.test>', '*Sent:* Tuesday', '*To:* Kim', '*Subject:* Size', '', 'Which?'),
  ],
  [
    'German Outlook',
    lines(
      'Von: Birke',
      'Gesendet: Dienstag, 4. Februar 2025 09:12',
      'An: Kim',
      'Betreff: Größe',
      '',
      'Welche?',
    ),
  ],
  [
    'French Outlook',
    lines('De : Bouleau', 'Envoyé : mardi 4 février 2025 09:12', 'À : Kim', 'Objet : Taille', '', 'Quelle ?'),
  ],
  [
    'Spanish Outlook',
    lines('De: Abedul', 'Enviado el: martes 9:12', 'Para: Kim', 'Asunto: Talla', '', '¿Cuál?'),
  ],
  [
    'Italian Outlook',
    lines('Da: Betulla', 'Inviato: martedì 09:12', 'A: Kim', 'Oggetto: Taglia', '', 'Quale?'),
  ],
  [
    'Dutch Outlook',
    lines('Van: Berk', 'Verzonden: dinsdag 09:12', 'Aan: Kim', 'Onderwerp: Maat', '', 'Welke?'),
  ],
  [
    'Portuguese Outlook',
    lines('De: Bétula', 'Enviada em: terça 09:12', 'Para: Kim', 'Assunto: Tamanho', '', 'Qual?'),
  ],
  ['Polish Outlook', lines('Od: Brzoza', 'Wysłano: wtorek 09:12', 'Do: Kim', 'Temat: Rozmiar', '', 'Jaki?')],
  [
    'Swedish Outlook',
    lines('Från: Björk', 'Skickat: tisdag 09:12', 'Till: Kim', 'Ämne: Storlek', '', 'Vilken?'),
  ],
  [
    'a rule above',
    lines(
      '________________________________',
      'From: Birch',
      'Sent: Tuesday 09:12',
      'Subject: Size',
      'Which?',
    ),
  ],
  ['quoted headers', lines('> From: Birch <care@birch.test>', '> Subject: Size', '> Which?')],
];

describe('quoted history', () => {
  test.each(quotes)('is set apart: %s', (_name, quote) => {
    const { text, setApart } = prepared(`Size nine please.\n\n${quote}`);
    expect(text).toBe('Size nine please.');
    expect(setApart).toEqual([{ kind: 'quote', text: quote }]);
  });

  test('leaves answers between quoted lines in the text, joined', () => {
    const message = lines(
      'On Tue, 4 Feb 2025 at 09:12, Birch <care@birch.test> wrote:',
      '> Which size?',
      'Nine.',
      '> Which color?',
      'Any but grey.',
    );
    expect(prepared(message).text).toBe('Nine.\nAny but grey.');
    expect(kinds(message)).toEqual(['quote', 'quote']);
  });

  test('below a few words keeps the words as the text', () => {
    const { text, setApart } = prepared(
      'And?\n\nOn 4 Feb 2025, Birch <care@birch.test> wrote:\n> We will call you.',
    );
    expect(text).toBe('And?');
    expect(setApart[0]?.text).toContain('We will call you.');
  });

  test('without a word above makes an empty message', () => {
    const { text, automatic } = prepared(
      '\nOn 4 Feb 2025, Birch <care@birch.test> wrote:\n> We will call you.',
    );
    expect([text, automatic]).toEqual(['', 'empty']);
  });

  test.each([
    'Is 5 > 3 in your loyalty points?',
    '> 5 kg, does that cost more?',
    'On Monday you wrote: it ships soon. Where is it?',
    'From: Lyon\nTo: Bern\nDate: 5 May\nTwo seats please',
    'My sister wrote:\nthe lamp is broken',
    'regards from the whole family, is the shop open?',
    'Two questions:\n- is it waterproof\n-- and warm?',
    'The error is\n>>>\nand nothing else',
  ])('is not seen in %j', (message) => {
    expect(prepared(message)).toMatchObject({ text: message, setApart: [] });
  });
});

describe('a forwarded mail', () => {
  const header =
    '---------- Forwarded message ---------\nFrom: Elm <elm@elm.test>\nDate: 4 Feb 2025\nSubject: Fine';

  test('below a few words is set apart as a forward', () => {
    const { text, setApart } = prepared(`fyi\n\n${header}\n\nYour fine is due.`);
    expect([text, setApart.map(({ kind }) => kind)]).toEqual(['fyi', ['forward']]);
    expect(setApart[0]?.text).toContain('Your fine is due.');
  });

  test('with nothing above is the text, without its header', () => {
    const { text, setApart } = prepared(`${header}\n\nYour fine is due.`);
    expect(text).toBe('Your fine is due.');
    expect(setApart).toEqual([{ kind: 'forward', text: header }]);
  });

  test.each([
    'Begin forwarded message:',
    '-------- Weitergeleitete Nachricht --------',
    '---------- Message transféré ---------',
  ])('begins with %s', (marker) => {
    expect(kinds(`see below\n\n${marker}\n\nhello`)).toEqual(['forward']);
  });
});

describe('signatures and footers', () => {
  test('set a signature below its rule apart', () => {
    const { text, setApart } = prepared('Where is my lamp?\n-- \nKim Oak\nOak Ltd');
    expect([text, setApart]).toEqual([
      'Where is my lamp?',
      [{ kind: 'signature', text: '--\nKim Oak\nOak Ltd' }],
    ]);
  });

  test.each(['Kind regards,', 'Thanks', 'Mit freundlichen Grüßen', 'Cordialement,', 'Saludos'])(
    'set a signature with details apart below %s',
    (signOff) => {
      const message = `Where is my lamp?\n\n${signOff}\nKim Oak\nHead of Purchasing\n+44 20 7946 0958`;
      expect(prepared(message).text).toBe('Where is my lamp?');
      expect(kinds(message)).toEqual(['signature']);
    },
  );

  test.each([
    'Where is my lamp?\n\nThanks,\nKim',
    'Hello\n\nThanks\nOrder 12345\nKim Oak\n+44 20 7946 0958',
    'Hello\n\nKind regards\nKim Oak\n+44 20 7946 0958\nPS: please cancel the other one',
    'Thanks\nKim Oak\n+44 20 7946 0958',
  ])('leave what says something in the text: %j', (message) => {
    expect(prepared(message)).toMatchObject({ text: message, setApart: [] });
  });

  test.each([
    'Sent from my iPhone',
    'Get Outlook for Android',
    'Von meinem iPhone gesendet',
    'Envoyé de mon iPhone',
    'Enviado desde mi móvil',
    'Inviato da iPhone',
    'Verstuurd vanaf mijn iPad',
    'Wysłane z iPhone’a',
    'Skickat från min iPhone',
    "iPhone'umdan gönderildi",
  ])('set %s apart', (footer) => {
    expect(prepared(`yes\n\n${footer}`)).toMatchObject({
      text: 'yes',
      setApart: [{ kind: 'footer', text: footer }],
    });
  });

  test.each([
    'This e-mail and any attachments are confidential and intended solely for the named addressee.\nIf you have received it in error, please delete it.',
    'CONFIDENTIALITY NOTICE: the content of this message is privileged.',
    'Diese E-Mail enthält vertrauliche Informationen. Wenn Sie nicht der richtige Adressat sind, informieren Sie bitte den Absender.',
    'Please consider the environment before printing this e-mail.',
  ])('set a legal text apart: %s', (footer) => {
    const { text, setApart } = prepared(`Where is my lamp?\n\n${footer}`);
    expect([text, setApart]).toEqual(['Where is my lamp?', [{ kind: 'footer', text: footer }]]);
  });

  test('leave a wish for confidence in the text', () => {
    const message = 'Hello,\n\nthis message is confidential, do not tell my husband about the present.';
    expect(prepared(message).text).toBe(message);
  });
});
