import { type Classification, type CustomerMessage, type Decided, intents } from '../../domain/message.ts';
import { type Classified, classifyClauses } from './rules/classify.ts';
import type { Clause } from './rules/clause.ts';
import { createCueIndex } from './rules/cue-index.ts';
import { cues } from './rules/cues.ts';
import { actions } from './rules/lexicon/actions.ts';
import { inquiries } from './rules/lexicon/inquiries.ts';
import { manners } from './rules/lexicon/manners.ts';
import { things } from './rules/lexicon/things.ts';
import { turns } from './rules/lexicon/turns.ts';
import { ordinaryWords } from './rules/ordinary-words.ts';
import { createReader } from './rules/reader.ts';
import { weights } from './rules/tables.ts';

/** What a customer can turn down; other things stay what the message is about (`I don't want this newsletter`). */
const refusable = new Set([
  'refund',
  'giveBack',
  'swap',
  'cancel',
  'person',
  'helpdesk',
  'complaint',
  'feedback',
  'buy',
  'change',
]);

const read = createReader({
  lexicon: { ...things, ...inquiries, ...actions, ...manners, ...turns },
  silent: new Set(Object.keys(turns)),
  ordinaryWords,
  things: new Set(Object.keys(things)),
  commands: new Set(Object.keys(actions)),
  refusable,
});
const findCues = createCueIndex(intents, cues);

/**
 * Classifies a message by its words: clauses are read as concepts, typing errors and inflections allowed for, and
 * weighed by the cue table. The same message always gives the same answer; time grows with its length.
 */
export function classifyText(message: string): Classified {
  return classifyClauses(read(message), findCues);
}

/** What was read of messages that are still on their way through the pipeline. */
const readings = new WeakMap<CustomerMessage, readonly Clause[]>();

function readOnce(message: CustomerMessage): readonly Clause[] {
  let reading = readings.get(message);
  if (reading === undefined) {
    reading = read(message.message);
    readings.set(message, reading);
  }
  return reading;
}

/** True when some clause of a message asks for a person, whatever else the message is about. */
export function asksForHuman(message: CustomerMessage): boolean {
  return readOnce(message).some(
    (clause) => findCues(clause.concepts).get('human_agent')?.weight === weights.decisive,
  );
}

/** The classifier's stage: its account names the cues and the next likely intents. */
export function decideIntent(message: CustomerMessage): Decided<Classification> {
  const { intent, confidence, cues: found, alternatives } = classifyClauses(readOnce(message), findCues);
  const rounded = round(confidence);
  return {
    value: { intent, confidence: rounded },
    source: 'deterministic',
    summary: `The message is read as ${intent} with confidence ${rounded.toFixed(2)}.`,
    data: {
      intent,
      confidence: rounded,
      cues: found,
      alternatives: alternatives.map((one) => ({ intent: one.intent, confidence: round(one.confidence) })),
    },
  };
}

function round(confidence: number): number {
  return Math.round(confidence * 10_000) / 10_000;
}
