import { type CommandParser, defineScript } from '@redis/client';

/** The reply to a fenced write that arrived after its deadline and changed nothing. */
export const STALE = 'STALE';

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
export function luaScript<T>(
  keys: number,
  parts: readonly string[],
  parse: (reply: unknown) => T,
): LuaScript<T> {
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
export function fencedScript<T>(
  keys: number,
  parts: readonly string[],
  parse: (reply: unknown) => T,
): LuaScript<T | typeof STALE> {
  return luaScript(keys, [now, fence, ...parts], (reply) => (reply === STALE ? STALE : parse(reply)));
}

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
