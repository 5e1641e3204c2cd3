import type { Redis } from '../process/redis.ts';
import type { Server } from '../process/servers.ts';
import { runLoad } from './generator.ts';
import type { Request } from './raw-http.ts';

const REQUESTS = 200;

/** The number of round trips to Redis for one request, while the service serves nothing else. */
export async function countRoundTrips(redis: Redis, { port }: Server, request: Request): Promise<number> {
  const before = await redis.info('total_reads_processed');
  await runLoad(port, [request], { connections: 1, requests: REQUESTS });
  return Math.round(((await redis.info('total_reads_processed')) - before) / REQUESTS);
}
