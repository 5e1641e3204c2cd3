import type { Trace } from './trace.ts';

/** A name of the service such as `low_confidence`, for reading. */
export const inWords = (name: string): string => name.replaceAll('_', ' ');

/** The sources of decisions, in words. */
export const sourceWords: Readonly<Record<Trace['agent_decisions'][number]['source'], string>> = {
  deterministic: 'rules and the trained model',
  llm: 'the language model',
  fallback: 'rules, because the language model failed',
};

/** The distance of a confidence to the threshold, in points: `26.9 points above`. */
export function marginInWords(confidence: number, threshold: number): string {
  const points = (confidence - threshold) * 100;
  if (points === 0) return 'just reached';
  const distance = Math.abs(points);
  return `${distance.toFixed(distance < 0.1 ? 2 : 1)} points ${points < 0 ? 'below' : 'above'}`;
}

/** A language by its ISO 639-1 code, with its name; `und` is what could not be recognized. */
export function languageInWords(code: string): string {
  if (code === 'und') return 'not recognized';
  try {
    return `${new Intl.DisplayNames('en', { type: 'language' }).of(code) ?? code} (${code})`;
  } catch {
    return code;
  }
}

/** The entities that the planner found in the text, such as an order number, with their names. */
export function entitiesOf({
  agent_decisions,
}: Pick<Trace, 'agent_decisions'>): readonly (readonly [string, string])[] {
  const found = agent_decisions.find(({ agent }) => agent === 'planner')?.data['entities'];
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return [];
  return Object.entries(found).map(([name, value]) => [
    inWords(name),
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
}

/** The influence of the conversation, as the stages say it, each sentence once. */
export function conversationNotes({ agent_decisions }: Pick<Trace, 'agent_decisions'>): readonly string[] {
  const notes = agent_decisions.map(({ data }) => data['conversation']);
  return [...new Set(notes.filter((note) => typeof note === 'string'))];
}
