import {
  emptyForm,
  problemSummary,
  selectField,
  textField,
  type FormState,
} from '../../html/components/form.ts'
import { icon } from '../../html/components/icon.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import type { Page } from './brand.ts'
import type { NamedComponents } from './incident-list.ts'
import { pageTextOf, type PageText } from './page-text.ts'

/** A button in the header that opens all subscriptions of a page: mail, feeds and a calendar. */
export const subscribeMenu = (
  page: Pick<Page, 'path' | 'locale'>,
  components: NamedComponents,
  { words }: PageText,
): Html => {
  const { subscribe, page: own } = words
  const feeds = [
    { name: 'RSS', end: 'feed.rss', icon: 'feed' },
    { name: 'Atom', end: 'feed.atom', icon: 'feed' },
    { name: own.calendar, end: 'maintenance.ics', icon: 'calendar' },
  ] as const
  return html`<details class="menu-of subscribe" name="menu">
    <summary class="button primary">${icon('alert')}${subscribe.action}</summary>
    <div class="menu-list">
      <h2>${subscribe.heading}</h2>
      ${subscribeForm(page, components, emptyForm)}
      <h3>${subscribe.feeds}</h3>
      <ul>
        ${feeds.map(
          ({ name, end, icon: iconName }) =>
            html`<li><a class="button" href="${page.path}/${end}">${icon(iconName)}${name}</a></li> `,
        )}
      </ul>
    </div>
  </details>`
}

/** The form, which is also shown alone after a refusal. */
export const subscribeForm = (
  { path, locale }: Pick<Page, 'path' | 'locale'>,
  components: NamedComponents,
  form: FormState,
): Html => {
  const words = pageTextOf({ locale }).words.subscribe
  return html`
    ${problemSummary(form, ['email', 'componentId'])}
    <form method="post" action="${path}/subscribers">
      <div class="fields">
        ${textField(form, { name: 'email', label: words.email, type: 'email', autocomplete: 'email', isRequired: true })}
        ${
          components.length > 1 &&
          selectField(form, {
            name: 'componentId',
            label: words.about,
            choices: [
              { value: '', label: words.wholePage },
              ...components.map(({ id, displayName }) => ({ value: id, label: displayName })),
            ],
          })
        }
      </div>
      <p class="actions"><button class="primary" type="submit">${words.action}</button></p>
      <p class="muted small-print">${words.explanation}</p>
    </form>
  `
}
