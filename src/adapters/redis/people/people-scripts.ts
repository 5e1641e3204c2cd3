import { conversationScripts } from './conversation-scripts.ts';
import { exampleScripts } from './example-scripts.ts';
import { itemReadScripts } from './inbox/item-read-scripts.ts';
import { itemScripts } from './inbox/item-scripts.ts';
import { messageScripts } from './message-scripts.ts';

/** The commands of the inbox, the conversations and the examples. */
export const peopleScripts = {
  ...itemScripts,
  ...itemReadScripts,
  ...conversationScripts,
  ...exampleScripts,
  ...messageScripts,
};
