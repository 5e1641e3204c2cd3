const MAX_QUOTED = 64;

/** A user's text as a part of a sentence of ours: in quotes, escaped, and at most 64 characters of it. */
export function quote(text: string): string {
  if (text.length <= MAX_QUOTED) return JSON.stringify(text);
  return JSON.stringify(`${text.slice(0, MAX_QUOTED - 1)}…`);
}
