import type { TicketTemplate } from './template.ts';

/** Messages with two wishes, in any order: both tools are needed, whether they are then answered or escalated. */
export const twoWishTemplates: readonly TicketTemplate[] = [
  {
    tools: ['refund_policy', 'search_help_center'],
    texts: [
      'I would like a refund for the {item}. And do you deliver to {place}?',
      'Please refund the {item}. Besides that I cannot log in to my account, what can I do?',
      'Can I get my money back for the {item}, and how do I unsubscribe from the newsletter?',
      'Two things: how do refunds work for a {item}, and what are your opening hours?',
      'I want to return the {item} for my money, and I need a copy of the invoice.',
    ],
  },
  {
    tools: ['check_order_status', 'search_help_center'],
    texts: [
      'Where is order {order}? Also, how do I change my password?',
      'What is the status of order {order}, and which ways of paying do you take?',
      'Has order {order} gone out? My second question: how much is shipping to {place}?',
      'Has order {order} been sent? And please take me off your mailing list.',
    ],
  },
  {
    tools: ['check_order_status', 'refund_policy'],
    texts: [
      'Where is order {order}? And how do I get a refund for the {item} that came before?',
      'Please check order {order}. Apart from that I would like my {amount} back for the {item}.',
      'How far has order {order} come, and may I return my {item} for a refund?',
    ],
  },
  {
    tools: ['search_help_center', 'refund_policy'],
    texts: [
      'Please cancel the order from {day}. And I want a refund for the {item} of last month.',
      'Cancel my order please, and tell me how to return the {item} for my money.',
    ],
  },
];

/** Thanks and greetings, which get a short reply or none, but never a person. */
export const smallTalkTemplates: readonly TicketTemplate[] = [
  {
    intent: 'feedback',
    tools: [],
    disposition: 'answered',
    texts: [
      'ok thanks',
      'thanks, that did it',
      'Thank you {person}, all sorted now',
      'cheers, got it',
      'perfect, many thanks!',
      'great, it works now, thank you ever so much',
      'thx',
      'that is all I needed, thank you',
      'lovely, thanks for the quick reply, {person}',
      'alright, thank you and have a nice weekend',
      'Thanks, you are a star!',
      'ta very much',
      'it came {day}, thanks for your help',
      'brilliant, that answers it. Thank you, {person}!',
      'thank you, the {item} is sorted',
      'ok, thanks for letting me know, I will wait then',
    ],
  },
  {
    intent: 'general_question',
    tools: [],
    disposition: 'answered',
    texts: [
      'hi',
      'Hello!',
      'good morning',
      'hello, is this the chat?',
      'hey there :)',
      'Good evening {person}',
      'hi, how are you today?',
      'hello??',
      'Dear shop people,',
      'good afternoon to you all',
    ],
  },
];

/** Follow-ups that say that the last answer did not help. */
export const unresolvedTemplates: readonly TicketTemplate[] = [
  {
    intent: 'technical_issue',
    disposition: 'escalated',
    texts: [
      'I did all that you wrote and the app still does not load',
      'no, clearing the cache made no difference at all, the page is as broken as before',
      'I have tried your tip three times, the error is still there',
      'same error again, that did not fix it',
    ],
  },
  {
    intent: 'account',
    disposition: 'escalated',
    texts: [
      'your link for a new password did not help, I am still outside',
      'as I said {day}, I have already reset the password and I am still locked out',
      'this is the second time that you send me the same text, it does not solve my login',
    ],
  },
  {
    intent: 'refund',
    disposition: 'escalated',
    texts: [
      'you have sent me your refund rules again, I know them, they do not answer my question about the {item}',
      'that is not what I asked. I asked when the {amount} for the {item} will be on my card',
      'I have followed your steps for the return of the {item} and still have no money',
      'your last reply about my refund was of no use to me',
    ],
  },
  {
    intent: 'order_status',
    disposition: 'escalated',
    texts: [
      'you told me {day} that order {order} would be here by now, it still is not',
      'your answer did not help: order {order} has said the same for a week',
      'third mail about order {order}, and I am no wiser than before',
    ],
  },
  {
    intent: 'billing',
    disposition: 'escalated',
    texts: [
      'I wrote to you about this double charge before and nothing has changed',
      'no, the invoice is still wrong, please read what I wrote',
      'you said that the {amount} was corrected, but my bill still shows it',
    ],
  },
];

/** Customers who ask for a person beside something else, or without the usual words. */
export const humanTemplates: readonly TicketTemplate[] = [
  {
    intent: 'human_agent',
    tools: [],
    disposition: 'escalated',
    texts: [
      'no more canned text please, put somebody on who can think',
      'I would like to have a call from {person}, she knows what it is about',
      'human please',
      'operator',
      'can I get a phone call from somebody in your team?',
      'I do not talk to robots, fetch somebody',
      'could one of your colleagues look at this in person?',
      'is there a number where a living soul picks up?',
      'let one of your staff take over here',
      'let me speak to the supervisor',
      'this needs a person, not a program',
      'who is the person I can ring about this?',
    ],
  },
];
