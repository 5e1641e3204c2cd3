import type { Context } from 'hono';
import type { AppEnv } from './env.ts';

/**
 * The path that the app is mounted under, given the path of the route that serves the request, such as
 * `/openapi.json`. Percent-encoded, without a trailing slash; empty at the root.
 */
export type MountPath = (c: Context<AppEnv>, routePath: string) => string;

/**
 * Returns `basePath` when it is given. Without it, the path is the part that Hono's `mount` removed from the URL,
 * known from Node's own request, followed by the part before the route's own path, as after Hono's `route`. It cannot
 * know a prefix that a proxy removes before the request reaches Node, nor one that `mount` removes where there is no
 * Node request: both need `basePath`.
 */
export function createMountPath(basePath: string | undefined): MountPath {
  if (basePath !== undefined) {
    const segments = basePath.split('/').filter((segment) => segment !== '');
    const path = encodeURI(segments.map((segment) => `/${segment}`).join(''));
    return () => path;
  }
  return (c, routePath) => {
    // The route `/` has no segment of its own, with or without a slash after the path of the mount.
    const isRoot = routePath === '/';
    const routeSegments = isRoot ? 0 : routePath.split('/').length - 1;
    const segments = (isRoot ? withoutSlash(c.req.path) : c.req.path).split('/');
    // Hono decodes the path, but a header must contain the encoded one.
    const routed = encodeURI(segments.slice(0, segments.length - routeSegments).join('/'));
    return removedPrefix(c) + routed;
  };
}

/** The path for clients of the route that serves a request, with the parameters of the request. */
export function routePath(
  c: Context<AppEnv>,
  mountPath: MountPath,
  { path }: { readonly path: string },
): string {
  const parameters: Readonly<Record<string, string>> = c.req.param();
  const own = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
  return mountPath(c, path) + own;
}

/** The part before the app's URL in the URL that Node received; empty when that does not end with the app's. */
function removedPrefix(c: Context<AppEnv>): string {
  const target = c.env?.incoming?.url;
  if (target === undefined) return '';
  const url = URL.parse(target.startsWith('/') ? `http://localhost${target}` : target);
  const received = withoutSlash(url?.pathname ?? '');
  const pathname = withoutSlash(new URL(c.req.url).pathname);
  return received.endsWith(pathname) ? received.slice(0, received.length - pathname.length) : '';
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
