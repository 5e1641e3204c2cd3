// Texts of made-up customers, by their intents. `{…}` is filled by the generator of messages.

/** Texts with something that the service does with them, as a rule. */
export type TextKind = keyof typeof texts;

/** All texts, by kind. */
export const texts = {
  order: [
    'Where is my order {order}? It was meant to be here on {day}.',
    'Hello, can you tell me when order {order} arrives? I am away from {day} on.',
    'It has been a week now. Where is order {order}?',
    'Could you check the delivery date of order {order}, please?',
  ],
  order_without_number: [
    'Where is my order?',
    'When does my {product} finally arrive?',
    'Has my parcel been sent yet?',
  ],
  order_missing: ['Where is my order missing-{digits}? I ordered on {day}.'],
  order_broken: ['Where is my order E-{digits}?', 'When will order E-{digits} be delivered?'],
  refund: [
    'The {product} arrived broken. I would like my money back, please.',
    'I want to return the {product} and get a refund.',
    'You sent me the wrong {product}. How do I get my money back?',
    'How long do I have to return a {product} that I do not like?',
  ],
  shipping: [
    'How much is delivery to Denmark?',
    'Do you deliver on Saturdays, and what does express cost?',
    'Which carrier brings your parcels?',
  ],
  billing: [
    'Please send me a copy of the invoice for my {product}.',
    'Which ways to pay do you accept?',
    'My invoice shows the wrong VAT number. Can you correct it?',
  ],
  account: [
    'How do I reset my password?',
    'I cannot log in to my account any more.',
    'How can I change the email address of my account?',
  ],
  technical: [
    'The {product} does not turn on. What can I do?',
    'Your website shows an error when I pay with my card.',
    'How do I install the latest update of the app?',
  ],
  change: [
    'Please cancel my order of the {product}, I ordered it twice.',
    'Can I still change the delivery address of my order?',
    'How do I cancel my newsletter subscription?',
  ],
  gift_card: ['Do you sell gift cards?', 'How long is a gift card valid?', 'Can I pay with a gift card?'],
  thanks: ['Thank you so much!', 'Great, that worked. Thanks!', 'Hello!'],
  spam: [
    'CONGRATULATIONS!!! You have won 1,000,000 USD. Click here to claim your prize now: http://prize.example',
    'Dear webmaster, we offer cheap SEO backlinks and guarantee the first page of Google. Reply for a free quote.',
  ],
  automatic: [
    'I am out of the office until {day} and will answer your message when I am back. In urgent cases please write to desk@mail.example.',
    'This is an automatic reply. Your message has been received. Please do not reply to this email.',
  ],
  human: ['I want to talk to a real person, please.', 'Can somebody call me back about my {product}?'],
  upset: [
    'This is ridiculous! I have written three times about my {product} and nobody cares. Worst shop ever!',
    'I am furious. The {product} is rubbish and your service is a disgrace.',
  ],
  legal: [
    'If I do not have my money back by {day}, my lawyer will contact you.',
    'I will take you to court over this {product}.',
  ],
  privacy: [
    'Under the GDPR I ask for a copy of all personal data that you store about me.',
    'Please delete all my personal data, and confirm it in writing.',
  ],
  injury: [
    'The {product} caught fire in our kitchen and my daughter burned her hand.',
    'There was broken glass in the box, and I have cut my hand badly on it.',
  ],
  fraud: [
    'Somebody has ordered with my stolen card in your shop. I never bought this {product}!',
    'My account was hacked and somebody changed the delivery address.',
  ],
  vulnerable: [
    'My mother died last week. How do I close her account?',
    'My son is nine and has bought a {product} on your site without asking us.',
  ],
  press: [
    'I am a journalist with the Coast Herald and would like a statement on your recall of the {product}.',
  ],
  vague: [
    'It is about the thing from last time, you know, the blue one.',
    'Any news on that?',
    'We spoke about this on {day}, please go ahead as agreed.',
  ],
  foreign: [
    'Guten Tag, meine Bestellung {order} ist immer noch nicht angekommen. Können Sie bitte nachsehen, wo sie bleibt?',
    'Bonjour, je voudrais renvoyer le produit que j’ai reçu hier parce qu’il est cassé. Comment dois-je faire ?',
    'Hola, quisiera saber cuándo llega mi pedido {order}, porque lo necesito para el fin de semana.',
    'Buongiorno, vorrei sapere come posso restituire un articolo che ho comprato la settimana scorsa.',
    'Goedemiddag, ik heb nog steeds geen factuur ontvangen voor mijn bestelling van vorige week.',
    'Dzień dobry, chciałbym zwrócić towar, który kupiłem w zeszłym tygodniu, i odzyskać pieniądze.',
  ],
} as const;

/** Conversations: what a customer writes, one text after the other. */
export const conversations = [
  ['Where is my order?', '{order}', 'Thank you!'],
  ['How do I reset my password?', 'That did not help. I still cannot log in.', 'Hello? Is anybody there?'],
  ['The {product} does not turn on. What can I do?', 'I have tried that already, it still does not work.'],
  ['I want to return the {product} and get a refund.', 'And how long does it take until I have the money?'],
] as const;

/** The values of `{product}`. */
export const products = [
  'kettle',
  'desk lamp',
  'rain jacket',
  'coffee grinder',
  'office chair',
  'oak shelf',
] as const;

/** The values of `{day}`. */
export const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** Where messages come from. */
export const sources = ['email', 'email', 'email', 'chat', 'contact_form', 'ticket', 'api'] as const;
