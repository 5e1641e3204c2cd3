import type { Cue } from './cue.ts';

/** How automatic replies in other languages are worded, without accents. */
export const otherReplies = {
  de: [
    [1, /\b(?:ihre|deine) (?:nachricht|e-?mail|mail|anfrage)\b/],
    [
      1,
      /\b(?:lese|beantworte|antworte|bearbeite)\b[^.\n]{0,20}\bich\b|\bich (?:lese|beantworte|antworte|melde|bearbeite)\b|\bmelde ich mich\b/,
    ],
    [1, /\b(?:werktag\w*|arbeitstag\w*|in kurze|baldmoglichst|zeitnah|derzeit|vertretung|vertritt mich)\b/],
    [
      2,
      /\b(?:ihre|deine|ihr|die) (?:\S+ ){0,2}(?:nachricht|anfrage|e-?mail|mail|anliegen|ticket|schreiben|vorgang)\b[^.\n]{0,60}(?:erhalten|eingegangen|erfasst|registriert|weitergeleitet|bearbeitet|angelegt|gelesen|beantwort\w+)|\bhaben (?:wir )?(?:ihre|deine)\b[^.\n]{0,40}erhalten/,
    ],
    [
      2,
      /\b(?:praxis|betrieb|buro|geschaft|laden|kanzlei|schule|werkstatt|shop|team|wir|unsere?)\b[^.\n]{0,60}(?:geschlossen|ferien|urlaub|\w*pause|betriebsausflug|nicht besetzt)|(?:^|\n)\W{0,3}(?:bin )?(?:im |in |auf )?(?:urlaub|elternzeit|mutterschutz|dienstreise|fortbildung)|\bich bin (?:dann )?mal weg\b/,
    ],
    [
      3,
      /\b(?:unternehmen|firma|schule|verein|betrieb|gesellschaft)\b[^.\n]{0,40}\bverlassen\b|\bverlassen\b[^.\n]{0,20}\bunternehmen\b|\barbeite? nicht mehr\b/,
    ],
    [
      1,
      /\b(?:vom|von) \d|\bbis \S{0,12}\d|\bwird nicht (?:weitergeleitet|gelesen)|\bab \S+ (?:sind|bin|wieder)\b|\berreichen sie\b/,
    ],
    [
      3,
      /\bautomatische?[rsn]? (?:antwort|abwesenheit\w*|eingangsbestatigung|nachricht|benachrichtigung|ruckmeldung|bestatigung|mitteilung|e-?mail)|\babwesenheits(?:notiz|meldung|nachricht|agent|assistent)|\bautomatisch (?:erstellt|generiert|erzeugt|versendet|verschickt|versandt)|\beingangsbestatigung\b/,
    ],
    [
      2,
      /\b(?:ich bin|bin ich|wir sind|sind wir|bin|ist) (?:\S+ ){0,6}(?:nicht (?:im (?:buro|haus|hause|dienst|office)|erreichbar|am (?:platz|arbeitsplatz)|da)|abwesend|im urlaub|in urlaub|in elternzeit|im mutterschutz|auf (?:dienst|geschafts|fortbildungs)?reise|ausser haus|unterwegs|krank|in den ferien|auf fortbildung|verreist|zuruck)\b|\b(?:im urlaub|in elternzeit|ausser haus)\b/,
    ],
    [
      1,
      /\b(?:bis (?:zum|einschliesslich|einschl|voraussichtlich|\d|ende|anfang|mitte)|ab (?:dem|montag|\d)|wieder (?:im|in|da|fur|erreichbar|zuruck|ab|am)|nach meiner ruckkehr|zuruck|ruckkehr)\b/,
    ],
    [
      1,
      /\b(?:in dringenden|bei dringenden|dringende|in eiligen|in notfallen|in der zwischenzeit|wahrend meiner abwesenheit|meine vertretung|wenden sie sich|kontaktieren sie|kollege|kollegin|kollegen)\b|weitergeleitet/,
    ],
    [
      2,
      /\b(?:wir haben ihre|ihre|deine) (?:\S+ )?(?:nachricht|e-?mail|mail|anfrage|anliegen|ticket|schreiben)(?: \S+){0,3} (?:erhalten|eingegangen|registriert|erfasst|angelegt|bekommen|eroffnet)|(?:nachricht|anfrage|e-?mail) ist (?:bei uns )?eingegangen/,
    ],
    [
      1,
      /\b(?:vielen dank|danke|herzlichen dank) fur (?:ihre|deine|ihr|die|eure) (?:\S+ )?(?:nachricht|e-?mail|mail|anfrage|kontaktaufnahme|interesse|schreiben|anliegen)/,
    ],
    [
      2,
      /\b(?:wir|unser \S+|ein mitarbeiter|kollege\w*) (?:werden|wird|melden|meldet|kummern|bearbeiten|bemuhen|antworten|setzen)\b[^.\n]{0,90}(?:schnellstmoglich|so (?:schnell|bald)|umgehend|werktag|stunden|in kurze|zeitnah|bei ihnen|bearbeit|beantwort|in verbindung)|\bschnellstmoglich\b/,
    ],
    [
      2,
      /\b(?:nicht (?:auf diese|darauf|direkt auf)|auf diese (?:e-?mail|nachricht))\b[^.\n]{0,40}antwort\w*|antworten sie (?:bitte )?nicht\b/,
    ],
    [
      3,
      /\b(?:postfach|e-?mail-?adresse|adresse|mailbox)\b[^.\n]{0,50}\b(?:nicht (?:mehr )?(?:gelesen|uberwacht|betreut|aktiv|gultig|genutzt|uberpruft)|unbesetzt|stillgelegt)/,
    ],
    [
      2,
      /\b(?:nicht mehr (?:fur|bei|im unternehmen|in unserem)|unternehmen verlassen|ausgeschieden|nicht langer (?:fur|bei))\b/,
    ],
    [
      2,
      /\b(?:unser (?:buro|geschaft|kundenservice|service|betrieb)|unsere (?:praxis|geschaftsstelle|hotline)|betriebsferien|wir haben)\b[^.\n]{0,40}\b(?:geschlossen|ferien|betriebsurlaub|nicht besetzt)/,
    ],
  ],
  nl: [
    [
      2,
      /\b(?:klantenservice|winkel|praktijk|kantoor|team|wij zijn|we zijn)\b[^.\n]{0,30}\b(?:gesloten|dicht)\b/,
    ],
    [1, /\b(?:beantwoorden (?:wij|we)|uw (?:vraag|bericht|e-?mail|mail)|je (?:bericht|mail))\b/],
    [
      2,
      /\b(?:met|op) (?:vakantie|verlof|zwangerschapsverlof|ouderschapsverlof|zakenreis|cursus)\b|\bniet op kantoor\b|\bkantoor\b[^.\n]{0,30}gesloten|\bafwezig\b/,
    ],
    [
      2,
      /\b(?:uw|je|jouw)\b[^.\n]{0,40}\b(?:is|zijn|werd|hebben we|hebben wij)\b[^.\n]{0,20}(?:ontvangen|geregistreerd|aangemaakt|doorgestuurd)/,
    ],
    [1, /\b(?:werkdagen|u krijgt|u ontvangt|reactie|antwoord van|vervangt mij|waarneemt)\b/],
    [
      3,
      /\bautomatisch\w* (?:antwoord|bericht|gegenereerd\w*|e-?mail|ontvangstbevestiging|verzonden|afwezigheids\w*|reactie|verstuurd)|\bontvangstbevestiging\b|\bafwezigheids(?:bericht|melding|assistent)/,
    ],
    [
      2,
      /\b(?:ik ben|ben ik|wij zijn|we zijn|momenteel|is)\b[^.\n]{0,60}(?:afwezig|op vakantie|niet (?:op|in|aanwezig|bereikbaar|werkzaam)|met (?:verlof|vakantie|zwangerschapsverlof|ouderschapsverlof)|ziek|op reis|vrij|gesloten|buiten kantoor)\b|\b(?:zwangerschaps|ouderschaps)verlof/,
    ],
    [
      1,
      /\b(?:tot en met|t\/m|tot (?:\d|maandag)|weer (?:op|aanwezig|bereikbaar|terug)|terug|vanaf|terugkomst|terugkeer|na mijn)\b/,
    ],
    [
      1,
      /\b(?:dringend\w*|spoed\w*|urgente?|tijdens mijn afwezigheid|neem (?:dan )?contact|contact opnemen|collega\w*|doorgestuurd|wenden tot)\b/,
    ],
    [
      2,
      /\b(?:we|wij) hebben (?:uw|je|jouw)\b[^.\n]{0,40}(?:ontvangen|geregistreerd|doorgestuurd)|\b(?:uw|je|jouw) (?:\S+ ){0,2}(?:bericht|e-?mail|mail|aanvraag|vraag|verzoek|ticket|melding)\b[^.\n]{0,30}(?:ontvangen|geregistreerd|aangemaakt|in behandeling)/,
    ],
    [1, /\b(?:bedankt|dank (?:u|je)(?: wel)?|hartelijk dank) voor (?:uw|je|het|jouw)\b/],
    [
      2,
      /\b(?:we|wij|ons team|een (?:medewerker|collega)[^.\n]{0,30})\b[^.\n]{0,50}(?:beantwoord\w*|reageren|contact met|nemen contact|terug)\b|\b(?:zo (?:snel|spoedig) mogelijk|binnen \S+ (?:werk)?dag\w*)\b/,
    ],
    [2, /\b(?:niet (?:te )?(?:reageren|antwoorden|beantwoorden)|reageer niet|beantwoord deze)\b/],
    [
      3,
      /\b(?:mailbox|postvak|adres|inbox|account)\b[^.\n]{0,50}\b(?:niet (?:meer )?(?:gelezen|gemonitord|beheerd|bemand|in gebruik|actief|gecontroleerd))/,
    ],
    [2, /\b(?:niet meer|niet langer) (?:werkzaam|in dienst|bij)\b|\bwerkt niet (?:meer|langer)\b/],
  ],
  pl: [
    [1, /\b(?:dni roboczych|wkrotce|w ciagu \S+ (?:dni|godzin))/],
    [
      2,
      /(?:^|[.\n] ?)\W{0,3}(?:urlop\w*|nieobecnosc|poza biurem|na urlopie|jestem na)\b|\b(?:firma|biuro|sklep)\b[^.\n]{0,40}(?:nieczynn\w+|zamkniet\w+)/,
    ],
    [1, /\b(?:w sprawach|dzwonic|sekretariat\w*|kolezank\w+|koleg\w+|odpisz\w+|odpowiem)\b/],
    [
      3,
      /\bautomatyczn\w+ (?:odpowiedz|wiadomosc|potwierdzeni\w|mail\w*|autoresponder)|\b(?:odpowiedz|wiadomosc|potwierdzenie)(?: \S+){0,4} automatyczn\w+|\bwygenerowan\w+ automatycznie|\bautoodpowiedz|\bautoresponder|\bwyslan\w+ automatycznie|\bpotwierdzenie otrzymania/,
    ],
    [
      2,
      /\b(?:jestem|bede|przebywam|jestesmy|obecnie|biuro)\b[^.\n]{0,40}(?:na urlopie|nieobecn\w+|poza biurem|na zwolnieniu|niedostepn\w+|nieczynne|zamknie\w+|w podrozy|w delegacji)|\burlop\w* (?:macierzynsk|wypoczynk|rodziciel|wychowawcz)\w*|\bnieobecn\w+\b/,
    ],
    [1, /\b(?:do dnia|do \d|wracam|wroce|powrocie|powrotu|od \d|po powrocie|z powrotem)\b/],
    [
      1,
      /\b(?:piln\w+|nagl\w+ przypad\w*|podczas mojej nieobecnosci|w tym czasie|prosze o kontakt|kontaktowac|skontaktowac|zastepuje)\b/,
    ],
    [
      2,
      /\b(?:otrzymalismy|zarejestrowalismy|przyjelismy)\b|\b(?:panstwa|twoje|twoja|pana|pani) (?:\S+ ){0,2}(?:wiadomosc|zgloszenie|zapytanie|e-?mail|prosba)(?: \S+){0,3} (?:otrzyman\w+|zarejestrowan\w+|przyjet\w+|utworzon\w+|dotarl\w+)/,
    ],
    [1, /\bdziekujemy za\b|\bdziekuje za (?:wiadomosc|kontakt|maila?)/],
    [
      2,
      /\b(?:odpowiemy|skontaktujemy|odpiszemy|udzielimy|odpowiem|odpisze)\b|\bjak najszybciej\b|\bnajszybciej jak\b/,
    ],
    [2, /\b(?:nie odpowiadac|nie odpowiadaj|nie odpisywac|nie odpisuj)\b/],
    [
      3,
      /\b(?:skrzynka|adres|konto)\b[^.\n]{0,50}\bnie jest (?:juz )?(?:\S+ )?(?:monitorowan\w|obslugiwan\w|sprawdzan\w|czytan\w|aktywn\w|uzywan\w)/,
    ],
    [2, /\bnie pracuje juz\b|\bjuz nie pracuj\w\b|\bodesz\w+ z (?:firmy|pracy)/],
  ],
  nordic: [
    [
      2,
      /\b(?:semester\w*|sommarstangt|sommerferie|ferielukket|juleferie|pappaledig\w*|mammaledig\w*|pappaperm\w*|tjanstledig\w*)\b/,
    ],
    [
      1,
      /\b(?:v|vecka|veckorna|uke|uge)\.? ?\d|\b(?:trevlig|god) (?:sommar|sommer|helg|jul)\b|\b(?:receptionen|vikarie|vikar|hyvaa (?:lomaa|kesaa)|lukematta|toimisto\w*)\b/,
    ],
    [
      3,
      /\bautosvar\b|\bautomatisk\w* (?:svar|besked|meddelande|e-?post|genereret|generert|genererat|kvittering|bekrafte\w*|mail|utskick)|\bfravaersbesked|\bfravaersmelding|\bfranvaromeddelande|\bautomatiskt (?:svar|genererat|skickat)|\bautomaattinen (?:vastaus|kuittaus|viesti|poissaolo\w*|ilmoitus)|\bpoissaoloviesti|\bautomaattivastaus/,
    ],
    [
      2,
      /\b(?:jag ar|vi ar|jag har|jeg er|vi er|jeg har|jeg holder|vi holder|kontoret|butiken|butikken)\b[^.\n]{0,40}(?:pa (?:semester|ferie|kurs|resa|rejse|reise|tjensteresa|tjanstresa|barsel)|ledig\b|foraldraledig\w*|sjuk\w*|syg\w*|syk\w*|ferie|fri\b|barsel\w*|permisjon|orlov|stangt|lukket|stengt|ikke (?:pa|til stede|tilgaengelig|tilgjengelig)|inte (?:pa|tillganglig|i tjanst)|franvarande|fravaerende|bortrest|ute av kontoret|ude af kontoret|ute fra)|\bsemester\b|\bforaldraledig\w*|\bforeldrepermisjon|\bbarselsorlov|\bolen (?:\S+ ){0,3}(?:lomalla|poissa|vapaalla|matkoilla|tavoittamattomissa|aitiyslomalla|vanhempainvapaalla|vuosilomalla|kesalomalla|sairauslomalla|opintovapaalla|hoitovapaalla|poissa toimistolta)|\b(?:lomalla|poissa toimistolta|vanhempainvapaalla)\b|\btoimisto\w* (?:\S+ ){0,2}suljettu/,
    ],
    [
      1,
      /\b(?:till och med|till den|t\.?o\.?m|ater (?:pa|i|den)|tillbaka|til og med|t\.o\.m|tilbake|tilbage|igen (?:den|d\.|mandag)|asti\b|saakka|palaan|palattuani|paluuni|takaisin|till (?:mandag|\d)|frem til|indtil|fram till)\b/,
    ],
    [
      1,
      /\b(?:bradskande|akuta?|haster|presserende|hastende|hasteen?de|under min franvaro|i mit fravaer|mens jeg er|kontakta|kontakt|vaxeln|kollega\w*|kiireellis\w*|kiireis\w*|ota(?:tte)? yhteytta|sijais\w*|ring)\b/,
    ],
    [
      2,
      /\b(?:vi har (?:\S+ )?(?:tagit emot|mottagit|modtaget|mottatt|fatt|faet|registrert|registreret|registrerat)|ditt (?:arende|meddelande|mejl) (?:har|ar)|din (?:henvendelse|forfragan|mail|besked)(?: \S+){0,3} (?:modtaget|mottatt|mottagits|registreret|registrert)|olemme (?:vastaanottaneet|saaneet)|viestinne on|viestisi on|yhteydenotto\w* on)\b/,
    ],
    [
      1,
      /\b(?:tack for (?:ditt|din|att|ert)|tak for (?:din|dit|at|jeres)|takk for (?:din|at|ditt|henvendelsen|e-?posten|meldingen)|kiitos (?:viest\w+|yhteydeno\w+|sahkoposti\w+))/,
    ],
    [
      2,
      /\b(?:vi (?:svarar|aterkommer|besvarar|vender tilbage|svarer|besvarer|kontakter|kommer tilbake|behandler|hor af os)|jag (?:svarar|aterkommer|laser)|jeg (?:svarer|vender tilbage|laeser|leser|besvarer|kommer tilbake)|svarer,? nar jeg|sa (?:snart|snabbt) (?:som|vi)|sa (?:hurtigt|snart) som|inden for|vastaamme|vastaan|palaamme|luen (?:viest\w+|sahkopost\w+)|kasittelemme|mahdollisimman pian)\b/,
    ],
    [
      2,
      /\b(?:svara inte|ikke besvares|kan (?:inte|ikke) besvar\w+|gar (?:inte|ej) att svara|ala vastaa|alkaa vastatko|ikke svar\b|svar ikke|vennligst ikke)\b/,
    ],
    [
      3,
      /\b(?:inkorg\w*|brevlada\w*|adress\w*|postkasse\w*|innboks\w*|adresse\w*|e-?post\w*)\b[^.\n]{0,50}\b(?:(?:inte|ikke|ej) (?:langre |laengere |lenger )?(?:overvak\w*|bevak\w*|laes\w*|les\w*|aktiv\w*|i bruk|i brug|anvand\w*))/,
    ],
    [
      2,
      /\b(?:slutat (?:pa|hos|i)|jobbar (?:inte|ej) (?:langre|kvar)|arbetar inte langre|arbejder ikke laengere|er stoppet|har sluttet|jobber ikke lenger|ei (?:ole enaa|tyoskentele enaa)|en (?:ole enaa|tyoskentele enaa))\b/,
    ],
  ],
  tr: [
    [2, /(?:^|[.\n] ?)\W{0,3}(?:yillik izin\w*|izinli|tatilde\w*|ofis disi\w*)|\bizinde\w*\b/],
    [3, /\botomatik (?:yanit|cevap|olarak|mesaj|bilgilendirme|e-?posta|ileti)|\bofis disi(?:nda)?\b(?! mi)/],
    [
      2,
      /\b(?:izinde(?:yim|yiz)|iznindeyim|tatilde(?:yim|yiz)|ofis(?:te)? (?:disinda|degilim)|ofiste degilim|seyahatteyim|raporluyum|dogum izni\w*|ulasilamaz|izinli\w*|yurt disinda\w*|kapaliyiz|kapalidir|kapali olacak\w*)\b/,
    ],
    [1, /\b(?:tarihine kadar|kadar|donecegim|donus\w*|geri donecegim|tarihinde|itibaren|tekrar)\b/],
    [
      1,
      /\b(?:acil|yoklugumda|bu surede|meslektas\w*|arkadas\w*|iletisime gec\w*|ulasabilir\w*|yonlendir\w*|e-?postalarima|sinirli)\b/,
    ],
    [
      2,
      /\b(?:mesajiniz\w*|talebiniz\w*|e-?postaniz\w*|basvurunuz\w*|bildiriminiz\w*|iletiniz\w*)\b[^.\n]{0,40}(?:ulas\w+|alin\w+|kaydedil\w+|alm\w+|tarafimiza|olusturul\w+|isleme)/,
    ],
    [1, /\b(?:icin tesekkur|tesekkur ederiz|ulastiginiz icin|iletisime gectiginiz)/],
    [
      2,
      /\b(?:en kisa (?:sure|zaman)\w*|is gunu icinde|saat icinde|size (?:geri )?don\w+|yanitlanacak\w*|cevaplanacak\w*|donus yap\w+|inceleyip)\b/,
    ],
    [2, /\b(?:yanitlamayin\w*|cevap vermeyin\w*|cevaplamayin\w*|yanit vermeyin\w*)\b/],
    [
      3,
      /\b(?:adres\w*|posta kutusu\w*|hesap)\b[^.\n]{0,50}\b(?:takip edilmemekte\w*|izlenmemekte\w*|kontrol edilmemekte\w*|kullanilmamakta\w*|okunmamakta\w*|aktif degil\w*)/,
    ],
    [2, /\b(?:artik|sirketimizden|sirketten) (?:\S+ ){0,3}(?:calismamakta\w*|calismiyor\w*|ayril\w+)/],
  ],
} as const satisfies Readonly<Record<string, readonly Cue[]>>;
