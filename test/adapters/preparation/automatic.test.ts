import { describe, expect, test } from 'vitest';
import { prepared } from './prepare-message.ts';

const replies = [
  "Hello, I'm currently on paternity leave and will be back at my desk on 2 June. Please ask Ravi for anything pressing.",
  'Thank you for contacting Oakfield Energy. Your email has arrived and an adviser will come back to you within 3 working days.',
  "I'm away from the office with only occasional access to emails until Tuesday.",
  'Please be advised that Jonathan Marsh has left the company. All queries should be sent to sales@corbin.test.',
  'This email address is not in use anymore. Contact us at hello@newbury.test instead.',
  'Office closed for the holidays, we return on January 6. Merry Christmas!',
  'Sorry, I no longer handle accounts. Please resend to finance@bigbarn.test',
  'Ich befinde mich bis zum 3. März im Urlaub. Ihre Mail wird nicht weitergeleitet.',
  'Nous accusons réception de votre demande et la traiterons sous 5 jours ouvrés.',
  'Su solicitud ha sido registrada con el número 99281. Le responderemos a la brevedad.',
  'Buongiorno, sono in ferie dal 5 al 20 agosto. Per urgenze rivolgersi al collega Marco.',
  'Wij hebben uw bericht in goede orde ontvangen en nemen zo snel mogelijk contact met u op.',
  'Estou de licença até 10 de maio. Em caso de urgência fale com a Joana.',
  'Przebywam na urlopie do 12 lipca, proszę o kontakt z panią Anną Nowak.',
  'Hej! Jag är föräldraledig till augusti. Kontakta Karin i stället.',
  'Tak for din henvendelse. Vi vender tilbage hurtigst muligt.',
  'Jeg er på ferie til og med uke 30 og leser ikke e-post.',
  'Olen vuosilomalla 1.-28.7. Kiireellisissä asioissa ota yhteyttä Mikko Lahteen.',
  'Talebiniz alınmıştır, en kısa sürede size dönüş yapılacaktır.',
];

const bounces = [
  'Your email to billing@sable.test was rejected by the receiving server because the mailbox does not exist.',
  'Delivery to john@acorn.example failed after several retries. The remote server timed out.',
  'Reporting-MTA: dns; mx.sable.test\nAction: failed\nStatus: 5.1.1',
  'Ihre Nachricht an kontakt@birke.test konnte nicht zugestellt werden, weil das Postfach voll ist.',
  'Votre message n’a pas été remis car l’adresse e-mail est introuvable.',
  'Feedback-Type: abuse, User-Agent: SomeMail/1.0. This is a spam complaint for a message you sent.',
  'Our spam filter has blocked your message. If you believe this is an error contact the administrator.',
];

const customers = [
  'I got your automatic reply, but nobody has contacted me since.',
  'I will be on vacation next week, can you deliver later?',
  'my e-mail to you bounced, is the address right?',
  'the app says delivery failed',
  'I cannot log in, it tells me user unknown',
  'I have left the company, please remove my seat',
  "I'm out of the office until Friday, please leave the parcel with reception",
  'Thank you for your message. I have received the parcel now.',
  'My mailbox is full of your newsletters, please stop',
  'We are closed on Mondays so please deliver on Tuesday',
  'Mr Jones no longer works here, please update the billing contact on our account',
  'Delivery failed again yesterday, your driver never rang the bell.',
  'Ich bin ab Montag im Urlaub, bitte liefern Sie erst danach.',
  'Je suis en vacances jusqu’au 15, pouvez-vous livrer plus tard ?',
  'Jag är bortrest till måndag, kan ni leverera på tisdag?',
];

/** A plain text that raises no other kind of automatic message by itself, and one that does. */
const bodies = [
  'Thank you for your message about your booking. Kind regards, Hotel Seeblick',
  'I am out of the office until Monday. Please contact my colleague.',
];

const bounceSubjects = [
  ...['Undeliverable: Your booking', '[Undeliverable] Your booking', 'Undelivered Mail Returned to Sender'],
  ...['Delivery Status Notification (Failure)', 'Mail delivery failed: returning message to sender'],
  ...['Mail System Error - Returned Mail', 'Returned mail: see transcript for details', 'failure notice'],
  ...['Unzustellbar: Ihre Buchung', 'Nachricht unzustellbar', 'Zustellbenachrichtigung (Fehler)'],
  ...['Non remis : Votre demande', "Notification d'état de remise (échec)"],
  ...['No se puede entregar: Su reserva', 'Notificación de estado de entrega (fallo)'],
  ...['Non recapitabile: prenotazione', 'Impossibile recapitare: prenotazione', 'Onbestelbaar: uw boeking'],
  ...['Niedostarczalne: rezerwacja', 'Zwrot wiadomości: rezerwacja', 'Não entregue: reserva'],
];

/** Customers whose parcel could not be delivered, with the words of mail servers in their subject. */
const parcels: readonly (readonly [string, string])[] = [
  ['Undeliverable', 'The courier told me my package is undeliverable, please send it again.'],
  ['Undeliverable: order A-1234', 'Your courier says so. Can you help me?'],
  ['Undeliverable parcel', 'The carrier says the recipient is unknown, but I live here.'],
  ['Re: Undeliverable: your order', 'I got this back. What is your right address?'],
  ['Returned to sender', 'My parcel was returned to sender, I want my money back.'],
  ['Delivery failure', 'Order A-1234 was never delivered.'],
  ['Unzustellbar', 'Mein Paket ist laut DHL unzustellbar. Können Sie mir helfen?'],
  ['Unzustellbar: Paket 123', 'Bitte liefern Sie es noch einmal.'],
  ['Colis non remis', "Mon colis n'a pas été remis, que faire ?"],
  ['Onbestelbaar', 'Mijn pakket is als onbestelbaar teruggestuurd, wat nu?'],
];

describe('an automatic message', () => {
  test.each(replies)('is a reply: %s', (message) => {
    expect(prepared(message).automatic).toBe('auto_reply');
  });

  test.each(bounces)('is a bounce: %s', (message) => {
    expect(prepared(message).automatic).toBe('bounce');
  });

  test.each([
    ['auto_reply', 'Automatic reply: your order', 'Talk soon. Femi'],
    ['bounce', 'Undeliverable: your order', 'The address was not found.'],
  ])('is %s by its subject', (kind, subject, message) => {
    expect(prepared(message, subject).automatic).toBe(kind);
    expect(prepared(message).automatic).toBe(false);
  });

  test.each(bounceSubjects.flatMap((subject) => bodies.map((body) => [subject, body] as const)))(
    'is a bounce by the subject of its mail server: %s / %s',
    (subject, message) => {
      expect(prepared(message, subject).automatic).toBe('bounce');
    },
  );

  test.each(parcels)('is none when a customer writes about a parcel: %s / %s', (subject, message) => {
    expect(prepared(message, subject).automatic).toBe(false);
  });

  test('is none when a customer says so without a subject', () => {
    expect(prepared('Unzustellbar: mein Paket. Bitte noch einmal schicken.').automatic).toBe(false);
  });

  test.each(customers)('is none when a customer writes: %s', (message) => {
    expect(prepared(message).automatic).toBe(false);
  });
});

describe('an empty message', () => {
  test.each(['.', '?!', ' \n-\n', 'Sent from my iPhone'])('has no letter or digit: %j', (message) => {
    expect(prepared(message).automatic).toBe('empty');
  });

  test.each(['👍', '5', 'ok', 'да', '好'])('is not %s', (message) => {
    expect(prepared(message).automatic).toBe(false);
  });

  test('is not one whose subject says something new', () => {
    expect(prepared('.', 'Where is my lamp').automatic).toBe(false);
    expect(prepared('.', 'Re: Where is my lamp').automatic).toBe('empty');
  });
});
