import { isIPv4, isIPv6 } from 'node:net';

/** Texts longer than this fit no format, so that each pattern below is quick. */
const MAX_LENGTH = 2_048;

const date = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const time = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d{1,9})?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const email = /^[^\s@"(),:;<>[\\\]]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const scheme = /^[a-z][a-z0-9+.-]*:/i;
const uriCharacters = /^[!#$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]*$/;
const duration =
  /^P(?:\d+W|(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?)$/;

function isDate(text: string): boolean {
  if (!date.test(text)) return false;
  const parsed = new Date(`${text}T00:00:00Z`);
  // 30 February becomes a day of March.
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  return /^.{10}t/i.test(text) && isDate(text.slice(0, 10)) && time.test(text.slice(11));
}

function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => label.test(part));
}

function isEmail(text: string): boolean {
  const local = text.slice(0, text.indexOf('@'));
  return email.test(text) && !/^\.|\.\.|\.$/.test(local) && isHostname(text.slice(text.indexOf('@') + 1));
}

const known: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: (text) => time.test(text),
  'date-time': isDateTime,
  duration: (text) => duration.test(text),
  email: isEmail,
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: (text) => isIPv6(text) && !text.includes('%'),
  uuid: (text) => uuid.test(text),
  uri: (text) => scheme.test(text) && uriCharacters.test(text) && URL.canParse(text),
  'uri-reference': (text) => uriCharacters.test(text) && URL.canParse(text, 'http://localhost'),
  'json-pointer': (text) => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text),
};

/** The formats that are checked; others are ignored, as JSON Schema says. */
export const formats: Readonly<Record<string, (text: string) => boolean>> = Object.fromEntries(
  Object.entries(known).map(([name, test]) => [name, (text) => text.length <= MAX_LENGTH && test(text)]),
);
