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
  /** How many lines it has. */
  readonly length: number;
}

const MAX_HEADER_LINES = 14;

/** The header lines that begin at a line: `From:`, `Sent:`, `To:`, `Subject:`; undefined when they are none. */
export function headerBlockAt(lines: readonly string[], start: number): HeaderBlock | undefined {
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

/** What announces that a quoted or a forwarded mail follows. */
export type Marker = 'quote' | 'forward';

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
export function markerOf(line: string): Marker | undefined {
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
export function isRule(line: string): boolean {
  return line.length >= 5 && line.length <= 200 && /^[_\-=*–—]{5,}$/.test(line.trim());
}
