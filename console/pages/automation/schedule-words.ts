/** The effect of a fire time while the last run of a schedule still goes on: an end of "while a run goes on, …". */
export const overlaps = [
  ['skip', 'no other is started'],
  ['queue', 'the next one waits'],
  ['allow', 'others start beside it'],
] as const;

/** The fate of times at which no process was there: an end of "missed times …". */
export const catchUps = [
  ['none', 'are left out'],
  ['last', 'the last one is made up for'],
] as const;

/** The words of a value of {@link overlaps} or {@link catchUps}. */
export function wordsOf(
  options: readonly (readonly [value: string, words: string])[],
  value: string,
): string {
  return options.find(([name]) => name === value)?.[1] ?? value;
}
