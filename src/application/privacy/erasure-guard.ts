import type { Ports } from '../../ports/ports.ts';
import type { BeginErasable, WasErased } from '../../ports/storage/erasure-marks.ts';

const never: WasErased = async () => false;

/** Creates {@link BeginErasable}. Where the store cannot be read, the records stay: nobody can have erased. */
export function createErasureGuard({ erasures }: Pick<Ports, 'erasures'>): BeginErasable {
  return async (customerId) => {
    if (customerId === null) return never;
    try {
      const before = await erasures.last(customerId);
      return async () => {
        const after = await erasures.last(customerId).catch(() => before);
        return after !== undefined && after !== before;
      };
    } catch {
      return never;
    }
  };
}
