// Runs after `npm ci`: builds the service and the console, where the development dependencies are installed. It is
// plain JavaScript, because the Node that runs npm may be older than 24.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const node = path('../node_modules/node/bin/node');

if (existsSync(path('../node_modules/vite/package.json')) && existsSync(path('checkout.ts'))) {
  execFileSync(existsSync(node) ? node : process.execPath, [path('checkout.ts')], { stdio: 'inherit' });
}
