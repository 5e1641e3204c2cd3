import type { Ports } from '../ports/ports.ts';

/** Whether the customer has been erased since the work began. Never rejects. */
export type WasErased = () => Promise<boolean>;

/**
 * Called before work whose records are stored at its end. Once they are stored, the function that it resolves to tells
 * whether they must be deleted again, because an erasure has not seen them. For no customer nothing is read.
 */
export type BeginErasable = (customerId: string | null) => Promise<WasErased>;

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
