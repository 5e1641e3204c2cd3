import { makeSyntheticTickets } from '../../../src/adapters/evaluation/synthetic-tickets.ts';

/** Without characters that take more than one byte in JSON. */
const sentences = makeSyntheticTickets(2, 500)
  .map(({ message }) => message.replace(/[^\x20-\x7e]|["\\]/g, ''))
  .join(' ');

/** Text of customer messages with the given length, the same in every run. */
export function ticketText(characters: number): string {
  return repeatToLength(sentences, characters);
}

/** Repeats a text up to the given length. */
export function repeatToLength(text: string, characters: number): string {
  return text.repeat(Math.ceil(characters / text.length)).slice(0, characters);
}
