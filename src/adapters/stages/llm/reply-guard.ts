import type { ToolOutcome } from '../../../domain/message/message.ts';

/** A reply with this many consecutive words of the instructions quotes them. */
const SHARED_WORDS = 8;

/** Removes control characters, direction marks and invisible characters from a reply, except line breaks. */
export function plainReply(reply: string): string {
  return reply
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{C}\n\t\u200c\u200d]/gu, '')
    .trim();
}

/**
 * True when a plain reply can be sent: it has no markup, no link or address that is not in a tool output, and no
 * quotation of the instructions. The time grows with the length of the texts.
 */
export function isSafeReply(reply: string, instructions: string, answers: readonly ToolOutcome[]): boolean {
  const known = JSON.stringify(answers.map(({ output }) => output)).toLowerCase();
  return (
    !hasMarkup(reply) &&
    linksOf(reply).every((link) => known.includes(link)) &&
    !quotesInstructions(reply, instructions)
  );
}

/** Tags, comments, and the bracket pairs by which Markdown makes links and images. */
function hasMarkup(reply: string): boolean {
  return /<[a-z/!?]/i.test(reply) || reply.includes('](') || reply.includes('][');
}

/** Everything that a mail or chat program would turn into a link, in lower case. */
function linksOf(reply: string): readonly string[] {
  const words = reply
    .normalize('NFKC')
    .replaceAll('\u3002', '.')
    .toLowerCase()
    .split(/[\s<>()[\]{}"'`´‘’“”«»,;|*_]+/u);
  return words
    .map(withoutTrailingMarks)
    .filter((word) => word.includes('://') || hasScheme(word) || hasDomain(word));
}

function withoutTrailingMarks(word: string): string {
  let end = word.length;
  while (end > 0 && '.:!?…'.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}

function hasScheme(word: string): boolean {
  return ['mailto:', 'tel:', 'sms:', 'javascript:', 'data:'].some((scheme) => word.includes(scheme));
}

/** Two letters of scripts with blanks between sentences: in other scripts a dot between letters ends a sentence. */
const spacedLetters = /^[\p{L}--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]]{2}$/v;

/** A dot after a letter or digit and before two letters: `shop.example`, not `e.g.` nor `3.50`. */
function hasDomain(word: string): boolean {
  for (let dot = word.indexOf('.'); dot !== -1; dot = word.indexOf('.', dot + 1)) {
    if (
      dot > 0 &&
      /^[\p{L}\p{N}-]$/u.test(word.charAt(dot - 1)) &&
      spacedLetters.test(word.slice(dot + 1, dot + 3))
    ) {
      return true;
    }
  }
  return false;
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
