import type { StorageHealth } from '../../ports/storage/record-store.ts';

/** Memory is always available. */
export const memoryStorageHealth: StorageHealth = { assertAvailable: () => undefined };
