import { createHash } from 'node:crypto';

/** Before an id in JSON. */
const JSON_MARK = '\0json:';

/** An id as it is stored: keys are UTF-8, so that an id that is no well-formed Unicode is stored as JSON. */
export function toStoredId(id: string): string {
  return id.isWellFormed() && !id.startsWith(JSON_MARK) ? id : JSON_MARK + JSON.stringify(id);
}

/** The id of which {@link toStoredId} made a text. */
export function fromStoredId(text: string): string {
  return text.startsWith(JSON_MARK) ? String(JSON.parse(text.slice(JSON_MARK.length))) : text;
}

/** The digest of a text of a user, in place of which it stands in a key. */
export function digestOf(text: string): string {
  return createHash('sha256').update(toStoredId(text)).digest('base64url');
}
