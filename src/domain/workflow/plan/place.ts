/** The longest key of a place, and the most keys. */
const MAX_KEY = 64;
const MAX_KEYS = 32;

/** The place of a value as text: its keys with dots between them. Long keys, and what lies very deep, are cut. */
export function placeText(path: readonly (string | number)[]): string {
  const keys = path.slice(0, MAX_KEYS).map((key) => {
    const text = String(key);
    return text.length <= MAX_KEY ? text : `${text.slice(0, MAX_KEY - 1)}…`;
  });
  return [...keys, ...(path.length > MAX_KEYS ? ['…'] : [])].join('.');
}
