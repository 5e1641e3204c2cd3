// The tools of the example: the rota, the incidents and the pager of an invented operations team.

import { defineTool, type Extension, ToolError } from 'orchestration-service/tools';
import { z } from 'zod';

const extension: Extension = ({ tools }) => {
  tools.register(
    defineTool({
      name: 'who_is_on_call',
      description: 'Returns who is on call now.',
      effect: 'read',
      input: z.object({}),
      output: z.object({ name: z.string() }),
      execute() {
        const name = process.env['ON_CALL'];
        if (name === undefined) throw new ToolError('the rota has nobody for today', { permanent: true });
        return { name };
      },
    }),
  );

  tools.register(
    defineTool({
      name: 'read_incident',
      description: 'Returns whether an incident is open.',
      effect: 'read',
      input: z.object({ incident_id: z.string() }),
      output: z.object({ open: z.boolean() }),
      execute: ({ incident_id }) => ({ open: !incident_id.endsWith('-closed') }),
    }),
  );

  tools.register(
    defineTool({
      name: 'notify',
      description: 'Sends a text to the pager of a person, once for each key.',
      effect: 'idempotent',
      input: z.object({ to: z.string(), text: z.string().max(500) }),
      output: z.object({ to: z.string(), text: z.string() }),
      execute: ({ to, text }) => ({ to, text }),
    }),
  );
};

export default extension;
