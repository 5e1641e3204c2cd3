import { bodyOf, postJson } from './service.ts';

/** Records of one customer, by the paths at which the service shows them. */
export interface SampleRecords {
  readonly traceId: string;
  readonly workflowId: string;
  readonly runId: string;
  readonly routeId: string;
  /** The record of each kind, and the listings that have it. */
  readonly paths: readonly string[];
}

/** Lets the service write a message, a workflow with a run that completes, and a routed goal. */
export async function writeRecords(baseUrl: string, customerId: string): Promise<SampleRecords> {
  const post = async <Shape>(path: string, body: object): Promise<Shape> =>
    bodyOf<Shape>(await postJson(baseUrl + path, body));
  const { trace_id: traceId } = await post<{ trace_id: string }>('/messages', {
    customer_id: customerId,
    message: 'I want a refund for my broken blender.',
  });
  const steps = [
    { id: 'policy', tool_name: 'refund_policy' },
    { id: 'echo', kind: 'agent', agent_name: 'echo', depends_on: ['policy'] },
  ];
  const { id: workflowId } = await post<{ id: string }>('/workflows', { name: 'w', steps });
  const { execution_id: runId } = await post<{ execution_id: string }>(`/workflows/${workflowId}/run`, {});
  const subtasks = [{ agent_name: 'echo', payload: { a: 1 } }];
  const { routing_id: routeId } = await post<{ routing_id: string }>('/agents/route', {
    goal: 'echo',
    subtasks,
  });
  const paths = [
    `/trace/${traceId}`,
    '/trace/',
    `/trace/?intent=refund&customer_id=${customerId}&status=COMPLETED`,
    `/workflows/${workflowId}`,
    '/workflows',
    `/workflows/${workflowId}/runs`,
    `/workflows/${workflowId}/runs/${runId}/events`,
    `/runs/${runId}`,
    '/runs?status=COMPLETED',
    `/agents/routes/${routeId}`,
    '/agents/routes',
  ];
  return { traceId, workflowId, runId, routeId, paths };
}

/** The answers of the service at each path, in order: the status and the body. */
export function readAll(baseUrl: string, paths: readonly string[]) {
  return Promise.all(
    paths.map(async (path) => {
      const reply = await fetch(baseUrl + path);
      return { path, status: reply.status, body: await bodyOf<unknown>(reply) };
    }),
  );
}
