import { emptyForm, problemSummary, selectField, textField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import type { Page } from './brand.ts'
import type { NamedComponents } from './incident-list.ts'

/** Asks for a page's mail, at the foot of the page. */
export const subscribeSection = (page: Pick<Page, 'path'>, components: NamedComponents): Html =>
  html`<section aria-labelledby="subscribe">
    <h2 id="subscribe">Mail about incidents and maintenance</h2>
    ${subscribeForm(page, components, emptyForm)}
  </section>`

/** The form, which is shown again by itself where it was refused. */
export const subscribeForm = (
  { path }: Pick<Page, 'path'>,
  components: NamedComponents,
  form: FormState,
): Html => html`
  <p>A link to confirm comes first, and nothing else without it. Every mail has a link that ends them.</p>
  ${problemSummary(form, ['email', 'componentId'])}
  <form method="post" action="${path}/subscribers">
    <div class="fields">
      ${textField(form, { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'email', isRequired: true })}
      ${
        components.length > 1 &&
        selectField(form, {
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
`
