import { describe, expect, test } from 'vitest';
import { createPreparation } from '../../../src/adapters/preparation/prepare.ts';
import type { ConversationEntry } from '../../../src/domain/message/conversation.ts';
import type { CustomerMessage } from '../../../src/domain/message/message.ts';

/** Creates what tells the language of a message to a company that writes in some languages. */
function languageFor(...languages: readonly string[]) {
  const prepare = createPreparation({ redactPii: true, languages });
  return (message: string, more: Partial<CustomerMessage> = {}, said: readonly ConversationEntry[] = []) =>
    prepare({ source: 'chat', customerId: 'c-1', message, ...more }, { entries: said, isHeld: false })
      .prepared.language;
}

/** An entry of a conversation. */
function said(from: ConversationEntry['from'], text: string): ConversationEntry {
  return {
    from,
    text,
    at: '2026-01-01T00:00:00.000Z',
    traceId: null,
    disposition: null,
    itemId: null,
    intent: null,
    reasons: [],
  };
}

const english = [
  ...['refund?', 'broken chain', 'late again', 'price list?', 'opening hours', 'spare key', 'wrong size'],
  ...[
    'lost my card',
    'deposit back',
    'invoice missing',
    'cancel please',
    'any news',
    'how much',
    'which gate',
  ],
  ...[
    'flat tyre',
    'puncture',
    'new address',
    'screen cracked',
    'door stuck',
    'no hot water',
    'dog friendly?',
  ],
  ...['overcharged', 'double booked', 'voucher expired', 'seat upgrade?', 'group discount', 'heating broken'],
  ...['child ticket price', 'left my umbrella', 'wheelchair access?'],
];

const german = [
  ...['akku lädt nicht mehr', 'Platten!', 'kartenverlust', 'rechnung fehlt', 'Öffnungszeiten?', 'zu spät'],
  ...[
    'Karte weg',
    'kette gerissen',
    'Preisliste',
    'stornieren bitte',
    'was kostet das',
    'Schlüssel verloren',
  ],
  ...[
    'falsche größe',
    'Kaution zurück',
    'Termin verschieben',
    'heizung kalt',
    'kein warmwasser',
    'tür klemmt',
  ],
  ...[
    'Gutschein abgelaufen',
    'Hund erlaubt?',
    'umbuchen',
    'doppelt abgebucht',
    'welcher Bahnsteig',
    'Mahnung',
  ],
  ...[
    'bildschirm gesprungen',
    'neue Anschrift',
    'Gruppenrabatt?',
    'Kinderkarte Preis',
    'Verspätung',
    'wo parken',
  ],
];

/** Five short texts in each of the other languages with built-in texts. */
const others: readonly (readonly [language: string, texts: readonly string[]])[] = [
  ['fr', ['facture manquante', 'clé perdue', 'horaires ?', 'trop cher', 'carte bloquée']],
  ['es', ['factura perdida', 'llave rota', '¿horarios?', 'demasiado caro', 'tarjeta bloqueada']],
  ['it', ['fattura mancante', 'chiave persa', 'orari?', 'troppo caro', 'tessera bloccata']],
  ['nl', ['rekening kwijt', 'sleutel kapot', 'openingstijden?', 'te duur', 'pas geblokkeerd']],
  ['pt', ['fatura em falta', 'chave perdida', 'horários?', 'muito caro', 'cartão bloqueado']],
  ['pl', ['brak faktury', 'zgubiony klucz', 'godziny otwarcia?', 'za drogo', 'karta zablokowana']],
];

describe('the language of a short text, of a company that writes in English and German', () => {
  const languageOf = languageFor('en', 'de');

  test.each(english)('is English: %s', (text) => {
    expect(languageOf(text)).toBe('en');
  });

  test.each(german)('is German: %s', (text) => {
    expect(languageOf(text)).toBe('de');
  });

  test.each(['dove soap', 'prego sauce', 'non refundable', 'nie wieder', 'na ja', 'merci vielmals', 'ciao'])(
    'is not a further one by a single word: %s',
    (text) => {
      expect(['en', 'de']).toContain(languageOf(text));
    },
  );

  test.each([
    ['fr', 'Bonjour'],
    ['es', 'buenas tardes'],
    ['it', 'la chiave è rotta'],
    ['nl', 'waar is mijn sleutel'],
    ['pl', 'zgubiłem klucz'],
    ['sv', 'hej, var är min nyckel'],
  ])('is a further one where that is clear: %s: %s', (language, text) => {
    expect(languageOf(text)).toBe(language);
  });

  test.each(['LS-4471', 'ok', '17:00?', '12345', '?', '👍', 'login', 'super', 'PDF'])(
    'is unknown where nothing shows it: %s',
    (text) => {
      expect(languageOf(text)).toBe('und');
    },
  );
});

describe('the language of a message whose text leaves it open', () => {
  const languageOf = languageFor('en', 'de');
  const customer = (text: string) => said('customer', text);
  const service = (text: string) => said('service', text);
  const germanTalk = [
    customer('Wie weit ist meine Reparatur?'),
    service('Bitte schicken Sie uns die Nummer.'),
  ];

  test.each(['LS-4471', 'ok', '17:00?', 'refund?', 'login', 'merci', 'hola', 'Platten!'])(
    'is that of its conversation: %s',
    (text) => {
      expect(languageOf(text, {}, germanTalk)).toBe('de');
      expect(languageOf(text, { locale: 'en-GB' }, germanTalk)).toBe('de');
    },
  );

  test('is that of the newest text of the customer that shows one', () => {
    const talk = [...germanTalk, customer('Sorry, can we go on in English please?'), service('Gerne.')];
    expect(languageOf('ok', {}, talk)).toBe('en');
    expect(languageOf('ok', {}, [...talk, customer('LS-4471')])).toBe('en');
  });

  test('is that of the replies where no text of the customer shows one', () => {
    const talk = [customer('LS-4471'), service('Wir finden LS-4471 nicht. Bitte prüfen Sie die Nummer.')];
    expect(languageOf('LS-4472', {}, talk)).toBe('de');
  });

  test.each(['LS-4471', 'ok', '17:00?', 'refund?', 'Platten!'])('is that of the locale: %s', (text) => {
    expect(languageOf(text, { locale: 'de-AT' })).toBe('de');
    expect(languageOf(text, { locale: 'EN_gb' })).toBe('en');
  });

  test('is not that of a locale which the company does not speak', () => {
    expect(languageOf('LS-4471', { locale: 'fr' })).toBe('und');
    expect(languageOf('Platten!', { locale: 'fr' })).toBe('de');
  });

  test.each([
    ['en', 'Where can I park my car tomorrow?'],
    ['en', 'where is it'],
    ['fr', 'Où est ma facture du mois dernier ?'],
    ['es', 'gracias por todo, hasta luego'],
  ])('is its own where it shows that: %s: %s', (language, text) => {
    expect(languageOf(text, { locale: 'de' }, germanTalk)).toBe(language);
  });
});

describe.each(others)('the language of a short text in %s', (language, texts) => {
  test.each(texts)('is told apart from English: %s', (text) => {
    expect(languageFor('en', language)(text)).toBe(language);
    expect(languageFor(language, 'en')(text)).toBe(language);
  });

  test.each(texts)('is told apart from English and German: %s', (text) => {
    expect(languageFor('en', 'de', language)(text)).toBe(language);
  });
});
