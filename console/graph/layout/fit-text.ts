/** Widths of characters as shares of the font size, for the sans-serif fonts of the console: rather too wide. */
const widths = new Map<string, number>([
  ...[..."ijlt.,:;|!'I "].map((character): [string, number] => [character, 0.34]),
  ...[...'mwMW@%—…'].map((character): [string, number] => [character, 0.95]),
  ...[...'ABCDEFGHJKLNOPQRSTUVXYZ×'].map((character): [string, number] => [character, 0.72]),
]);
const MAX_WIDTH = 1.1;

const widthOf = (character: string): number =>
  widths.get(character) ?? (character > '\u2000' ? MAX_WIDTH : 0.6);

/**
 * A text shortened in its middle, so that it fits into a width in units of the font size. Both ends of an id tell it
 * apart from others.
 */
export function fitText(text: string, width: number): string {
  if (text.length * MAX_WIDTH <= width) return text;
  const characters = [...text.slice(0, 400)];
  const own = characters.map(widthOf);
  const whole = own.reduce((sum, one) => sum + one, 0);
  if (whole <= width && text.length <= 400) return text;
  let room = width - widthOf('…');
  let start = 0;
  let end = 0;
  for (let taken = 0; taken < characters.length; taken++) {
    const isStart = taken % 3 !== 2;
    const one = (isStart ? own[start] : own.at(-1 - end)) ?? 0;
    if (one > room) break;
    room -= one;
    if (isStart) start++;
    else end++;
  }
  return `${characters.slice(0, start).join('')}…${end === 0 ? '' : characters.slice(-end).join('')}`;
}
