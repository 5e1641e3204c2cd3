import type { ReplaceOutcome } from '../../../ports/storage/definition-store.ts';
import { asArray, asNumber, asOneOf, asString } from '../client/replies.ts';
import { fencedScript, luaScript } from '../client/scripts.ts';

const replaceOutcomes = ['replaced', 'conflict', 'missing'] as const satisfies readonly ReplaceOutcome[];

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
 */

/** Defines `newest_of`, the number of the newest version; nothing where the workflow is not stored. */
const newestOf = `
local function newest_of(key)
  local found = redis.pcall('HMGET', key, 'record', 'version')
  if found.err or not found[1] then return nil end
  return tonumber(found[2] or 1), found[1]
end
`;

/** The commands of workflow definitions, in addition to those of records. */
export const definitionScripts = {
  /**
   * Stores a version where the newest one is that before it, and removes the version ARGV[5]. KEYS: record. ARGV:
   * deadline, id, version, definition, version to remove.
   */
  replaceDefinition: fencedScript(
    1,
    [
      newestOf,
      `
local newest, record = newest_of(KEYS[1])
if not newest then return 'missing' end
if newest ~= tonumber(ARGV[3]) - 1 then return 'conflict' end
redis.call('HSET', KEYS[1], 'version:' .. integer(newest), record, 'version', ARGV[3], 'record', ARGV[4])
redis.call('HDEL', KEYS[1], 'version:' .. ARGV[5])
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
