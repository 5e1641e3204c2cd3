const device =
  /iphone|ipad|android|samsung|galaxy|huawei|xiaomi|oneplus|pixel|nokia|blackberry|outlook|windows|yahoo|gmail|proton|thunderbird|web\.de|gmx|mobile|mobil|móvil|cellular|celular|telemóvel|portable|smartphone|handy|telefon|téléphone|teléfono|puhelime|phone|tablet|appareil|mail app|aqua ?mail/i;

const sent =
  /^(?:sent (?:from|via|with|using|by)|get outlook|diese nachricht wurde von meine?[mr]|gesendet (?:von|mit)|verschickt (?:von|mit)|von meine?[mr] .{1,40} (?:gesendet|verschickt)|envoyé (?:de|depuis|à partir|avec)|télécharge[rz]|obtenez outlook|enviado (?:desde|do|de|a partir|con|pelo|via)|enviada (?:desde|do)|obtener outlook|obter o outlook|inviato (?:da|dal|con)|ottieni outlook|scarica outlook|verzonden (?:vanaf|met|via|door)|verstuurd (?:vanaf|met|via)|outlook voor|wysłan[eoy] (?:z|ze|za)|pobierz|skickat (?:från|via)|skickades från|hämta outlook|sendt (?:fra|via|med)|hent outlook|lähetetty|hanki outlook|отправлено (?:с|из)|надіслано (?:з|із))(?!\p{L})|(?:gönderildi|gönderilmiştir)\.?$/iu;

/** True for `Sent from my iPhone`, in many languages, as a line of its own. */
export function isDeviceLine(line: string): boolean {
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

const gate =
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
export function mayHaveFooter(text: string): boolean {
  return gate.test(text) || imprint.test(text);
}

/** True for a paragraph of legal text, or a wish to save paper. A paragraph with a question stays text. */
export function isLegalFooter(paragraph: string): boolean {
  if (paragraph.includes('?')) return false;
  if (imprint.test(paragraph.trim()) || (paragraph.length < 250 && printing.test(paragraph))) return true;
  const start = paragraph.slice(0, 3000);
  const hits = legalCues.reduce((count, cue) => count + (cue.test(start) ? 1 : 0), 0);
  if (legalHeading.test(start)) return hits > 0;
  // Who writes of himself asks for confidence, and is no lawyer.
  if (/\b(?:i|my|me)\b/i.test(start)) return hits > 3;
  return hits >= (legalStart.test(start) ? 2 : 3);
}

/** The first line of a paragraph with which a legal text begins; its length when there is none. */
export function legalStartOf(lines: readonly string[]): number {
  const at = lines.findIndex(
    (line) =>
      legalHeading.test(line) ||
      legalStart.test(line) ||
      printing.test(line.slice(0, 300)) ||
      imprint.test(line.trim()),
  );
  return at < 0 ? lines.length : at;
}
