import { createMemoryStore } from '../../../src/adapters/memory/store.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { storeContract } from '../../contracts/store.ts';

storeContract('memory', async () => createMemoryStore(systemClock));
