import type { BuiltInTexts } from './built-in.ts';

/** The built-in texts in English. They promise nothing but that the message is marked for a person. */
export const en: BuiltInTexts = {
  texts: {
    greeting: 'Hello,',
    closing: 'Kind regards,',
    offer: 'If this does not answer your question, please reply and tell us what is missing.',
    thanks: 'You are welcome. Thank you for letting us know.',
    welcome: 'Thank you for your message. Please tell us what we can do for you.',
    masked:
      'Please do not send us card numbers, security codes or passwords. We have hidden the ones in your message.',
    handover:
      'Thank you for your message. We want it to be answered properly, so it is marked for a person of our team to read.',
    unresolved:
      'Thank you for writing again, and we are sorry that our last answer did not help. Your message is marked for a person of our team to read.',
    upset:
      'Thank you for telling us, and we are sorry about what happened. Your message is marked for a person of our team to read.',
    language:
      'Thank you for your message. We cannot answer automatically in your language, so it is marked for a person of our team to read.',
    human:
      'Thank you for your message. You would like to speak with a person: your message is marked for a member of our team to read.',
    not_found:
      'Thank you for your message. We cannot find what it names. Please check it and write to us again.',
  },
  concerns: {
    self_harm:
      'Thank you for telling us this. It sounds as if you are going through something very hard, and you do not have to face it alone. If you might be in danger, please call your local emergency number now. You can also talk to somebody at any hour: call or text 988 in the USA and Canada, call 116 123 in the United Kingdom and Ireland, or find a line in your country at findahelpline.com. Your message is marked for a person of our team to read first.',
    injury:
      'We are very sorry to read this, and we hope that everybody is safe. If somebody is hurt or unwell, please get medical help first; in an emergency, call your local emergency number. Please stop using the product, and keep it with its packaging. Your message is marked as urgent for a person of our team to read.',
    threat:
      'We have received your message, and it is marked for a person of our team to read. If anybody is in danger, please call your local emergency number.',
    fraud:
      'Thank you for telling us; we take this seriously. If money may have been taken without your consent, please ask your bank to block the card or the payment, and change the password of your account. Please do not send us passwords or full card numbers, and do not follow links in messages that you doubt. Your message is marked as urgent for a person of our team to read.',
    legal:
      'Thank you for your message. We take it seriously. It is marked for the people in our team who are responsible for such matters, and we do not answer it automatically.',
    privacy:
      'Thank you for your message about personal data. It is marked for the people in our team who are responsible for data protection, and we do not answer it automatically. They may first have to make sure who you are.',
    discrimination:
      'Thank you for telling us about this, and we are sorry that it happened. Nobody should be treated that way. Your message is marked for a person of our team to read in full.',
    vulnerable:
      'Thank you for writing to us about this. We do not want to answer it with a text from a machine. Your message is marked for a person of our team to read with care. If anybody is in danger, please call your local emergency number.',
    press: 'Thank you for your message. It is marked for the people in our team who answer such enquiries.',
  },
};
