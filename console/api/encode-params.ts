/**
 * A client that percent-encodes the parameters of paths. The typed client puts them into a path as they are, so that an
 * id with a slash or a question mark would ask for something else than the record of that id.
 */
export function encodeParams<Api extends object>(api: Api): Api {
  return new Proxy(api, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? encodeParams(member) : member;
    },
    apply(target, self, [request, ...more]: readonly unknown[]) {
      if (typeof target !== 'function') throw new TypeError('only functions can be called');
      return Reflect.apply(target, self, [encoded(request), ...more]);
    },
  });
}

function encoded(request: unknown): unknown {
  if (typeof request !== 'object' || request === null || !('param' in request)) return request;
  const { param } = request;
  if (typeof param !== 'object' || param === null) return request;
  // A segment of dots alone would name the folder above.
  const encode = (value: unknown): string => encodeURIComponent(String(value)).replace(/^\.{1,2}$/, '%20$&');
  const entries = Object.entries(param).map(([name, value]) => [name, encode(value)]);
  return { ...request, param: Object.fromEntries(entries) };
}
