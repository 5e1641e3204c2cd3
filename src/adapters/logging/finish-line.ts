/** Secrets shorter than this are no secrets: masking them would deface every line and hide nothing. */
const MIN_SECRET = 6;

const MASK = '[secret]';

/** What JSON leaves as it is, but terminals obey and some readers take for the end of a line. */
const unsafe = /[\u007f-\u009f\u2028\u2029]/;
const everyUnsafe = /[\u007f-\u009f\u2028\u2029]/g;

/**
 * Makes the last step of a line: escapes what is no plain text, and masks `secrets` wherever they stand in a text or
 * a name. A line without either comes back as it is, at the price of looking.
 */
export function createLineFinisher(secrets: readonly string[]): (line: string) => string {
  const known = secrets.filter((secret) => secret.length >= MIN_SECRET);
  // The longest first, so that a secret that begins with another is masked whole.
  known.sort((one, other) => other.length - one.length);
  const asWritten = known.map((secret) => JSON.stringify(secret).slice(1, -1));
  const mask = (text: string): string => {
    let masked = text;
    for (const secret of known) masked = masked.replaceAll(secret, MASK);
    return masked;
  };
  return (line) => {
    let finished = line;
    for (const secret of asWritten) {
      if (!finished.includes(secret)) continue;
      finished = maskLine(finished, mask);
      break;
    }
    return unsafe.test(finished) ? finished.replace(everyUnsafe, escapeUnit) : finished;
  };
}

/** Masks inside texts only, so that the line stays JSON whatever the secret is made of. */
function maskLine(line: string, mask: (text: string) => string): string {
  return `${JSON.stringify(JSON.parse(line, (_key, value: unknown) => maskValue(value, mask)))}\n`;
}

function maskValue(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  for (const key of Object.keys(value)) {
    const name = mask(key);
    if (name === key) continue;
    Object.defineProperty(value, name, {
      value: Reflect.get(value, key),
      enumerable: true,
      configurable: true,
      writable: true,
    });
    Reflect.deleteProperty(value, key);
  }
  return value;
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
