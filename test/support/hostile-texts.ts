/** The maximum length of a message in characters. */
export const LONGEST_MESSAGE = 32_768;

/** Pieces of texts that could be slow to process when they are repeated. */
export const hostilePieces: readonly string[] = [
  ' ',
  'a',
  'refund ',
  'order. ',
  'order # ',
  'order number ',
  'where is my order, it and ',
  'i do not want it, ',
  'xqzvkj ',
  'helpme ',
  'refuuund ',
  'a-1 ',
  'a.',
  "n't",
  '?!',
  '$1,',
  '#',
  '\n',
  '\u0000',
  '\ud800',
  '\u0301',
  '\u200b',
  '😀',
  'ﷺ',
];

/** A piece repeated until it is `length` characters long. */
export function repeated(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}
