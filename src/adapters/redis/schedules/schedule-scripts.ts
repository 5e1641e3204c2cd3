import { asArray, asNumber, asOneOf, asPage, asString } from '../client/replies.ts';
import { fencedScript, luaScript, newScore, now, page } from '../client/scripts.ts';

/** The most bytes of a schedule that a listing has in its reply; larger ones are read one by one. */
const MAX_LISTED_BYTES = 65_536;

/** Defines `put`, which stores a schedule. ARGV: deadline, id, revision, time of its next wake or an empty string, JSON. */
const putSchedule = `
local function put()
  redis.call('HSET', KEYS[1], 'revision', ARGV[3], 'wake_at', ARGV[4], 'json', ARGV[5])
end
`;

/** Its JSON, or an empty string for a large one. */
const readSchedule = `
local function read(key)
  local size = redis.pcall('HSTRLEN', key, 'json')
  if type(size) ~= 'number' or size == 0 then return nil end
  if size > ${MAX_LISTED_BYTES} then return '', '' end
  return redis.call('HGET', key, 'json'), ''
end
`;

/** A schedule that has something to do, as the store has it. */
export interface StoredWake {
  readonly id: string;
  readonly at: number;
}

/** The commands of schedules. */
export const scheduleScripts = {
  /**
   * KEYS: schedule, index. ARGV: those of {@link putSchedule}, the most schedules. Replies with whether it was stored, was
   * stored before, or found the store full.
   */
  createSchedule: fencedScript(
    2,
    [
      newScore,
      putSchedule,
      `
if redis.call('EXISTS', KEYS[1]) == 1 then return 'known' end
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[6]) then return 'full' end
redis.call('ZADD', KEYS[2], integer(new_score(KEYS[2])), ARGV[2])
put()
return 'created'
`,
    ],
    (reply) => asOneOf(['created', 'known', 'full'], reply),
  ),

  /** KEYS: schedule. ARGV: those of {@link putSchedule}, the expected revision. Replies with 1 where it was stored. */
  updateSchedule: fencedScript(
    1,
    [
      putSchedule,
      `
if redis.call('HGET', KEYS[1], 'revision') ~= ARGV[6] then return 0 end
put()
return 1
`,
    ],
    (reply) => asOneOf([0, 1], reply),
  ),

  /** KEYS: schedule, index. ARGV: deadline, id. Replies with 1 where there was one. */
  deleteSchedule: fencedScript(
    2,
    [
      `
redis.call('ZREM', KEYS[2], ARGV[2])
return redis.call('DEL', KEYS[1])
`,
    ],
    (reply) => asOneOf([0, 1], reply),
  ),

  /** See {@link page} and {@link readSchedule}. */
  listSchedules: luaScript(1, [now, readSchedule, page], asPage),

  /** KEYS: index. ARGV: prefix of the schedules' keys, the latest time. Replies with the ids of what is due, and the times. */
  dueSchedules: luaScript(
    1,
    [
      `
local latest, due = tonumber(ARGV[2]), {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local at = redis.pcall('HGET', ARGV[1] .. id, 'wake_at')
  if type(at) == 'string' and at ~= '' and tonumber(at) <= latest then
    due[#due + 1] = id
    due[#due + 1] = at
  end
end
return due
`,
    ],
    (reply): readonly StoredWake[] => {
      const flat = asArray(reply);
      return Array.from({ length: flat.length / 2 }, (_, index) => ({
        id: asString(flat[2 * index]),
        at: asNumber(flat[2 * index + 1]),
      }));
    },
  ),
};
