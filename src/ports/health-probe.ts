/** What a health check says of something outside (decisions, section 7). */
export type HealthStatus = 'ok' | 'error' | 'not_configured';

/** Asks something outside whether it can serve. Answers within a second and never rejects. */
export type HealthProbe = () => Promise<HealthStatus>;
