import { storageContract } from '../../contracts/storage.ts';
import { makeFile } from '../../support/sqlite/files.ts';

storageContract('SQLite', async () => (await makeFile()).adapters.ports);
