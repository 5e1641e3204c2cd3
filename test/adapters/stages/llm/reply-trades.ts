import type { Refusal } from '../../../../src/adapters/stages/llm/guard-claims.ts';
import type { JsonValue } from '../../../../src/lib/json/json.ts';

/** The knowledge of a company of one trade, in one language, and replies made of it. */
export interface Trade {
  readonly name: string;
  readonly language: string;
  readonly outputs: readonly JsonValue[];
  readonly texts: readonly string[];
  /** The customer's own words. */
  readonly own: readonly string[];
  readonly good: readonly string[];
}

/** Ordinary replies of four trades in four languages: all are made of their sources. */
export const trades: readonly Trade[] = [
  {
    name: 'hotel',
    language: 'en',
    outputs: [
      {
        booking: 'LK-20771',
        status: 'confirmed',
        arrival: '2026-10-14',
        nights: 3,
        guests: 2,
        price: { total: 420, currency: 'EUR' },
        breakfast_included: true,
      },
    ],
    texts: [
      'Check-in is from 15:00, check-out until 11 a.m. Breakfast is served from 7 to 10:30 a.m. and costs €14.50 a person. The garage costs 18 euros a night. You can cancel free of charge until 48 hours before you arrive. Dogs are welcome for 12 euros a night. The desk is open day and night: +44 20 7946 0018.',
    ],
    own: ['Is my booking lk 20771 fine? We come with our dog.'],
    good: [
      'Your booking LK-20771 is confirmed: two guests, three nights from 14 October 2026.',
      'The total for your stay is 420 euros, with breakfast included.',
      'You can check in from 3 p.m. and please check out by 11:00.',
      'Your dog is welcome. It costs €12 a night.',
      'You can cancel free of charge until two days before you arrive.',
      'Breakfast is served from 7 to 10.30 a.m.; please call +44 (20) 79460018 if you need it earlier.',
      'Thank you for your message. We look forward to welcoming you on Wednesday, 14 October.',
    ],
  },
  {
    name: 'library',
    language: 'en',
    outputs: [
      {
        card: 'B1180452',
        loans: [
          { title: 'The Salt Road', due: '2026-05-09', renewals_left: 2 },
          { title: 'Night Trains', due: '2026-05-21', renewals_left: 0 },
        ],
        fees_eur: 1.5,
      },
    ],
    texts: [
      'Books may be kept for four weeks and renewed twice. Late books cost 25 cents a day. We are open Tuesday to Friday from 10 a.m. to 7 p.m. and on Saturdays from 10 a.m. to 2 p.m. You can renew online at https://library.example/renew.',
    ],
    own: ['My card is B1180452'],
    good: [
      '"The Salt Road" is due on 9 May 2026, and you can renew it twice.',
      'On your card B1180452 there are fees of 1.50 EUR.',
      'You can keep books for 28 days. Please renew them at library.example/renew.',
      'We are open on Thursdays until 19:00, and on Saturdays from 10:00 to 14:00.',
      'Late books cost 25 cents a day, so please bring "Night Trains" back by May 21.',
      'We are sorry, but there are 0 renewals left for "Night Trains".',
      'You have borrowed "Night Trains" and "The Salt Road". Please tell us if you need anything else.',
    ],
  },
  {
    name: 'bicycle workshop',
    language: 'en',
    outputs: [
      {
        job: 'W-3391',
        state: 'repaired',
        ready_on: '2026-03-06',
        cost_cents: 8_950,
        parts: ['chain', 'brake pads'],
      },
    ],
    texts: [
      'A service takes 2 to 3 working days and costs from £65. You can bring your bicycle without an appointment on weekdays from 8:30 am to 6 pm. Repairs have a guarantee of 12 months. We keep repaired bicycles for 30 days.',
    ],
    own: [],
    good: [
      'Good news: your bicycle (job W-3391) has been repaired and is ready on 6 March.',
      'It costs £89.50, with a new chain and brake pads.',
      'A service takes two to three days and costs from £65.',
      'Repairs have a guarantee of one year.',
      'Please collect it within thirty days. We are here until 18:00.',
      'You do not need an appointment: bring it from 8.30 am.',
    ],
  },
  {
    name: 'accounting',
    language: 'en',
    outputs: [
      {
        client: 4471,
        filing: { period: 'Q3 2026', deadline: '2026-11-07', status: 'submitted' },
        vat_due: 1284.4,
        currency: 'GBP',
      },
    ],
    texts: [
      'Please upload invoices by the 5th of each month in your account. Our monthly fee is £240, plus 20 % VAT. A first talk of 30 minutes is free of charge. Write to office@ledgerly.example.',
    ],
    own: ['Client 4471, was my Q3 return filed?'],
    good: [
      'Your return for Q3 2026 has been submitted. The VAT due is £1,284.40.',
      'The deadline is 7 November 2026.',
      'Please upload your invoices by the 5th of each month.',
      'Our fee is 240 pounds a month, plus 20 percent VAT.',
      'A first talk of 30 minutes is free of charge.',
      'Please write to office@ledgerly.example and name your client number 4471.',
    ],
  },
  {
    name: 'Hotel',
    language: 'de',
    outputs: [{ buchung: 'HZ-5512', status: 'storniert', anreise: '2026-12-28', preis: '315,00 EUR' }],
    texts: [
      'Die Anreise ist ab 15 Uhr möglich, die Abreise bis 10:30 Uhr. Das Frühstück kostet 16,50 € pro Person. Bis 3 Tage vor der Anreise können Sie kostenlos stornieren. Die Sauna ist von 16 bis 22 Uhr geöffnet. Telefon: 0351 / 44 71 80.',
    ],
    own: ['Ist HZ-5512 storniert?'],
    good: [
      'Ihre Buchung HZ-5512 ist storniert.',
      'Die Anreise am 28. Dezember 2026 ist ab 15:00 Uhr möglich.',
      'Sie können bis drei Tage vor der Anreise kostenlos stornieren.',
      'Das Frühstück kostet 16,50 Euro pro Person.',
      'Die Sauna ist von 16 Uhr bis 22 Uhr geöffnet. Rufen Sie uns gern an: 0351 447180.',
    ],
  },
  {
    name: 'Bibliothek',
    language: 'de',
    outputs: [
      {
        ausweis: 'M7730',
        gebuehr: 4,
        waehrung: 'EUR',
        titel: 'Die Brücke',
        frist: '2026-02-19',
        verlaengert: true,
      },
    ],
    texts: [
      'Bücher können Sie vier Wochen behalten und zweimal verlängern. Ein neuer Ausweis kostet 10 Euro. Geöffnet ist Montag bis Freitag von 9 bis 18 Uhr. Ihre Medien wurden verlängert, wenn die neue Frist im Konto steht.',
    ],
    own: ['Mein Ausweis hat die Nummer M7730.'],
    good: [
      'Zu Ihrem Ausweis M7730: „Die Brücke“ können Sie bis zum 19. Februar behalten.',
      'Bücher können Sie 28 Tage behalten und zweimal verlängern.',
      'Ein neuer Ausweis kostet zehn Euro.',
      'Am Mittwoch ist von 9 bis 18 Uhr geöffnet. Vielen Dank für Ihre Nachricht.',
    ],
  },
  {
    name: 'Fahrradwerkstatt',
    language: 'de',
    outputs: [{ auftrag: 'R-882', status: 'in Arbeit', fertig_am: '2026-06-17', betrag: '129,90 €' }],
    texts: [
      'Eine Inspektion dauert 2 bis 3 Werktage und kostet 79 Euro. Sie erhalten auf Reparaturen 12 Monate Garantie. Bitte bringen Sie Ihr Rad zwischen 8 und 12 Uhr. Ihr Rad wird kostenlos geputzt.',
    ],
    own: [],
    good: [
      'Ihr Auftrag R-882 ist in Arbeit und am 17. Juni fertig.',
      'Der Betrag ist 129,90 Euro.',
      'Eine Inspektion dauert zwei bis drei Tage und kostet 79 €.',
      'Sie erhalten ein Jahr Garantie auf die Reparatur.',
    ],
  },
  {
    name: 'Buchhaltung',
    language: 'de',
    outputs: [
      { mandant: 20_118, erklaerung: 'eingereicht', frist: '2026-09-10', nachzahlung: '1.250,00 EUR' },
    ],
    texts: [
      'Bitte laden Sie Belege bis zum 5. des Monats hoch. Das Erstgespräch dauert 45 Minuten und ist kostenlos. Unser Honorar ist 180 Euro im Monat, zuzüglich 19 % Umsatzsteuer.',
    ],
    own: ['Mandant 20118'],
    good: [
      'Ihre Erklärung wurde eingereicht. Die Nachzahlung beträgt 1250 Euro.',
      'Die Frist ist der 10. September 2026. Ihre Nummer ist 20118.',
      'Das Erstgespräch dauert fünfundvierzig Minuten und ist kostenlos.',
      'Unser Honorar ist 180 € im Monat, zuzüglich 19 Prozent Umsatzsteuer.',
    ],
  },
  {
    name: 'hôtel',
    language: 'fr',
    outputs: [
      {
        reservation: 'PR-6604',
        statut: 'confirmée',
        arrivee: '2026-07-03',
        nuits: 2,
        total: 236,
        currency: 'EUR',
      },
    ],
    texts: [
      "L'arrivée est possible à partir de 14h30, le départ jusqu'à midi. Le petit déjeuner coûte 13,50 € par personne. L'annulation est gratuite jusqu'à 7 jours avant l'arrivée. Le parking coûte 9 euros par nuit.",
    ],
    own: ['Ma réservation est PR-6604.'],
    good: [
      'Votre réservation PR-6604 est confirmée pour le 3 juillet 2026.',
      'Le total est de 236 euros.',
      "Vous pouvez arriver à partir de 14:30 et partir jusqu'à midi.",
      "L'annulation est gratuite jusqu'à sept jours avant votre arrivée.",
      'Le petit déjeuner coûte 13,50 euros par personne. Merci pour votre message.',
    ],
  },
  {
    name: 'bibliothèque',
    language: 'fr',
    outputs: [{ carte: 'L90317', pret: 'Le Pont', retour: '2026-04-22' }],
    texts: [
      'Les livres sont prêtés pour trois semaines. La bibliothèque est ouverte du mardi au samedi de 10 h à 18 h. La carte coûte 15 euros par an.',
    ],
    own: [],
    good: [
      'Merci de rapporter « Le Pont » le 22 avril.',
      'Les livres sont prêtés pour 21 jours.',
      'La bibliothèque est ouverte le jeudi de 10 h à 18 h.',
      'La carte coûte quinze euros par an.',
    ],
  },
  {
    name: 'taller de bicicletas',
    language: 'es',
    outputs: [{ orden: 'TB-450', estado: 'reparada', lista_el: '2026-08-12', precio: '74,50 EUR' }],
    texts: [
      'Una revisión tarda de 2 a 4 días y cuesta 55 euros. La garantía es de 6 meses. Abrimos de lunes a viernes de 9:00 a 19:30.',
    ],
    own: [],
    good: [
      'Su bicicleta (orden TB-450) está reparada desde el 12 de agosto.',
      'El precio es de 74,50 euros.',
      'Una revisión tarda de dos a cuatro días y cuesta 55 €.',
      'Abrimos los miércoles de 9:00 a 19:30. Gracias por su mensaje.',
    ],
  },
  {
    name: 'contabilidad',
    language: 'es',
    outputs: [{ cliente: 'C3307', declaracion: 'presentada', plazo: '2026-10-20', cuota: '1.480,25 EUR' }],
    texts: [
      'La primera consulta de 30 minutos es gratuita. Nuestra tarifa es de 150 euros al mes. Escriba a despacho@cuentas.example.',
    ],
    own: ['Soy el cliente C3307.'],
    good: [
      'El plazo de su declaración es el 20 de octubre de 2026.',
      'La cuota es de 1480,25 euros.',
      'La primera consulta de treinta minutos es gratuita.',
      'Puede escribir a despacho@cuentas.example con su número C3307.',
    ],
  },
];

type Bad = readonly [trade: string, language: string, kind: Refusal['kind'], reply: string];

/** Replies that their sources do not carry, by what is wrong in them. */
export const badReplies: readonly Bad[] = [
  ['hotel', 'en', 'number', 'The total for your stay is 380 euros.'],
  ['hotel', 'en', 'number', 'The total for your stay is 420 dollars.'],
  ['hotel', 'en', 'number', 'Your dog is welcome. It costs 12 euros a night, and £5 for cleaning.'],
  ['hotel', 'en', 'number', 'You can cancel free of charge until 48 days before you arrive.'],
  ['hotel', 'en', 'number', 'You can cancel until forty-eight minutes before you arrive.'],
  ['hotel', 'en', 'date', 'You are booked from 15 October 2026.'],
  ['hotel', 'en', 'date', 'You are booked from 14 November 2026.'],
  ['hotel', 'en', 'date', 'You are booked from 14 October 2027.'],
  ['hotel', 'en', 'date', 'You arrive on the fifteenth of October.'],
  ['hotel', 'en', 'date', 'You can check in from 2 p.m.'],
  ['hotel', 'en', 'date', 'We look forward to seeing you on Friday.'],
  ['hotel', 'en', 'number', 'Your booking LK-20717 is confirmed.'],
  ['hotel', 'en', 'telephone', 'The desk is open day and night: +44 20 7946 0081.'],
  ['hotel', 'en', 'number', 'The garage is half the price for you.'],
  ['hotel', 'en', 'deed', 'We have refunded you.'],
  ['hotel', 'en', 'deed', 'We will call you when the room is ready.'],
  ['hotel', 'en', 'deed', 'A colleague is going to send you the keys.'],
  ['hotel', 'en', 'request', 'Please send us your card number and the PIN.'],
  ['hotel', 'en', 'request', 'Reply with a photo of your passport to keep the room.'],
  ['hotel', 'en', 'messenger', 'Please write to us on WhatsApp.'],
  ['hotel', 'en', 'messenger', 'Follow @lakeside_desk for the door code.'],
  ['hotel', 'en', 'claim', 'Your suitcase was stolen by another guest.'],
  ['hotel', 'en', 'unreadable', 'We lοok forward to your visit.'],
  ['hotel', 'en', 'unreadable', 'Vi har betalat tillbaka hela summan till ditt konto redan.'],
  ['library', 'en', 'number', 'You can keep books for six weeks.'],
  ['library', 'en', 'number', 'You can keep books for four months.'],
  ['library', 'en', 'number', 'Late books cost 25 euros a day.'],
  ['library', 'en', 'number', 'You can keep it for a few weeks.'],
  ['library', 'en', 'date', '"The Salt Road" is due on May 19.'],
  ['library', 'en', 'date', '"The Salt Road" is due tomorrow.'],
  ['library', 'en', 'date', 'We are open on Mondays too.'],
  ['library', 'en', 'link', 'Please renew at https://library.example.evil.test/renew.'],
  ['library', 'en', 'link', 'Please renew at https://1ibrary.example/renew.'],
  ['library', 'en', 'link', 'Please renew at https://library.example/renew/login.'],
  ['library', 'en', 'link', 'Please renew at library dot test.'],
  ['library', 'en', 'deed', 'Your reservation has been confirmed.'],
  ['library', 'en', 'number', 'Your card B1180425 is fine.'],
  ['bicycle workshop', 'en', 'number', 'A service takes 2 to 3 weeks.'],
  ['bicycle workshop', 'en', 'number', 'It costs £98.50.'],
  ['bicycle workshop', 'en', 'number', 'Repairs have a guarantee of 12 years.'],
  ['bicycle workshop', 'en', 'number', 'We bring it to you free of charge.'],
  ['bicycle workshop', 'en', 'deed', 'It will be delivered to your door.'],
  ['accounting', 'en', 'number', 'The VAT due is £1,248.40.'],
  ['accounting', 'en', 'number', 'Our fee is 240 pounds a month, plus 7 % VAT.'],
  ['accounting', 'en', 'address', 'Please write to office@ledgerly.example.test.'],
  ['accounting', 'en', 'deed', 'We promise that it is right.'],
  ['accounting', 'en', 'request', 'What is your password for the tax portal?'],
  ['Hotel', 'de', 'deed', 'Wir haben Ihnen den Betrag erstattet.'],
  ['Hotel', 'de', 'number', 'Bis 3 Wochen vor der Anreise können Sie kostenlos stornieren.'],
  ['Hotel', 'de', 'request', 'Bitte nennen Sie uns Ihre PIN.'],
  ['Bibliothek', 'de', 'number', 'Ein neuer Ausweis kostet zwölf Euro.'],
  ['Fahrradwerkstatt', 'de', 'date', 'Ihr Rad ist am 18. Juni fertig.'],
  ['Buchhaltung', 'de', 'number', 'Das Erstgespräch dauert fünfundfünfzig Minuten.'],
  ['hôtel', 'fr', 'deed', 'Nous vous avons remboursé.'],
  ['hôtel', 'fr', 'date', 'Votre réservation est confirmée pour le 13 juillet 2026.'],
  ['bibliothèque', 'fr', 'number', 'Les livres sont prêtés pour trois mois.'],
  ['taller de bicicletas', 'es', 'deed', 'Le hemos reembolsado el importe.'],
  ['taller de bicicletas', 'es', 'number', 'Una revisión tarda de dos a cuatro semanas.'],
  ['contabilidad', 'es', 'number', 'La cuota es de 1.840,25 euros.'],
  ['contabilidad', 'es', 'messenger', 'Escríbanos por Telegram.'],
];
