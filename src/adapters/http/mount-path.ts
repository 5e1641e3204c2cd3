import type { Context } from 'hono';
import type { AppEnv } from './env.ts';

/** Says under which path a request reached the app, given the path of the route that serves it, such as `/openapi.json`. */
export type MountPath = (c: Context<AppEnv>, ownPath: string) => string;

/**
 * The path that the app is mounted under: `basePath` where one is told, for what was taken off before the app cannot
 * be known; else what stands before the route's own path, as after Hono's `route`. Empty at the root.
 */
export function createMountPath(basePath: string | undefined): MountPath {
  if (basePath !== undefined) {
    const segments = basePath.split('/').filter((segment) => segment !== '');
    const told = encodeURI(segments.map((segment) => `/${segment}`).join(''));
    return () => told;
  }
  return (c, ownPath) => {
    const own = ownPath.split('/').length - 1;
    const segments = c.req.path.split('/');
    // Hono decodes the path, which a header may not hold as it is.
    return encodeURI(segments.slice(0, segments.length - own).join('/'));
  };
}
