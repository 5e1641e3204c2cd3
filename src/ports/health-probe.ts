/** The result of checking an external service (decisions, section 7). */
export type HealthStatus = 'ok' | 'error' | 'not_configured';

/** Checks whether an external service is available. Resolves within a second and never rejects. */
export type HealthProbe = () => Promise<HealthStatus>;
