import type { JsonObject } from '../../../../lib/json/json.ts';
import { normalize } from './facts.ts';
import { findKnown } from './known.ts';
import { isReadable } from './languages.ts';
import { hasMarkup, linkForms, linksOf } from './links.ts';
import { readFacts } from './read-facts.ts';
import { hasUnwantedRequest } from './requests.ts';

/** A reply with this many consecutive words of the instructions quotes them. */
const SHARED_WORDS = 8;

/** Removes control characters, direction marks and invisible characters from a reply, except line breaks. */
export function plainReply(reply: string): string {
  return reply
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{C}\n\t\u200c\u200d]/gu, '')
    .trim();
}

/** What a reply is compared with. */
export interface ReplyContext {
  readonly instructions: string;
  readonly outputs: readonly JsonObject[];
  /** Texts of the company, which may be sent as they are: the reply of the rules and articles. */
  readonly texts: readonly string[];
}

/**
 * True when a plain reply can be sent: it has no markup, quotes no instructions, and states no link, number, date,
 * time, code or deed that is not in the tool outputs or the known texts, and asks for nothing that only the company may
 * ask for (see {@link hasUnwantedRequest}). The time grows with the length of the texts.
 */
export function isSafeReply(reply: string, { instructions, outputs, texts }: ReplyContext): boolean {
  if (hasMarkup(reply) || quotesInstructions(reply, instructions)) return false;
  const known = findKnown(outputs, texts);
  const links = new Set(linksOf(known.text).flatMap(linkForms));
  return (
    linksOf(reply).every((link) => links.has(link.replace(/\/$/, '')) || links.has(link)) &&
    isReadable(normalize(reply), known.text) &&
    !hasUnwantedRequest(reply, texts, known.text) &&
    readFacts(withoutLinks(reply), false).every(({ asks }) => asks.some((key) => known.keys.has(key)))
  );
}

/** A reply without its links, which were compared as a whole. */
function withoutLinks(reply: string): string {
  return reply
    .split(/(\s)/)
    .map((word) => (word.includes('@') || word.includes('://') ? ';' : word))
    .join('');
}

/** True when a text has {@link SHARED_WORDS} consecutive words of the instructions. */
function quotesInstructions(text: string, instructions: string): boolean {
  const sequences = wordSequences(instructions);
  for (const sequence of wordSequences(text)) if (sequences.has(sequence)) return true;
  return false;
}

function wordSequences(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const sequences = new Set<string>();
  for (let at = 0; at + SHARED_WORDS <= words.length; at++)
    sequences.add(words.slice(at, at + SHARED_WORDS).join(' '));
  return sequences;
}
