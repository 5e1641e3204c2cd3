/** Tags, comments, and the bracket pairs by which Markdown makes links and images. */
export function hasMarkup(reply: string): boolean {
  return /<[a-z/!?]/i.test(reply) || reply.includes('](') || reply.includes('][');
}

/** Everything that a mail or chat program would turn into a link, in lower case. */
export function linksOf(reply: string): readonly string[] {
  const words = withDots(reply.normalize('NFKC').replaceAll('\u3002', '.').toLowerCase()).split(
    /[\s<>()[\]{}"'`´‘’“”«»,;|*_]+/u,
  );
  return words
    .map(withoutTrailingMarks)
    .filter((word) => word.includes('://') || hasScheme(word) || hasDomain(word));
}

/** Words for a dot in brackets, and between words: there an everyday word needs the end of an address after it. */
const bracketedDot = /\s*[([{<]\s*(?:\.|dot|punkt|point|punto|ponto|punt|kropka)\s*[)\]}>]\s*/gu;
const spokenDot =
  /(?<=[\p{L}\p{N}]) (?:dot (?!(?:on|of|in|at|to|is|are|was|and|or|the|for|with|by|from|next|above|below|beside)(?!\p{L}))(?=\p{L}{2})|(?:punkt|point|punto|ponto|punt|kropka) (?=(?:com|net|org|info|example|test|io|shop|app|online|site|store|xyz|eu|pl|nl|ch|at|uk)(?!\p{L}))|punkt (?=de(?!\p{L}))|point (?=fr(?!\p{L}))|punto (?=it(?!\p{L}))|ponto (?=(?:pt|br)(?!\p{L}))|\. ?(?=\p{L}{2}))/gu;

/** A text with its dots as a reader types them: `shop (dot) example` and `shop dot example` are `shop.example`. */
function withDots(text: string): string {
  return text.replaceAll(bracketedDot, '.').replaceAll(/\s+/g, ' ').replaceAll(spokenDot, '.');
}

function withoutTrailingMarks(word: string): string {
  let end = word.length;
  while (end > 0 && '.:!?…'.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}

function hasScheme(word: string): boolean {
  return ['mailto:', 'tel:', 'sms:', 'javascript:', 'data:'].some((scheme) => word.includes(scheme));
}

/** Two letters of scripts with blanks between sentences: in other scripts a dot between letters ends a sentence. */
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

/** The links of known texts as a reply may write them: also without scheme, and the host alone. */
export function linkForms(link: string): readonly string[] {
  const plain = link.replace(/^(?:mailto:|https?:\/\/)/, '').replace(/\/$/, '');
  const host = plain.includes('@') ? [] : [plain.split('/')[0] ?? plain];
  const bare = [plain, ...host].map((one) => one.replace(/^www\./, ''));
  return [link, plain, ...host, ...bare, ...bare.map((one) => `https://${one}`)];
}
