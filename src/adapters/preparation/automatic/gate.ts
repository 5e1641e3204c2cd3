/** Words of automatic replies in English by what they are about; what ends with `*` is the beginning of words. */
const replyTopics: readonly string[] = [
  'automat* auto autoreply autoresponse autoresponder ooo noreply responder unattended unmonitored acknowledg* office retired sabbatical organisation organization desk vacation',
  'away leave holiday* travel* sick closed shut asleep offline conference meetings training maternity paternity parental absence absent unavailable secondment duty hiking fishing trip course jury baby honeymoon site laptop wifi signal bach pilgrimage festival stocktaking kiln snow strike reached staffed unmanned works out part sabbath sabbatical bot sender monitored receipt',
  'until till through back return* reopen* resume* weeks months days hours daily twice shortly soon meantime meanwhile working wednesday* thursday* tuesday* monday* friday* tomorrow tonight today when after usual latest earliest autumn spring christmas year week',
  'reply replies respon* answer* touch revert read contact* write text ring silence alerted notified direct visit processed inform* accept*',
  'mail mails email emails message messages inbox mailbox address correspondence enquir* inquir* request* letter* form application* question* weekend ticket* case queue feedback contacting writing reaching submission reference incident status priority voicemail portal survey chat updated',
  'receiv* logged registered submitted assigned forwarded queued created recorded confirm* got opened deleted marked thank* thanks',
  'urgent* urgency emergency colleague cover deputy assistant replacement reception team volunteer* staff',
  'left retired moved longer employed firm',
  'company school university quer* clients colleagues handle cover all department work please only note every each',
];

/** Words of delivery failures. One of the first group suffices. */
const failureTopics: readonly string[] = [
  'daemon postmaster smtp recipient* undeliver* quarantin* spf dkim dmarc rfc relay* mailbox* quota bounce* unrout* suppress* transcript mta dsn nosuchuser addressee diagnostic* mx sms handset hops decommission* inbox',
  'mail mails email emails message messages fax text item attachment invitation receipt newsletter notification letter delivery reply user account address member group spam domain host server campaign feedback notice',
  'deliver* return* reject* refus* fail* block* error* full unknown inactive disabled unable expired held removed exist gave verify reach deleted without closed queue* delayed connect* member couldn cannot moved unavailable abuse such permitted forwarded passed incomplete sent given allowed processed find filter larger size exceed*',
];

interface Topics {
  readonly exact: ReadonlyMap<string, number>;
  readonly starts: ReadonlyMap<string, readonly (readonly [start: string, topic: number])[]>;
}

const START_LENGTH = 3;

function indexTopics(lists: readonly string[]): Topics {
  const exact = new Map<string, number>();
  const starts: (readonly [start: string, topic: number])[] = [];
  for (const [index, list] of lists.entries()) {
    for (const word of list.split(' ')) {
      if (word.endsWith('*')) starts.push([word.slice(0, -1), 1 << index]);
      else exact.set(word, (exact.get(word) ?? 0) | (1 << index));
    }
  }
  return { exact, starts: Map.groupBy(starts, ([start]) => start.slice(0, START_LENGTH)) };
}

/** The topics of failures come behind those of replies. */
const topics = indexTopics([...replyTopics, ...failureTopics]);
const FAILURE = replyTopics.length;

/** What a text may be, by its words: a cheap test before the cues. */
export interface Gate {
  readonly reply: boolean;
  readonly failure: boolean;
}

/** What a folded English text may be: an automatic message names at least two topics. */
export function openGates(folded: string): Gate {
  let found = /\b[45]\d\d[ -]|\d\.\d\.\d/.test(folded) ? 1 << FAILURE : 0;
  for (const word of folded.match(/[a-z]+/g) ?? []) found |= topicsOf(word);
  return { reply: isEnough(found & ((1 << FAILURE) - 1)), failure: isEnough(found >> FAILURE) };
}

/** One topic of the strongest group, or two of the others. */
function isEnough(found: number): boolean {
  return (found & 1) !== 0 || (found & (found - 1)) !== 0;
}

function topicsOf(word: string): number {
  const candidates = word.length < START_LENGTH ? undefined : topics.starts.get(word.slice(0, START_LENGTH));
  let found = topics.exact.get(word) ?? 0;
  for (const [start, topic] of candidates ?? []) if (word.startsWith(start)) found |= topic;
  return found;
}
