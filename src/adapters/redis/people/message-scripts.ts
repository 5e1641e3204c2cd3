import { asOneOf } from '../client/replies.ts';
import { expire, fencedScript, newScore } from '../client/scripts.ts';
import { storeRecord } from '../records/record-scripts.ts';
import { addEntries } from './conversation-functions.ts';
import { ITEM_KEYS, ITEM_VALUES } from './inbox/item-encoding.ts';
import { putItem } from './inbox/item-functions.ts';

/** Where the values of the item begin, and those of the conversation. */
const ITEM = 6;
const REST = ITEM + ITEM_VALUES;

/** The commands that store messages. */
export const messageScripts = {
  /**
   * KEYS: see `storeRecord` and `put_item`, conversation, all conversations. ARGV: see `storeRecord` and `put_item`; JSON
   * of the customer, digest of the conversation, its retention in milliseconds, JSON of the trace id, time of the last
   * entry, then entries. The keys and values of an item, or the conversation, are empty where there is none.
   */
  recordMessage: fencedScript(
    2 + ITEM_KEYS + 2,
    [
      newScore,
      expire,
      storeRecord,
      putItem,
      addEntries,
      `
local item, conversation, conversations = ARGV[${ITEM}], KEYS[8], KEYS[9]
local is_new = item ~= '' and redis.call('EXISTS', KEYS[3]) == 0
if is_new then put_item(3, ${ITEM}, true) end
local customer, digest, ttl, trace, at = unpack(ARGV, ${REST}, ${REST + 4})
if conversation == '' or redis.call('HGET', conversation, 'customer') ~= customer then return 1 end
if is_new then redis.call('HSET', conversation, 'item', item) end
if #ARGV < ${REST + 5} then return 1 end
local texts = { unpack(ARGV, ${REST + 5}) }
if redis.call('HEXISTS', conversation, 'm:' .. trace) == 1 then
  if is_new then replace_entries(conversation, trace, texts) end
  return 1
end
add_entries(conversation, trace, at, texts)
touch_conversation(conversation, conversations, digest, ttl)
return 1
`,
    ],
    (reply) => asOneOf([1], reply),
  ),
};
