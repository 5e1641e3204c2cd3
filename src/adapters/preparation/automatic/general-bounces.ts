import { type Cue, cue } from './cue.ts';

const thing =
  '(?:messages?|e-?mails?|mails?|sms|text|texts|fax|notification|invitation|item|letter|reply|attachment|receipt|newsletter|voicemail\\S*|recipients?|post|delivery)';

/** General kinds of wording of delivery failures in English. */
export const generalBounces: readonly Cue[] = [
  cue(
    3,
    "\\bdid(?: not|n't) reach (?:its|the|their|your) (?:destination|intended|recipient)|(?:^|\\n)\\W{0,3}returned to sender\\b|\\bwithout delivery\\b",
  ),
  cue(
    3,
    '\\bdelivery status notification\\b|\\bpermission to post\\b|\\bgroup you tried to (?:contact|reach|e-?mail)\\b|\\bno mail exchangers?\\b|\\bpermanent failure\\b',
  ),
  cue(
    2,
    `\\b(?:could not|couldn't|cannot|can't|unable to|failed to|not able to|did not|didn't) (?:be )?(?:deliver|send|post|transmit|forward)\\w* (?:(?:your|the|this|a|an) )?${thing}\\b`,
  ),
  cue(
    1,
    "\\b(?:subscriber|number (?:disconnected|not in service|invalid)|retries|timed out|misconfigured|does not exist|doesn't exist)\\b",
  ),
  cue(3, "\\b(?:held|placed|put) (?:in|for|into) (?:quarantine|moderation|review)|\\bdidn't go through: "),
  cue(
    2,
    `\\b${thing}\\b(?: (?!i |my )\\S{1,40}){0,6}? (?:(?:could|can|was|were|has|have|is|did|does)(?:n't| not)|cannot|not|failed|never)(?: \\S{1,12}){0,3}? (?:deliver\\w*|sent|send|forwarded|processed|posted|picked|passed|accept\\w*|relayed|reached|permitted|handed|transmitted)\\b`,
  ),
  cue(
    2,
    `\\b${thing}\\b(?: (?!i |my )\\S{1,40}){0,6}? (?:was|were|has been|have been|is|are)(?: being)? (?:returned|rejected|refused|held|blocked|suppressed|discarded|removed|quarantined|bounced|dropped|flagged|deferred|delayed)\\b`,
  ),
  cue(
    2,
    `\\b${thing} (?:\\S{1,40} ){0,4}(?:failed|expired|returned|rejected|suppressed|bounced|blocked|quarantined|undelivered)\\b`,
  ),
  cue(
    1,
    "\\b(?:recipients?|mailbox(?:es)?|servers?|remote|domain|host|sender(?:'s)?|smtp|spam filter|notice from filter|file type|administrator|device token|quota|no answer|permanent (?:error|failure)|e-?mail provider|size limit|system limit|addressee|on record|bulk mailing|approved contacts|within \\d+ hours|read receipt|after \\d+ attempts|error \\d{4,})\\b",
  ),
  cue(1, `\\b(?:your|the|this) (?:\\S{1,14} ){0,2}(?:${thing}) (?!order|about|because)`),
  cue(
    1,
    "\\b(?:system notice|notification|error|notice|warning|alert|message|group closed)\\s?:|\\baddress(?:es)? (?:was|were|wasn't|weren't|not|could|couldn't|suppressed|accepts?)\\b|<\\S+@\\S+>|\\bwasn't found\\b",
  ),
  cue(
    3,
    '\\bunrout(?:e)?able\\b|\\b(?:hard|soft) bounces?\\b|\\bbounced?\\)|status=bounced|\\b(?:previous|permanent) bounce\\b|\\baddress suppressed\\b',
  ),
  cue(
    3,
    '^\\W{0,3}(?:4[25]|55)\\d[ -](?:\\S{1,20} ){0,4}(?:connections?|service|mailbox|relay|no such|user|requested|temporar\\w+|unable|blocked|greylist\\w*|message|sender|recipient|policy|quota|channel|closing|spam|denied|rejected|access|address|unauthenticated)',
  ),
  cue(
    3,
    '\\b(?:account|mailbox|address|user|person) (?:that |which |whom )?you (?:tried|are trying|wanted) to (?:reach|contact|e-?mail)\\b[^.\\n]{0,60}(?:disabled|exist|full|inactive|receiv|over|found|unavailable)|\\b(?:account|mailbox) inactive\\b|\\bmail is being refused\\b',
  ),
  cue(
    3,
    "\\b(?:recipient|mail|sending|destination) domain\\b|\\bdomain \\S{1,40} (?:does not|doesn't) exist\\b|\\bno such (?:domain|host)\\b|\\bdoesn't have an account here\\b",
  ),
  cue(
    3,
    "\\b(?:left no forwarding|no forwarding address|addressee (?:has )?(?:gone|moved|unknown)|returned unread|accepts mail only|only accepts mail|nobody at the other end (?:picked|accept|respond)|no further attempts|we won't try again|tried \\S{1,10} times to (?:hand|deliver|reach)|after \\d+ (?:days|hours|attempts)[^.\\n]{0,20}gave up)\\b",
  ),
  cue(
    3,
    "\\b(?:verify|confirm|prove) (?:that )?you(?:'re| are) (?:a |an )?(?:real|human|live)|\\b(?:can't|cannot|not allowed to|may not|not permitted to) (?:send (?:mail|e-?mail|messages)|post) to\\b|\\bsender isn't\\b|\\bnot passed on\\b|\\bcouldn't be found\\b[^.\\n]{0,30}address",
  ),
  cue(
    2,
    '\\b(?:retry|retries|try again|trying|keep trying|resend\\w*)\\b[^.\\n]{0,30}(?:hours|days|times|until|later|for)\\b',
  ),
];
