import type { SetApart } from '../../domain/message/prepared.ts';

type Kind = SetApart['kind'] | 'text';

/** Lines of one kind that stand together. */
interface Part {
  readonly kind: Kind;
  readonly lines: string[];
}

/** A message's newest text, and what was set apart from it. */
interface SplitText {
  readonly text: string;
  readonly setApart: readonly SetApart[];
}

/** Splits a plain text into its newest text, and quotes, forwarded mails, signatures and footers. */
export function splitText(text: string): SplitText {
  if (!text.includes('\n') && !isDeviceLine(text)) return { text: text.trim(), setApart: [] };
  const lines = unquoteAll(text.split('\n'));
  const parts = partsOf(lines).flatMap((part) => (part.kind === 'text' ? splitTextPart(part.lines) : [part]));
  const newest = parts.flatMap(({ kind, lines: own }) => (kind === 'text' ? [tidy(own)] : []));
  const setApart = parts.flatMap(({ kind, lines: own }) => {
    const content = tidy(own);
    return kind === 'text' || content === '' ? [] : [{ kind, text: content }];
  });
  return { text: newest.filter((piece) => piece !== '').join('\n'), setApart };
}

/** A message in which every line begins with `>` is a pasted text. */
function unquoteAll(lines: readonly string[]): readonly string[] {
  const filled = lines.filter((line) => line.trim() !== '');
  const first = filled[0]?.trimStart() ?? '';
  if (filled.length < 2 || !first.startsWith('> ') || !filled.every(isQuoted)) return lines;
  return lines.map((line) => line.trimStart().replace(/^> ?/, ''));
}

/** Lines without blank lines at both ends, and with at most one blank line between others. */
function tidy(lines: readonly string[]): string {
  const kept: string[] = [];
  for (const line of lines) {
    if (line.trim() !== '') kept.push(line.trimEnd());
    else if (kept.length > 0 && kept.at(-1) !== '') kept.push('');
  }
  return kept.join('\n').trim();
}

function partsOf(lines: readonly string[]): readonly Part[] {
  const parts: Part[] = [];
  const lastQuoted = lines.findLastIndex(isQuoted);
  let hasText = false;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const found = line.trim() === '' ? undefined : historyAt(lines, at, lastQuoted);
    if (found === undefined) {
      const last = parts.at(-1);
      add(parts, line.trim() === '' && last !== undefined ? last.kind : 'text', [line]);
      hasText ||= line.trim() !== '' && !isDeviceLine(line);
      at++;
      continue;
    }
    // A forwarded mail with nothing above is the newest text that there is: only its header is set apart.
    const hasNothingAbove = !hasText && found.isHeader;
    const kind = hasNothingAbove ? 'forward' : found.kind;
    const end = found.toEnd && !hasNothingAbove ? lines.length : at + found.length;
    add(parts, kind, lines.slice(at, end));
    at = end;
  }
  return parts;
}

function add(parts: Part[], kind: Kind, lines: readonly string[]): void {
  const last = parts.at(-1);
  if (last?.kind !== kind) parts.push({ kind, lines: [...lines] });
  else for (const line of lines) last.lines.push(line);
}

/** The beginning of an older mail. */
interface History {
  readonly kind: 'quote' | 'forward';
  /** The number of lines that belong to it for certain. */
  readonly length: number;
  /** True where everything below belongs to it. */
  readonly toEnd: boolean;
  /** True where these lines are the header of a mail, and not yet its text. */
  readonly isHeader: boolean;
}

function historyAt(lines: readonly string[], at: number, lastQuoted: number): History | undefined {
  const line = lines[at] ?? '';
  if (isQuoted(line))
    return isLonely(lines, at) ? undefined : { kind: 'quote', length: 1, toEnd: false, isHeader: false };
  const attribution = attributionAt(lines, at);
  if (attribution !== undefined) {
    return { kind: 'quote', length: attribution.length, toEnd: lastQuoted < at, isHeader: false };
  }
  const marker = markerOf(line);
  const first = marker === undefined && !isRule(line) ? at : nextFilled(lines, at + 1);
  const header = headerBlockAt(lines, first);
  if (marker === undefined && header === undefined) return undefined;
  const length = header === undefined ? 1 : first + header.length - at;
  return { kind: marker ?? 'quote', length, toEnd: true, isHeader: true };
}

/** The next line that is not blank, at most three lines below. */
function nextFilled(lines: readonly string[], start: number): number {
  let at = start;
  while (at < start + 3 && lines[at]?.trim() === '') at++;
  return at;
}

/** True for `> text` and `>text`, not for `>:(`, `>= 5` or `>5 kg`. */
function isQuoted(line: string): boolean {
  const start = line.search(/\S/);
  if (start < 0 || start > 8 || line.charAt(start) !== '>') return false;
  const next = line.charAt(start + 1);
  return (
    next === '' || next === ' ' || next === '>' || next === '\u00a0' || next === '\t' || /\p{L}/u.test(next)
  );
}

/** True for a single line with `> ` and a number, such as `> 5 kg`, or with signs only. */
function isLonely(lines: readonly string[], at: number): boolean {
  if (!/^\s{0,8}>(?: ?[\d£$€]|[> ]*$)/.test(lines[at] ?? '')) return false;
  return !isQuoted(lines[at - 1] ?? '') && !isQuoted(lines[at + 1] ?? '');
}

/** Splits lines of the newest text into text, signatures and footers. */
function splitTextPart(lines: readonly string[]): readonly Part[] {
  const kinds: Kind[] = lines.map((line) => (isDeviceLine(line) ? 'footer' : 'text'));
  if (mayHaveFooter(lines.join('\n'))) markLegalFooters(lines, kinds);
  markSignature(lines, kinds);
  const parts: Part[] = [];
  for (const [at, line] of lines.entries()) {
    const last = parts.at(-1);
    add(parts, line.trim() === '' && last !== undefined ? last.kind : (kinds[at] ?? 'text'), [line]);
  }
  return parts;
}

function markLegalFooters(lines: readonly string[], kinds: Kind[]): void {
  for (let start = 0; start < lines.length; ) {
    let end = start;
    while (end < lines.length && lines[end]?.trim() !== '') end++;
    const paragraph = lines.slice(start, end);
    const from = start + legalStartOf(paragraph);
    if (from < end && isLegalFooter(lines.slice(from, end).join(' '))) kinds.fill('footer', from, end);
    start = end + 1;
  }
}

/** The most lines that may follow a bare `--`, which people also type as a dash. */
const MAX_BELOW_DASHES = 10;

function markSignature(lines: readonly string[], kinds: Kind[]): void {
  const rule = lines.findIndex(isSignatureRule);
  const below = lines.slice(rule + 1).filter((line) => line.trim() !== '');
  const isAtTop = rule < 0 || lines.slice(0, rule).every((line) => line.trim() === '');
  if (
    !isAtTop &&
    (lines[rule] !== '--' || (below.length <= MAX_BELOW_DASHES && !below.some((l) => l.includes('?'))))
  ) {
    for (let at = rule; at < lines.length; at++) if (kinds[at] === 'text') kinds[at] = 'signature';
    return;
  }
  const end = kinds.lastIndexOf('text') + 1;
  const firstFooter = kinds.indexOf('footer');
  const textEnd = firstFooter < 0 ? end : Math.min(end, firstFooter);
  const start = signatureStart(lines.slice(0, textEnd));
  if (start < textEnd) kinds.fill('signature', start, textEnd);
}

// Lines that name who wrote a quoted mail

const MAX_ATTRIBUTION_LINES = 3;
const MAX_ATTRIBUTION_LENGTH = 400;

/** Words with which `On 5 May 2024, Shop wrote:` begins. */
const attributionStart =
  /^(?:on|am|le|el|il|op|em|in data|a|w dniu|dnia|den|på|ma|ti|ke|to|pe|la|su|в|在|\d|mon|tue|wed|thu|fri|sat|sun|lun|mar|mer|jeu|ven|sam|dim|pon|wt|śr|czw|pt|sob|ndz|tis|ons|tor|fre|lör|sön|man|lør|søn)(?![\p{L}])/iu;

const wroteVerb =
  /(?:^|[\s,>)])(?:wrote|writes|schrieb|geschrieben|a écrit|écrit|escribió|ha scritto|scritto|schreef|geschreven|escreveu|napisał(?:\(a\)|a)?|pisze|skrev|kirjoitti|yazdı|şunu yazdı|написал(?:а|\(а\))?|пишет|пише)(?=[\s,:*]|$)|写道|のメッセージ|작성/iu;

const year = /(?:^|\D)(?:19|20)\d{2}(?!\d)/;
const clock = /\d{1,2}[:.h]\d{2}/;

/** The lines that name the writer of a quoted mail. */
interface Attribution {
  /** The number of its lines. */
  readonly length: number;
}

/** The line, or up to three, such as `On 5 May 2024, Shop <help@shop.test> wrote:`; undefined when it is none. */
function attributionAt(lines: readonly string[], start: number): Attribution | undefined {
  const first = lines[start]?.trim() ?? '';
  if (first.length < 8) return undefined;
  const mayGoOn = attributionStart.test(first);
  let joined = '';
  for (let count = 1; count <= (mayGoOn ? MAX_ATTRIBUTION_LINES : 1); count++) {
    const line = lines[start + count - 1]?.trim() ?? '';
    if (line === '' || joined.length + line.length > MAX_ATTRIBUTION_LENGTH) return undefined;
    joined = joined === '' ? line : `${joined} ${line}`;
    if (endsWithColon(line)) return isAttribution(joined, mayGoOn) ? { length: count } : undefined;
  }
  return undefined;
}

function endsWithColon(line: string): boolean {
  return /[:：][*_\- ]{0,8}$/.test(line.slice(-10));
}

function isAttribution(line: string, hasOpening: boolean): boolean {
  const hasAddress = /[<[(][^\s<>]{1,100}@[^\s<>]{1,100}[>\])]/.test(line) || /\S@\S/.test(line);
  const hasDate = year.test(line) || clock.test(line);
  if (/>\s?[:：]/.test(line.slice(-14)) && hasAddress && hasDate) return true;
  if (!wroteVerb.test(line)) return false;
  return hasAddress || (hasOpening && hasDate && !/\byou (?:people |guys |then )?wrote/i.test(line));
}

// Headers of mails

/** The kinds of header lines. */
type HeaderKind = 'from' | 'sent' | 'to' | 'cc' | 'subject';

const headerNames: Readonly<Record<HeaderKind, string>> = {
  from: 'from|von|de|da|van|od|från|fra|lähettäjä|kimden|gönderen|от|от кого|feladó|expéditeur|remitente|mittente|afzender|absender',
  sent: 'sent|date|gesendet|datum|envoyé|enviado|enviado el|enviada em|enviado em|enviada|fecha|inviato|data|verzonden|wysłano|wysłane|skickat|sendt|dato|lähetetty|päivämäärä|gönderildi|gönderilme tarihi|tarih|дата|отправлено',
  to: 'to|an|à|a|para|aan|do|till|til|vastaanottaja|kime|кому|destinataire|destinatario|empfänger',
  cc: 'cc|bcc|kopie|kopia|kopi|kopio|copie|reply-to|antwort an|importance|priorität|wichtigkeit|attachments|anlagen',
  subject: 'subject|betreff|objet|asunto|oggetto|onderwerp|assunto|temat|ämne|emne|aihe|konu|тема|sujet',
};

const kindOfName = new Map<string, HeaderKind>(
  (['from', 'sent', 'to', 'cc', 'subject'] as const).flatMap((kind) =>
    headerNames[kind].split('|').map((name) => [name, kind] as const),
  ),
);

/** The kind of header that a line is, such as `From: Shop` or `*Objet :* Relance`. */
function headerKind(line: string): HeaderKind | undefined {
  const colon = line.indexOf(':');
  if (colon < 1 || colon > 24) return undefined;
  const name = line.slice(0, colon).replaceAll('*', '').trim().toLowerCase();
  return kindOfName.get(name);
}

/** A block of lines, and what shows that a mail program wrote it. */
interface HeaderBlock {
  /** The number of its lines. */
  readonly length: number;
}

const MAX_HEADER_LINES = 14;

/** The header lines that begin at a line: `From:`, `Sent:`, `To:`, `Subject:`; undefined when they are none. */
function headerBlockAt(lines: readonly string[], start: number): HeaderBlock | undefined {
  if (headerKind(lines[start]?.trim() ?? '') === undefined) return undefined;
  const kinds = new Set<HeaderKind>();
  let end = start;
  let hasAddress = false;
  let hasTime = false;
  for (let at = start; at < Math.min(lines.length, start + MAX_HEADER_LINES); at++) {
    const line = lines[at]?.trim() ?? '';
    const kind = headerKind(line);
    if (kind === undefined) {
      // Long lists of receivers go on in the next line; mail programs put blank lines between header lines.
      const goesOn = kinds.size > 0 && headerKind(lines[at + 1]?.trim() ?? '') !== undefined;
      if (!goesOn || (line !== '' && !line.includes('@'))) break;
      continue;
    }
    kinds.add(kind);
    hasAddress ||= line.includes('@');
    hasTime ||= kind === 'sent' && /\d{1,2}[:.]\d{2}/.test(line);
    end = at + 1;
  }
  const isMail = kinds.has('subject') || hasAddress || hasTime;
  const isBlock = kinds.size >= 2 && isMail && (kinds.has('from') || kinds.has('sent'));
  return isBlock ? { length: end - start } : undefined;
}

/** The kind of mail that a marker announces. */
type Marker = 'quote' | 'forward';

const markers: readonly (readonly [Marker, RegExp])[] = [
  [
    'forward',
    /^(?:begin forwarded message|(?:start of )?forwarded (?:message|mail|by)|forwarded|anfang der weitergeleiteten (?:nachricht|e-mail|mail)|weitergeleitete (?:nachricht|e-mail|mail)|message (?:transféré|réexpédié)|début du message (?:transféré|réexpédié)|mensaje reenviado|inicio del mensaje reenviado|messaggio inoltrato|inizio messaggio inoltrato|doorgestuurd bericht|begin doorgestuurd bericht|mensagem (?:encaminhada|reencaminhada)|início da mensagem (?:encaminhada|reencaminhada)|(?:treść |początek )?(?:przekazan\S+|przesłan\S+ dalej) wiadomo\S+|wiadomość przekazana|vidarebefordrat (?:meddelande|brev|mejl)|videresendt (?:besked|melding|meddelelse)|välitetty viesti|iletilen (?:ileti|mesaj)|пересылаемое сообщение)$/i,
  ],
  [
    'quote',
    /^(?:original (?:message|mail|e-mail|appointment)|reply message|ursprüngliche (?:nachricht|e-mail|mail)|original-?nachricht|message (?:d['’]origine|original|initial)|mensaje original|messaggio originale|oorspronkelijk bericht|mensagem original|(?:wiadomość|oryginalna wiadomość|wiadomość) oryginalna|oryginalna wiadomość|ursprungligt meddelande|originalmeddelande|(?:oprindelig|opprinnelig) (?:meddelelse|melding|besked)|alkuperäinen viesti|(?:orijinal|özgün) (?:ileti|mesaj)|исходное сообщение)$/i,
  ],
];

/** The kind of a line such as `-----Original Message-----`; undefined for other lines. */
function markerOf(line: string): Marker | undefined {
  if (line.length < 9 || line.length > 90) return undefined;
  const words = trimSigns(line);
  const isFramed = words.length < line.trim().length;
  if (words.length > 50 || !isFramed) return undefined;
  return markers.find(([, pattern]) => pattern.test(words))?.[0];
}

/** A text without the dashes, blanks and colons around it. */
function trimSigns(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && signs.has(text.charAt(start))) start++;
  while (end > start && signs.has(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

const signs = new Set([...'-–—_=*>:#\t ', '\u00a0']);

/** True for a line of dashes or underscores, which mail programs draw above a quoted mail. */
function isRule(line: string): boolean {
  return line.length >= 5 && line.length <= 200 && /^[_\-=*–—]{5,}$/.test(line.trim());
}

// Signatures

const signOff =
  /^(?:(?:many |with |much )?(?:thanks|thank you|thx|cheers|ta)(?: (?:and |& ?)?(?:kind|best|warm) regards| in advance| again| a lot| so much| very much| for your help| a million)?|(?:with )?(?:(?:my |our )?(?:kind|kindest|best|warm|warmest|many|good)(?: personal)? )?(?:regards|rgds|wishes)|brgds|br|kr|best|all the best|yours(?: (?:sincerely|faithfully|truly))?|sincerely(?: yours)?|respectfully(?: yours)?|take care|mit (?:freundlichen|besten|lieben|vielen|herzlichen) grü(?:ß|ss)en|(?:viele|beste|liebe|schöne|freundliche|herzliche) grü(?:ß|ss)e(?: aus .{1,30})?|grü(?:ß|ss)e|gru(?:ß|ss)|lg|vg|mfg|hochachtungsvoll|(?:bien )?cordialement|(?:bien )?à vous|sincères salutations|(?:meilleures )?salutations(?: distinguées)?|saludos(?: cordiales)?|un (?:cordial )?saludo|atentamente|atte|cordiali saluti|distinti saluti|saluti|un saluto|met vriendelijke groet(?:en)?|vriendelijke groet(?:en)?|groet(?:en|jes)?|mvg|atenciosamente|cumprimentos|(?:com os )?melhores cumprimentos|abraço|pozdrawiam|z poważaniem|(?:med )?vänlig(?:a)? hälsning(?:ar)?|hälsningar|mvh|(?:med )?venlig hilsen|(?:med )?vennlig hilsen|hilsen|ystävällisin terveisin|terveisin|saygılarımla|iyi çalışmalar)[\s,.!;–-]{0,4}$/iu;

const contact =
  /@|https?:\/\/|www\.|\b(?:tel|phone|fon|mob|mobile|cell|fax|office|direct|handy|tél|móvil|telefon|t|m|p|f|e|w)\s?[.:]|(?:\+|\b00?)\(?\d[\d\s().\-/]{5,}|\|/i;

const business =
  /\b(?:head|director|manager|officer|engineer|assistant|president|founder|owner|partner|consultant|coordinator|specialist|executive|secretary|department|dept|team|ltd|limited|llc|inc|gmbh|ag|s\.?r\.?l|b\.?v|plc|corp|group|company|ceo|cto|cfo|coo|leiter(?:in)?|geschäftsführer(?:in)?|abteilung|directeur|directrice|responsable|gerente|direttore|ufficio|street|road|avenue|lane|stra(?:ß|ss)e|rue|calle|via|weg|platz|suite|floor|po box)\b/i;

/** Words of a wish or of a fact that the service needs: such a line is no signature. */
const meaning =
  /\b(?:order|invoice|booking|ticket|policy|tracking|parcel|customer (?:no|nr|number|id)|account|ref|reference|case|serial|model|please|pls|could|can|would|want|need|refund|cancel|when|where|why|how|not|don'?t|is|are|was|were|have|has|will|bestellung|rechnung|kundennummer|bestellnummer|commande|facture|pedido|factura|ordine|fattura|bestelling|zamówieni\w+|bitte|ps|p\.s)\b/i;

const MAX_SIGNATURE_LINES = 12;

/** True for the line `-- `, with or without its blank, which begins a signature. */
function isSignatureRule(line: string): boolean {
  return line === '-- ' || line === '--' || line === '--\u00a0';
}

/**
 * The line with which the signature at the end of a text begins: a sign-off, a name, and at least one line of
 * details. The number of lines when there is no such signature.
 */
function signatureStart(lines: readonly string[]): number {
  const none = lines.length;
  let details = 0;
  let seen = 0;
  for (let at = lines.length - 1; at >= 0 && seen <= MAX_SIGNATURE_LINES; at--) {
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

// Footers

const device =
  /iphone|ipad|android|samsung|galaxy|huawei|xiaomi|oneplus|pixel|nokia|blackberry|outlook|windows|yahoo|gmail|proton|thunderbird|web\.de|gmx|mobile|mobil|móvil|cellular|celular|telemóvel|portable|smartphone|handy|telefon|téléphone|teléfono|puhelime|phone|tablet|appareil|mail app|aqua ?mail/i;

const sent =
  /^(?:sent (?:from|via|with|using|by)|get outlook|diese nachricht wurde von meine?[mr]|gesendet (?:von|mit)|verschickt (?:von|mit)|von meine?[mr] .{1,40} (?:gesendet|verschickt)|envoyé (?:de|depuis|à partir|avec)|télécharge[rz]|obtenez outlook|enviado (?:desde|do|de|a partir|con|pelo|via)|enviada (?:desde|do)|obtener outlook|obter o outlook|inviato (?:da|dal|con)|ottieni outlook|scarica outlook|verzonden (?:vanaf|met|via|door)|verstuurd (?:vanaf|met|via)|outlook voor|wysłan[eoy] (?:z|ze|za)|pobierz|skickat (?:från|via)|skickades från|hämta outlook|sendt (?:fra|via|med)|hent outlook|lähetetty|hanki outlook|отправлено (?:с|из)|надіслано (?:з|із))(?!\p{L})|(?:gönderildi|gönderilmiştir)\.?$/iu;

/** True for `Sent from my iPhone`, in many languages, as a line of its own. */
function isDeviceLine(line: string): boolean {
  const text = line.trim();
  if (text.length < 8 || text.length > 110 || text.includes('?')) return false;
  return sent.test(text) && device.test(text);
}

/** Each of these wordings is a hint at a legal footer; two make one. */
const legalCues: readonly RegExp[] = [
  /confidential|privileged|vertrauliche|confidentiel|confidencial|riservat|vertrouwelijk|poufn|konfidenti|fortrolig|luottamuksel|gizli/i,
  /\b(?:this|the) (?:e-?mail|message|communication|transmission|information)\b.{0,60}\b(?:attachments?|contain|intended|confidential|may be|is for)|(?:attachments?|anhänge|pièces? jointes?|adjuntos|allegati|bijlagen|anexos|załączniki)\b/i,
  /intended (?:solely|only|recipient|for the)|solely for the|named (?:addressee|recipient)|vorgesehene[nr]? (?:empfänger|adressat)|richtige adressat|destinataires?|exclusiv|destinatari|uitsluitend bestemd|geadresseerde|adresat|avsedd|tilsigtede modtager|yalnızca/i,
  /(?:in|by) (?:error|mistake)|irrtümlich|par erreur|por error|por engano|per errore|ten onrechte|abusievelijk|przez pomyłkę|av misstag|ved en fejl|vahingossa|yanlışlıkla/i,
  /(?:notify|inform|contact|advise) (?:the sender|us immediately|sender)|delete (?:it|this|the (?:message|e-?mail))|absender|expéditeur|remitente|mittente|afzender|remetente|nadawc|avsändaren|afsenderen/i,
  /unauthori[sz]ed|(?:disclosure|copying|distribution|dissemination)|strictly prohibited|unbefugte|weitergabe|interdit|prohibid|proibid|vietat|verboden|zabronion|förbjud/i,
  /(?:accept|liability|liable|responsib).{0,60}(?:virus|damage|loss)|virus(?:es|-free)?\b.{0,80}(?:liab|scan|check|accept|responsib)|not necessarily (?:those|represent|reflect)|\bdisclaimer\b|legally binding/i,
];

const footerWords =
  /confiden|privileged|disclaimer|intended|vertraulich|riservat|vertrouwelijk|poufn|konfidenti|fortrolig|luottamuksel|gizli|environment|recipient|in error|umwelt|destinat/i;

const legalHeading =
  /^\W{0,6}(?:confidentiality|legal|privacy|important) (?:notice|note|warning)|^\W{0,6}(?:e-?mail )?disclaimer\b|^\W{0,6}(?:vertraulichkeitshinweis|haftungsausschluss|avis de confidentialité|aviso (?:legal|de confidencialidade?)|avviso di riservatezza|informativa privacy)/i;

const legalStart =
  /^\W{0,6}(?:this|the) (?:e-?mail|message|communication|transmission|information|content)|^\W{0,6}(?:diese (?:e-?mail|nachricht)|ce (?:message|courriel|mail)|este (?:mensaje|correo|mensagem|e-?mail)|esta mensagem|questo messaggio|la presente|dit bericht|deze e-?mail|ta wiadomość|niniejsza|detta (?:meddelande|e-post)|denne (?:e-?mail|mail)|tämä (?:viesti|sähköposti)|bu (?:e-posta|mesaj|ileti))/i;

const printing =
  /(?:think|consider|protect|bitte|pensez|piense|pensa|denk|save).{0,60}(?:environment|umwelt|environnement|medio ambiente|ambiente|milieu|trees?).{0,60}(?:print|druck|impri|stampa|afdrukk)|(?:print|druck|impri|stampa).{0,60}(?:environment|umwelt|environnement|medio ambiente|ambiente|milieu)/i;

const imprint =
  /^(?:registered (?:office|in (?:england|scotland|ireland|wales))|company (?:registration )?(?:no|number)\b|amtsgericht|handelsregister|hrb \d|geschäftsführ(?:er|ung)|sitz der gesellschaft|ust-?id|siège social|siret\b|rcs \w|kvk[: ])/i;

/** True when a text can have legal footers: a cheap test before {@link isLegalFooter}. */
function mayHaveFooter(text: string): boolean {
  return footerWords.test(text) || imprint.test(text);
}

/** True for a paragraph of legal text, or a wish to save paper. A paragraph with a question stays text. */
function isLegalFooter(paragraph: string): boolean {
  if (paragraph.includes('?')) return false;
  if (imprint.test(paragraph.trim()) || (paragraph.length < 250 && printing.test(paragraph))) return true;
  const start = paragraph.slice(0, 3000);
  const hits = legalCues.reduce((count, cue) => count + (cue.test(start) ? 1 : 0), 0);
  if (legalHeading.test(start)) return hits > 0;
  // A text in the first person asks for confidence, and is no legal text.
  if (/\b(?:i|my|me)\b/i.test(start)) return hits > 3;
  return hits >= (legalStart.test(start) ? 2 : 3);
}

/** The first line of a paragraph with which a legal text begins; its length when there is none. */
function legalStartOf(lines: readonly string[]): number {
  const at = lines.findIndex(
    (line) =>
      legalHeading.test(line) ||
      legalStart.test(line) ||
      printing.test(line.slice(0, 300)) ||
      imprint.test(line.trim()),
  );
  return at < 0 ? lines.length : at;
}
