/** The service whose console is shown. */
export interface Upstream {
  /** Its address as it may be shown: scheme, host, port and path, without a slash at the end. */
  readonly address: string;
  /** Its scheme, host and port. */
  readonly origin: string;
  /** The path that it is mounted under; empty at the root. Percent-encoded. */
  readonly prefix: string;
  /** The API key; undefined for a service without authentication. */
  readonly key: string | undefined;
}

/** Reads the address of a service. Throws an error whose message does not contain it: it may have a password in it. */
export function parseUpstream(text: string, key: string | undefined): Upstream {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new Error('must be an http:// or https:// URL');
  }
  if (url.username + url.password !== '') throw new Error('must contain no user or password');
  if (url.search + url.hash !== '') throw new Error('must contain no query or fragment');
  const prefix = url.pathname.replace(/\/+$/, '');
  return { address: url.origin + prefix, origin: url.origin, prefix, key };
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was closed'],
  ['EPIPE', 'the connection was closed'],
  ['ENOTFOUND', 'the host name cannot be resolved'],
  ['EAI_AGAIN', 'the host name cannot be resolved at the moment'],
  ['ETIMEDOUT', 'it does not accept connections in time'],
  ['EHOSTUNREACH', 'there is no way to the host'],
  ['ENETUNREACH', 'there is no way to the network'],
  ['EPROTO', 'it does not speak TLS'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'it does not speak TLS'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
]);

const untrusted = 'its certificate is not trusted; name the file of its authority in NODE_EXTRA_CA_CERTS';

/** Codes of certificates that nobody vouches for. */
const untrustedCodes: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Why a request to the service failed, by the code of the error: its message may quote headers. */
export function describeFailure({ address }: Upstream, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
  const known = untrustedCodes.has(code) ? untrusted : reasons.get(code);
  const other = code.startsWith('HPE_') ? 'its answer is not valid HTTP' : 'the request failed';
  return `${address} cannot be reached: ${known ?? other} (${code})`;
}
