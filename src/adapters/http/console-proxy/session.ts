import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Who may use the console: whoever has opened the address with the token first. */
export interface Session {
  /** Opens the session once. It is part of the address that is printed. */
  readonly token: string;
  /** The `Set-Cookie` header for the first one who sends the token; undefined for a wrong token, and from then on. */
  redeem(token: string): string | undefined;
  /** Whether a Cookie header has the cookie of this session. */
  isOpenedBy(cookies: string | undefined): boolean;
}

/**
 * Creates a session with random secrets. The name of its cookie has the port, because browsers keep the cookies of a
 * host for all of its ports, and another console may run on another one.
 */
export function createSession(port: number): Session {
  const name = `console_${port}`;
  const token = secret();
  const value = secret();
  let isRedeemed = false;
  return {
    token,
    redeem(sent) {
      if (!isEqual(sent, token) || isRedeemed) return undefined;
      isRedeemed = true;
      return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict`;
    },
    isOpenedBy(cookies = '') {
      return cookies.split(';').some((cookie) => {
        const [sentName = '', ...rest] = cookie.split('=');
        return sentName.trim() === name && isEqual(rest.join('=').trim(), value);
      });
    },
  };
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in constant time: the digests, which have equal lengths. */
function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}
