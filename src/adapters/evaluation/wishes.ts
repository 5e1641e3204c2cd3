import type { Intent } from '../../domain/message.ts';

/** What customers say who want something, in our own words; `{name}` is filled from {@link fillings}. */
export interface Wish {
  readonly intent: Intent;
  readonly texts: readonly string[];
  /** Tools that ought to be called for it. */
  readonly tools: readonly string[];
  /** Whether a person ought to take it. */
  readonly escalated: boolean;
}

const help = ['search_help_center'];

/** Written without a look at the classifier's rules, so that the score can fall. */
export const wishes: readonly Wish[] = [
  {
    intent: 'refund',
    tools: ['refund_policy'],
    escalated: false,
    texts: [
      'I sent the {item} back ages ago and still have not seen my money',
      'please give me my money back for the {item}',
      'the {item} arrived smashed, I expect to be reimbursed',
      'how do I go about getting reimbursed for a {item} I am not happy with?',
      'I would like to return the {item} and be paid back in full',
      'am I entitled to a refund if the {item} does not fit?',
      'you owe me {amount} for the {item} I returned',
      'can the {amount} be put back on my card, I never used the {item}',
      'when does the refund for my {item} show up?',
      'returning the {item}, want the cash back not a voucher',
    ],
  },
  {
    intent: 'order_status',
    tools: ['check_order_status'],
    escalated: false,
    texts: [
      'any news on order {order}?',
      'could you tell me how far order {order} has come',
      'order {order} was meant to arrive {day}, where has it got to?',
      'what is happening with my order number {order}',
      'I am still waiting for order {order}, has it left the warehouse yet?',
      'track order {order} for me please',
      'has order {order} been sent out?',
      'no sign of order {order} so far, can you look it up',
    ],
  },
  {
    intent: 'order_status',
    tools: [],
    escalated: true,
    texts: [
      'where on earth is the {item} I ordered {day}?',
      'is my order on its way yet? it has been a week',
    ],
  },
  {
    intent: 'order_change',
    tools: help,
    escalated: false,
    texts: [
      'I picked the wrong colour, can you switch the {item} in my order to the blue one?',
      'please add another {item} to the order I placed {day}',
      'take the {item} out of my order but leave the rest as it is',
      'I need to alter my order before it goes out: two of the {item} instead of one',
      'is it still possible to modify what I ordered {day}?',
      'swap the {item} in my order for the larger size',
      'I ordered one {item} too many, can the quantity be corrected?',
    ],
  },
  {
    intent: 'cancellation',
    tools: help,
    escalated: false,
    texts: [
      'please call off the order for the {item}, I found it elsewhere',
      'I want to cancel what I ordered {day}',
      'stop my order, I no longer need the {item}',
      'is there a charge if I cancel my purchase of the {item}?',
      'cancel the whole order please, it was a mistake',
      'I ordered the {item} by accident, kindly cancel it',
      'how late can I still cancel an order?',
    ],
  },
  {
    intent: 'shipping',
    tools: help,
    escalated: false,
    texts: [
      'do you deliver to {place}?',
      'how much is postage to {place}?',
      'how many days does standard delivery to {place} take?',
      'can I have parcels dropped at a pick-up point instead of my home?',
      'which courier do you ship with?',
      'I have moved, how do I put in my new delivery address?',
      'is there a next-day shipping option for the {item}?',
      'do I pay customs when something is shipped to {place}?',
    ],
  },
  {
    intent: 'billing',
    tools: help,
    escalated: false,
    texts: [
      'there are two charges of {amount} on my statement for the same purchase',
      'I need a copy of the invoice for the {item}',
      'why was my card charged {amount}?',
      'which ways of paying do you take?',
      'my card keeps being declined at checkout',
      'the bill I got does not match what I agreed to pay',
      'could you send the invoice with our VAT number on it?',
      'I was billed {amount} more than the price on the page',
    ],
  },
  {
    intent: 'account',
    tools: help,
    escalated: false,
    texts: [
      'I forgot my password and cannot get into my account',
      'how do I change the e-mail address on my profile?',
      'please close my account for good',
      'I want to open an account with you, how does that work?',
      'my account is locked after too many tries',
      'the link to reset my password never comes',
      'how can I edit my personal details in my profile?',
      'someone signed up with my e-mail, how do I register then?',
    ],
  },
  {
    intent: 'technical_issue',
    tools: help,
    escalated: false,
    texts: [
      'your app crashes every time I open the {item} page',
      'the website shows error 500 when I press the pay button',
      'nothing loads on my phone, just a white screen',
      'the search on your site is broken, it spins for ever',
      'since the last update the app freezes at start',
      'the page keeps throwing an error when I upload a picture',
      'images on the website do not show in my browser',
    ],
  },
  {
    intent: 'complaint',
    tools: help,
    escalated: false,
    texts: [
      'I want to make a complaint about how I was treated',
      'your service has been dreadful and nobody seems to care',
      'this is the worst shopping experience I have ever had',
      'I am very dissatisfied with the quality of your {item}',
      'where do I lodge a formal complaint about your company?',
      'your driver was rude to me and threw the parcel over the fence, unacceptable',
      'I am fed up with your lousy customer care',
    ],
  },
  {
    intent: 'feedback',
    tools: help,
    escalated: false,
    texts: [
      'just wanted to say your team did a great job with my {item}',
      'where can I write a review of the {item}?',
      'I have a suggestion: let people sort by price on your site',
      'I love the {item}, five stars from me',
      'how do I leave feedback about your shop?',
      'it would be nice if you offered gift wrapping, just an idea',
    ],
  },
  {
    intent: 'subscription',
    tools: help,
    escalated: false,
    texts: [
      'how do I unsubscribe from your newsletter?',
      'I would like to sign up for the newsletter',
      'can I pause my monthly subscription over the summer?',
      'end my subscription at the end of this month',
      'how much is the yearly plan compared with the monthly subscription?',
      'please take me off your mailing list',
      'when does my membership renew?',
    ],
  },
  {
    intent: 'human_agent',
    tools: [],
    escalated: true,
    texts: [
      'let me talk to a real person',
      'can somebody from your team phone me back?',
      'put me through to customer support please',
      'I do not want a bot, I want to speak with a human being',
      'is there an employee I can chat with?',
      'get me your manager',
      'how do I reach a live agent?',
    ],
  },
  {
    intent: 'spam',
    tools: [],
    escalated: false,
    texts: [
      'CONGRATULATIONS you are our lucky winner, claim your prize at http://win-big.example now',
      'buy cheap watches and pills online, 90% off, visit www.best-deals.example',
      'earn $5000 a week from home, click this link http://money.example',
      'we can bring your website to the top of google, guaranteed backlinks, reply for our price list',
      'double your bitcoin in 24 hours, limited offer, invest today at http://coin.example',
    ],
  },
  {
    intent: 'general_question',
    tools: help,
    escalated: false,
    texts: [
      'what are your opening hours?',
      'do you have a shop in {place}?',
      'is the {item} made of steel or plastic?',
      'do you sell gift cards?',
      'who makes the {item} that you sell?',
      'are you hiring at the moment?',
      'will the {item} be back in stock soon?',
    ],
  },
];

/** What the places in the texts are filled with. */
export const fillings: Readonly<Record<string, readonly string[]>> = {
  item: [
    'kettle',
    'rucksack',
    'desk lamp',
    'pair of trainers',
    'coffee grinder',
    'raincoat',
    'headset',
    'armchair',
  ],
  amount: ['£20', '$49.99', '35 euros', '120 dollars'],
  day: ['last Tuesday', 'yesterday', 'on Friday', 'two weeks ago', 'this morning'],
  place: ['Norway', 'New Zealand', 'Toronto', 'Northern Ireland', 'Lisbon'],
  order: ['48213', '#77120', 'B-20931', 'ORD-5518', '900417'],
};
