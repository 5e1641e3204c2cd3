import type { NewId } from '../../../ports/clock.ts';
import { type Logger, silentLogger } from '../../../ports/logger.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { Span } from '../../../ports/telemetry.ts';

/** Ports that record nothing, and by which every simulation of the same goes the same way. */
export function isolatedPorts(
  logger: Logger,
): Pick<Ports, 'newId' | 'random' | 'logger' | 'events' | 'telemetry'> {
  return {
    newId: countingIds(),
    // Back-offs have full jitter: this is the mean.
    random: () => 0.5,
    // A failed call is part of the result. An error is a fault of the service.
    logger: { ...silentLogger, error: (message, fields) => logger.error(message, fields) },
    events: () => undefined,
    telemetry: { span: (_name, _attributes, work) => work(noSpan), traceId: () => null },
  };
}

const noSpan: Span = { event() {}, set() {}, fail() {} };

/** Ids in the form of a UUID, in ascending order. */
function countingIds(): NewId {
  let count = 0;
  return () => `00000000-0000-7000-8000-${(++count).toString(16).padStart(12, '0')}`;
}
