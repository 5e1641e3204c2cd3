import { findProgram, redisServer } from '../process/programs.ts';

/** The path of a Redis server program: see `findProgram`. */
export function findRedisBinary(): Promise<string> {
  return findProgram(redisServer);
}
