import type { ToolOutcome } from '../../../domain/message/message.ts';

/** Words in a row that a reply may share with the instructions by chance, and no more. */
const SHARED_WORDS = 8;

/** A reply as plain text: without control characters, direction marks and invisible signs, line breaks kept. */
export function plainReply(reply: string): string {
  return reply
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{C}\n\t\u200c\u200d]/gu, '')
    .trim();
}

/**
 * True when a plain reply can be sent: it holds no markup, no link or address that no tool output holds, and no
 * piece of the instructions. Time grows with the length of the texts.
 */
export function isSafeReply(reply: string, instructions: string, answers: readonly ToolOutcome[]): boolean {
  const known = JSON.stringify(answers.map(({ output }) => output)).toLowerCase();
  return (
    !holdsMarkup(reply) &&
    linksOf(reply).every((link) => known.includes(link)) &&
    !quotes(reply, instructions)
  );
}

/** Tags, comments, and the bracket pairs by which Markdown makes links and images. */
function holdsMarkup(reply: string): boolean {
  return /<[a-z/!?]/i.test(reply) || reply.includes('](') || reply.includes('][');
}

/** Whatever a mail program or a chat would make a link of, in lower case. */
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

/** Letters of the scripts that part words and sentences by spaces: elsewhere a dot between letters is a full stop. */
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

/** True when a text holds {@link SHARED_WORDS} words of the instructions in a row. */
function quotes(text: string, instructions: string): boolean {
  const runs = runsOf(instructions);
  for (const run of runsOf(text)) if (runs.has(run)) return true;
  return false;
}

function runsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const runs = new Set<string>();
  for (let at = 0; at + SHARED_WORDS <= words.length; at++)
    runs.add(words.slice(at, at + SHARED_WORDS).join(' '));
  return runs;
}
