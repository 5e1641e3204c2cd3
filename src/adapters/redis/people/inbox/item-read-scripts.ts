import { itemKinds } from '../../../../domain/inbox/item.ts';
import { asArray, asNumber, asString } from '../../client/replies.ts';
import { luaScript, now } from '../../client/scripts.ts';
import { fitsFunction } from '../../records/record-scripts.ts';
import type { StoredItem } from './item-encoding.ts';
import { isBefore, readItem, trimEnded } from './item-functions.ts';
import { FIRST_TIMELY_RANK, RANKS_OF_PRIORITY, waitingRanks } from './item-ranks.ts';
import { asItem } from './item-scripts.ts';

/** A part of the items, in the order of their ranks. */
export interface ItemScan {
  readonly items: readonly StoredItem[];
  /** The rank and the id of the last item that was read; undefined where no further one is left. */
  readonly last: { readonly rank: number; readonly itemId: string } | undefined;
}

/** The reply to `countItems`. */
export interface ItemNumbers {
  /** In the order of `itemKinds`. */
  readonly open: readonly number[];
  readonly claimed: readonly number[];
  readonly overdue: number;
  readonly oldestOpenedAt: number | null;
}

/** The most sorted sets that are listed together: the open and the claimed items of each kind. */
export const SCANNED_SETS = 2 * itemKinds.length;

/** Maximum number of characters of items in a reply, after which a scan pauses. */
const SCAN_CHARACTERS = 1_000_000;

/** Appends the strings of items: `[id, item, claim, version, seq, id, …]`. */
const addItem = `
local function add_item(items, id, stored)
  local size = #items
  items[size + 1] = id
  for at = 1, 4 do items[size + 1 + at] = stored[at] end
end
`;

function asItems(reply: unknown): readonly StoredItem[] {
  const strings = asArray(reply);
  const items: StoredItem[] = [];
  for (let index = 0; index < strings.length; index += 5) {
    const item = asItem(strings.slice(index, index + 5));
    if (item !== undefined) items.push(item);
  }
  return items;
}

/** The commands that read inbox items. They remove ids without an item from the sorted sets, where the store allows it. */
export const itemReadScripts = {
  /**
   * KEYS: all items, then the sorted sets to read, at most {@link SCANNED_SETS}, and empty strings. ARGV: the rank and the
   * id after which the part begins, the rank before which it ends, the number of ids to read, the number of items to find,
   * prefix of the keys of items, and a JSON list of lists of texts: only items that contain one text of each list. The
   * first id is looked up by halves, because the one before may be gone.
   */
  scanItems: luaScript(
    1 + SCANNED_SETS,
    [
      readItem,
      isBefore,
      fitsFunction,
      addItem,
      `
local rank, last, limit, wanted = ARGV[1], ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5])
local function first_of(set)
  local low = redis.call('ZCOUNT', set, '-inf', '(' .. rank)
  local high = redis.call('ZCOUNT', set, '-inf', rank)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local id = redis.call('ZRANGE', set, middle, middle)[1]
    if id == last or is_before(id, last) then low = middle + 1 else high = middle end
  end
  return low
end
local members, more, sets = {}, false, 0
for key = 2, #KEYS do
  if KEYS[key] == '' then break end
  sets = sets + 1
  local first = first_of(KEYS[key])
  local ids = redis.call('ZRANGE', KEYS[key], first, first + limit - 1, 'WITHSCORES')
  more = more or #ids == 2 * limit
  for place = 1, #ids, 2 do
    local score = tonumber(ids[place + 1])
    if score >= tonumber(ARGV[3]) then break end
    members[#members + 1] = { id = ids[place], rank = ids[place + 1], score = score }
  end
end
if sets > 1 then
  table.sort(members, function(a, b)
    if a.score ~= b.score then return a.score < b.score end
    return is_before(a.id, b.id)
  end)
end
local needed = cjson.decode(ARGV[7])
local items, missing, found, size = {}, {}, 0, 0
for place, member in ipairs(members) do
  if place > limit or found == wanted or size > ${SCAN_CHARACTERS} then
    more = true
    break
  end
  rank, last = member.rank, member.id
  local stored = read_item(ARGV[6] .. last)
  if not stored then
    missing[#missing + 1] = last
  elseif #needed == 0 or fits(stored[1] .. stored[2], needed) then
    add_item(items, last, stored)
    found, size = found + 1, size + #stored[1]
  end
end
if #missing > 0 then
  for key = 1, 1 + sets do redis.pcall('ZREM', KEYS[key], unpack(missing)) end
end
return { items, more and #members > 0 and { rank, last } or {} }
`,
    ],
    (reply): ItemScan => {
      const [items, last] = asArray(reply);
      const [rank, id] = asArray(last);
      const position = id === undefined ? undefined : { rank: asNumber(rank), itemId: asString(id) };
      return { items: asItems(items), last: position };
    },
  ),

  /** KEYS: all items, open items of each kind, claimed items of each kind. */
  countItems: luaScript(
    1 + 2 * itemKinds.length,
    [
      `
local kinds, open, claimed = ${itemKinds.length}, {}, {}
for kind = 1, kinds do
  open[kind] = redis.call('ZCARD', KEYS[1 + kind])
  claimed[kind] = redis.call('ZCARD', KEYS[1 + kinds + kind])
end
local overdue = redis.call('ZCOUNT', KEYS[1], '-inf', '(${FIRST_TIMELY_RANK}')
local oldest = ''
for _, rank in ipairs({ ${waitingRanks({}).join(', ')} }) do
  local highest = string.format('(%.0f', rank + ${RANKS_OF_PRIORITY})
  local first = redis.call(
    'ZRANGEBYSCORE', KEYS[1], string.format('%.0f', rank), highest, 'WITHSCORES', 'LIMIT', 0, 1)
  if first[2] and (oldest == '' or tonumber(first[2]) - rank < oldest) then
    oldest = tonumber(first[2]) - rank
  end
end
return { open, claimed, overdue, oldest ~= '' and string.format('%.0f', oldest) or '' }
`,
    ],
    (reply): ItemNumbers => {
      const [open, claimed, overdue, oldest] = asArray(reply);
      return {
        open: asArray(open).map(asNumber),
        claimed: asArray(claimed).map(asNumber),
        overdue: asNumber(overdue),
        oldestOpenedAt: oldest === '' ? null : asNumber(oldest),
      };
    },
  ),

  /**
   * KEYS: timers, all items. ARGV: time in milliseconds, the number of items, prefix of the keys of items, retention in
   * milliseconds. It is called every few seconds, and so removes what has expired.
   */
  dueItems: luaScript(
    2,
    [
      now,
      readItem,
      addItem,
      trimEnded,
      `
trim_ended(KEYS[2], tonumber(ARGV[4]))
local items = {}
for _ = 1, 10 do
  local missing = {}
  items = {}
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])) do
    local stored = read_item(ARGV[3] .. id)
    if stored then add_item(items, id, stored) else missing[#missing + 1] = id end
  end
  if #missing == 0 then break end
  redis.pcall('ZREM', KEYS[1], unpack(missing))
end
return items
`,
    ],
    asItems,
  ),
};
