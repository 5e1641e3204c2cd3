import { z } from 'zod';

const END_OF_REASONING = '</think>';

const FENCE = '```';

/**
 * The part of a reply that should be JSON: without the reasoning before it, which some models write into their reply
 * (`<think>…</think>`, of which templates may leave out the beginning), and without a Markdown fence around it.
 */
export function answerOf(text: string): string {
  return withoutFence(withoutReasoning(text.trim()));
}

function withoutReasoning(text: string): string {
  // In an object that is the beginning of the reply, the mark is a part of a value.
  if (text.startsWith('{') || text.startsWith(FENCE)) return text;
  const end = text.indexOf(END_OF_REASONING);
  return end === -1 ? text : text.slice(end + END_OF_REASONING.length).trim();
}

function withoutFence(text: string): string {
  if (!text.startsWith(FENCE)) return text;
  const content = text.endsWith(FENCE) ? text.slice(FENCE.length, -FENCE.length) : text.slice(FENCE.length);
  return content.replace(/^json\b/i, '').trim();
}

/** The value of a JSON text; undefined where it is none, or where a member of it would be a prototype. */
export function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text, refusePrototype);
  } catch {
    return undefined;
  }
}

function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('a member is called __proto__');
  return value;
}

const textPart = z.object({ type: z.literal('text'), text: z.string() });

/** The text of a message, where the provider sends it in parts; those with reasoning are left out. */
const content = z.unknown().transform((value) => {
  if (!Array.isArray(value)) return value;
  return value.map((part) => textPart.safeParse(part).data?.text ?? '').join('');
});

const completion = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content }) })),
});

/** The body of a completion, with a text in place of a list of parts, which the SDK does not read. */
export function withJoinedParts(body: string): string {
  if (!/"content"\s*:\s*\[/.test(body)) return body;
  const { data } = completion.safeParse(parseAnswer(body));
  return data === undefined ? body : JSON.stringify(data);
}
