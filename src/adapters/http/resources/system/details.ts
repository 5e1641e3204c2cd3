import type { RecoveryPolicy } from '../../../../domain/run/recover.ts';

/** What `GET /system` says beyond what the app knows. Each member may be absent. No member may hold a secret. */
export interface SystemDetails {
  /** When the process started, in milliseconds since the epoch. Default: when the app was created. */
  readonly startedAt?: number | undefined;
  /** A sentence for everybody who works with the service, as plain text. Default: null. */
  readonly notice?: string | undefined;
  /** Where records are stored, and how runs continue after the loss of their process. Default: null. */
  readonly storage?: SystemStorage | undefined;
  /** The language model, and the stages that it backs. Default: not configured. */
  readonly model?: { readonly name: string; readonly stages: readonly string[] } | undefined;
  /** Requests that a client may make in a window. Default: null. */
  readonly rateLimit?: { readonly requests: number; readonly windowSeconds: number } | undefined;
  /** The names of the settings that are set, without their values. Default: none. */
  readonly settings?: readonly string[] | undefined;
}

/** The store of the service. */
export interface SystemStorage {
  readonly backend: 'memory' | 'sqlite' | 'kvstore' | 'postgres';
  /** Undefined where runs end with their process. */
  readonly recovery: RecoveryPolicy | undefined;
}
