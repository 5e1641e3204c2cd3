import { setTimeout } from 'node:timers/promises';
import { type Service, startService } from './service.ts';

/** A service that measures the turns of its event loop. */
export interface MeteredService extends Service {
  /**
   * The longest processor time that the main thread of the service has taken in one turn since the last call, in
   * milliseconds.
   */
  longestTurn(): Promise<number>;
}

/** Starts the service as `startService` does, with a meter. */
export async function startMeteredService(
  settings: Readonly<Record<string, string>> = {},
): Promise<MeteredService> {
  const meter = new URL('turn-meter.ts', import.meta.url).href;
  const options = `--import=${meter} ${settings['NODE_OPTIONS'] ?? ''}`;
  const service = await startService({ ...settings, NODE_OPTIONS: options });
  const measured = (): number[] =>
    service.log().flatMap(({ msg, ms }) => (msg === 'longest turn' ? [Number(ms)] : []));
  return {
    ...service,
    async longestTurn() {
      const before = measured().length;
      service.process.kill('SIGUSR2');
      for (;;) {
        const longest = measured()[before];
        if (longest !== undefined) return longest;
        if (service.process.exitCode !== null) throw new Error(`the service has ended: ${service.output()}`);
        await setTimeout(5);
      }
    },
  };
}
