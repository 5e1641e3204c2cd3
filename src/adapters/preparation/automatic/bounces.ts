import type { Cue } from './cue.ts';

/** How delivery failures are worded, in every language. */
export const bounces: readonly Cue[] = [
  [
    3,
    /\b(?:nachricht|e-?mail|mail)\b[^.\n]{0,60}\b(?:abgelehnt|abgewiesen|zuruckgewiesen|blockiert)\b|\b(?:empfanger|mail)server\b[^.\n]{0,40}(?:abgelehnt|zuruckgewiesen)/,
  ],
  [
    3,
    /\bmailer[- ]?daemon\b|\bpostmaster\b|\bmail delivery (?:sub)?system\b|\bmail system at host\b|\bmail delivery (?:failed|failure)\b/,
  ],
  [
    3,
    /\b(?:final|original)-recipient\b|\bdiagnostic-code\b|\breporting-mta\b|\baction: ?(?:failed|delayed|expired)\b|\bstatus: ?[45]\.\d\.\d|\bremote-mta\b|\bfeedback-type\b|\buser-agent:.{0,40}feedback|\brfc822;/,
  ],
  [
    3,
    /\b[45]\d\d[ -]#?[45]\.\d{1,3}\.\d{1,3}\b|#?\b[45]\.\d\.\d{1,3}\b[^.\n]{0,60}(?:smtp|recipient|mailbox|relay|user|host|rejected|address)|\bsmtp\b[^\n]{0,60}\b[45]\d\d\b|\b(?:remote (?:mail )?(?:server|host)|server|gateway|relay|mx)\b[^.\n]{0,40}(?:said|responded|replied|returned|response|rejected|refused)\b[^\n]{0,20}(?:\d{3})|#5\.\d\.\d|\(5\.\d\.\d\)/,
  ],
  [
    3,
    /(?:^|\n)\W{0,6}(?:undeliver(?:able|ed)|returned mail|failure notice|delivery (?:status notification|failure|failed|has failed|delayed|incomplete|notification|report)|mail (?:delivery|not delivered|returned|rejected)|message (?:blocked|rejected|not delivered|undeliverable|delayed|bounced)|non[- ]?delivery|ndr\b|dsn\b|warning: (?:could not send|message)|rejected(?: by|:)|(?:e-?mail|message) (?:quarantined|rejected|blocked)|abuse report|complaint (?:about|report)|spam report|blocked:|unzustellbar|unzustellbare|zustellung fehlgeschlagen|echec de (?:remise|livraison|la remise|distribution)|non remis|no se (?:ha podido|pudo) entregar|no entregado|mancato recapito|mancata consegna|onbestelbaar|niet bezorgd|nao (?:foi possivel entregar|entregue)|falha na entrega|niedostarczon|nie dostarczono|olevererbart|kan (?:inte|ikke) levereras|ikke leveret|uleverbar|ei voitu toimittaa|teslim edilemedi|iletilemedi)/,
  ],
  [
    3,
    /\b(?:recipient|sender)(?:'s)? (?:address |e-?mail |mailbox |server |domain |inbox )?(?:was |has been |is |has )?(?:rejected|refused|unknown|not found|unavailable|disabled|full|exceeded|over (?:its )?quota|out of storage|inactive|invalid|does not exist|doesn't exist|lacks?|verify|verification)|\bunknown (?:user|recipient|address|mailbox)\b|\buser unknown\b|\bno such (?:user|mailbox|recipient|address|person|account here)\b|\bnosuchuser\b|\baddress (?:couldn't be found|could not be found|not found|does not exist|rejected|unknown)|\bno mailbox by that name\b|\bvirtual alias\b|\brecipient address\b/,
  ],
  [
    3,
    /\b(?:mailbox|inbox|mail box|quota|mail storage)(?: \S{1,40})? (?:is |has |was |for \S+ is )?(?:full|over (?:its )?(?:quota|limit)|exceeded|unavailable|disabled|over quota|does not exist|doesn't exist|not found|inactive|suspended|decommissioned|cannot accept|deactivated)\b(?! of)|\bquota exceeded\b|\bexceed(?:s|ed) (?:its |the |their |fixed )?(?:storage |mailbox |maximum |size )(?:quota|limit|message|size)?|\bover (?:its )?quota\b|\bmessage size exceeds|\bmessage (?:is )?too large\b|\bmaximum (?:message )?size\b/,
  ],
  [
    3,
    /\b(?:message|mail|e-?mail|it|item|letter|sms|text)\b[^.\n]{0,60}\b(?:could not be|couldn't be|was not|wasn't|has not been|hasn't been|cannot be|can't be|not|failed to be|unable to be|were not|not yet been) (?:delivered|posted|sent to|accepted|transmitted|relayed)\b|\b(?:unable|not able|wasn't able|failed|impossible|could not|couldn't|cannot) (?:to )?deliver (?:your |the |this |to |message|mail|it to|e-?mail)/,
  ],
  [
    2,
    /\b(?:returned|return(?:ing)? (?:it|your (?:e-?mail|message|mail)) )to (?:the )?sender\b|\breturned (?:undelivered|unopened|message|undeliverable)\b|\bmessage returned\b|\b(?:permanent|fatal|temporary|transient)(?: \w+)? (?:error|failure|fatal)|\bgiving up on\b|\bi've given up\b|\bgave up\b[^.\n]{0,30}(?:deliver|retr|after)/,
  ],
  [
    3,
    /\brelay(?:ing)? (?:access )?denied\b|\bhost or domain name not found\b|\bname service error\b|\bdns (?:error|lookup|failure)|\bmx (?:record|lookup)|\b(?:spf|dkim|dmarc)\b[^.\n]{0,60}(?:fail|record|reject|policy|check|pass|align|lacks?)|\b(?:fail\w*|lacks?|reject\w*|policy|unauthenticated|invalid)[^.\n]{0,60}\b(?:spf|dkim|dmarc)\b|\b(?:blacklist|blocklist|blocked using|spamhaus|dnsbl|rbl|poor reputation|grey-?list)\b|\bmail loop\b|\bloop detected\b|\btoo many hops\b|\b\d+ hops\b|\bconnection timed out\b[^.\n]{0,60}(?:relay|mx|mail|talk|host|smtp)|\bretry (?:limit|timeout|time)\b|\bqueue(?:d)? (?:for|expired|too long)|\bexpired in queue\b/,
  ],
  [
    3,
    /\b(?:message|mail|e-?mail|content|attachment)\b[^.\n]{0,60}\b(?:rejected|blocked|quarantined|refused|flagged|held|dropped|discarded|removed)\b[^.\n]{0,60}\b(?:spam|virus|policy|filter|gateway|content|server|quarantine|administrator|moderator|attachment|malware|security|firewall|recipient)|\b(?:rejected|blocked|quarantined|refused)\b[^.\n]{0,40}\b(?:as|due to|because of|by) (?:\w+ ){0,3}(?:spam|virus|unsolicited|bulk|filter|policy|content|gateway)|\bspam (?:content|filter|score)\b[^.\n]{0,40}(?:reject|block|exceed|reach|classif)|\b(?:classified|identified|detected|marked|tagged) as (?:\w+ ){0,2}(?:spam|junk|virus|bulk|unsolicited|malicious)|\bquarantined\b/,
  ],
  [
    2,
    /\b(?:could not|couldn't|can not|cannot|can't|wasn't|was not)(?: be)? (?:deliver|post|reach|accept)\w*\b|\bdidn't (?:go through|reach|arrive)\b|\bunable to (?:deliver|reach)\b|\bdelivery (?:has |was |to (?:the|these|following)[^.\n]{0,40})?(?:failed|delayed|unsuccessful|problem|attempt|temporarily|not)/,
  ],
  [
    1,
    /\b(?:following|these|this) (?:\w+ )?(?:address|recipient|person|group)|\brecipients?\b|\bto the group\b|<[^<>\s]{1,60}@[^<>\s]{1,60}>|\bdecommissioned\b|\bnot a member\b|\bthe e-?mail system\b|\bcustomer care\b/,
  ],
  [
    2,
    /\b(?:message|mail|e-?mail|post) to the (?:group|list|mailing list)|\b(?:you're|you are) not (?:a member|allowed|authori[sz]ed|permitted) (?:to (?:post|send)|of)|\b(?:awaits|awaiting|held for) moderat|\bchallenge[- ]response\b|\bverify (?:that )?you(?:'re| are) (?:a )?(?:human|real)/,
  ],
  [
    2,
    /\bqueued for \d+|\b(?:keep|continue) (?:on )?(?:trying|to try|retrying)|\bwill (?:be retried|retry|try again|keep trying)|\bno (?:further )?action is (?:required|needed)|\bnot? need to resend\b|\b(?:check|verify) the (?:e-?mail )?address\b[^.\n]{0,30}(?:try|resend|again|send)|\bbelow is a copy\b|\bcopy of (?:the|your) (?:original )?(?:message|mail|what you)/,
  ],
  [
    3,
    /\b(?:sms|text message|message|mms)\b[^\n]{0,60}\b(?:undelivered|undeliverable|not delivered|delivery report|error \d{4,5}|unknown (?:subscriber|handset)|absent subscriber)|\bunknown (?:handset|subscriber)\b|\babsent subscriber\b/,
  ],
  [
    3,
    /(?:nachricht|e-?mail|mail|sendung)\b[^.\n]{0,80}\b(?:nicht zugestellt|nicht ubermittelt|unzustellbar|zuruckgewiesen|nicht ausgeliefert)|\bpostfach\b[^.\n]{0,40}\b(?:voll|uberschritten|existiert nicht|nicht (?:gefunden|verfugbar))|\bempfanger(?:adresse)?\b[^.\n]{0,40}\b(?:unbekannt|abgelehnt|existiert nicht|nicht gefunden|nicht erreich)|\bkonnte nicht zugestellt/,
  ],
  [
    3,
    /\b(?:message|courrier|courriel|mail|e-?mail)\b[^.\n]{0,80}\b(?:pas (?:pu )?(?:etre )?(?:ete )?(?:distribue|remis|delivre|achemine|livre)|non (?:distribue|remis|delivre)|rejete|refuse)|\bboite (?:aux lettres|de reception|mail|e-?mail)\b[^.\n]{0,40}(?:pleine|inexistante|introuvable|satur|desactiv)|\bdestinataire\b[^.\n]{0,30}(?:inconnu|introuvable|inexistant|rejete)|\bquota\b[^.\n]{0,20}depasse/,
  ],
  [
    3,
    /\b(?:mensaje|correo|mensagem|e-?mail)\b[^.\n]{0,80}\b(?:no (?:se )?(?:ha |pudo |puede |fue |ha sido )?(?:podido )?(?:ser )?(?:entrega\w+|enviado)|no entregado|rechazado|devuelto|nao (?:foi|pode|pude)\b[^.\n]{0,20}entreg\w+|rejeitad\w|devolvid\w|nao entregue)|\b(?:no (?:se )?ha podido|no se pudo|nao foi possivel) entregar|\b(?:buzon|caixa (?:de correio|postal|de entrada))\b[^.\n]{0,40}(?:llen|chei|no existe|nao existe|inexistente|superad|excedid)|\b(?:destinatario|direccion|endereco)\b[^.\n]{0,40}(?:desconocid|no existe|desconhecid|nao existe|rechazad|rejeitad|no encontrad|nao encontrad|inexistente)/,
  ],
  [
    3,
    /\b(?:messaggio|e-?mail|posta)\b[^.\n]{0,80}\b(?:non (?:e |puo |e stat\w )?(?:stat\w |essere |possibile )?(?:recapitat\w|consegnat\w|inviat\w)|respint\w|rifiutat\w)|\bcasella\b[^.\n]{0,40}(?:piena|inesistente|non esiste|disattivat)|\bdestinatario\b[^.\n]{0,30}(?:sconosciuto|inesistente)|impossibile recapitare|\bnon (?:e stato possibile )?recapitare/,
  ],
  [
    3,
    /\b(?:bericht|e-?mail|mail)\b[^.\n]{0,80}\b(?:niet (?:worden )?(?:bezorgd|afgeleverd|verzonden)|geweigerd|onbestelbaar)|\b(?:postbus|mailbox|postvak)\b[^.\n]{0,30}(?:vol\b|bestaat niet|overschreden)|\bontvanger\b[^.\n]{0,30}(?:onbekend|geweigerd|bestaat niet)|\bwiadomosc\w*\b[^.\n]{0,80}(?:nie (?:zostal\w+ |mogl\w+ (?:byc|zostac) )?(?:dostarczon|doreczon)|odrzucon|zwrocon)|\bskrzynk\w+\b[^.\n]{0,40}(?:pelna|przepelnion|nie istnieje)|\bnie (?:mozna|udalo sie) dostarczyc/,
  ],
  [
    3,
    /\b(?:meddelande\w*|mejlet|e-?post\w*|beskeden?|meldingen?|mailen|brevet)\b[^.\n]{0,80}\b(?:kunde inte (?:levereras|skickas)|inte levereras|kunne ikke (?:leveres|afleveres|sendes)|ikke leveret|ikke levert|avvisades|afvist|avvist|olevererbar)|\b(?:brevlada\w*|postkasse\w*|inkorg\w*|postboks\w*|mailboks\w*|innboks\w*)\b[^.\n]{0,30}(?:full|finns inte|findes ikke|finnes ikke)|\b(?:viestia?|sahkoposti\w*)\b[^.\n]{0,60}(?:ei voitu|toimitus epaonnistui|perille)|\bpostilaatikko\b[^.\n]{0,30}taynna|\b(?:iletiniz|mesajiniz|e-?postaniz|ileti|mesaj|e-?posta)\b[^.\n]{0,60}(?:teslim edilemedi|iletilemedi|geri dondu|ulastirilamadi|gonderilemedi)|\bposta kutusu\b[^.\n]{0,30}(?:dolu|bulunamadi)|\balici\b[^.\n]{0,30}(?:bulunamadi|reddedildi)/,
  ],
];

/** What customers say who only mention a failure. */
export const bounceMentions: readonly Cue[] = [
  [
    3,
    /\b(?:my|our) (?:\w+ ){0,2}(?:e-?mails?|mails?|message|order|parcel|package|payment|card|account|inbox|mailbox|delivery|letter|reply|app|phone|refund|cheque|invoice)\b|\b(?:the|your) (?:\w+ )?(?:app|site|website|courier|driver|tracking|status|parcel|package|carrier|page|form|chat)\b/,
  ],
  [
    3,
    /\b(?:i|we)(?:'ve| have|'d|'m| am)? (?:\w+ )?(?:got|get|getting|tried|sent|received|keep|wrote|emailed|mailed|ordered|need|want|never|can't|cannot|paid|was|bought|don't|haven't|think|had|see|saw|replied)\b|\bcame back\b|\bkeeps? (?:bouncing|coming back|saying|telling)\b|\b(?:sign|log)(?:ing|ging)? in\b/,
  ],
  [
    2,
    /\b(?:can|could|would|do|did|will|are|have) (?:you|u|someone|anyone)\b|\b(?:is|are|was|did|does|do|why|what|where|when|how|should|which)\b[^.\n]{0,120}\?/,
  ],
];
