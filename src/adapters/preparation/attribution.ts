const MAX_LINES = 3;
const MAX_LENGTH = 400;

/** Words with which `On 5 May 2024, Shop wrote:` begins. */
const opening =
  /^(?:on|am|le|el|il|op|em|in data|a|w dniu|dnia|den|på|ma|ti|ke|to|pe|la|su|в|在|\d|mon|tue|wed|thu|fri|sat|sun|lun|mar|mer|jeu|ven|sam|dim|pon|wt|śr|czw|pt|sob|ndz|tis|ons|tor|fre|lör|sön|man|lør|søn)(?![\p{L}])/iu;

const verb =
  /(?:^|[\s,>)])(?:wrote|writes|schrieb|geschrieben|a écrit|écrit|escribió|ha scritto|scritto|schreef|geschreven|escreveu|napisał(?:\(a\)|a)?|pisze|skrev|kirjoitti|yazdı|şunu yazdı|написал(?:а|\(а\))?|пишет|пише)(?=[\s,:*]|$)|写道|のメッセージ|작성/iu;

const year = /(?:^|\D)(?:19|20)\d{2}(?!\d)/;
const clock = /\d{1,2}[:.h]\d{2}/;

/** What is known of the lines that name who wrote the quoted mail. */
export interface Attribution {
  /** How many lines it has. */
  readonly length: number;
}

/** The line, or up to three, such as `On 5 May 2024, Shop <help@shop.test> wrote:`; undefined when it is none. */
export function attributionAt(lines: readonly string[], start: number): Attribution | undefined {
  const first = lines[start]?.trim() ?? '';
  if (first.length < 8) return undefined;
  const mayGoOn = opening.test(first);
  let joined = '';
  for (let count = 1; count <= (mayGoOn ? MAX_LINES : 1); count++) {
    const line = lines[start + count - 1]?.trim() ?? '';
    if (line === '' || joined.length + line.length > MAX_LENGTH) return undefined;
    joined = joined === '' ? line : `${joined} ${line}`;
    if (endsWithColon(line)) return isAttribution(joined, mayGoOn) ? { length: count } : undefined;
  }
  return undefined;
}

function endsWithColon(line: string): boolean {
  return /[:：][*_\- ]{0,8}$/.test(line.slice(-10));
}

function isAttribution(line: string, hasOpening: boolean): boolean {
  const hasAddress = /[<[(][^\s<>]{1,100}@[^\s<>]{1,100}[>\])]/.test(line) || /\S@\S/.test(line);
  const hasDate = year.test(line) || clock.test(line);
  if (/>\s?[:：]/.test(line.slice(-14)) && hasAddress && hasDate) return true;
  if (!verb.test(line)) return false;
  return hasAddress || (hasOpening && hasDate && !/\byou (?:people |guys |then )?wrote/i.test(line));
}
