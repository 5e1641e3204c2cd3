const signOff =
  /^(?:(?:many |with |much )?(?:thanks|thank you|thx|cheers|ta)(?: (?:and |& ?)?(?:kind|best|warm) regards| in advance| again| a lot| so much| very much| for your help| a million)?|(?:with )?(?:(?:my |our )?(?:kind|kindest|best|warm|warmest|many|good)(?: personal)? )?(?:regards|rgds|wishes)|brgds|br|kr|best|all the best|yours(?: (?:sincerely|faithfully|truly))?|sincerely(?: yours)?|respectfully(?: yours)?|take care|mit (?:freundlichen|besten|lieben|vielen|herzlichen) grü(?:ß|ss)en|(?:viele|beste|liebe|schöne|freundliche|herzliche) grü(?:ß|ss)e(?: aus .{1,30})?|grü(?:ß|ss)e|gru(?:ß|ss)|lg|vg|mfg|hochachtungsvoll|(?:bien )?cordialement|(?:bien )?à vous|sincères salutations|(?:meilleures )?salutations(?: distinguées)?|saludos(?: cordiales)?|un (?:cordial )?saludo|atentamente|atte|cordiali saluti|distinti saluti|saluti|un saluto|met vriendelijke groet(?:en)?|vriendelijke groet(?:en)?|groet(?:en|jes)?|mvg|atenciosamente|cumprimentos|(?:com os )?melhores cumprimentos|abraço|pozdrawiam|z poważaniem|(?:med )?vänlig(?:a)? hälsning(?:ar)?|hälsningar|mvh|(?:med )?venlig hilsen|(?:med )?vennlig hilsen|hilsen|ystävällisin terveisin|terveisin|saygılarımla|iyi çalışmalar)[\s,.!;–-]{0,4}$/iu;

const contact =
  /@|https?:\/\/|www\.|\b(?:tel|phone|fon|mob|mobile|cell|fax|office|direct|handy|tél|móvil|telefon|t|m|p|f|e|w)\s?[.:]|(?:\+|\b00?)\(?\d[\d\s().\-/]{5,}|\|/i;

const business =
  /\b(?:head|director|manager|officer|engineer|assistant|president|founder|owner|partner|consultant|coordinator|specialist|executive|secretary|department|dept|team|ltd|limited|llc|inc|gmbh|ag|s\.?r\.?l|b\.?v|plc|corp|group|company|ceo|cto|cfo|coo|leiter(?:in)?|geschäftsführer(?:in)?|abteilung|directeur|directrice|responsable|gerente|direttore|ufficio|street|road|avenue|lane|stra(?:ß|ss)e|rue|calle|via|weg|platz|suite|floor|po box)\b/i;

/** Words of a wish or of a fact that the service needs: such a line is no signature. */
const meaning =
  /\b(?:order|invoice|booking|ticket|policy|tracking|parcel|customer (?:no|nr|number|id)|account|ref|reference|case|serial|model|please|pls|could|can|would|want|need|refund|cancel|when|where|why|how|not|don'?t|is|are|was|were|have|has|will|bestellung|rechnung|kundennummer|bestellnummer|commande|facture|pedido|factura|ordine|fattura|bestelling|zamówieni\w+|bitte|ps|p\.s)\b/i;

const MAX_LINES = 12;

/** True for the line `-- `, with or without its blank, which begins a signature. */
export function isSignatureRule(line: string): boolean {
  return line === '-- ' || line === '--' || line === '--\u00a0';
}

/**
 * The line with which the signature at the end of a text begins: a sign-off, a name, and at least one line of
 * details. The number of lines when there is no such signature.
 */
export function signatureStart(lines: readonly string[]): number {
  const none = lines.length;
  let details = 0;
  let seen = 0;
  for (let at = lines.length - 1; at >= 0 && seen <= MAX_LINES; at--) {
    const line = lines[at]?.trim() ?? '';
    if (line === '') continue;
    seen++;
    if (line.length <= 60 && signOff.test(line)) return details > 0 && seen > 1 && at > 0 ? at : none;
    if (!isSignatureLine(line)) return none;
    if (contact.test(line) || business.test(line)) details++;
  }
  return none;
}

/** True for a line that a signature can contain: short, without a sentence. */
function isSignatureLine(line: string): boolean {
  if (line.length > 90 || /[?!]/.test(line) || meaning.test(line)) return false;
  if (contact.test(line)) return true;
  const words = line.split(/\s+/, 12);
  const lower = words.filter((word) => /^\p{Ll}/u.test(word)).length;
  return words.length <= 8 && lower <= 3 && (lower < words.length || words.length <= 2);
}
