import type { Intent } from '../../domain/message/message.ts';
import type { Concern } from './rules/concerns.ts';

/** The first and last lines of every reply. */
export const greeting = 'Hello,';
export const closing = 'Kind regards,\nYour customer service team';

/** The paragraph before the answer, by intent. */
export const introductions = {
  refund: 'Thank you for your message. This is how refunds work:',
  order_status: 'Thank you for asking about your order. This is what we know:',
  order_change: 'Thank you for your message. This is how you can place or change an order:',
  cancellation: 'Thank you for letting us know. This is how cancelling works:',
  shipping: 'Thank you for your question about delivery. This should help:',
  billing: 'Thank you for your question about payments and invoices. This should help:',
  account: 'Thank you for your question about your account. This should help:',
  technical_issue: 'We are sorry that something does not work as it should. Please try this:',
  complaint: 'We are sorry that we have let you down. This is how we put it right:',
  feedback: 'Thank you for taking the time to tell us what you think; we pass it on to the team.',
  subscription: 'Thank you for your message about your subscription. This should help:',
  human_agent: 'Thank you for your message.',
  spam: 'Thank you for your message.',
  general_question: 'Thank you for your question. This should help:',
} as const satisfies Record<Intent, string>;

/** The paragraph after an answer. */
export const offer =
  'If this does not answer your question, just reply to this message and a colleague will help you.';

/** The reply to spam, which gives away nothing. */
export const spamReply =
  'We have received your message. As it does not seem to be about an order or a service of ours, we will not follow it up. If you are a customer and need help, please tell us what it is about.';

/** The reply where no tool has anything to answer with. */
export const noAnswerReply = 'Thank you for your message. A colleague will look into it and get back to you.';

/** The sentence of every handover to a person. */
const handover = 'A colleague will take over, read your message and get back to you as soon as possible.';

/** Replies to concerns. They promise nothing that a person has not decided. */
export const concernReplies = {
  self_harm:
    'Thank you for telling us this. It sounds as if you are going through something very hard, and you do not have to face it alone. If you might be in danger, please call your local emergency number now. You can also talk to somebody at any hour: call or text 988 in the USA and Canada, call 116 123 in the United Kingdom and Ireland, or find a line in your country at findahelpline.com. A colleague has been asked to read your message right away and will get back to you.',
  injury:
    'We are very sorry to hear this, and we hope that you and everybody with you are safe. If somebody is hurt, please get medical help first; in an emergency call your local emergency number. Please stop using the product, keep it with its packaging, and do not send it back yet. A colleague who is responsible for safety will contact you as soon as possible.',
  fraud:
    'Thank you for telling us; we take this very seriously. If money may have been taken without your consent, please ask your bank to block the card or payment, and change the password of your account. Please do not send us passwords or full card numbers. A colleague will check your case with priority and get back to you.',
  legal_action:
    'Thank you for your message. We take it seriously and have passed it on to the colleagues who are responsible for such matters. One of them will read it in full and get back to you.',
  data_protection:
    'Thank you for your request about your personal data. We have passed it on to the colleagues who are responsible for data protection. They will answer it within the time that the law sets, and may first ask you to confirm who you are.',
} as const satisfies Record<Concern, string>;

/** Replies to messages that are escalated for other reasons. */
export const humanReply = `Thank you for your message. Of course you can speak with a person. ${handover}`;
export const orderNumberReply = `Thank you for asking about your order. ${handover} It will be quicker if you reply with your order number, which you find in the confirmation that we sent you by email.`;
export const unsureReply = `Thank you for your message. We want to be sure to answer it properly. ${handover} If you like, reply with a few more words about what you need.`;

/** The meaning of an order status, by the value from the tool. */
export const orderStatuses: ReadonlyMap<string, string> = new Map([
  ['processing', 'is being processed'],
  ['packed', 'is packed and about to leave our warehouse'],
  ['shipped', 'has left our warehouse'],
  ['in_transit', 'is on its way to you'],
  ['out_for_delivery', 'is out for delivery'],
  ['delivered', 'has been delivered'],
]);
