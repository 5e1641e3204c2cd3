import type { Context, Hono } from 'hono';
import type { AppEnv } from '../env.ts';
import { createResponse, errorResponse } from '../response.ts';
import { consolePolicy } from './pages.ts';
import { createConsoleResponder } from './responder.ts';

/** Adds the policy of the console to every reply at `/console` and below it, those of later middleware included. */
export function protectConsole(app: Hono<AppEnv>): void {
  app.use('/console/*', (c, next) => {
    c.get('headers')['Content-Security-Policy'] = consolePolicy;
    return next();
  });
}

/**
 * Serves the console at `/console/`, from a folder; by default the built one. All of its links are relative, so that it
 * works under the path of a mount. Its files are not part of the OpenAPI document.
 */
export function serveConsole(app: Hono<AppEnv>, folder?: string): void {
  const respond = createConsoleResponder({ readOnly: false, upstream: null }, folder);

  async function send(c: Context<AppEnv>, name: string): Promise<Response> {
    const response = await respond({
      name,
      acceptEncoding: c.req.header('accept-encoding'),
      ifNoneMatch: c.req.header('if-none-match'),
    });
    if (response !== undefined) return createResponse(c, response.body, response.status, response.headers);
    return errorResponse(c, { status: 404, detail: 'the console has no file with this name' });
  }

  const page = (c: Context<AppEnv>): Response | Promise<Response> => {
    const { pathname, search } = new URL(c.req.url);
    // Relative, so that it leads to the same place behind a proxy that removes a path.
    if (!pathname.endsWith('/')) return createResponse(c, null, 308, { Location: `console/${search}` });
    return send(c, '');
  };
  app.get('/console', page);
  // For Hono's `route`: the routing of the outer app keeps the slash.
  app.get('/console/', page);
  app.get('/console/:name{.+}', (c) => {
    // Routing removes a slash at the end, but a file has none.
    const slash = new URL(c.req.url).pathname.endsWith('/') ? '/' : '';
    return send(c, c.req.param('name') + slash);
  });
}
