import type { Cue } from './cue.ts';

/** How automatic replies in Romance languages are worded, without accents. */
export const romanceReplies = {
  fr: [
    [1, /\bvotre (?:message|demande|courriel|mail|e-?mail)\b/],
    [
      2,
      /\bconges? (?:de )?(?:maternite|parental|paternite|annuel\w*|sabbatique|maladie)\b|\bvotre\b[^.\n]{0,40}\best (?:en cours|bien)/,
    ],
    [
      2,
      /\baccus(?:e|ons) (?:bonne )?reception\b|\b(?:la|le|les) traiter(?:ons|ai)\b|\bjours ouvr(?:es|ables)\b/,
    ],
    [1, /\bcontactez\b|\bpour toute (?:question|urgence|demande)\b/],
    [
      2,
      /\b(?:je serai|nous serons|serai) de retour\b|\b(?:bureau|magasin|cabinet|atelier|etablissement|service|agence|boutique)\w*\b[^.\n]{0,50}(?:ferme\w*|conges)\b|(?:^|\n)\W{0,3}(?:actuellement )?(?:absent\w*|en conges?|en vacances|en deplacement|en formation)\b/,
    ],
    [3, /\bne (?:fais|fait) plus partie\b|\bje ne travaille plus\b|\bplus en poste\b/],
    [
      1,
      /\b(?:prend (?:le|la) rel\w+|prend la suite|me remplace|mes collegues|ma collegue|mon collegue|d'ici la|sous \S+ (?:heures|jours)|adresser a|ecrire a|joindre)\b/,
    ],
    [
      3,
      /\b(?:reponse|message|courriel|mail|accuse|e-?mail|notification|confirmation)(?: \S+){0,4} automatique\w*\b|\baccuse de reception\b|\bautomatiquement (?:genere|envoye)|\bgenere automatiquement|\bmessage d'absence/,
    ],
    [
      2,
      /\b(?:je (?:suis|serai)|nous sommes|nous serons|etant|actuellement|notre (?:bureau|service|agence)\b[^.\n]{0,20})\b[^.\n]{0,40}(?:absent\w*|en conges?|en vacances|en deplacement|hors du bureau|en arret|indisponible|injoignable|ferme\w*|en formation)\b|\bconges? (?:maternite|parental|paternite|annuel\w*)/,
    ],
    [
      1,
      /\b(?:jusqu'au|jusqu'a|de retour|mon retour|notre retour|a partir du|des mon|a compter du|reprendr\w+)\b|\bretour (?:le|lundi|prevu)/,
    ],
    [
      1,
      /\b(?:en cas d'urgence|urgen\w+|pendant mon absence|en mon absence|durant mon absence|contacter|adressez-vous|vous adresser|acces limite|consulte\w* (?:pas )?mes)\b/,
    ],
    [
      2,
      /\b(?:nous avons|avons|a|ont) (?:bien |bien ete )?(?:recu|receptionne|enregistre|pris en compte) (?:votre|vos)\b|\bvotre (?:\S+ ){0,2}(?:message|demande|courriel|mail|e-?mail|ticket|requete)(?: \S+){0,3} (?:recu\w*|enregistre\w*|pris\w* en compte|bien ete|transmis\w*|cree\w*|ouvert\w*)\b/,
    ],
    [1, /\bmerci (?:de|pour) (?:votre|nous avoir|vous)|\bvous remercions (?:de|pour)/],
    [
      2,
      /\b(?:nous|notre \S+|un (?:conseiller|agent|membre|collaborateur)[^.\n]{0,40}|equipe\w*|conseiller\w*)\b[^.\n]{0,40}(?:repondr\w+|reviendr\w+|traiter\w+|contacter\w+|reprendr\w+ contact)\b|\b(?:meilleurs|plus brefs) delais\b|\bsera traite\b/,
    ],
    [2, /\bne (?:pas |repondez pas)[^.\n]{0,30}(?:repondre|a ce)|\bmerci de ne pas repondre/],
    [
      3,
      /\b(?:adresse|boite|messagerie|e-?mail)\b[^.\n]{0,50}\b(?:n'est (?:pas|plus) (?:\S+ )?(?:consulte\w*|surveille\w*|lu\w*|active|utilise\w*|relev\w*|valide|suivie)|plus (?:active|utilisee|consultee))/,
    ],
    [
      2,
      /\b(?:ne travaille plus|ne fait plus partie|n'est plus en poste|a quitte (?:la|l'|notre|ses)|ai quitte (?:la|l'|mes))/,
    ],
  ],
  es: [
    [
      1,
      /\b(?:un agente|nuestro equipo|un asesor|un miembro)\b[^.\n]{0,60}(?:revisar|atender|responder|contactar)\w*|\bproximas \S+ horas\b/,
    ],
    [1, /\b(?:su|tu) (?:mensaje|correo|caso|consulta|solicitud)\b/],
    [
      2,
      /\bno (?:me encuentro|estoy|estare|me encontrare) (?:en la oficina|en el despacho|disponible|localizable)\b/,
    ],
    [1, /\b(?:a la brevedad|dias habiles|dias laborables|en este momento)\b/],
    [
      2,
      /\b(?:estoy|esta) de (?:viaje\b|(?:baja|permiso|licencia) (?:por|maternal|paternal|parental|hasta)\b)|(?:^|\n)\W{0,3}(?:de vacaciones|fuera de (?:la )?oficina|ausente)|\b(?:cerrad\w+|cierre) (?:por|hasta|del)\b/,
    ],
    [
      3,
      /\bno admite (?:respuestas|mensajes|correos)|\bno (?:acepta|recibe) (?:respuestas|mensajes|correos)|\bya no (?:trabajo|trabaja|esta) en\b/,
    ],
    [1, /\b(?:se ocupa|companer[oa]|me sustituye|sustitut\w|respondera|formulario|asuntos|utilice)\b/],
    [
      3,
      /\b(?:respuesta|mensaje|correo|acuse|notificacion|confirmacion)(?: \S+){0,4} automatic\w+|\bacuse de recibo\b|\bgenerad[oa] (?:de forma |de manera )?automatic\w+|\bautorespuesta|\benviad[oa] automaticamente/,
    ],
    [
      2,
      /\b(?:estoy|estare|me encuentro|me encontrare|estamos|estaremos|permaneceremos|nuestras? oficinas?)\b[^.\n]{0,30}(?:de vacaciones|fuera de (?:la )?oficina|ausente|de viaje|de baja|de permiso|cerrad\w+|fuera del? despacho|sin acceso|de licencia)|\b(?:baja|permiso|licencia) (?:de )?(?:maternidad|maternal|paternidad|paternal|parental|medica)/,
    ],
    [
      1,
      /\b(?:hasta (?:el|la|nuevo)|vuelvo|volvere|regreso|regresare|a mi (?:regreso|vuelta)|a partir del?|mi vuelta|reincorpor\w+|de vuelta)\b/,
    ],
    [
      1,
      /\b(?:urgent\w+|urgencia\w*|en mi ausencia|durante mi ausencia|pongase en contacto|contacte|contactar|dirijase|escriba a|escribir a|llame al|acceso limitado)\b/,
    ],
    [
      2,
      /\b(?:hemos|ha sido) recibid?o\b[^.\n]{0,10}(?:su|tu|correctamente|el)|\bhemos recibido\b|\b(?:su|tu) (?:\S+ ){0,2}(?:mensaje|correo|solicitud|consulta|ticket|peticion|caso|e-?mail)(?: \S+){0,3} (?:recibid\w|registrad\w|cread\w|asignad\w|abiert\w)/,
    ],
    [1, /\bgracias por (?:su|tu|contactar\w*|comunicar\w*|escribir\w*|ponerse|ponerte|enviar\w*)/],
    [
      2,
      /\b(?:le|te|nos|nuestro equipo|un agente|un asesor|en breve)\b[^.\n]{0,40}(?:responder\w+|contestar\w+|atender\w+|contactar\w+|pondr\w+ en contacto)|\b(?:a la mayor brevedad|lo antes posible|en un plazo)\b/,
    ],
    [
      2,
      /\bno (?:responda|responder|conteste|respondas|contestes)\b[^.\n]{0,30}(?:a este|a el|este|mensaje|correo)?/,
    ],
    [
      3,
      /\b(?:buzon|direccion|cuenta|correo)\b[^.\n]{0,50}\b(?:no (?:esta|es|se) (?:\S+ )?(?:atendid\w|supervisad\w|revisad\w|monitoread\w|activ\w|revisa|lee|atiende)|ya no (?:esta|se))/,
    ],
    [
      2,
      /\bya no (?:trabaja|forma parte|pertenece|trabajo en)\b|\b(?:ha|he) dejado (?:la empresa|de trabajar)/,
    ],
  ],
  it: [
    [
      1,
      /\b(?:la|ti|vi) ringraziamo\b|\b(?:sua|tua|vostra) (?:richiesta|mail|e-?mail|comunicazione|segnalazione)\b/,
    ],
    [2, /\b(?:la|ti|vi) (?:ri)?contatter\w+|\bappena possibile\b/],
    [1, /\b(?:entro|in) \S+ (?:ore|giorni)\b|\bgiorni lavorativi\b/],
    [
      2,
      /(?:^|[.\n] ?)\W{0,3}(?:siamo )?(?:in ferie|in vacanza|fuori (?:ufficio|sede)|assente|chius\w per|in maternita|in trasferta)|\bnon saro (?:in ufficio|raggiungibile|disponibile)\b/,
    ],
    [1, /\b(?:buone? (?:estate|vacanze|ferie)|mi sostituisce|collega|se ne occupa|rispondero|leggero)\b/],
    [
      3,
      /\b(?:risposta|messaggio|conferma|ricevuta|notifica|e-?mail)(?: \S+){0,4} automatic\w+|\bgenerat\w (?:in (?:modo|maniera) )?automatic\w+|\binviat\w automaticamente|\brisponditore\b/,
    ],
    [
      2,
      /\b(?:sono|saro|siamo|saremo|mi trovo|attualmente|ufficio)\b[^.\n]{0,40}(?:fuori (?:ufficio|sede|dall'ufficio)|in ferie|in vacanza|assente|in congedo|in maternita|in malattia|in viaggio|in trasferta|chius\w)\b|\bcongedo (?:di )?(?:maternita|parentale|paternita)/,
    ],
    [
      1,
      /\b(?:fino al?|sino al|al mio (?:rientro|ritorno)|rientro|rientrero|tornero|di ritorno|a partire dal?|dal mio)\b/,
    ],
    [
      1,
      /\b(?:urgen\w+|in mia assenza|durante la mia assenza|contattare|contatti|rivolgersi|scrivere a|chiamare il|accesso limitato)\b/,
    ],
    [
      2,
      /\babbiamo (?:\S+ )?(?:ricevuto|registrato|preso in carico)\b|\b(?:la (?:sua|tua|vostra)|il (?:suo|tuo|vostro)) (?:\S+ ){0,2}(?:messaggio|richiesta|e-?mail|mail|ticket|segnalazione)(?: \S+){0,3} (?:ricevut\w|registrat\w|pres\w in carico|apert\w|inoltrat\w|creat\w)/,
    ],
    [1, /\bgrazie per (?:averci|la (?:sua|tua|vostra)|il (?:suo|tuo|vostro)|aver)/],
    [
      2,
      /\b(?:le|ti|vi|nostro \S+|un (?:operatore|nostro)\b[^.\n]{0,30})\b[^.\n]{0,30}(?:rispondere\w+|risponder\w+|contatter\w+|ricontatter\w+)|\b(?:prima possibile|piu presto|al piu presto|nel piu breve)\b/,
    ],
    [2, /\bnon rispondere\b|\bsi prega di non\b|\bla preghiamo di non rispondere/],
    [
      3,
      /\b(?:casella|indirizzo|account)\b[^.\n]{0,50}\bnon (?:e|viene|sono) (?:piu )?(?:\S+ )?(?:monitorat\w|presidiat\w|lett\w|controllat\w|attiv\w|in uso)/,
    ],
    [
      2,
      /\bnon (?:lavora|fa|lavoro|e) piu (?:per|con|parte|presso|in azienda|qui)\b|\bha lasciato (?:l'azienda|la societa)/,
    ],
  ],
  pt: [
    [
      1,
      /\b(?:a )?(?:sua|tua|vossa) (?:mensagem|solicitacao)\b|\bo (?:seu|teu) (?:e-?mail|contacto|contato)\b/,
    ],
    [1, /\b(?:dias uteis|horas uteis|no momento)\b/],
    [
      2,
      /(?:^|[.\n] ?)\W{0,3}(?:de ferias|fora do escritorio|ausente|em viagem)\b|\bnao (?:estarei|estou) (?:no escritorio|disponivel)/,
    ],
    [1, /\b(?:assuntos|colega|substitui|respondo|responderei|lerei|recepcao|em breve)\b/],
    [
      3,
      /\b(?:resposta|mensagem|e-?mail|confirmacao|aviso|notificacao)(?: \S+){0,4} automatic\w+|\bgerad[oa] automaticamente|\benviad[oa] automaticamente|\bresposta de ausencia/,
    ],
    [
      2,
      /\b(?:estou|estarei|encontro-me|encontrar-me-ei|estamos|estaremos|me encontro|escritorio)\b[^.\n]{0,40}(?:de ferias|em ferias|ausente|fora do escritorio|de licenca|em licenca|em viagem|de baixa|encerrad\w|fechad\w|sem acesso)|\blicenca (?:de )?(?:maternidade|paternidade|parental|medica)/,
    ],
    [
      1,
      /\b(?:ate (?:ao?|dia|segunda|\d)|regresso|retorno|volto|voltarei|regressarei|retornarei|a partir de)\b/,
    ],
    [
      1,
      /\b(?:urgent\w+|urgencia\w*|na minha ausencia|durante a minha ausencia|contacte|contactar|contate|entre em contato|entrar em contato|sem acesso|acesso limitado)\b/,
    ],
    [
      2,
      /\b(?:recebemos|registamos|registramos)\b[^.\n]{0,20}(?:su?a|seu|vossa|mensagem|e-?mail|pedido|contato|contacto|solicitacao)|\b(?:a sua|o seu|sua|seu) (?:\S+ ){0,2}(?:mensagem|e-?mail|solicitacao|chamado|ticket|pedido de (?:ajuda|suporte|apoio))(?: \S+){0,3} (?:recebid\w|registad\w|registrad\w|criad\w|abert\w)/,
    ],
    [1, /\bobrigad[oa] (?:por|pelo|pela)\b|\bagradecemos (?:o|a|por|pelo|desde)/],
    [
      2,
      /\b(?:responderemos|retornaremos|entraremos em contat?c?to|sera respondid\w|responder-lhe|nossa equipe|nossa equipa)\b|\b(?:o mais (?:breve|rapido|rapidamente)|com a maior brevidade|assim que possivel)\b/,
    ],
    [2, /\bnao (?:responda|responder|responda a)\b|\bfavor nao responder/],
    [
      3,
      /\b(?:caixa|endereco|conta|e-?mail)\b[^.\n]{0,50}\bnao (?:e|esta|sao) (?:mais )?(?:\S+ )?(?:monitorad\w|monitorizad\w|lid\w|ativ\w|verificad\w|em uso)/,
    ],
    [
      2,
      /\b(?:nao|ja nao) (?:trabalha|faz parte|trabalho|pertence)(?: mais)?\b|\bdeixou (?:a empresa|de trabalhar)/,
    ],
  ],
} as const satisfies Readonly<Record<string, readonly Cue[]>>;
