import { bounceMentions, bounces } from './bounces.ts';
import { type Cue, weigh } from './cue.ts';
import { fold } from './folded.ts';
import { foreignCustomer } from './foreign-customer.ts';
import { generalBounces } from './general-bounces.ts';

/** Subjects that mail servers alone write, folded: they speak of a mail. */
const unmistakable: readonly RegExp[] = [
  /^(?:undelivered|undeliverable|returned|rejected|bounced) (?:e-?mail|mail|message)\b/,
  /^(?:delivery status notification|delivery notification:|delivery report \(|failure notice$|non-?delivery (?:report|notification|receipt)|mail system error|mail delivery (?:failed|failure|error|problem|system|subsystem|status|report|notification)|warning: (?:could not send message|message \S{1,60} delayed))/,
  /^(?:unzustellbare (?:nachricht|e-?mail|mail)|(?:nachricht|e-?mail|mail) (?:unzustellbar|nicht zugestellt|konnte nicht zugestellt)|zustell(?:ungs?)?(?:status)?benachrichtigung|benachrichtigung (?:uber|zum) (?:den )?zustell(?:ungs)?status)/,
  /^(?:notification (?:d'etat|du statut|de l'etat|sur l'etat) de (?:la )?(?:remise|distribution)|(?:message|courriel|courrier|mail|e-?mail) non (?:remis|distribu|delivr|livr)|echec de (?:la )?(?:remise|distribution) (?:du|de) (?:courrier|message|mail))/,
  /^(?:notificacion (?:de|del|sobre el) estado de (?:la )?entrega|(?:correo|mensaje|e-?mail)(?: electronico)? (?:no entregad|devuelt|rechazad|no se (?:pudo|puede|ha podido)))/,
  /^(?:(?:notifica|avviso|comunicazione) (?:dello|sullo|di) stato (?:di|del|della) (?:recapito|consegna)|(?:messaggio|posta|mail|e-?mail) non (?:recapita|consegna)|mancat[oa] (?:recapito|consegna) del(?:la)? (?:messaggio|posta|mail))/,
  /^(?:(?:bericht|mail|e-?mail) (?:niet bezorgd|onbestelbaar|niet afgeleverd)|onbestelbare? (?:bericht|mail|e-?mail)|(?:kennisgeving|melding) (?:van|over) (?:de )?(?:bezorg|aflever)ings?status)/,
  /^(?:powiadomienie o (?:stanie|statusie) (?:dostarczenia|doreczenia)|(?:wiadomosc|poczta|e-?mail) (?:nie ?dostarczon|nie ?doreczon|zwrocon)|zwrot (?:poczty|wiadomosci)|(?:mensagem|correio|e-?mail) (?:nao entregue|devolvid|rejeitad)|notificacao (?:de|do|sobre o) (?:status|estado) d[ae] entrega)/,
];

/** The beginnings of subjects that mail servers put before that of the mail. Customers write them about parcels too. */
const prefix =
  /^(?:undeliver(?:able|ed)|delivery (?:has )?(?:failed|failure)|failed delivery|not delivered|returned to sender|message (?:undeliverable|not delivered)|unzustellbar|nicht zustellbar|rucklaufer|non (?:remis|distribue|livrable)|non-livrable|echec de (?:la )?(?:remise|distribution)|no se (?:puede|pudo|ha podido) entregar|no (?:entregado|entregable)|non recapita(?:bile|to)|impossibile recapitare|mancato recapito|onbestelbaar|niet[- ](?:bezorgd|bezorgbaar|afgeleverd)|niedostarcz(?:alne|one)|niedoreczone|nie (?:mozna|udalo sie) dostarczyc|nao (?:e|foi) possivel entregar|nao entregue|olevererbart|kan (?:inte|ikke) leveres|ikke lever(?:et|t)|uleverbar|ei voitu toimittaa|teslim edilemedi|iletilemedi) ?(?:$|[:\]])/;

const failures: readonly Cue[] = [...bounces, ...generalBounces];

/** Those who write about a parcel that did not reach them. */
const customers: readonly Cue[] = [
  ...bounceMentions,
  ...foreignCustomer,
  [
    2,
    /\b(?:orders?|parcels?|packages?|couriers?|carriers?|tracking|resend|dhl|dpd|ups|gls|hermes|postnl|inpost)\b/,
  ],
];

/** However many cues a text has, more are not counted. */
const MOST = 5;

/**
 * Whether the subject of a message says that a mail could not be delivered; undefined where it says nothing of the
 * kind. A prefix such as `Undeliverable:` says so unless the text reads more like a customer's than like a mail
 * server's.
 */
export function isBounceSubject(subject: string, text: string): boolean | undefined {
  const start = fold(subject).replace(/^\W+/, '').trimEnd();
  if (unmistakable.some((pattern) => pattern.test(start))) return true;
  if (!prefix.test(start)) return undefined;
  const folded = fold(text);
  const against = weigh(folded, customers, MOST);
  return against === 0 || weigh(folded, failures, MOST) > against;
}
