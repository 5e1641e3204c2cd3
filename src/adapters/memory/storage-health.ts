import type { StorageHealth } from '../../ports/record-store.ts';

/** Memory can always be written to. */
export const memoryStorageHealth: StorageHealth = { assertAvailable: () => undefined };
