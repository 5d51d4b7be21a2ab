import { emptyForm, selectField, textField } from '../../html/form.ts'
import { html } from '../../html/html.ts'
import type { Html } from '../../html/html.ts'
import type { Page } from './brand.ts'
import type { NamedComponents } from './incident-list.ts'

/** Asks for a page's mail. The control plane takes it, and answers it with a page of its own. */
export const subscribeForm = ({ path }: Pick<Page, 'path'>, components: NamedComponents): Html =>
  html`<section aria-labelledby="subscribe">
    <h2 id="subscribe">Mail about incidents and maintenance</h2>
    <p>
      A link to confirm comes first, and nothing else without it. Every mail has a link that ends
      them.
    </p>
    <form method="post" action="${path}/subscribers">
      <div class="fields">
        ${textField(emptyForm, { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'email', isRequired: true })}
        ${
          components.length > 1 &&
          selectField(emptyForm, {
            name: 'componentId',
            label: 'About',
            choices: [
              { value: '', label: 'the whole page' },
              ...components.map(({ id, displayName }) => ({ value: id, label: displayName })),
            ],
          })
        }
      </div>
      <p class="actions"><button class="primary" type="submit">Subscribe</button></p>
    </form>
  </section>`
