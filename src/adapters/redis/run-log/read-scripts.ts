import { type RunStatus, runStatuses } from '../../../domain/run/run.ts';
import { asArray, asNumber, asOneOf, asPage, asString } from '../client/replies.ts';
import { luaScript, now, page } from '../client/scripts.ts';
import { hasEndedFunction } from './due/due-scripts.ts';

/** A log, or a part of it, as it is stored. */
export interface StoredLog {
  readonly workflowId: string;
  /** The definition as JSON; empty where it was not requested, or is gone. */
  readonly definition: string;
  readonly status: RunStatus;
  /** The token of the last append; empty for none since the creation. */
  readonly writer: string;
  /** Number of events of the log. */
  readonly length: number;
  /** The requested events, as JSON. */
  readonly events: readonly string[];
}

/** One run of a listing. */
export interface ListedRun {
  readonly runId: string;
  readonly summary: string;
  readonly state: string;
  /** Its score in the index. */
  readonly score: number;
}

/** A part of an index that was searched. */
export interface SearchReply {
  /** How many of the runs match. */
  readonly matches: number;
  /** The score of the last run that was looked at; null where the index has no more runs. */
  readonly next: number | null;
  readonly runs: readonly ListedRun[];
}

/** The commands that read runs. */
export const runLogReadScripts = {
  /**
   * KEYS: run, events. ARGV: index of the first and the last event (-1 for all), prefix of the keys of definitions
   * where the definition is requested, else an empty string. Nothing for an unknown run, 0 for one of version 0.6.
   */
  readRunLog: luaScript(
    2,
    [
      `
local found = redis.pcall('HMGET', KEYS[1], 'status', 'definition', 'workflow', 'writer')
if found.err or not found[1] then return {} end
if not found[2] then return { 0 } end
local events = redis.pcall('LRANGE', KEYS[2], ARGV[1], ARGV[2])
local length = redis.pcall('LLEN', KEYS[2])
if type(length) ~= 'number' or length == 0 then return {} end
local definition = ARGV[3] ~= '' and redis.pcall('GET', ARGV[3] .. found[2])
if type(definition) ~= 'string' then definition = '' end
return { found[3] or '', definition, found[1], found[4] or '', length, events }
`,
    ],
    (reply): StoredLog | 'old' | undefined => {
      const [workflowId, definition, status, writer, length, events] = asArray(reply);
      if (workflowId === undefined) return undefined;
      if (workflowId === 0) return 'old';
      return {
        workflowId: asString(workflowId),
        definition: asString(definition),
        status: asOneOf(runStatuses, status),
        writer: asString(writer),
        length: asNumber(length),
        events: asArray(events).map(asString),
      };
    },
  ),

  /** See {@link page}. For each run its summary at its creation, and its current state or an empty string. */
  listRunSummaries: luaScript(
    1,
    [
      now,
      `
local function read(key)
  local found = redis.pcall('HMGET', key, 'summary', 'state')
  if found[1] then return found[1], found[2] or '' end
end
`,
      page,
    ],
    asPage,
  ),

  /**
   * KEYS: index. ARGV: highest and lowest score, how many runs are looked at, prefix of the keys of runs, how many
   * matches are skipped and returned, 1 to stop once they are found, statuses between commas or an empty string, first
   * time of creation and time of creation before which in ISO or empty strings, statuses of runs that differ from those
   * stored as a JSON object or an empty string. Removes ids without a run from the index.
   */
  searchRuns: luaScript(
    1,
    [
      `
local batch, skip, wanted = tonumber(ARGV[3]), tonumber(ARGV[5]), tonumber(ARGV[6])
local statuses, since, before = ARGV[8], ARGV[9], ARGV[10]
local current = ARGV[11] == '' and {} or cjson.decode(ARGV[11])
local function created_at(created, summary)
  if created then return created end
  local parsed, value = pcall(cjson.decode, summary)
  return parsed and type(value) == 'table' and value.createdAt or ''
end
local function is_match(id, found)
  local status = current[id] or found[1] or ''
  if statuses ~= '' and not string.find(statuses, ',' .. status .. ',', 1, true) then return false end
  if since == '' and before == '' then return true end
  local created = created_at(found[2], found[3])
  return created ~= '' and (since == '' or created >= since) and (before == '' or created < before)
end
local flat = redis.call('ZREVRANGEBYSCORE', KEYS[1], ARGV[1], ARGV[2], 'WITHSCORES', 'LIMIT', 0, batch)
local matches, items, missing, last = 0, {}, {}, ''
for at = 1, #flat, 2 do
  local id = flat[at]
  last = flat[at + 1]
  local found = redis.pcall('HMGET', ARGV[4] .. id, 'status', 'created', 'summary', 'state')
  if not found[3] then
    missing[#missing + 1] = id
  elseif is_match(id, found) then
    matches = matches + 1
    if matches > skip and #items < wanted * 4 then
      local size = #items
      items[size + 1], items[size + 2], items[size + 3], items[size + 4] = id, found[3], found[4] or '', last
    end
    if ARGV[7] == '1' and #items == wanted * 4 then break end
  end
end
for at = 1, #missing, 1000 do redis.pcall('ZREM', KEYS[1], unpack(missing, at, math.min(at + 999, #missing))) end
local isLast = #flat < batch * 2 and last == flat[#flat]
return { matches, isLast and '' or last, items }
`,
    ],
    (reply): SearchReply => {
      const [matches, next, flat] = asArray(reply);
      const strings = asArray(flat).map(asString);
      const runs: ListedRun[] = [];
      for (let at = 0; at < strings.length; at += 4) {
        const [runId, summary, state, score] = strings.slice(at, at + 4).map(asString);
        runs.push({
          runId: asString(runId),
          summary: asString(summary),
          state: asString(state),
          score: asNumber(score),
        });
      }
      return { matches: asNumber(matches), next: next === '' ? null : asNumber(next), runs };
    },
  ),

  /**
   * KEYS: index of a customer. ARGV: prefix of the keys of runs, maximum number. Replies with ids. Removes ids without
   * a run from the index.
   */
  runsOfCustomer: luaScript(
    1,
    [
      `
local count = tonumber(ARGV[2])
local ids = {}
repeat
  local found = redis.call('ZREVRANGE', KEYS[1], #ids, count - 1)
  local removed = 0
  for _, id in ipairs(found) do
    if redis.call('EXISTS', ARGV[1] .. id) == 1 then
      ids[#ids + 1] = id
    else
      removed = removed + redis.call('ZREM', KEYS[1], id)
    end
  end
until removed == 0
return ids
`,
    ],
    (reply): readonly string[] => asArray(reply).map(asString),
  ),

  /** KEYS: index of a workflow, index of all runs. Adds the one to the other. */
  copyIndex: luaScript(
    2,
    [
      `
local ttl = math.max(redis.call('PTTL', KEYS[1]), redis.call('PTTL', KEYS[2]))
local count = redis.call('ZUNIONSTORE', KEYS[2], 2, KEYS[2], KEYS[1], 'AGGREGATE', 'MAX')
if ttl > 0 then redis.call('PEXPIRE', KEYS[2], ttl) end
return count
`,
    ],
    asNumber,
  ),

  /**
   * ARGV: prefixes of the keys of runs and of events, then ids. Replies with the length of each log, and 1 where the
   * run has ended or is unknown.
   */
  observeRuns: luaScript(
    0,
    [
      hasEndedFunction,
      `
local observed = {}
for at = 3, #ARGV do
  local status = redis.pcall('HGET', ARGV[1] .. ARGV[at], 'status')
  local length = redis.pcall('LLEN', ARGV[2] .. ARGV[at])
  observed[#observed + 1] = type(length) == 'number' and length or 0
  observed[#observed + 1] = (type(status) ~= 'string' or has_ended(status)) and 1 or 0
end
return observed
`,
    ],
    (reply): readonly number[] => asArray(reply).map(asNumber),
  ),
};
