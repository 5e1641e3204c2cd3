import { Dialog } from '../ui/dialog.tsx';
import { currentKeys } from './keys.ts';

/** The list of all keys that work now. */
export function KeyList({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div class="key-list">
        {currentKeys().map(({ title, actions }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {actions.map(({ key, label }) => (
                <div key={key}>
                  <dt>
                    {key.split(' ').map((part) => (
                      <kbd key={part}>{part}</kbd>
                    ))}
                  </dt>
                  <dd>{label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
