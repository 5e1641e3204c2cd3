import { hash } from 'node:crypto';

/** The hexadecimal digits of a version. */
const LENGTH = 12;

/**
 * A short hash of all that decides with a playbook, as plain data. Members that are undefined do not count. The same
 * data has the same version in every process, wherever its files are, and no secret of the environment is in it.
 */
export function versionOf(parts: {
  readonly definition: object;
  readonly articles?: readonly object[] | undefined;
  readonly tools?: readonly object[] | undefined;
  /** The hash of a trained classifier. */
  readonly classifier?: string | undefined;
  /** The embedding model whose vectors are used. */
  readonly vectors?: object | undefined;
}): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, LENGTH);
}
