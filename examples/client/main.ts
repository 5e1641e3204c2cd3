// A typed client without generated code: paths, requests and responses have the types of the service's routes.
// node main.ts http://127.0.0.1:8000

import { createClient } from 'orchestration-service/client';

const apiKey = process.env['API_KEY'];
const client = createClient(process.argv[2] ?? 'http://127.0.0.1:8000', {
  headers: apiKey === undefined ? {} : { 'X-Api-Key': apiKey },
});

const answered = await client.messages.$post({
  json: { customer_id: 'customer-42', message: 'I want a refund for my blender.' },
});
if (!answered.ok) throw new Error((await answered.json()).detail);
const { trace_id, intent, response } = await answered.json();
console.log(`${intent}: ${response}`);

const trace = await client.trace[':trace_id'].$get({ param: { trace_id } });
if (!trace.ok) throw new Error((await trace.json()).detail);
const { state_transitions } = await trace.json();
console.log(state_transitions.map(({ to }) => to).join(' → '));

const created = await client.workflows.$post({
  json: { name: 'Policy', steps: [{ id: 'policy', tool_name: 'refund_policy' }] },
});
if (!created.ok) throw new Error((await created.json()).detail);
const { id, layers } = await created.json();
console.log(`workflow of ${layers.length} layer, at ${created.headers.get('Location')}`);

const ran = await client.workflows[':id'].run.$post({ param: { id }, json: {} });
if (!ran.ok) throw new Error((await ran.json()).detail);
const { status, step_results } = await ran.json();
console.log(status, step_results['policy']?.output);

const unknown = await client.workflows[':id'].$get({ param: { id: 'nowhere' } });
if (unknown.status === 404) console.log((await unknown.json()).detail);
