import { makeSyntheticTickets } from '../../../src/adapters/evaluation/synthetic-tickets.ts';

/** Without what takes more than a byte in JSON, so that characters and bytes are the same. */
const sentences = makeSyntheticTickets(2, 500)
  .map(({ message }) => message.replace(/[^\x20-\x7e]|["\\]/g, ''))
  .join(' ');

/** As many characters of what customers write, one message after the other; the same ones every time. */
export function ticketText(characters: number): string {
  return repeatToLength(sentences, characters);
}

/** As many characters of a text that is said over and over. */
export function repeatToLength(text: string, characters: number): string {
  return text.repeat(Math.ceil(characters / text.length)).slice(0, characters);
}
