import { type Concern, concernCues, concernLexicon, concerns } from './rules/concern-cues.ts';
import { createCueIndex } from './rules/cue-index.ts';
import { ordinaryWords } from './rules/ordinary-words.ts';
import { createReader } from './rules/reader.ts';

export { type Concern, concerns };

const nothing: ReadonlySet<string> = new Set();
const read = createReader({
  lexicon: concernLexicon,
  silent: new Set(['harm', 'body', 'money', 'notMine', 'dataDeed', 'myData']),
  ordinaryWords,
  things: nothing,
  commands: nothing,
  refusable: nothing,
});
const findCues = createCueIndex(concerns, concernCues);

/**
 * The concerns that a message raises, the gravest first. Refusing counts too (`I do not want to sue you, but …`): a
 * person shall see it. Time grows with the length of the message.
 */
export function findConcerns(message: string): readonly Concern[] {
  const raised = new Set<Concern>();
  for (const clause of read(message)) {
    for (const concern of findCues(clause.concepts).keys()) raised.add(concern);
  }
  return concerns.filter((concern) => raised.has(concern));
}
