import { exampleStatuses } from '../../../domain/inbox/example.ts';
import { asArray, asNumber, asOneOf, asString } from '../client/replies.ts';
import { fencedScript, luaScript, newScore } from '../client/scripts.ts';
import { fitsFunction } from '../records/record-scripts.ts';

const statuses = exampleStatuses.map((status) => `'${status}'`).join(', ');

/**
 * Defines `put_example`, which stores an example; one that is there keeps its place. KEYS from `key`: examples of the
 * dataset, their ids, and the ids by each status. Needs `new_score`.
 */
export const putExample = `
local function put_example(key, id, json, status)
  local place = tonumber(redis.call('ZSCORE', KEYS[key + 1], id) or nil) or new_score(KEYS[key + 1])
  redis.call('ZADD', KEYS[key + 1], integer(place), id)
  redis.call('HSET', KEYS[key], id, json)
  for at, name in ipairs({ ${statuses} }) do
    if name == status then
      redis.call('ZADD', KEYS[key + 1 + at], integer(place), id)
    else
      redis.call('ZREM', KEYS[key + 1 + at], id)
    end
  end
end
`;

/** The number of keys of a dataset. */
const DATASET_KEYS = 2 + exampleStatuses.length;

/** A part of the examples of a dataset. */
export interface ExampleScan {
  readonly examples: readonly { readonly place: number; readonly json: string }[];
  /** The place of the last example that was read; undefined where no further one is left. */
  readonly last: number | undefined;
}

/** The commands of examples. */
export const exampleScripts = {
  /** KEYS: see {@link putExample}. ARGV: deadline, id, JSON, status. Replies with 1 where there was one. */
  updateExample: fencedScript(
    DATASET_KEYS,
    [
      newScore,
      putExample,
      `
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then return 0 end
put_example(1, unpack(ARGV, 2, 4))
return 1
`,
    ],
    (reply) => asOneOf([0, 1], reply),
  ),

  /** KEYS: see {@link putExample}. ARGV: deadline, id. Replies with 1 where there was one. */
  deleteExample: fencedScript(
    DATASET_KEYS,
    [
      `
for key = 2, #KEYS do redis.call('ZREM', KEYS[key], ARGV[2]) end
return redis.call('HDEL', KEYS[1], ARGV[2])
`,
    ],
    (reply) => asOneOf([0, 1], reply),
  ),

  /** KEYS: the ids by each status. */
  countExamples: luaScript(
    exampleStatuses.length,
    [
      `
local counts = {}
for key = 1, #KEYS do counts[key] = redis.call('ZCARD', KEYS[key]) end
return counts
`,
    ],
    (reply) => asArray(reply).map(asNumber),
  ),

  /**
   * KEYS: examples of the dataset, ids. ARGV: the place after which the part begins, the number of ids to read, and a JSON
   * list of lists of texts: only examples that contain one text of each list.
   */
  scanExamples: luaScript(
    2,
    [
      fitsFunction,
      `
local limit, needed = tonumber(ARGV[2]), cjson.decode(ARGV[3])
local ids = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
local found = {}
for at = 1, #ids, 2 do
  local json = redis.call('HGET', KEYS[1], ids[at])
  if json and fits(json, needed) then
    found[#found + 1] = ids[at + 1]
    found[#found + 1] = json
  end
end
return { found, #ids == 2 * limit and ids[#ids] or '' }
`,
    ],
    (reply): ExampleScan => {
      const [found, last] = asArray(reply);
      const strings = asArray(found);
      const examples: { place: number; json: string }[] = [];
      for (let index = 0; index < strings.length; index += 2) {
        examples.push({ place: asNumber(strings[index]), json: asString(strings[index + 1]) });
      }
      return { examples, last: last === '' ? undefined : asNumber(last) };
    },
  ),
};
