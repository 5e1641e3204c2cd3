/** The first line of every reply. */
export const greeting = 'Hello,';

/** The line before the signature. */
export const closing = 'Kind regards,';

/** The paragraph after an answer. */
export const offer = 'If this does not answer your question, please reply and tell us what is missing.';

/** The replies to messages that are neither a wish nor a concern. */
export const thanksReply = 'You are welcome. Thank you for letting us know.';
export const greetingReply = 'Thank you for your message. Please tell us what we can do for you.';

/** What an answer adds where the message had numbers or passwords in it that were masked. */
export const maskedNotice =
  'Please do not send us card numbers, security codes or passwords. We have hidden the ones in your message.';

/** Replies to messages that are handed over without a concern. They promise nothing but what has happened. */
export const handoverReply =
  'Thank you for your message. We want it to be answered properly, so it is marked for a person of our team to read.';
export const unresolvedReply =
  'Thank you for writing again, and we are sorry that our last answer did not help. Your message is marked for a person of our team to read.';
export const upsetReply =
  'Thank you for telling us, and we are sorry about what happened. Your message is marked for a person of our team to read.';
export const languageReply =
  'Thank you for your message. We cannot answer automatically in your language, so it is marked for a person of our team to read.';
