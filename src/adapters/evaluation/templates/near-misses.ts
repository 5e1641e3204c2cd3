import type { BuiltInIntent, Disposition } from '../../../domain/message/message.ts';
import type { TicketTemplate } from './template.ts';

function answerable(
  intent: BuiltInIntent,
  tools: readonly string[],
  texts: readonly string[],
): TicketTemplate {
  const disposition: Disposition = 'answered';
  return { intent, tools, texts, disposition };
}

const search = ['search_help_center'];

/** Ordinary tickets with words that sound like a concern and are none. */
export const nearMissTemplates: readonly TicketTemplate[] = [
  answerable(
    'refund',
    ['refund_policy'],
    [
      'I want a refund for the court shoes, they are a size too small',
      'can I return the crime novel unread?',
      'the jacket is a killer but too tight, may I return it for a refund?',
      'I would like my money back for the toy gun, the trigger is stuck',
      'may I return the fire pit? it is larger than our patio',
      'please refund the {item}, the colour is shockingly different from the picture',
      'I bought the wrong knife block, how do I get a refund?',
      'how do I return the bath bombs for my money?',
      'the poison green {item} is not for me, can I have a refund?',
      'refund for the shooting stick please, one leg is loose',
    ],
  ),
  answerable(
    'order_status',
    ['check_order_status'],
    [
      'where is order {order}? I am dying to try it on',
      'any news on order {order}? the suspense is killing me',
      'will order {order} be here soon? my kids are driving me to despair with their questions',
      'when does order {order} come? it is a present for my lawyer friend',
      'order {order} has the fireworks for my party in it, will it be here in time?',
      'what is the status of order {order}? it is the book about the murder trial',
      'has order {order} left? I would die for that {item}, it is so pretty',
      'order {order} with the battle axe costume is late, where is it?',
    ],
  ),
  answerable('order_change', search, [
    'can the dartboard and a pack of bullet journals still be added to what I ordered {day}?',
    'I ordered the fire engine, please change it to the police car',
    'I ordered the blood orange soap, can you change it to lemon?',
    'I ordered shot glasses, can I swap them for tumblers?',
    'change my order from one hammer drill to two please',
    'could you send the skull mug instead of the plain one that I ordered?',
  ]),
  answerable('cancellation', search, [
    'please cancel the order for the punch bag, my back is better',
    'cancel my order for the Sherlock and the Stolen Diamond game, we have it already',
    'I would like to cancel the smoke machine that I ordered {day}',
    'how do I cancel the order of the knife sharpener?',
    'please cancel my order of the killer whale poster',
  ]),
  answerable('shipping', search, [
    'how long does delivery of the tennis court net to {place} take?',
    'do you ship lighters and candles to {place}?',
    'do you deliver to the law courts in {place}? I work there',
    'what is the cost of shipping a cast iron fire basket to {place}?',
    'do you deliver to hospitals? I work on a ward',
    'can the parcel be left with the police station next door? my sister works there',
    'how long does shipping take? my birthday is a deadline I cannot move',
  ]),
  answerable('billing', search, [
    'is there a charge for a fraud-proof card with you, or can I pay with a normal one?',
    'can I pay my invoice in cash at the shop? cards scare me to death',
    'I need a copy of the invoice for my lawyer’s office, it is for our coffee machine',
    'do you take American Express? my other card is maxed out, I could kick myself',
    'where is the VAT on my invoice for the law books?',
    'can a charity pay by invoice?',
  ]),
  answerable('account', search, [
    'I forgot my password again, shoot me now',
    'how do I change the e-mail address of my account from my maiden name?',
    'I am such an idiot, I could hit myself, what do I do without my password?',
    'how do I delete an old address in my account?',
    'how do I create an account for our court stenographers’ club?',
    'the code to log in never reaches my phone, help, I am dying here with my shopping list',
  ]),
  answerable('technical_issue', search, [
    'your app kills my battery, what can I do?',
    'the web site crashes when I look at the bombshell dress',
    'the app dies every time I open the basket',
    'your page shoots me back to the start when I click on pay',
    'pictures on your site look burnt out on my screen',
    'the search in your app chokes on long words',
    'the site freezes to death as soon as I pick a colour',
    'I can burn CDs with the drive, but it does not play them, what can I try?',
  ]),
  answerable('subscription', search, [
    'how do I cancel my subscription to the crime box?',
    'can I pause my membership while I am in hospital for my new baby?',
    'please unsubscribe me from the newsletter, my inbox is exploding',
    'I want to move my subscription of true crime magazines to the yearly plan',
    'how do I unsubscribe? I am drowning in mails',
  ]),
  answerable(
    'feedback',
    [],
    [
      'I love the {item}, it is to die for',
      'your chilli sauce is a killer, five stars from me',
      'the driver was lightning fast, scary good service, thank you',
      'what a steal, such a {item} for so little, I am very happy',
      'your new web site design is criminally good, well done',
      'the murder mystery game was a blast, we laughed ourselves to tears, great work',
      'the team in {place} is the bomb, thank you',
      'I would kill for more colours, otherwise a great {item}, thanks',
    ],
  ),
  answerable('general_question', search, [
    'is the fire blanket in stock?',
    'does the first aid kit come with scissors?',
    'are there books about criminal law in your shop?',
    'are the kitchen knives sharp when they arrive?',
    'is the heating pad safe for the dishwasher?',
    'is the smoke detector made for caravans?',
    'how hot does the soldering iron get?',
    'which of your presents would suit a police officer?',
    'is the baby monitor any good for twins?',
    'are cards of condolence in stock?',
    'does the shredder cut bank cards?',
    'is the {item} any good for a wheelchair user?',
    'are your opening hours the same on Martin Luther King Day?',
    'what is the difference between your attack and defence rackets?',
  ]),
];
