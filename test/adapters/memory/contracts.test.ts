import { createMemoryStorage } from '../../../src/adapters/memory-storage.ts';
import { storageContract } from '../../contracts/storage.ts';

storageContract('memory', async () => createMemoryStorage());
