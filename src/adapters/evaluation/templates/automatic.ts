import type { TicketTemplate } from './template.ts';

/** Messages that nobody wrote to be answered. Their intent means nothing. */
export const automaticTemplates: readonly TicketTemplate[] = [
  {
    disposition: 'no_reply',
    texts: [
      'Automatic reply: Your order {order}\n\nThanks for your mail. I am out of the office until {date} and will read it after that. In urgent cases please turn to {person}.',
      'Out of Office\n\nI am on annual leave from {date} on with no access to my e-mail. {person} stands in for me.',
      'This is an automated response. {person} no longer works for this company. Please write to office@{firm}.example instead.',
      'Thanks for contacting {firm}. Your request has been received and was given the number {order}. Please do not reply to this message.',
      'Hello, I am on parental leave until further notice. This message was generated automatically.\n\n{person}',
      'Auto: I am travelling for work until {date} and shall answer with a delay.\n\nBest, {person}',
      'We have received your e-mail. A member of our team will get back to you within two working days. This mailbox is not monitored for replies.\n\nTicket {order}, {firm} support',
      'Abwesenheitsnotiz: Ich bin bis {date} nicht im Büro. Ihre Nachricht wird nicht weitergeleitet. In dringenden Fällen hilft Ihnen {person}.',
      'Réponse automatique : je suis absent du bureau jusqu’au {date}. Pour toute urgence, adressez-vous à {person}.',
      'Respuesta automática: estaré fuera de la oficina hasta el {date}. Para asuntos urgentes contacte con {person}.',
      'Hi, thanks for your note. I am away from my desk at a conference and back on {date}. For questions about refunds or invoices ask {person}. (automatic reply)',
      '[Auto-Reply] Re: Your invoice\n\nOur offices are closed for the holidays and open again on {date}. Your message will be dealt with in the order of its arrival.\n\n{firm}',
    ],
  },
  {
    disposition: 'no_reply',
    texts: [
      'Delivery Status Notification (Failure)\n\nYour message to {mailbox} could not be delivered.\n\n550 5.1.1 The e-mail account that you tried to reach does not exist.',
      'Undelivered Mail Returned to Sender\n\nThis is the mail system at host mx.{firm}.example. I am sorry to have to inform you that your message could not be delivered to one or more recipients.\n\n<{mailbox}>: mailbox full',
      'Mail delivery failed: returning message to sender\n\nA message that you sent could not be delivered to {mailbox}: the recipient server did not accept our requests to connect.',
      'From: MAILER-DAEMON\nSubject: failure notice\n\nHi. This is the program at {firm}.example. I was not able to deliver your message to {mailbox}. This is a permanent error; I have given up.',
      'Unzustellbar: Ihre Bestellung {order}\n\nIhre Nachricht an {mailbox} konnte nicht zugestellt werden. Das Postfach des Empfängers ist voll.',
      'Your message to {mailbox} has been delayed. It is not necessary to send it again: delivery will be tried for two more days.\n\nReporting-MTA: dns; mx.{firm}.example\nAction: delayed\nStatus: 4.4.1',
    ],
  },
  {
    disposition: 'no_reply',
    texts: ['...', '--', '?!', '.', '- -', '…', '???', '—'],
  },
];
