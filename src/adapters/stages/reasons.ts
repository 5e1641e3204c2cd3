import type { Concern } from '../../domain/message/message.ts';
import type { AutomaticKind } from '../../domain/message/prepared.ts';
import type { PersonReason } from './assessment.ts';

/** The reasons for and against an escalation: the stable name of each, and its explanation. */
export const reasons = {
  self_harm: 'the message speaks of self-harm',
  injury: 'the message speaks of an injury or a danger',
  threat: 'the message is or reports a threat',
  fraud: 'the message speaks of fraud',
  legal: 'the message speaks of legal action',
  privacy: 'the message is about the protection of personal data',
  discrimination: 'the message speaks of discrimination or harassment',
  vulnerable: 'the message comes from or is about somebody in need of care',
  press: 'the message comes from the press, an authority or a possible partner',
  language: 'there are no replies in the language of the message',
  human_requested: 'the customer asks for a person',
  not_resolved: 'an earlier answer did not help',
  upset_customer: 'the customer is upset',
  off_topic: 'the message is about nothing that the playbook answers',
  needs_person: 'the message reads like one that a person has to see',
  low_confidence: 'it is not sure enough what the customer wants',
  nothing_to_answer_with: 'no tool or article brought an answer to everything that the customer wants',
  reply_missing:
    'the language model wrote no reply that may be sent, and the rules have none from the same sources',
  left_open: 'the language model could not answer everything from what the tools and articles brought',
  reply_does_not_fit: 'the check of the finished reply found that it does not fit the message',
  person_holds: 'a person holds the conversation',
  repeated_wish: 'the customer repeats a wish that came up before',
  third_turn: 'two turns before brought no answer, and this one would bring none either',
  draft_requested: 'the caller wants a person to see the reply before it is sent',
  draft_mode: 'the playbook lets no reply be sent before a person has seen it',
  no_auto_reply: 'the playbook lets messages with this intent be answered by a person only',
  auto_reply: 'the message is an automatic reply',
  bounce: 'the message reports a mail that did not arrive',
  empty: 'the message has no text',
  spam: 'the message is spam',
  small_talk: 'the message is thanks or a greeting',
  question_asked: 'the answer needs something that the message does not name, which the reply asks for',
  not_found: 'the tool found nothing, which the reply says',
  answerable: 'there is something to answer with and nothing speaks against it',
} as const satisfies Record<Concern | AutomaticKind | PersonReason, string> & Record<string, string>;

/** One of {@link reasons}. */
export type Reason = keyof typeof reasons;
