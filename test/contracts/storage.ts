import type { StoragePorts } from '../../src/ports/ports.ts';
import { conversationStoreContract } from './conversation-store.ts';
import { definitionStoreContract } from './definition-store.ts';
import { erasureMarksContract } from './erasure-marks.ts';
import { exampleStoreContract } from './example-store.ts';
import { idempotencyStoreContract } from './idempotency-store.ts';
import { inboxStoreContract } from './inbox-store.ts';
import { runLogContract } from './run-log.ts';
import { runLogOracle } from './run-log-oracle.ts';
import { runVersionsContract } from './run-versions.ts';
import { scheduleStoreContract } from './schedule-store.ts';
import { statsStoreContract } from './stats-store.ts';

/**
 * The promises of everything that is made over a store. `make` creates the ports of a process over an empty store,
 * `makePair` those of two processes on one store, where it can have several. The tests of the adapter clean up.
 */
export function storageContract(
  name: string,
  make: () => Promise<StoragePorts>,
  makePair: () => Promise<readonly [StoragePorts, StoragePorts]> = async () => {
    const alone = await make();
    return [alone, alone];
  },
): void {
  runLogContract(name, async () => (await make()).runs);
  runLogOracle(name, async () => (await make()).runs);
  runVersionsContract(name, make);
  inboxStoreContract(name, make);
  conversationStoreContract(name, make);
  exampleStoreContract(name, make);
  definitionStoreContract(name, async () => (await make()).workflows);
  scheduleStoreContract(name, async () => (await make()).schedules);
  statsStoreContract(name, async () => (await make()).stats);
  idempotencyStoreContract(name, async () => (await make()).idempotency);
  erasureMarksContract(name, async () => {
    const [one, other] = await makePair();
    return [one.erasures, other.erasures];
  });
}
