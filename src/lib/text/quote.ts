const MAX_QUOTED = 64;

/** Quotes and escapes at most 64 characters of a user's text for a message. */
export function quote(text: string): string {
  if (text.length <= MAX_QUOTED) return JSON.stringify(text);
  return JSON.stringify(`${text.slice(0, MAX_QUOTED - 1)}…`);
}
