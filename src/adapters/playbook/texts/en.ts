import type { BuiltInTexts } from './built-in.ts';

/** The built-in texts in English. */
export const en: BuiltInTexts = {
  texts: {
    greeting: 'Hello,',
    closing: 'Kind regards,',
    offer: 'If this does not answer your question, please reply and tell us what is missing.',
    thanks: 'You are welcome. Thank you for letting us know.',
    welcome: 'Thank you for your message. Please tell us what we can do for you.',
    masked:
      'Please do not send us card numbers, security codes or passwords. We have hidden the ones in your message.',
    not_found:
      'Thank you for your message. We cannot find what it names. Please check it and write to us again.',
  },
  handovers: {
    handover: 'Thank you for your message. We cannot answer it automatically.',
    unresolved: 'Thank you for writing again, and we are sorry that our last answer did not help.',
    upset: 'Thank you for telling us, and we are sorry about what happened.',
    language: 'Thank you for your message. We cannot answer automatically in your language.',
    human: 'Thank you for your message. You would like to speak with a person.',
    failure: 'Thank you for your message. We could not process it automatically.',
  },
  concerns: {
    self_harm:
      'Thank you for telling us this. It sounds as if you are going through something very hard, and you do not have to face it alone. If you might be in danger, please call your local emergency number now. You can also talk to somebody at any hour: call or text 988 in the USA and Canada, call 116 123 in the United Kingdom and Ireland, or find a line in your country at findahelpline.com.',
    injury:
      'We are very sorry to read this, and we hope that everybody is safe. If somebody is hurt or unwell, please get medical help first; in an emergency, call your local emergency number. Please stay away from what may have caused it.',
    threat:
      'We have received your message. If anybody is in danger, please call your local emergency number.',
    fraud:
      'Thank you for telling us; we take this seriously. If money may have been taken without your consent, please ask your bank to block the card or the payment, and change the password of your account. Please do not send us passwords or full card numbers, and do not follow links in messages that you doubt.',
    legal: 'Thank you for your message. We take it seriously. We do not answer it automatically.',
    privacy:
      'Thank you for your message about personal data. We do not answer it automatically. It may be necessary to make sure first who you are.',
    discrimination:
      'Thank you for telling us about this, and we are sorry that it happened. Nobody should be treated that way.',
    vulnerable:
      'Thank you for writing to us about this. We do not want to answer it with a text from a machine. If anybody is in danger, please call your local emergency number.',
    press: 'Thank you for your message. We do not answer such enquiries automatically.',
  },
  promises: {
    answer: 'A colleague will read your message and answer it.',
    urgent: 'Your message is marked as urgent: a colleague will read it and answer you.',
    responsible: 'A colleague who is responsible for such matters will read your message and answer it.',
    person: 'A person will read your message and answer you.',
  },
  instead: {
    contact: 'Please contact us directly: {contact}',
    elsewhere: 'Please contact us in another way.',
    crisis:
      'This reply comes from a machine, and nobody may read your message soon. Please do not wait for us: talk to somebody now.',
  },
};
