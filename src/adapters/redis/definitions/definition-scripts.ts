import type { ReplaceOutcome } from '../../../ports/storage/definition-store.ts';
import { asArray, asNumber, asOneOf, asString } from '../client/replies.ts';
import { expire, fencedScript, luaScript, newScore } from '../client/scripts.ts';
import { storeRecord } from '../records/record-scripts.ts';

const replaceOutcomes = [
  'replaced',
  'conflict',
  'missing',
  'key_taken',
] as const satisfies readonly ReplaceOutcome[];

/** Some versions of a workflow, newest first. */
export interface VersionsReply {
  /** How many are stored. */
  readonly total: number;
  /** The definitions as JSON. */
  readonly jsons: readonly string[];
}

/*
 * All versions of a workflow stand in the hash of its record, so that they are deleted together by every replica: in
 * `record` the newest one, in `version` its number (1 when absent), and in `version:<n>` each one before, without gaps.
 * `key` is the key of the workflow, where it has one; the key of Redis for that has the id. A replica of version 0.7
 * leaves this one behind when it deletes a workflow, so that a key counts only while the workflow of its id has it.
 */

/** Defines `newest_of`, the number of the newest version; nothing where the workflow is not stored. */
const newestOf = `
local function newest_of(key)
  local found = redis.pcall('HMGET', key, 'record', 'version')
  if found.err or not found[1] then return nil end
  return tonumber(found[2] or 1), found[1]
end
`;

/** Defines `owner_of`, the id of the workflow with a key; nothing where there is none. */
const ownerOf = `
local function key_of(record)
  local key = redis.pcall('HGET', record, 'key')
  return type(key) == 'string' and key or ''
end
local function owner_of(key_record, key, records)
  local id = redis.call('GET', key_record)
  if id and key_of(records .. id) == key then return id end
end
`;

/** Defines `move_key`: a workflow has the key `to` and no longer `from`; an empty text is none. */
const moveKey = `
local function move_key(record, id, prefix, from, to)
  if from ~= '' and from ~= to and redis.call('GET', prefix .. from) == id then redis.call('DEL', prefix .. from) end
  if to ~= '' then
    redis.call('SET', prefix .. to, id)
    redis.call('HSET', record, 'key', to)
  else
    redis.call('HDEL', record, 'key')
  end
end
`;

/** The commands of workflow definitions, in addition to those of records. */
export const definitionScripts = {
  /**
   * Stores version 1, unless another workflow has its key: replies with 1, or 0. See {@link storeRecord}; ARGV ends
   * with the key or an empty text, and the prefixes of the keys of records and of keys.
   */
  putDefinition: fencedScript(
    2,
    [
      newScore,
      expire,
      ownerOf,
      moveKey,
      `
local key = ARGV[6]
if key ~= '' and (owner_of(ARGV[8] .. key, key, ARGV[7]) or ARGV[2]) ~= ARGV[2] then return 0 end
local key_before = key_of(KEYS[1])
`,
      storeRecord,
      `
move_key(KEYS[1], ARGV[2], ARGV[8], key_before, key)
return 1
`,
    ],
    (reply) => asOneOf([0, 1], reply),
  ),

  /**
   * Deletes a workflow with its key. KEYS: record, index. ARGV: deadline, id, prefix of the keys of keys. Replies with
   * the number of deleted records.
   */
  deleteDefinition: fencedScript(
    2,
    [
      ownerOf,
      moveKey,
      `
move_key(KEYS[1], ARGV[2], ARGV[3], key_of(KEYS[1]), '')
redis.call('ZREM', KEYS[2], ARGV[2])
return redis.call('DEL', KEYS[1])
`,
    ],
    asNumber,
  ),

  /** KEYS: key. ARGV: key of the workflow, prefix of the keys of records. Replies with the id; nothing for none. */
  findByKey: luaScript(
    1,
    [ownerOf, 'return owner_of(KEYS[1], ARGV[1], ARGV[2])'],
    (reply): string | undefined => (reply === null ? undefined : asString(reply)),
  ),

  /**
   * Stores a version where the newest one is that before it, and removes the version ARGV[5]. KEYS: record. ARGV:
   * deadline, id, version, definition, version to remove, key or an empty text, and the prefixes of the keys of records
   * and of keys.
   */
  replaceDefinition: fencedScript(
    1,
    [
      newestOf,
      ownerOf,
      moveKey,
      `
local newest, record = newest_of(KEYS[1])
if not newest then return 'missing' end
if newest ~= tonumber(ARGV[3]) - 1 then return 'conflict' end
local key = ARGV[6]
if key ~= '' and (owner_of(ARGV[8] .. key, key, ARGV[7]) or ARGV[2]) ~= ARGV[2] then return 'key_taken' end
redis.call('HSET', KEYS[1], 'version:' .. integer(newest), record, 'version', ARGV[3], 'record', ARGV[4])
redis.call('HDEL', KEYS[1], 'version:' .. ARGV[5])
move_key(KEYS[1], ARGV[2], ARGV[8], key_of(KEYS[1]), key)
return 'replaced'
`,
    ],
    (reply): ReplaceOutcome => asOneOf(replaceOutcomes, reply),
  ),

  /** KEYS: record. ARGV: version. Replies with the definition; nothing where that version is not stored. */
  readVersion: luaScript(
    1,
    [
      newestOf,
      `
local newest, record = newest_of(KEYS[1])
if not newest then return nil end
if newest == tonumber(ARGV[1]) then return record end
return redis.call('HGET', KEYS[1], 'version:' .. ARGV[1])
`,
    ],
    (reply): string | undefined => (reply === null ? undefined : asString(reply)),
  ),

  /**
   * KEYS: record. ARGV: offset, limit, the most versions that are kept. Replies with their number, and a page of
   * definitions, newest first; nothing for an unknown workflow.
   */
  readVersions: luaScript(
    1,
    [
      newestOf,
      `
local offset, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
local newest, record = newest_of(KEYS[1])
if not newest then return nil end
local total = math.min(newest, tonumber(ARGV[3]))
local jsons = {}
for age = offset, math.min(offset + limit, total) - 1 do
  if age == 0 then
    jsons[1] = record
  else
    jsons[#jsons + 1] = redis.call('HGET', KEYS[1], string.format('version:%.0f', newest - age)) or ''
  end
end
return { total, jsons }
`,
    ],
    (reply): VersionsReply | undefined => {
      if (reply === null) return undefined;
      const [total, jsons] = asArray(reply);
      return { total: asNumber(total), jsons: asArray(jsons).map(asString) };
    },
  ),
};
