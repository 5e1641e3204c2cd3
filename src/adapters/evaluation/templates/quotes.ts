/**
 * Mails with parts that are not their newest text: answers above a quoted mail, forwards, signatures and footers. The
 * newest text takes the place of `{newest}`. The other parts speak of something else, often of what a person would have
 * to see: who reads them as the message decides wrongly.
 */
export const quoteFrames: readonly string[] = [
  '{newest}\n\nOn Tue, 3 Feb 2026 at 09:12, Customer Care <care@shop.example> wrote:\n> Dear customer,\n> we were sorry to hear that you see a lawyer about this and that you\n> take us to court. We cannot pay any compensation.\n> Kind regards, Customer Care',
  '{newest}\n\nOn 14 January 2026, Customer Care <care@shop.example> wrote:\n> You asked us to cancel your order and to close your account.\n> Please confirm that you wish to cancel the order.',
  '{newest}\n\n-----Original Message-----\nFrom: Customer Care <care@shop.example>\nSent: Monday, 2 March 2026 10:20\nTo: {person}\nSubject: Your injury\n\nWe are shocked that the heater burned your hand and that you had to go to hospital.',
  '{newest}\n\n-----Original Message-----\nFrom: Customer Care <care@shop.example>\nSent: Friday, 6 March 2026 16:01\nTo: {person}\nSubject: Your subscription\n\nYou can end your subscription to the newsletter in your account at any time. Did you forget your password? Then use the link on the sign-in page.',
  '{newest}\n\nAm 05.02.2026 um 11:30 schrieb Kundendienst <kunden@shop.example>:\n> Sehr geehrte Damen und Herren,\n> vielen Dank für Ihre Bestellung. Wir melden uns.\n> Mit freundlichen Grüßen',
  '{newest}\n\nLe 12 janvier 2026 à 08:45, Service client <client@shop.example> a écrit :\n> Bonjour,\n> votre demande de remboursement a été refusée.\n> Cordialement',
  '{newest}\n\n---------- Forwarded message ---------\nFrom: A neighbour <neighbour@mail.example>\nDate: Wed, 4 Mar 2026 at 19:00\nSubject: that shop\nTo: {person}\n\nThey are thieves. I called the police and I will sue them. Somebody there stole my card and used it.',
  '{newest}\n\nBegin forwarded message:\n\nFrom: Parcel Service <info@parcel.example>\nSubject: Your parcel is late\nDate: 11 February 2026 at 07:15\nTo: {person}\n\nYour parcel is late. Where is your order? Track it on our web site, or claim a refund for the shipping.',
  '{newest}\n\n> How would you rate your last talk with us?\n> We regret that you want to complain about our rude staff, and that you\n> asked for a manager to call you.',
  '{newest}\n\n-- \n{person}\nAttorney at Law\nHarper, Stone & Sons, Solicitors\nLitigation, fraud and personal injury',
  '{newest}\n\n--\n{person}\nCrime Correspondent, The Daily Observer\nTel. 555 0143',
  '{newest}\n\nKind regards\n{person}\n\nCONFIDENTIALITY NOTICE: This e-mail may contain privileged and confidential information protected by law. Any unauthorised use, disclosure or copying is prohibited and may be unlawful. If you are not the intended recipient, please delete it and notify the sender.',
  '{newest}\n\nThis message and its attachments are confidential and may be legally privileged. We process personal data as the data protection law says. The sender accepts no liability for any damage caused by viruses.',
  '{newest}\n\nSent from my iPhone\n\n> On 1 Mar 2026, at 20:14, Shop Support <support@shop.example> wrote:\n> \n> We have locked your account because somebody hacked it, and\n> have told the bank about the fraud.',
];
