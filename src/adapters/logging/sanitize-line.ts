/** Shorter secrets are not masked: they would match ordinary text in every line. */
const MIN_SECRET_LENGTH = 6;

const MASK = '[secret]';

/** Characters that JSON does not escape, but that terminals interpret or some readers treat as the end of a line. */
const unsafe = /[\u007f-\u009f\u2028\u2029]/;
const everyUnsafe = /[\u007f-\u009f\u2028\u2029]/g;

/**
 * Creates the last step for a line of JSON: masks `secrets` in its texts and names, and escapes control characters. The
 * line is parsed only if it contains a secret.
 */
export function createLineSanitizer(secrets: readonly string[]): (line: string) => string {
  // The longest first, so that a secret that starts with another one is masked completely.
  const known = secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .sort((one, other) => other.length - one.length);
  const inJson = known.map((secret) => JSON.stringify(secret).slice(1, -1));
  const mask = (text: string): string =>
    known.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
  return (line) => {
    const masked = inJson.some((secret) => line.includes(secret)) ? maskLine(line, mask) : line;
    return unsafe.test(masked) ? masked.replace(everyUnsafe, escapeCharacter) : masked;
  };
}

/** Masks only within texts, so that the line stays JSON whatever characters a secret contains. */
function maskLine(line: string, mask: (text: string) => string): string {
  return `${JSON.stringify(JSON.parse(line, (_key, value: unknown) => maskValue(value, mask)))}\n`;
}

function maskValue(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [mask(key), member]));
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
