/** The part of a request that a provider does not accept, as far as the service can do without it. */
export type Complaint =
  /** The texts of customers or tools: a content filter refused it. */
  | 'content'
  /** The member `max_completion_tokens`, which the server does not know. */
  | 'token_limit'
  /** The JSON schema of the reply. */
  | 'schema';

const contentFilter = /"content_filter"|responsibleaipolicyviolation/;

const unknownMember =
  /unknown|unrecogni[sz]ed|unsupported|unexpected|not (?:supported|permitted|allowed|recogni[sz]ed)|extra_?forbidden|extra (?:inputs|fields)|additional ?propert/;

const schemaWords = /response[_ ]format|json[_ ]schema|\bschema\b|structured[_ ]outputs?|\bgrammar\b/;

/**
 * The complaint of the body of an error reply, or undefined where it has none of these. Nothing of the text itself is
 * returned, because it may repeat what customers wrote.
 */
export function complaintOf(body: string): Complaint | undefined {
  const text = body.toLowerCase();
  if (contentFilter.test(text)) return 'content';
  if (text.includes('max_completion_tokens') && unknownMember.test(text)) return 'token_limit';
  return schemaWords.test(text) ? 'schema' : undefined;
}
