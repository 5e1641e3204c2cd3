/**
 * The words of one language by which a reply asks for what it must not. Commas divide them, `*` stands for any ending,
 * a blank for a blank or a hyphen; the rest is a regular expression.
 */
export interface RequestWords {
  /** Card numbers, passwords, PINs, security codes, identity documents. */
  readonly secrets: string;
  /** What names a secret and asks for none, such as a link by which customers change it. */
  readonly harmless: string;
  /** Ways to ask for something. */
  readonly send: string;
  /** Ways to ask that something is entered somewhere. */
  readonly enter: string;
  /** Words by which a company forbids or denies it. */
  readonly not: string;
  /** Ways to ask the customer to look for others, and then to write to them. */
  readonly search: string;
  readonly contact: string;
  /** Thefts, losses, and that something is harmless. */
  readonly claims: string;
}

const english: RequestWords = {
  secrets: `
    card numbers?, (credit|debit|bank|payment) cards?, card (details|data), cardholder*,
    (expiry|expiration) dates?, bank (details|account|login), online banking, mobile banking, banking apps?,
    iban, pass ?words?, passcodes?, passphrases?, (login|sign ?in|access) (details|data|credentials|codes?),
    credentials, p ?i ?ns?, pin codes?, pin numbers?,
    (security|verification|confirmation|authentication|one time|sms|2fa|login|access|bank) (codes?|numbers?),
    your card(?! \\p{L}), (one time|6 digit|six digit|digit) (password|code)s?, cvv2?, cvc2?, otps?,
    (your|the|a) tans?(?! \\p{L}), tan codes?,
    code (that )?(you|we) ((have|just|were|had) )?(received|got|get|sent|texted|send|text),
    code from (your|the) (phone|app|bank|sms|text), digits on the (back|front), card (verification|security)*,
    passports?, identity (card|document|proof)s?, id (card|document|scan)s?, proof of identity,
    (photo|government) ids?, your ids?(?! \\p{L}), ids?(?= please), driv(ing|er's|ers) licen[cs]es?, selfies?,
    social security numbers?, ssn, birth certificates?, residence permits?, maiden name, security questions?`,
  harmless: `
    (reset|change|set|choose|create|forgot|forgotten|forget|update)( your| a| the)?( new)? (password|pin)s?,
    (password|pin) (reset|change|link)*`,
  send: `
    send(?! you(?!\\p{L})), please(?! \\p{L}), (reply|answer|send|respond):,
    (reply|respond|answer|write( back)?|come back|reach out) (to us |back )?with, give (us|me),
    (tell|show|text|mail|email|message|dm) (us|me), e-mail us, let us (have|know), provide, share, submit,
    forward, upload, attach, post, paste, dictate, read out, hand over, give your, confirm, verify, state,
    need*, require*, want, (ask|request)*, must have, without, photograph, scan,
    (take|snap|make) a (photo|picture|selfie), return this, include, what is, what are, quote, have ready,
    disclose, reveal, supply`,
  enter: 'enter*, type*, fill in, fill out, key in, input, put in, log ?in, sign ?in, use, register',
  not: "not, never, no, nobody, don't, won't, doesn't, neither, nor",
  search: 'search*( for)?, look (for|up), google, find',
  contact: `
    (write|message|text|call|contact|email|dm|talk|speak|chat|ping|reach out)( to| with| at)? (them|him|her|there|this account|that account|this user|that user),
    (add|follow) (them|him|her)`,
  claims: `
    stole, stolen, steal*, thief, thieves, thefts?, robbed, embezzl*,
    (driver|courier|carrier|postman|colleague|he|she|they|somebody|someone) (took|kept|has taken|have taken|has kept|sold|opened|hid|ate),
    (is|was|were|are|been|got|gets|be) lost, (gone|went|go) missing, safe (for|to|if), perfectly safe, harmless,
    non-? ?toxic, not (toxic|poisonous|dangerous|harmful), (no|without) (danger|risk)*,
    (fine|okay|ok|good|suitable) for (kids|children|babies|toddlers|pets)*,
    (may|can|could) (be eaten|eat|drink|swallow|chew)*, swallow*, edible, digestible, ingest*,
    (guaranteed|certified|proven|completely) safe, can('t| not|not) hurt`,
};

const german: RequestWords = {
  secrets: `
    (kredit|bank|ec|debit|giro|zahlungs)?-?karten?(nummern?|daten|prüfnummern?|inhaber*),
    (kredit|bank|ec|debit|giro)-?karten?, ablaufdatum, gültigkeitsdatum, bankverbindung, bankdaten, kontodaten,
    online-?banking*, iban, passwort*, passwört*, kennwort*, kennwört*, zugangsdaten, zugangscodes?,
    anmeldedaten, logindaten, pins?, pin-?nummern?, pin-?codes?, geheimzahl*, geheimnummer*, sicherheitscodes?,
    sicherheitsnummer*, prüfziffer*, prüfnummer*, kartenprüfnummer*, bestätigungscodes?, verifizierungscodes?,
    einmalcodes?, einmalpasswort*, sms-?codes?, tans?, tan-?nummern?, tan-?codes?, transaktionsnummer*,
    codes? aus (der|ihrer) (sms|app), code.? der per sms, code.? den (sie|wir), ausweis*, personalausweis*,
    reisep(a|ä)ss*, führerschein*, ausweiskopie*, identitätsnachweis*, selfies?, sozialversicherungsnummer*,
    geburtsurkunde*, mädchenname*`,
  harmless: `
    ((neues|ihr|ein|das|dein) )?((neues) )?(passwort|kennwort) (zurück(zu)?setzen|(zu )?ändern|vergessen|festlegen|festzulegen|(zu )?wählen|vergeben|setzen),
    passwort-?vergessen*, passwort-?(rücksetz|änder)*,
    (ändern|wählen|vergeben) sie (ihr|ein|das)( neues)? (passwort|kennwort)`,
  send: `
    (senden|schicken|teilen|nennen|geben|übermitteln|reichen|laden|fotografieren|bestätigen|antworten|schreiben|hinterlegen|legen|halten|mailen|leiten|verraten|sagen) sie,
    (sende|schick|schicke|teil|teile|nenn|nenne|gib|übermittle|antworte|schreib|schreibe|bestätige|lade|fotografiere|maile|verrate|sag) (uns|mir|bitte|mit|deine?|die|das|den|ein),
    mitzuteilen, mitteilen, zusenden, zuzusenden, zuschicken, zuzuschicken, einreichen, einzureichen,
    (an|per) (uns|mich|mail), hochladen, hochzuladen, angeben, anzugeben, bitte(?! \\p{L}), nennen, benötig*,
    brauch*, erforderlich, bitten wir, ohne, foto*, kopie*, scan*, wie lautet, bestätigen, verifizier*,
    durchgeben, übermitteln, schicken, senden`,
  enter: `
    (geben|tippen|tragen|füllen|melden) sie, eingeben, einzugeben, eintippen, eintragen, einzutragen, gib,
    tippe, trage, loggen sie, einloggen, anmelden`,
  not: 'nicht, nie, niemals, kein*, niemand, weder',
  search: 'such*, googeln*, finden sie, findest du, schauen sie nach',
  contact: `
    (schreib*|sprech*|melde*|chatte*|antwort*)( sie| du)?( sich)?( mit| bei)? (ihnen|ihm|dort|diesem konto),
    (kontaktier*|ruf*|frag*) (sie|du) (sie|ihn|diese*|dort), (kontaktier*|ruf*|frag*) (ihn|diese*|dort),
    (ihnen|ihm|dort) (schreib|meld)*`,
  claims: `
    gestohlen*, (er|fahrer|bote|zusteller|kurier|jemand|mitarbeiter) stahl, stehlen, stiehlt, geklaut*,
    diebstahl*, dieb*, entwendet*, unterschlagen*, (verloren|abhanden) ?(gegangen|gekommen),
    (ist|sind|wurde|wurden|ging|gingen) verloren, verschollen, unbedenklich*, ungefährlich*, ungiftig*,
    harmlos*, unschädlich*, (sicher|sicheres|sichere) für, keine gefahr, bedenkenlos*, gefahrlos*,
    nicht (giftig|gefährlich|schädlich), verschluck*, essbar*, verzehr*`,
};

const french: RequestWords = {
  secrets: `
    num(é|e)ros? de (votre |la |ta )?carte*, cartes? (bancaire|bleue|de crédit|de paiement|de débit)*,
    date d'expiration, coordonnées bancaires, iban, rib, mots? de passe, identifiants?,
    codes? (pin|secret|confidentiel|de sécurité|de vérification|de confirmation|d'accès|unique|à usage unique|sms|reçu)*,
    codes? (que vous avez|reçus?), pins?, cryptogramme*, cvv, cvc, tan, passeports?,
    (carte|pièce|document|justificatif)s? d'identité, permis de conduire, titre de séjour,
    numéro de sécurité sociale, selfies?, acte de naissance`,
  harmless: `
    (réinitialiser|changer|modifier|choisir|définir|créer|oublié|réinitialisez|changez|modifiez|choisissez)( votre| un| le)?( nouveau)? mots? de passe,
    mot de passe oublié*, réinitialisation (de votre |du )?mot de passe`,
  send: `
    envoy(ez|er|e)*, transmett(ez|re)*, communiqu(ez|er|e)*, donn(ez|er|e)*, indiqu(ez|er|e)*,
    fourni(ssez|r|s)*, répond(ez|re|s)*, précis(ez|er|e), confirm(ez|er|e), partag(ez|er|e), téléchar(gez|ger)*,
    joign(ez|dre), dites*, écri(vez|re)*, besoin, nécessaire*, sans, photo*, copie*, scann*, quel(le)? est,
    faites-nous parvenir, s'il (vous|te) plaît(?! \\p{L}), vérifi(ez|er)*, exige*, demand*`,
  enter: `
    saisi(ssez|r|s)*, entr(ez|er)*, tap(ez|er)*, compos(ez|er), rempli(ssez|r)*, renseign(ez|er)*,
    connect(ez|er)*`,
  not: "ne, n', pas, jamais, aucun*, personne, ni",
  search: 'cherch(ez|er|e)*, recherch(ez|er|e)*, trouv(ez|er|e)*, googl*',
  contact: `
    (écri(vez|re|s)|contact(ez|er|e)|parl(ez|er|e)|appel(ez|er)|demand(ez|er))-(leur|lui|les|le|la),
    (leur|lui) (écrire|parler|demander), (les|le|la) (contacter|appeler|joindre)`,
  claims: `
    volée?s?, dérob*, voleurs?, voleuses?, (est|sont|été|a été|s'est) (perdue?s?|égarée?s?),
    sans (danger|risque), inoffensi*, non toxique*, pas (toxique|dangereux|dangereuse|nocif)*,
    aval(er|ée?s?|ez|e), ingér*, comestible*`,
};

const spanish: RequestWords = {
  secrets: `
    números? de (su |la |tu )?tarjeta, tarjetas? (bancaria|de crédito|de débito)*,
    datos (de (su |la |tu )?tarjeta|bancarios|de acceso), fecha de (caducidad|vencimiento), iban, contraseñas?,
    claves?( de acceso| secreta)?, credenciales, pins?,
    códigos? (pin|secreto|de seguridad|de verificación|de confirmación|de acceso|sms|único|recibido|que (ha|has|le|te))*,
    cvv, cvc, tan, pasaportes?, (documento|carné|carnet|cédula) (nacional )?de (identidad|conducir), dni, nie,
    (carné|permiso|licencia) de conducir, selfies?, seguridad social, partida de nacimiento`,
  harmless: `
    (restablecer|cambiar|elegir|crear|olvidado|restablezca|cambie|elija)( su| una| la| tu)?( nueva)? contraseña,
    contraseña olvidada`,
  send: `
    env(í|i)(e|en|a|ar|arnos|enos|anos)*, m(a|á)nd(e|a|ar|enos|anos)*, facilit(e|ar|a)*, indi(que|ca|car)*,
    d(í|i)ga*, dinos, dime, d(e|é)nos, proporcion(e|ar|a)*, comparta*, comparte, compartir, responda*,
    responde*, comuni(que|car|ca)*, escri(ba|be|bir)*, confirme*, confirma, confirmar, adjunt(e|ar|a),
    sub(a|ir), necesit*, requi*, hace falta, por favor(?! \\p{L}), sin, foto*, copia*, escane*, cuál es,
    verifi(que|car|ca)*, solicit*, pid*`,
  enter: 'introdu(zca|cir|ce)*, ingres(e|ar|a), tecle(e|ar|a), escri(ba|bir), rellen(e|ar|a), inici(e|ar|a)*',
  not: 'no, nunca, jamás, ning*, nadie, ni',
  search: 'bus(que|ca|car|quen)*, encuentr(e|a), googl*',
  contact: `
    (escr(í|i)b(a|e|ir)|cont(á|a)ct(e|a|ar)|ll(á|a)m(e|a|ar)|h(á|a)bl(e|a|ar)|preg(ú|u)nt(e|a|ar))(les?|los|las|lo|la),
    (escriba|hable|contacte|chatee) (con|a) (ellos|ellas|él|ella)`,
  claims: `
    rob(ó|ado|ada|ados|adas|aron|ar|o|os), hurt(ó|ado|ada|o), ladr(ón|ones)*, sustraíd*,
    (se ha|se han|está|están|ha sido|fue|se) perd(ido|ida|ió|ieron)*, extravi*, inofensiv*,
    no (es )?(tóxic|peligros)*, segur[oa]s? para, sin (riesgo|peligro)s?, trag(ar|arse|ado|a|ue|uen), inger*,
    comestible*`,
};

const italian: RequestWords = {
  secrets: `
    numer[oi] (della|di) (sua |tua |vostra )?carta*, cart[ae] (di credito|di debito|bancaria|bancomat)*,
    (carta|documento|documenti) d'? ?identità, bancomat, dati (della (sua |tua )?carta|bancari|di accesso),
    data di scadenza, iban, password, parol[ae] d'ordine, credenziali, pin,
    codic[ei] (pin|segreto|di sicurezza|di verifica|di conferma|di accesso|sms|otp|ricevuto|che ha)*, cvv, cvc,
    tan, passaport[oi], patente( di guida)?, selfie, codice fiscale, certificato di nascita`,
  harmless: `
    (reimpostare|cambiare|scegliere|creare|dimenticat[oa]|modificare|reimposti|cambi|scelga)( la| una| sua| la sua)?( nuova)? password,
    password dimenticata`,
  send: `
    invi(a|i|ate|are|aci|arci|ateci|arcelo)*, mand(a|i|ate|are|aci|arci)*, comunic(a|hi|are|aci|arci)*,
    forni(sca|sci|re|rci)*, d(ia|ica|ite|icci|accelo|ammi|irci|arci)*, indic(a|hi|are)*, rispond(a|i|ere)*,
    condivid(a|i|ere)*, conferm(a|i|are), caric(a|hi|are), alleg(a|hi|are), scriv(a|i|ere|eteci|ici)*, bisogno,
    per (favore|piacere|cortesia)(?! \\p{L}), serve, servono, necessari*, senza, foto*, copia*, scansion*,
    qual è, verific(a|hi|are)*, richied*, chied*`,
  enter: `
    inseri(sca|sci|re|te)*, digit(a|i|are|ate)*, immett(a|i|ere), compil(a|i|are), acced(a|i|ere), immetta`,
  not: 'non, mai, nessun*, né, neanche',
  search: 'cerc(a|hi|hino|are|ate)*, trov(a|i|are), googl*',
  contact: `
    (scriv(a|i|er|ete)|contatt(a|i|ar|ate)|chiam(a|i|ar|ate)|parl(a|i|ar|ate))(gli|li|lo|la|le| loro| a loro| con loro),
    (gli|le) scriv*, (li|lo) contatt*`,
  claims: `
    rubat[oaie], rub(ò|are|ano|a), furt[oi], ladr[oi], sottratt[oaie],
    (è|sono|stato|stata|andato|andata|andati) (pers[oaie]|perdut[oaie]|smarrit[oaie]), innocu*,
    non (è )?(tossic|pericolos|nociv)*, sicur[oaie] per, senza (rischi|pericol)*, ingeri*, inghiott*, ingoi*,
    commestibil*`,
};

const dutch: RequestWords = {
  secrets: `
    kaartnummers?, kaartgegevens, (krediet|credit|bank|betaal|debet)-?(kaart|pas)(en|sen|nummer*|gegevens)?,
    pasnummers?, vervaldatum, bankgegevens, iban, wachtwoord*, inloggegevens, toegangscode*, pin, pins,
    pincodes?, geheime codes?, (beveiligings|verificatie|bevestigings|sms|controle|toegangs|inlog)-?codes?,
    code (uit|van|die u|die je)*, cvv, cvc, tan, tan-?codes?, paspoort*, identiteits(bewijs|kaart|document)*,
    id-?kaart*, legitimatie*, rijbewij*, selfies?, bsn, burgerservicenummer*`,
  harmless: `
    wachtwoord (opnieuw instellen|wijzigen|te wijzigen|kiezen|te kiezen|vergeten|instellen|in te stellen|resetten|herstellen),
    wachtwoord-?vergeten`,
  send: `
    stuur*, zend*, mail*, geef*, vermeld*, antwoord*, deel, deelt, reageer*, bevestig*, upload*, verstrek*,
    noem*, schrijf*, app, toesturen, opsturen, doorgeven, (ons|mij) sturen, sturen naar, te sturen, nodig,
    alstublieft(?! \\p{L}), graag(?! \\p{L}), vereist, zonder, foto*, kopie*, scan*, wat is, verifi*, vragen,
    vraag*`,
  enter: 'voer*, typ*, vul*, toets*, invoeren, invullen, intypen, in te voeren, in te vullen, log*, gebruik*',
  not: 'niet, nooit, geen, niemand',
  search: 'zoek*( naar)?, google*, vind*',
  contact: `
    (schrijf*|bericht*|bel|belt|contacteer*|app|appt|mail|mailt|praat)( met| naar)? (hen|hun|hem|haar|ze|dit account|dat account),
    contact (op )?met (hen|hem|haar|ze)`,
  claims: `
    gestolen, stal, stelen, steelt, diefstal*, dief, dieven, ontvreemd*, verduister*,
    (is|zijn|werd|raakte) (kwijt|verloren|zoek)(geraakt|gegaan)?, kwijtgeraakt, verloren gegaan, zoekgeraakt,
    ongevaarlijk*, onschadelijk*, (niet|geen) (giftig|gevaarlijk|schadelijk|gevaar)*, veilig (voor|om),
    inslikken, ingeslikt, slik*, eetbaar*, eetbare`,
};

const portuguese: RequestWords = {
  secrets: `
    números? d[oe] (seu |teu )?cartão*, cart(ão|ões) (de crédito|de débito|bancário|multibanco)*,
    cartão de cidadão, dados (do (seu )?cartão|bancários|de acesso), data de (validade|expiração), iban,
    senhas?, palavras?-passe, palavras?-chave, credenciais, pins?,
    códigos? (pin|secreto|de segurança|de verificação|de confirmação|de acesso|sms|único|recebido|que (recebeu|enviámos|enviamos))*,
    cvv, cvc, tan, passaportes?, (documento|bilhete|carteira) de identidade*,
    (carta|carteira) de (condução|motorista|habilitação), rg, cpf, nif, selfies?, certidão de nascimento`,
  harmless: `
    (redefinir|alterar|mudar|escolher|criar|esqueceu|esqueci|redefina|altere|escolha)( a| uma| sua| a sua| a minha)?( nova)? (senha|palavra-passe)`,
  send: `
    envi(e|em|ar|a|ar-nos|e-nos)*, mand(e|a|ar|em)*, inform(e|ar|a)*, indi(que|car|ca)*, forne(ça|cer|ce)*,
    d(ê|iga|igam|iz)(-nos)?, partilh(e|ar|a)*, compartilh(e|ar|a)*, respond(a|er|e)*, comuni(que|car|ca)*,
    escrev(a|er|e)*, confirm(e|ar|a)*, anex(e|ar|a), carreg(ue|ar), precis*, necessit*, necessári*,
    por favor(?! \\p{L}), sem, foto*, cópia*, digitaliz*, qual, verifi(que|car|ca)*, solicit*, ped*, passe-nos`,
  enter: `
    introdu(za|zir|z)*, insir(a|am), inserir, digit(e|ar|a), escrev(a|er), preench(a|er|e), inici(e|ar)*`,
  not: 'não, nunca, jamais, nenhum*, ninguém, nem',
  search: 'procur(e|ar|a|em)*( por)?, pesquis(e|ar|a)*( por)?, busque*, encontr(e|ar|a), googl*',
  contact: `
    (escrev(a|er|e)|contact(e|ar|a)|contat(e|ar|a)|lig(ue|ar|a)|fal(e|ar|a)|chame)( para| com| a)? (lhes?|eles|elas|ele|ela),
    (contactá|contatá|chamá) l[oa]s?, contact(e|em) (os|as)`,
  claims: `
    roub(ou|ado|ada|ados|adas|o|ar|aram)*, furt(ou|ado|ada|o|ar)*, ladr(ão|ões)*,
    (foi|está|estão|foram|se) perd(ido|ida|idos|eu|eram)*, extraviad*, extraviou*, inofensiv*,
    não (é )?(tóxic|perigos|nociv)*, atóxic*, segur[oa]s? para, sem (risco|perigo)*, engol*, ingeri*, comestíve*`,
};

const polish: RequestWords = {
  secrets: `
    numer* (karty|kart), kart* (kredytow|płatnicz|bankow|debetow)*, dan* (karty|bankow*|logowania),
    dat* ważności, iban, hasł*, haseł, login i, pin, pinu, pin-u, pinem,
    kod* (pin|zabezpiecz|bezpieczeństwa|weryfikac|potwierdz|dostępu|sms|z sms|jednorazow|blik|cvv|cvc|który)*,
    blik, cvv, cvc, tan, paszport*, dow(ó|o)d* (osobist|tożsamości)*, dokument* tożsamości, praw* jazdy, selfie,
    pesel*, akt urodzenia`,
  harmless: `
    (zresetować|zmienić|ustawić|wybrać|utworzyć|zapomniał*|zresetuj|zmień|ustaw|resetowani*|zmian*|nie pamięta*)( swoje| nowe| swoje nowe)? hasł*`,
  send: `
    wyślij*, wysłać, prześlij*, przesłać, podaj*, podać, podanie, przekaż*, przekazać, odpowiedz*, odpowiedzieć,
    napisz*, napisać, udostępni*, potwierdź*, potwierdzić, prosimy o, proszę o, proszę(?! \\p{L}), poda(ć|nie),
    załącz*, dołącz*, wgraj*, potrzebujemy, potrzebn*, wymag*, bez, zdjęci*, fotografi*, kopi(a|ę|i), skan*,
    jaki jest, jakie jest, zweryfikuj*, powiedz*, nadeślij*`,
  enter: 'wpisz*, wpisać, wprowadź*, wprowadzić, wypełnij*, zaloguj*, zalogować, wstukaj*',
  not: 'nie, nigdy, żad*, nikt, ani',
  search: 'wyszukaj*, poszukaj*, znajdź*, szukaj*, wyszukać, googl*',
  contact: `
    (napisz*|zadzwoń*|skontaktuj*|zapytaj*|porozmawiaj*|wyślij*)( się)?( do| z)? (nich|niego|niej|nim|nimi|nią|im|jej|jemu),
    (napisać|pisz) do (nich|niego|niej)`,
  claims: `
    ukrad*, skradzion*, kradzież*, złodziej*, przywłaszcz*,
    (jest|została?|zostało|się) (zagubion|zgubion|zgubił|utracon)*, zaginę*, zaginą*, zgubił*, nieszkodliw*,
    nietoksyczn*, niegroźn*, bezpieczn* (dla|do), nie jest (toksyczn|groźn|niebezpieczn|szkodliw)*, połkn*,
    połyka*, jadaln*`,
};

/** The words of all languages that the guard reads. */
export const requestWords: readonly RequestWords[] = [
  english,
  german,
  french,
  spanish,
  italian,
  dutch,
  portuguese,
  polish,
];
