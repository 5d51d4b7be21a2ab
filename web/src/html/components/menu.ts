import { attribute, flag, html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { icon, type IconName } from './icon.ts'

/** An entry leads to a page, or posts a form. */
export type MenuEntry = {
  text: string
  icon: IconName
  isDanger?: boolean
  /** Opens a confirmation page; islands/menus.js shows it in a dialog. */
  isConfirmed?: boolean
} & ({ path: string } | { posts: string; fields?: Readonly<Record<string, string>> })

/**
 * A button that opens a list of actions. It is a `details` element, so it opens without a script;
 * islands/menus.js closes it on Escape and on a click elsewhere.
 * @param button.label its purpose, if it shows only an icon
 */
export const menu = (
  button: { icon: IconName; text?: string; label?: string; isPrimary?: boolean },
  entries: readonly MenuEntry[],
): Html =>
  html`<details class="menu-of" name="menu">
    <summary
      class="button${button.isPrimary === true ? ' primary' : ''}${button.text === undefined ? ' icon-only' : ''}"
      ${attribute('aria-label', button.label ?? null)}
    >
      ${icon(button.icon)}${button.text ?? null}
    </summary>
    <ul class="menu-list">
      ${entries.map((entry) => html`<li>${entryOf(entry)}</li>`)}
    </ul>
  </details>`

const entryOf = (entry: MenuEntry): Html => {
  const tone = entry.isDanger === true ? ' danger' : ''
  const content: Piece = html`${icon(entry.icon)}${entry.text}`
  if ('path' in entry)
    return html`<a
      class="menu-entry${tone}"
      href="${entry.path}"
      ${flag('data-confirm', entry.isConfirmed === true)}
      >${content}</a
    >`
  return html`<form method="post" action="${entry.posts}">
    ${Object.entries(entry.fields ?? {}).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}
    <button class="menu-entry${tone}" type="submit">${content}</button>
  </form>`
}
