import { type Cue, cue } from './cue.ts';

const mail =
  '(?:messages?|e-?mails?|mails?|letter|note|enquir(?:y|ies)|inquir(?:y|ies)|requests?|quer(?:y|ies)|questions?|' +
  'correspondence|application|ticket|case|form|submission|feedback|survey|voicemail|call-?back)';
const box = '(?:mailbox|inbox|address|account|box|alias|number|line|channel|desk)';
const day =
  '(?:\\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|next|tomorrow|the \\d|spring|summer|autumn|winter|christmas|easter|new year|further|around|when|at|in|on)';

/** General kinds of wording of automatic replies in English: what is done, and not one sentence that says it. */
export const generalReplies: readonly Cue[] = [
  cue(
    2,
    "\\b(?:i|we|she|he|they) (?:only |just |usually |don't |do not |never )(?:work|am in|are in)(?: on)? (?:mon|tue|wed|thu|fri|sat|sun|weekend|part)|\\b(?:works?|in the office|available|on shift|at work) (?:only )?(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\\b|\\bi don't work (?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\\b",
  ),
  cue(
    1,
    "\\byou'll hear (?:back )?from (?:me|us)|\\bplease note\\b|\\bfrom now on\\b|\\bbear with (?:me|us)|\\bthank you for your (?:patience|understanding)\\b|\\bcatch up with\\b|\\bcontact (?:mr|ms|mrs|dr|my|our|the) ",
  ),
  cue(3, `\\bthis (?:\\S{1,12} )?${box} is (?:for|used|reserved|intended)(?: \\S{1,14}){0,4} only\\b`),
  cue(
    2,
    '\\b(?:mr|ms|mrs|dr|prof|herr|frau)\\.? \\w+(?: \\w+)? (?:has |have |is |was )?(?:moved|left|changed|retired|transferred|away|off|absent|unavailable|no longer)\\b',
  ),
  // The whole text, or its beginning, is an absence.
  cue(
    3,
    "(?:^|\\n)\\W{0,4}(?:currently |i'm |i am )?(?:away from (?:my |the )?(?:desk|office)|out (?:of (?:the )?office|to lunch)|ooo|on (?:leave|vacation|holiday)|brb)\\W{0,3}(?:$|\\n| until| till| re:)",
  ),
  cue(
    3,
    '^(?:out of (?:the )?office|ooo|vacation responder)\\b|(?:^|[.!?] )(?:sent |generated )automatic|\\(automat\\w+\\)|\\bstatus bot\\b|^no-?reply:|\\bautomat\\w+ (?:assistant|notice|message|confirmation|notification|mail|e-?mail|update|service message)\\b|\\b(?:reading|read|delivery) receipt\\b',
  ),
  cue(
    2,
    '^\\W{0,3}(?:(?:hi|hello|hey|dear \\w+|good \\w+|thanks|thank you|kia ora)[^.\\n]{0,25}[,.!] ?)?(?:currently |presently |now )?(?:travel|out (?:sick|today|this|all|on|at|for|until)|off (?:sick|today|until)|in (?:training|meetings|transit|hospital|a workshop)|on (?:leave|site|holiday|vacation|secondment|tour|duty|annual|a )|away\\b|at a (?:conference|workshop|funeral|wedding|training)|having a baby|gone \\w+ing|snow day|no mails?\\b|school holidays|maternity|paternity|(?:annual|parental|sick|study|bereavement) leave)',
  ),
  cue(
    2,
    "\\b(?:i|we|he|she|they|ms \\w+|mr \\w+|mrs \\w+|dr \\w+|the team|nobody|everyone|the person you \\w+ \\w+ \\w+ \\w+)(?:'m| am|'re| are|'s| is|'ll be| will be| shall be)(?: \\S{1,14}){0,3} (?:off|away|out|travel\\w+|hiking|camping|at (?:a|the) (?!moment|door|end|till|shop|store|same|time)|attending|without a? ?(?:laptop|internet|signal|phone|computer|access)|in meetings|working from|on (?:\\S{1,14} ){0,2}(?:leave|duty|service|secondment|site|sabbatical|holidays?|vacation|trip|course|strike|break|retreat|pilgrimage|honeymoon|tour|assignment|exchange|jury))\\b",
  ),
  cue(
    1,
    `\\b(?:back|returns?|returning|until|till|through|from|reopens?|re-opens?|as of|between|weeks?) (?:on |in |the |at |to )?${day}`,
  ),
  cue(
    1,
    "\\b(?:shall|will|won't|'ll|may|can only|cannot|can't) (?:\\S{1,12} ){0,3}(?:reply|respond|answer|read|get to|get back|pick up|revert|write back|come back|be back|return|be answered|be dealt|be read|be working|attend to|catch up)\\b",
  ),
  cue(
    1,
    '\\b(?:expect|with|apologi[sz]e for|sorry for) (?:an? |some |any |the )?(?:silence|delays?|slow|slower|late|longer|repl\\w+|answer|response)|\\breplies may\\b|\\bresponses? (?:time|may|will)',
  ),
  cue(
    1,
    '\\b(?:part[- ]time|twice (?:a|daily|weekly)|once (?:a|per) (?:day|week)|after hours|(?:surgery|office|opening|business|working|school) hours|on (?:mon|tues|wednes|thurs|fri)\\w+ (?:only|mornings?|afternoons?)|(?:mon|tues|wednes|thurs|fri)days? and|monday to|our hours|(?:evenings|mornings|weekdays) only|sundown|any other day)\\b',
  ),
  // Nobody reads the mailbox, or it moved.
  cue(
    2,
    `\\b(?:${mail}|replies|${box})\\b(?: \\S{1,20}){0,4} (?:(?:is|are|will be|be|being|been|was)(?:n't| not| no longer| never)|(?:no longer|never|not))(?: \\S{1,12}){0,2} (?:read|monitored|forwarded|checked|answered|active|in use|seen|staffed|attended)\\b|\\bno (?:mail|e-?mail|message)s? (?:is|are|until|till|will)\\b`,
  ),
  cue(
    2,
    `\\b(?:this|that|an|the) (?:\\S{1,12} )?${box} (?:(?:that |which )?(?:was|has been|is being|is|will be) (?:closed|retired|discontinued|switched off|deactivated|being|for \\w+ only|no longer)|belongs|(?:cannot|can't|does not|doesn't|is unable to|only) (?:accept|receive|read|take|handle)|accepts)`,
  ),
  cue(
    2,
    '\\b(?:e-?mail )?address (?:has changed|is now|changed)\\b|\\b(?:only use|moved to (?:a )?(?:new )?)(?: ?\\S{1,12}){0,2} ?(?:portal|chat|system|platform|address|mailbox)\\b',
  ),
  cue(2, "(?:^|[.!,\\n] ?)you(?:'ve| have| are)? (?:reached|written to|e-?mailed|contacted|writing to)\\b"),
  cue(
    1,
    '(?:\\b(?:contact|write|call|ring|text|use|visit|find|found|direct|reach|to|is|at|with|cover)\\b|:)[^.\\n]{0,60}(?:\\S@\\S|\\bext\\.? ?\\d|\\b(?:www|portal|help|support|care|viewings)\\.\\S|\\bportal\\.\\S)',
  ),
  cue(
    1,
    '\\b(?:cover for|deputy|my colleague|stand-in|minding (?:her|his|my)|takes? over|is looking after|looks after|your contact is|matters (?:are|go|to)|in my absence|reception|front desk|switchboard|duty phone)\\b',
  ),
  cue(
    2,
    "\\b(?:has|have|'ve) (?:now |since )?(?:retired|moved on)\\b|\\bi (?:have )?left the (?:school|company|firm|university|practice|team|organi[sz]ation|office|agency|business|bank)\\b|\\bno longer (?:at|with|in|handles?|deals?|responsible|looks?|the right|your contact|in charge|look after)\\b|\\b(?:maternity|paternity|holiday|sickness) cover\\b",
  ),
  cue(
    2,
    "\\b(?:can't|cannot|unable to|not able to|won't|not) (?:\\S{1,12} ){0,2}(?:read|reading|answer|answering|respond\\w*|check|checking|access|accessing) (?:\\S{1,12} ){0,2}(?:e-?mails?|mails?|messages?|inbox)\\b",
  ),
  cue(
    1,
    '\\b(?:in (?:the )?hospital|long weekend|(?:bank|public) holiday|the (?:whole|entire|rest of the) week)\\b|\\b(?:ring|call|phone|text|speak to|see) (?:my|our|the) (?:office|assistant|mobile|colleagues?|deputy|secretary)\\b',
  ),
];

/** General kinds of wording of receipts in English. */
export const generalReceipts: readonly Cue[] = [
  cue(
    2,
    `\\byour (?:\\S{1,20} ){0,2}${mail}(?: \\S{1,12})? (?:has been|was|is) (?:now )?(?:updated|closed|resolved|re-?opened|changed|escalated|pending|successful\\w*|on its way|in progress|under review)\\b`,
  ),
  cue(
    1,
    '\\bstatus (?:has )?changed\\b|\\breference ?(?:number|no)?\\s?:|\\bplace in (?:the|our) queue\\b|\\bsubmission\\b',
  ),
  cue(
    2,
    "\\b(?:each|every|all) (?:\\S{1,12} )?(?:messages?|e-?mails?|letters?|mails?|enquir\\w+|requests?) (?:is|are|will be|gets?) (?:read|answered|reviewed|passed)|\\b(?:cannot|can't|unable to|not able to|won't be able to) (?:always )?(?:answer|reply|respond)(?: to)? (?:each|every|all|individual\\w*|personally)",
  ),
  cue(
    1,
    "\\bwe (?:really |very much )?appreciate (?:you|your)\\b|\\bwe are experiencing|\\bwe're experiencing|\\bevery effort\\b|\\bin due course\\b|\\bas soon as (?:possible|we can|i can)\\b|\\bshortly\\b",
  ),
  cue(
    3,
    '\\b(?:confirm|acknowledge)(?:s|d)? (?:the )?receipt of (?:your|this)|\\bmoderator has approved|approved by a moderator|(?:distribution|mailing) list with moderation|\\byour reply (?:could not|was not|cannot) (?:be )?(?:added|posted)',
  ),
  cue(
    1,
    '\\b(?:write|speak|turn|talk|go) to (?:mr|ms|mrs|dr|the|my|our) |\\b(?:best of luck|so long|all the best|been a (?:joy|pleasure)|good luck)\\b',
  ),
  cue(
    2,
    `\\b(?:your|this|the) (?:\\S{1,20} ){0,3}${mail}(?: (?!i |my |we )\\S{1,30}){0,4}? ?(?:has|have|was|were|is|'s|are)(?: \\S{1,14}){0,2} (?:received|registered|logged|submitted|forwarded|assigned|queued|reviewed|deleted|given|entered|marked|passed|processed|accepted|filed|recorded|scheduled|handled|placed|sent to (?:our|the)|created|important)\\b`,
  ),
  cue(
    2,
    "\\b(?:we|the team)(?:'ve| have)? (?:\\S{1,10} )?(?:got|had|received|registered|logged|confirm(?:ed)? (?:the )?receipt|acknowledge(?:d)?|taken (?:in|note))(?: of)? (?:your|it from|this|the following)|\\bi confirm receipt\\b|\\bhereby (?:confirm|acknowledge)\\b",
  ),
  cue(
    2,
    `(?:^|[.!\\n] ?)(?:${mail} (?:well )?received|received,? (?:with )?thank|thanks?,? (?:you,? )?(?:we've )?(?:got it|received)|delivery confirmed|submission (?:complete|received))`,
  ),
  cue(
    2,
    '\\b(?:well received|received (?:by|from an? external)|marked as received|assigned (?:to|id)|given the reference|keep this number|under (?:the )?(?:reference|number|ref)|(?:has|have) been notified)\\b',
  ),
  cue(
    3,
    '\\b(?:status|queue|priority|request type|category|ticket)\\s?: ?\\S{1,20}[^\\n]{0,40}\\b(?:status|queue|priority|estimated|created|response)\\b',
  ),
  cue(
    1,
    '\\b(?:case|ticket|request|reference|ref|id|incident|number|no)\\b[^.\\n]{0,10}?[ #:(][a-z]{0,6}[-/#]?\\d[\\d/-]{2,}|\\b(?:inc|req|cas|web|sr|tkt)-?\\d{4,}',
  ),
  cue(
    2,
    '\\b(?:has been|was|is) (?:now )?(?:created|opened|raised)(?: (?:on your behalf|for you|in your name)\\b|\\.)',
  ),
  cue(
    2,
    "\\byou(?:'ll| will) (?:\\S{1,10} )?(?:be (?:alerted|notified|informed|contacted|updated|advised)|receive (?:a |an |our |further |updates?|notification)|hear (?:from us|back))|\\b(?:we|they)(?:'ll| will| shall) (?:\\S{1,10} )?(?:text you|be in touch|call you|revert|let you know|notify you|inform you|review|look into|answer again)\\b|\\bwe shall revert\\b",
  ),
  cue(
    1,
    '\\b(?:thank(?:s| you)[^.\\n]{0,20} (?:for|that you) (?:\\S{1,14} )?(?:e-?mailing|writing|contacting|registering|reaching|getting|your|submitting|choosing|calling|messaging|applying|taking)|^(?:dear (?:sender|colleague|customer|all|friend|applicant|valued|guest|member|parent|visitor|client)|warm greetings|greetings from))',
  ),
  cue(
    2,
    "\\b(?:(?:please |kindly )?do(?:n't| not) (?:(?:reply|respond|answer)(?! to (?:my|our|me|us)\\b)|change the subject|send (?:duplicates|further|another)|resend|write (?:again|back))|no (?:further )?action (?:is )?(?:required|needed|necessary)|you (?:don't|do not) need to do anything|no answer (?:is )?needed|no need to reply)\\b",
  ),
  cue(
    2,
    '\\b(?:response time|first response|allow (?:us )?(?:up to )?\\w+ (?:\\w+ )?(?:days?|hours?|weeks?)|\\w+ (?:working|business) days?|may take (?:us )?\\w+ (?:days?|hours?|weeks?)|order of (?:arrival|receipt)|back of the queue|back to the end of the queue|longer than (?:usual|normal))\\b',
  ),
  cue(
    1,
    "\\bif (?:you wrote|it's about|it is about|you(?:'re| are) (?:writing|reading|emailing|contacting)|your (?:message|enquiry|matter|email|request) (?:is|relates|concerns))|\\b(?:use|visit|see|through|via) (?:the|our) (?:\\w+ )?(?:page|form|portal|website|calendar|app|faqs?|site)\\b",
  ),
  cue(
    1,
    '\\b(?:processed on|answered (?:on|during|in|within)|reviewed by|shortlisted|only contact|moderat\\w+|distribution list|volunteers?|(?:our|the) (?:support|community|customer) (?:staff|team|volunteers)|we (?:read|answer|check|process|reply))\\b',
  ),
  cue(
    2,
    "\\b(?:we|our (?:\\w+ ){0,3}|the (?:office|offices|studio|university|school|shop|practice|clinic|team|nursery|surgery|factory|museum|library|college|council|festival)|office|offices|studio|nursery|shop|everyone|all our \\w+)(?:'re| are|'s| is| will be| remains?| observes?)?(?: \\S{1,12}){0,3}? (?:closed|shut|asleep|public holiday|bank holiday|a public holiday|off for|winter break|summer break)\\b",
  ),
  cue(
    1,
    '\\b(?:and so are we|reopen\\w*|stocktaking|easter break|christmas break|summer break|new year|training day|holiday closure)\\b',
  ),
  cue(
    2,
    "\\byour reply (?:could|was|has|cannot|can't)\\b|\\bthe ticket is closed\\b|\\badd (?:\\w+ )?comments,? reply\\b|\\byou're number \\d+|\\b(?:in|of) the queue\\b[^.\\n]{0,30}(?:we|your)",
  ),
];
