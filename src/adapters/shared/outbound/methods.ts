/** The methods of outgoing requests. */
export const outboundMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** One of {@link outboundMethods}. */
export type OutboundMethod = (typeof outboundMethods)[number];
