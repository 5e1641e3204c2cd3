import { MAX_CONVERSATION_ENTRIES } from '../../../domain/message/conversation.ts';

/**
 * Defines `add_entries`, which appends the entries of a trace to a conversation, and `touch_conversation`, after whose
 * last call a conversation stays for `ttl` milliseconds. `replace_entries` puts entries of a trace in the place of those
 * that are there, but not of what a person wrote. `trace` is the JSON of a trace id. An entry
 * begins with it and a line break; the field `m:` with it tells that entries of the trace are there. Needs `now`.
 */
export const addEntries = `
local function add_entries(conversation, trace, at, texts)
  local list = conversation .. ':entries'
  redis.call('HSET', conversation, 'updated', at, 'm:' .. trace, '1')
  redis.call('RPUSH', list, unpack(texts))
  for _ = ${MAX_CONVERSATION_ENTRIES + 1}, redis.call('LLEN', list) do
    local oldest = string.match(redis.call('LPOP', list), '^(.-)\\n')
    if oldest then redis.call('HDEL', conversation, 'm:' .. oldest) end
  end
end
local function replace_entries(conversation, trace, texts)
  local list, prefix, place = conversation .. ':entries', trace .. '\\n', 1
  for index, text in ipairs(redis.call('LRANGE', list, 0, -1)) do
    local is_own = string.sub(text, 1, #prefix) == prefix and not string.find(text, '"from":"person"', 1, true)
    if is_own and texts[place] then
      redis.call('LSET', list, index - 1, texts[place])
      place = place + 1
    end
  end
end
local function touch_conversation(conversation, index, digest, ttl)
  redis.call('ZADD', index, integer(now / 1000), digest)
  for _, key in ipairs({ conversation, conversation .. ':entries', index }) do redis.call('PEXPIRE', key, ttl) end
  local gone = redis.call('ZRANGEBYSCORE', index, '-inf', integer(now / 1000 - ttl), 'LIMIT', 0, 100)
  if #gone > 0 then redis.call('ZREM', index, unpack(gone)) end
end
`;
