import { type CommandParser, defineScript } from '@redis/client';
import type { WindowCount } from '../shared/shared-rate-limiter.ts';
import { asArray, asNumber } from './replies.ts';

/**
 * The keys of a table begin with `<prefix>rows:<table>:`, in the scripts `base`:
 *
 * - `row:<name>` is a hash: `j` the JSON of the row, `b` its body, `v` its version, `p` its position, `x` when it
 *   expires, and
 *   `i` its indexes as `{ "t": ["<index>:<digest>"], "n": { "<index>": "<number>" } }`.
 * - `events:<name>` is a list of its events.
 * - `all` has the ids by their positions, and `expiry` those of rows that expire by when they do.
 * - `text:<index>:<digest>` has the ids of the rows with a text by their positions.
 * - `number:<index>` has the ids of the rows with a number by it.
 *
 * Ids are written as `encodeId` does: the name of a row is what follows the line break, or all of it. So no key has a
 * text that somebody has sent.
 */

/** The reply to a fenced write that arrived after its deadline and changed nothing. */
export const STALE = 'STALE';

/** The reply to a commit whose rows are not as it expects. */
const OTHER = 'OTHER';

/** Defines `now`, the time by the store's own clock in microseconds: the clocks of its clients may differ. */
const now = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
`;

/** ARGV[1] is a deadline: a write whose caller has timed out must not be applied when a frozen store continues. */
const fence = `
local deadline = tonumber(ARGV[1])
if deadline > 0 and now > deadline then return '${STALE}' end
`;

/** ARGV: deadline, the time in milliseconds, the prefix of the keys, then what each script says. */
const shared = `
local prefix, at = ARGV[3], tonumber(ARGV[2])

local function base_of(name) return prefix .. 'rows:' .. name .. ':' end

local function name_of(id)
  local line_break = id:find('\\n', 1, true)
  return line_break and id:sub(line_break + 1) or id
end

local function row_of(base, id) return base .. 'row:' .. name_of(id) end

local function events_of(base, id) return base .. 'events:' .. name_of(id) end

local function remove_row(base, id, indexes)
  if indexes then
    indexes = cjson.decode(indexes)
    for _, text in ipairs(indexes.t) do redis.call('ZREM', base .. 'text:' .. text, id) end
    for name in pairs(indexes.n) do redis.call('ZREM', base .. 'number:' .. name, id) end
  end
  redis.call('ZREM', base .. 'all', id)
  redis.call('ZREM', base .. 'expiry', id)
  redis.call('DEL', row_of(base, id), events_of(base, id))
end

local function remove_expired(base, limit)
  local ids = redis.call('ZRANGEBYSCORE', base .. 'expiry', '-inf', ARGV[2], 'LIMIT', 0, limit)
  for _, id in ipairs(ids) do remove_row(base, id, redis.call('HGET', row_of(base, id), 'i')) end
  return #ids
end

local function is_live(expires_at) return not expires_at or tonumber(expires_at) > at end
`;

/**
 * ARGV: the number of changes, of each its table, id, expected version (`none` for no row), `1` for `ifAbsent`, and
 * JSON, empty to remove it; where it is not: `1` and the body or `0`, the indexes, when it expires, the number of
 * events that the row must have, the number of new ones, and those. Then the number of notices, and those. Replies with
 * the versions, or with `OTHER`.
 */
const commit = `
local place = 3
local function take()
  place = place + 1
  return ARGV[place]
end

local changes, writes = {}, 0
for number = 1, tonumber(take()) do
  local base, id = base_of(take()), take()
  local expects, if_absent, json = take(), take() == '1', take()
  local known = redis.call('HMGET', row_of(base, id), 'v', 'p', 'i', 'x')
  local version = is_live(known[4]) and known[1]
  local change = { base = base, id = id, json = json, known = known, version = version }
  if json ~= '' then
    if take() == '1' then change.body = take() end
    change.indexes, change.expires_at = take(), take()
    local after, count = take(), tonumber(take())
    change.first, change.last = place + 1, place + count
    place = place + count
    if after ~= '' and not (if_absent and version) then
      local length = version and redis.call('LLEN', events_of(base, id)) or 0
      if length ~= tonumber(after) then return '${OTHER}' end
    end
  end
  if if_absent then
    change.is_left = version
  elseif expects ~= '' and expects ~= (version or 'none') then
    return '${OTHER}'
  end
  if json ~= '' and not change.is_left then writes = writes + 1 end
  changes[number] = change
end

local function index(base, id, position, before, after)
  local old = before and cjson.decode(before) or { t = {}, n = {} }
  local new = cjson.decode(after)
  local wanted = {}
  for _, text in ipairs(new.t) do wanted[text] = true end
  for _, text in ipairs(old.t) do
    if wanted[text] then wanted[text] = nil
    else redis.call('ZREM', base .. 'text:' .. text, id) end
  end
  for text in pairs(wanted) do redis.call('ZADD', base .. 'text:' .. text, position, id) end
  for name, value in pairs(new.n) do
    if old.n[name] ~= value then redis.call('ZADD', base .. 'number:' .. name, value, id) end
  end
  for name in pairs(old.n) do
    if not new.n[name] then redis.call('ZREM', base .. 'number:' .. name, id) end
  end
end

local function write(change, version)
  local base, id, known = change.base, change.id, change.known
  local row = row_of(base, id)
  local position = known[2]
  if not position then
    position = version
    redis.call('ZADD', base .. 'all', position, id)
    redis.call('HSET', row, 'j', change.json, 'v', version, 'p', position, 'i', change.indexes)
  else
    redis.call('HSET', row, 'j', change.json, 'v', version)
  end
  if change.body then redis.call('HSET', row, 'b', change.body) end
  if known[3] ~= change.indexes then
    index(base, id, position, known[3], change.indexes)
    if known[3] then redis.call('HSET', row, 'i', change.indexes) end
  end
  if change.expires_at ~= (known[4] or '') then
    if change.expires_at == '' then
      redis.call('HDEL', row, 'x')
      redis.call('ZREM', base .. 'expiry', id)
    else
      redis.call('HSET', row, 'x', change.expires_at)
      redis.call('ZADD', base .. 'expiry', change.expires_at, id)
    end
  end
  for first = change.first, change.last, 1000 do
    redis.call('RPUSH', events_of(base, id), unpack(ARGV, first, math.min(first + 999, change.last)))
  end
end

-- The first write of all: without memory it is the one that fails.
local last = 0
if writes > 0 then last = redis.call('INCRBY', KEYS[1], writes) - writes end
local versions = {}
for number, change in ipairs(changes) do
  versions[number] = 0
  if not change.is_left then
    local known = change.known
    if known[1] and (change.json == '' or not change.version) then
      remove_row(change.base, change.id, known[3])
      change.known = {}
    end
    if change.json ~= '' then
      last = last + 1
      versions[number] = last
      write(change, string.format('%.0f', last))
    end
  end
end
for _ = 1, tonumber(take()) do redis.call('PUBLISH', prefix .. 'notices', take()) end
return versions
`;

/** Replies with the rows of ids: of each its id, JSON, version, position and body. */
const readRows = `
local function read_rows(base, ids, with_body)
  local rows = {}
  for _, id in ipairs(ids) do
    local row = redis.call('HMGET', row_of(base, id), 'j', 'v', 'p', 'x', with_body and 'b' or 'none')
    if row[1] and is_live(row[4]) then
      local size = #rows
      rows[size + 1], rows[size + 2], rows[size + 3], rows[size + 4] = id, row[1], row[2], row[3]
      rows[size + 5] = row[5]
    end
  end
  return rows
end
`;

/**
 * Defines `find`, which finds ids by a request: `f` are filters, each with texts (`t`) or with ranges (`r`) of an index
 * of numbers (`n`); `o` the index of the order, empty for positions; `d` whether it is descending; `a` the place after
 * which it begins, a number and an id; `s` how many are left out; `l` the most that are found; `c` whether they are
 * only counted; `w` how many rows are looked at at most. It resolves to `ids`, the count `total`, the remaining `s`,
 * and, where it has looked at so many, the place at which to go on.
 */
const find = `
local SMALL, CHUNK = 1000, 1000

local function keys_of(base, texts)
  local keys = {}
  for number, text in ipairs(texts) do keys[number] = base .. 'text:' .. text end
  return keys
end

local function size_of(base, filter)
  local size = 0
  if filter.t then
    for _, key in ipairs(keys_of(base, filter.t)) do size = size + redis.call('ZCARD', key) end
  else
    for _, range in ipairs(filter.r) do
      size = size + redis.call('ZCOUNT', base .. 'number:' .. filter.n, range[1], range[2])
    end
  end
  return size
end

local function is_within(score, ranges)
  for _, range in ipairs(ranges) do
    local low = range[1] == '-inf' and -math.huge or tonumber(range[1])
    local is_open = range[2]:sub(1, 1) == '('
    local high = range[2] == '+inf' and math.huge or tonumber(is_open and range[2]:sub(2) or range[2])
    if score >= low and (score < high or (score == high and not is_open)) then return true end
  end
  return false
end

local function keep(base, ids, filter)
  if #ids == 0 then return ids end
  local fits, kept = {}, {}
  if filter.t then
    for _, key in ipairs(keys_of(base, filter.t)) do
      for number, score in ipairs(redis.call('ZMSCORE', key, unpack(ids))) do
        if score then fits[number] = true end
      end
    end
  else
    for number, score in ipairs(redis.call('ZMSCORE', base .. 'number:' .. filter.n, unpack(ids))) do
      if score then fits[number] = is_within(tonumber(score), filter.r) end
    end
  end
  for number, id in ipairs(ids) do
    if fits[number] then kept[#kept + 1] = id end
  end
  return kept
end

local function is_before(one, other)
  for number = 1, math.min(#one, #other) do
    local a, b = one:byte(number), other:byte(number)
    if a ~= b then return a < b end
  end
  return #one < #other
end

-- How many members come before a place, and how many do when one that is at it is counted too.
local function ranks_of(key, value, id)
  local score = redis.call('ZSCORE', key, id)
  if score and tonumber(score) == tonumber(value) then
    local rank = redis.call('ZRANK', key, id)
    return rank, rank + 1
  end
  local low = redis.call('ZCOUNT', key, '-inf', '(' .. value)
  local high = redis.call('ZCOUNT', key, '-inf', value)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if is_before(redis.call('ZRANGE', key, middle, middle)[1], id) then low = middle + 1 else high = middle end
  end
  return low, low
end

-- Gives chunks of ids by positions, from several sets.
local function by_positions(keys, request)
  local is_descending = request.d
  local cursor = request.a and '(' .. request.a[1] or (is_descending and '+inf' or '-inf')
  return function(count)
    local parts = {}
    for _, key in ipairs(keys) do
      local part
      if is_descending then
        part = redis.call('ZREVRANGEBYSCORE', key, cursor, '-inf', 'WITHSCORES', 'LIMIT', 0, count)
      else
        part = redis.call('ZRANGEBYSCORE', key, cursor, '+inf', 'WITHSCORES', 'LIMIT', 0, count)
      end
      for number = 1, #part, 2 do parts[#parts + 1] = { part[number], tonumber(part[number + 1]) } end
    end
    table.sort(parts, function(one, other)
      if is_descending then return one[2] > other[2] end
      return one[2] < other[2]
    end)
    local ids = {}
    for number = 1, math.min(count, #parts) do ids[number] = parts[number][1] end
    local last = parts[#ids]
    if last then cursor = '(' .. string.format('%.0f', last[2]) end
    return ids, last and { string.format('%.0f', last[2]), '' }
  end
end

-- Gives chunks of ids of one set, between two ranks, the second excluded.
local function by_ranks(key, low, high, request)
  if request.a then
    local before, after
    if request.o == '' and not request.c then
      before = redis.call('ZCOUNT', key, '-inf', '(' .. request.a[1])
      after = redis.call('ZCOUNT', key, '-inf', request.a[1])
    else
      before, after = ranks_of(key, request.a[1], request.a[2])
    end
    if request.d then high = math.min(high, before) else low = math.max(low, after) end
  end
  return function(count, offset)
    local ids = {}
    if request.d then
      high = high - offset
      local first = math.max(low, high - count)
      local found = high > low and redis.call('ZRANGE', key, first, high - 1) or {}
      for number = #found, 1, -1 do ids[#ids + 1] = found[number] end
      high = first
    else
      low = low + offset
      if low < high then ids = redis.call('ZRANGE', key, low, math.min(low + count, high) - 1) end
      low = low + count
    end
    local last = ids[#ids]
    return ids, last and { redis.call('ZSCORE', key, last), last }
  end
end

-- Gives all ids of a filter that has few, in the order of the request.
local function by_sorting(base, filter, order, request)
  local ids = {}
  local function add(found)
    for _, id in ipairs(found) do ids[#ids + 1] = id end
  end
  if filter.t then
    for _, key in ipairs(keys_of(base, filter.t)) do add(redis.call('ZRANGE', key, 0, -1)) end
  else
    for _, range in ipairs(filter.r) do
      add(redis.call('ZRANGEBYSCORE', base .. 'number:' .. filter.n, range[1], range[2]))
    end
  end
  local scores = #ids > 0 and redis.call('ZMSCORE', order, unpack(ids)) or {}
  local sign = request.d and -1 or 1
  local after = request.a and { request.a[2], tonumber(request.a[1]) }
  local function comes_before(one, other)
    if one[2] ~= other[2] then return sign * one[2] < sign * other[2] end
    if one[1] == other[1] then return false end
    return is_before(one[1], other[1]) == (sign == 1)
  end
  local places = {}
  for number, id in ipairs(ids) do
    local place = scores[number] and { id, tonumber(scores[number]) }
    local is_at = after and request.o == '' and place and place[2] == after[2]
    if place and not is_at and (not after or comes_before(after, place)) then places[#places + 1] = place end
  end
  table.sort(places, comes_before)
  local next_place = 1
  return function(count, offset)
    local chunk = {}
    next_place = next_place + offset
    for number = next_place, math.min(next_place + count - 1, #places) do chunk[#chunk + 1] = places[number][1] end
    local last = places[next_place + #chunk - 1]
    next_place = next_place + count
    return chunk, #chunk > 0 and { string.format('%.17g', last[2]), last[1] }
  end
end

-- How ids are found, and the filters that remain.
local function plan(base, request)
  local filters, order = {}, base .. (request.o == '' and 'all' or 'number:' .. request.o)
  local range
  for _, filter in ipairs(request.f) do
    if filter.n == request.o and #filter.r == 1 and not range then range = filter.r[1]
    else filters[#filters + 1] = filter end
  end
  local smallest, size, text, text_size = nil, math.huge, nil, math.huge
  for number, filter in ipairs(filters) do
    local own = size_of(base, filter)
    if own < size then smallest, size = number, own end
    if filter.t and own < text_size then text, text_size = number, own end
  end
  local function without(number)
    return number and table.remove(filters, number)
  end
  if request.c and smallest and smallest ~= text and #filters[smallest].r == 1 then
    local own = without(smallest)
    local key = base .. 'number:' .. own.n
    local first = redis.call('ZCOUNT', key, '-inf', '(' .. own.r[1][1])
    return by_ranks(key, first, first + size, request), filters, true
  end
  if request.o == '' then
    if smallest and smallest ~= text and size <= SMALL then
      return by_sorting(base, without(smallest), order, request), filters
    end
    local keys = text and keys_of(base, without(text).t) or { order }
    if #keys > 1 then return by_positions(keys, request), filters end
    return by_ranks(keys[1], 0, redis.call('ZCARD', keys[1]), request), filters, true
  end
  local low, high = 0, redis.call('ZCARD', order)
  if range then
    low = redis.call('ZCOUNT', order, '-inf', '(' .. range[1])
    high = redis.call('ZCOUNT', order, '-inf', range[2])
  end
  if smallest and size <= SMALL and 4 * size < high - low then
    if range then filters[#filters + 1] = { n = request.o, r = { range } } end
    return by_sorting(base, without(smallest), order, request), filters
  end
  return by_ranks(order, low, high, request), filters, true
end

local function find(base, request)
  local is_removed, removed = pcall(remove_expired, base, 100)
  local is_clean = is_removed and removed < 100
  if request.c and is_clean and #request.f <= 1 then
    local filter = request.f[1]
    return {}, filter and size_of(base, filter) or redis.call('ZCARD', base .. 'all'), 0
  end
  local next_ids, filters, can_skip = plan(base, request)
  local skip, looked, total, ids = request.s, 0, 0, {}
  local count = #filters == 0 and is_clean and math.min(request.l, CHUNK) or 100
  if #filters == 0 and request.c then count = CHUNK end
  can_skip = can_skip and is_clean and #filters == 0
  while true do
    local offset = can_skip and skip or 0
    skip = skip - offset
    local chunk, last = next_ids(count, offset)
    if not last then return ids, total, skip end
    looked = looked + #chunk
    for _, filter in ipairs(filters) do chunk = keep(base, chunk, filter) end
    for _, id in ipairs(chunk) do
      local row = not is_clean and redis.call('HMGET', row_of(base, id), 'v', 'x')
      if is_clean or (row[1] and is_live(row[2])) then
        if request.c then
          total = total + 1
        elseif skip > 0 then
          skip = skip - 1
        else
          ids[#ids + 1] = id
          if #ids == request.l then return ids, total, skip end
        end
      end
    end
    if looked >= request.w then return ids, total, skip, last end
    count = math.min(2 * count, CHUNK)
  end
end

local function set_number(base, id, name, value)
  local row = row_of(base, id)
  local indexes = redis.call('HGET', row, 'i')
  if not indexes then return end
  redis.call('ZADD', base .. 'number:' .. name, value, id)
  indexes = cjson.decode(indexes)
  indexes.n[name] = value
  redis.call('HSET', row, 'i', cjson.encode(indexes))
end
`;

/** All scripts, as commands. The key of those of a store is the counter of versions and positions. */
export const scripts = {
  /** See {@link commit}. Undefined where a row is not as expected. */
  commitRows: fencedScript(1, [shared, commit], (reply) =>
    reply === OTHER ? undefined : asArray(reply).map(asNumber),
  ),
  /** ARGV: table, `1` for bodies, ids. */
  readRows: luaScript(
    1,
    [
      shared,
      readRows,
      `
local ids = {}
for number = 6, #ARGV do ids[#ids + 1] = ARGV[number] end
return read_rows(base_of(ARGV[4]), ids, ARGV[5] == '1')
`,
    ],
    asArray,
  ),
  /**
   * ARGV: table, `1` for bodies, request. Replies with rows, the count, the remaining offset, and a place or nothing.
   */
  findRows: luaScript(
    1,
    [
      shared,
      readRows,
      find,
      `
local base = base_of(ARGV[4])
local ids, total, skip, place = find(base, cjson.decode(ARGV[6]))
return { read_rows(base, ids, ARGV[5] == '1'), total, skip, place or false }
`,
    ],
    asArray,
  ),
  /** ARGV: table, index, number, request. Replies with the rows whose number was set. */
  takeRows: fencedScript(
    1,
    [
      shared,
      readRows,
      find,
      `
local base = base_of(ARGV[4])
local ids = find(base, cjson.decode(ARGV[7]))
for _, id in ipairs(ids) do set_number(base, id, ARGV[5], ARGV[6]) end
return read_rows(base, ids)
`,
    ],
    asArray,
  ),
  /** ARGV: table, index, number, request. Replies with the number of rows whose number was set. */
  moveRows: fencedScript(
    1,
    [
      shared,
      find,
      `
local base = base_of(ARGV[4])
local ids = find(base, cjson.decode(ARGV[7]))
for _, id in ipairs(ids) do set_number(base, id, ARGV[5], ARGV[6]) end
return #ids
`,
    ],
    asNumber,
  ),
  /** ARGV: table, limit. Replies with the number of rows that were removed. */
  removeExpiredRows: fencedScript(
    1,
    [shared, 'return remove_expired(base_of(ARGV[4]), tonumber(ARGV[5]))'],
    asNumber,
  ),
  /**
   * KEYS: counter. ARGV: its value as far as it is known, below which it does not fall. A write, to find out whether
   * the server accepts any. Replies with the time, in seconds and microseconds.
   */
  checkStore: luaScript(
    1,
    [
      `
local missing = tonumber(ARGV[1]) - redis.call('INCRBY', KEYS[1], 0)
if missing > 0 then redis.call('INCRBY', KEYS[1], missing) end
return redis.call('TIME')
`,
    ],
    (reply) => {
      const [seconds, microseconds] = asArray(reply);
      return asNumber(seconds) * 1_000 + asNumber(microseconds) / 1_000;
    },
  ),
  /**
   * KEYS: counter. ARGV: limit, window in milliseconds. Counting and expiry are one step; a counter without an expiry
   * starts again. A request over the limit is not counted: its `count` is limit + 1.
   */
  countRequest: luaScript(
    1,
    [
      `
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local remaining = redis.call('PTTL', KEYS[1])
if remaining <= 0 then
  redis.call('SET', KEYS[1], 1, 'PX', window)
  return { 1, window }
end
if remaining > window then
  redis.call('PEXPIRE', KEYS[1], window)
  remaining = window
end
if tonumber(redis.call('GET', KEYS[1])) >= limit then return { limit + 1, remaining } end
return { redis.call('INCR', KEYS[1]), remaining }
`,
    ],
    (reply): WindowCount => {
      const [count, remainingMs] = asArray(reply);
      return { count: asNumber(count), remainingMs: asNumber(remainingMs) };
    },
  ),
};

/** A Lua script as a typed command of node-redis. */
export interface LuaScript<T> {
  SCRIPT: string;
  NUMBER_OF_KEYS: number;
  SHA1: string;
  parseCommand(parser: CommandParser, keyNames: readonly string[], values: readonly string[]): void;
  transformReply(reply: unknown): T;
}

/**
 * Defines a Lua script of `keys` keys, which the store runs as one atomic step: the client sends its SHA1, and its text
 * where the store does not know it yet. `parts` run one after the other; `parse` checks the reply.
 */
function luaScript<T>(keys: number, parts: readonly string[], parse: (reply: unknown) => T): LuaScript<T> {
  return defineScript({
    SCRIPT: parts.map((part) => part.trim()).join('\n'),
    NUMBER_OF_KEYS: keys,
    parseCommand(parser: CommandParser, keyNames: readonly string[], values: readonly string[]) {
      parser.pushKeys([...keyNames]);
      parser.push(...values);
    },
    transformReply: (reply: unknown): T => parse(reply),
  });
}

/** As {@link luaScript}, for a script that contains {@link fence}: its reply may be {@link STALE} too. */
function fencedScript<T>(
  keys: number,
  parts: readonly string[],
  parse: (reply: unknown) => T,
): LuaScript<T | typeof STALE> {
  return luaScript(keys, [now, fence, ...parts], (reply) => (reply === STALE ? STALE : parse(reply)));
}
