import type { ConcernPhrases } from './phrases.ts';

/** Phrases of French that raise a concern; `|` separates them. */
export const french: ConcernPhrases = {
  self_harm: `
    me suicider|suicide|en finir avec la vie|mettre fin à mes jours|me tuer|envie de mourir|veux mourir|plus envie de vivre|
    me faire du mal|plus vivre comme ça`,
  injury: `
    blessé|blessée|blessure|blessures|choc électrique|électrocuté|électrocutée|suis brûlé|suis brûlée|s est brûlé|s est brûlée|brûlure|brûlures|pris feu|explosé|
    hôpital|aux urgences|réaction allergique|intoxication alimentaire|empoisonné|morceaux de verre|éclats de verre|odeur de gaz|
    monoxyde|avalé une pile|coupé la main`,
  threat:
    'je vais vous tuer|vous allez le regretter|je sais où vous habitez|poser une bombe|vous faire la peau|brûler votre|casser la gueule',
  fraud: `
    fraude|frauduleux|frauduleuse|escroquerie|arnaque|arnaqué|arnaquée|sans mon autorisation|sans mon accord|pas autorisé|
    prélèvement inconnu|paiement non autorisé|compte piraté|piraté|carte volée|vol de carte|usurpation|hameçonnage`,
  legal: `
    avocat|avocate|tribunal|porter plainte|porte plainte|dépôt de plainte|plainte contre|mise en demeure|poursuites|justice|
    poursuivre en justice|dommages et intérêts|huissier|médiateur|ufc que choisir|dgccrf`,
  privacy: `
    rgpd|cnil|données personnelles|données à caractère personnel|supprimer mes données|suppression de mes données|
    effacer mes données|toutes mes données|droit d accès|droit à l oubli|fuite de données|protection des données`,
  discrimination:
    'raciste|racisme|discrimination|discriminé|discriminée|homophobe|sexiste|antisémite|harcèlement|harcelé|harcelée',
  vulnerable: `
    décédé|décédée|est mort|est morte|décès|acte de décès|obsèques|succession|mon défunt|ma défunte|feu mon|tutelle|curatelle|
    violences conjugales|me frappe|alzheimer|phase terminale`,
  press:
    'journaliste|rédaction|demande de presse|service de presse|commissariat|gendarmerie|police judiciaire|procureur',
};

/** Phrases of Spanish. */
export const spanish: ConcernPhrases = {
  self_harm: `
    suicidarme|suicidio|quitarme la vida|matarme|quiero morir|ganas de morir|no quiero vivir|no quiero seguir viviendo|
    hacerme daño|acabar con mi vida`,
  injury: `
    herido|herida|heridas|lesión|lesiones|lesionado|descarga eléctrica|me he quemado|me quemé|se quemó la|quemadura|quemaduras|se incendió|
    prendió fuego|explotó|hospital|urgencias|reacción alérgica|intoxicación|intoxicado|trozos de vidrio|cristales|olor a gas|
    monóxido|se tragó`,
  threat:
    'os voy a matar|los voy a matar|te voy a matar|se van a arrepentir|os vais a arrepentir|sé dónde viven|sé dónde vivís|poner una bomba',
  fraud: `
    fraude|fraudulento|fraudulenta|estafa|estafado|estafada|estafadores|sin mi autorización|sin mi permiso|no autorizado|
    no autorizada|cargo desconocido|no reconozco|cuenta hackeada|hackeado|hackeada|tarjeta robada|robo de identidad|
    suplantación|phishing`,
  legal: `
    abogado|abogada|demanda|demandar|demandarles|demandaros|tribunal|tribunales|juzgado|acciones legales|vía judicial|
    denuncia|denunciar|hoja de reclamaciones|indemnización|defensor del consumidor|burofax`,
  privacy: `
    rgpd|protección de datos|datos personales|borrar mis datos|borren mis datos|eliminar mis datos|eliminen mis datos|
    todos mis datos|derecho al olvido|derecho de acceso|filtración de datos|agencia española de protección`,
  discrimination:
    'racista|racismo|discriminación|discriminado|discriminada|homófobo|homófoba|sexista|antisemita|acoso|acosado|acosada',
  vulnerable: `
    falleció|fallecido|fallecida|ha muerto|murió|fallecimiento|defunción|funeral|herencia|mi difunto|mi difunta|tutor legal|
    violencia de género|violencia doméstica|me pega|alzhéimer|alzheimer|enfermo terminal`,
  press:
    'periodista|redacción|solicitud de prensa|medio de comunicación|policía|guardia civil|fiscalía|fiscal',
};

/** Phrases of Italian. */
export const italian: ConcernPhrases = {
  self_harm:
    'suicidarmi|suicidio|togliermi la vita|uccidermi|voglio morire|farla finita|non voglio più vivere|farmi del male',
  injury: `
    ferito|ferita|ferite|lesione|lesioni|scossa elettrica|mi sono bruciato|mi sono bruciata|ustione|ustioni|ha preso fuoco|preso fuoco|
    incendio|esploso|esplosa|ospedale|pronto soccorso|reazione allergica|intossicazione|intossicato|pezzi di vetro|schegge|
    odore di gas|monossido|ingerito`,
  threat: 'vi ammazzo|vi uccido|ve ne pentirete|so dove abitate|so dove vivete|metto una bomba|vi brucio',
  fraud: `
    frode|truffa|truffato|truffata|truffatori|fraudolento|fraudolenta|senza la mia autorizzazione|non autorizzato|
    non autorizzata|addebito sconosciuto|account violato|hackerato|carta rubata|furto di identità|phishing`,
  legal: `
    avvocato|avvocata|legale|tribunale|querela|denuncia|denunciare|denuncerò|vie legali|azioni legali|diffida|risarcimento|
    giudice|associazione consumatori|causa legale|messa in mora`,
  privacy: `
    gdpr|dati personali|cancellare i miei dati|cancellazione dei miei dati|eliminare i miei dati|tutti i miei dati|
    diritto all oblio|diritto di accesso|garante della privacy|violazione dei dati|protezione dei dati`,
  discrimination:
    'razzista|razzismo|discriminazione|discriminato|discriminata|omofobo|omofoba|sessista|antisemita|molestie|molestata',
  vulnerable: `
    deceduto|deceduta|è morto|è morta|decesso|certificato di morte|funerale|eredità|defunto|defunta|amministratore di sostegno|
    tutore|violenza domestica|mi picchia|alzheimer|malato terminale`,
  press:
    'giornalista|redazione|richiesta stampa|ufficio stampa|polizia|carabinieri|guardia di finanza|procura',
};

/** Phrases of Portuguese. */
export const portuguese: ConcernPhrases = {
  self_harm:
    'suicídio|suicidar|suicidar me|tirar a minha vida|me matar|matar me|quero morrer|não quero viver|acabar com a minha vida',
  injury: `
    ferido|ferida|ferimentos|lesão|lesões|choque elétrico|me queimei|queimei me|queimei a|queimadura|queimaduras|pegou fogo|incêndio|explodiu|
    hospital|urgências|pronto socorro|reação alérgica|intoxicação|pedaços de vidro|cacos de vidro|cheiro a gás|cheiro de gás|
    monóxido|engoliu`,
  threat: 'vou matar|vão se arrepender|vão arrepender se|sei onde moram|sei onde vivem|pôr uma bomba',
  fraud: `
    fraude|fraudulento|fraudulenta|burla|burlado|burlada|golpe|sem a minha autorização|sem minha autorização|não autorizado|
    não autorizada|cobrança desconhecida|conta invadida|hackeada|cartão roubado|roubo de identidade|phishing`,
  legal: `
    advogado|advogada|tribunal|vou processar|processar vos|processá los|processo judicial|ação judicial|ações legais|medidas legais|queixa crime|denúncia|
    indemnização|indenização|procon|livro de reclamações|justiça`,
  privacy: `
    rgpd|lgpd|dados pessoais|apagar os meus dados|apagar meus dados|eliminar os meus dados|excluir meus dados|
    todos os meus dados|direito ao esquecimento|proteção de dados|vazamento de dados|fuga de dados|cnpd`,
  discrimination:
    'racista|racismo|discriminação|discriminado|discriminada|homofóbico|homofóbica|sexista|antissemita|assédio|assediada',
  vulnerable: `
    faleceu|falecido|falecida|morreu|óbito|certidão de óbito|funeral|herança|meu falecido|minha falecida|tutor legal|
    violência doméstica|me bate|bate me|alzheimer|doente terminal`,
  press: 'jornalista|pedido de imprensa|assessoria de imprensa|polícia|ministério público|inspetor',
};
