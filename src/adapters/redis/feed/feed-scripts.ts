import { asArray, asNumber, asString } from '../client/replies.ts';
import { luaScript } from '../client/scripts.ts';

/** An entry of the feed's stream. Its text is the JSON of an event, or empty where events were lost. */
export interface FeedEntry {
  /** The id of the entry in the stream: milliseconds and a number. */
  readonly id: string;
  /** The replica that wrote it. */
  readonly replicaId: string;
  readonly text: string;
}

/** The entries after an id, oldest first. */
export interface FeedEntries {
  /** The id of the oldest entry of the stream; empty where there is none. */
  readonly oldestId: string;
  readonly entries: readonly FeedEntry[];
}

/** Defines `flatten`: entries of the stream as one list of ids, replicas and texts. */
const flatten = `
local function flatten(entries)
  local flat = {}
  for _, entry in ipairs(entries) do
    local fields, values = entry[2], {}
    for index = 1, #fields, 2 do values[fields[index]] = fields[index + 1] end
    local size = #flat
    flat[size + 1], flat[size + 2], flat[size + 3] = entry[1], values['r'] or '', values['e'] or ''
  end
  return flat
end
`;

/** The commands of the feed: a stream of about the newest 10,000 events of all replicas. */
export const feedScripts = {
  /** KEYS: stream. ARGV: id of the replica, maximum length, texts. Adds an entry for each text. */
  appendFeed: luaScript(
    1,
    [
      `
for index = 3, #ARGV do
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 'r', ARGV[1], 'e', ARGV[index])
end
return #ARGV - 2
`,
    ],
    asNumber,
  ),

  /** KEYS: stream. ARGV: id, maximum number. Replies with the entries after the id. */
  readFeed: luaScript(
    1,
    [
      flatten,
      `
local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)
local found = redis.call('XREAD', 'COUNT', ARGV[2], 'STREAMS', KEYS[1], ARGV[1])
return { oldest[1] and oldest[1][1] or '', found and found[1] and flatten(found[1][2]) or {} }
`,
    ],
    (reply): FeedEntries => {
      const [oldestId, flat] = asArray(reply);
      return { oldestId: asString(oldestId), entries: toEntries(flat) };
    },
  ),

  /** KEYS: stream. ARGV: id or `+`, maximum number. Replies with the entries up to the id, newest first. */
  listFeed: luaScript(
    1,
    [
      flatten,
      `
return flatten(redis.call('XREVRANGE', KEYS[1], ARGV[1], '-', 'COUNT', ARGV[2]))
`,
    ],
    toEntries,
  ),
};

function toEntries(reply: unknown): readonly FeedEntry[] {
  const texts = asArray(reply).map(asString);
  const entries: FeedEntry[] = [];
  for (let index = 0; index < texts.length; index += 3) {
    const [id = '', replicaId = '', text = ''] = texts.slice(index, index + 3);
    entries.push({ id, replicaId, text });
  }
  return entries;
}
