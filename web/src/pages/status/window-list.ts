import type { PublicWindow } from '@probe-mesh/contracts/status-page/public-page'
import { html, type Html } from '@probe-mesh/runtime/html'
import { tag } from '../../html/components/tag.ts'
import type { Listing, NamedComponents } from './incident-list.ts'
import { when } from './page-text.ts'
import { windowTones } from './status-words.ts'

/** Maintenance windows with their times; null without any. @param id of the heading */
export const windowList = (
  windows: readonly PublicWindow[],
  { id, ...listing }: Listing & { id: string },
): Html | null =>
  windows.length === 0
    ? null
    : html`<section aria-labelledby="${id}">
        <h2 id="${id}">${listing.text.words.page.maintenance}</h2>
        ${windows.map((window) => windowArticle(window, listing))}
      </section> `

/** The components of a window: null is the whole page; an empty list means they were unpublished. */
export const coveredBy = (
  { componentIds }: Pick<PublicWindow, 'componentIds'>,
  components: NamedComponents,
): string[] | null =>
  componentIds.length === 0
    ? null
    : components.filter(({ id }) => componentIds.includes(id)).map(({ displayName }) => displayName)

const windowArticle = (window: PublicWindow, { components, text }: Listing): Html => {
  const { id, title, body, state, startsAt, endsAt } = window
  const { page, windowStates } = text.words
  const covered = coveredBy(window, components)
  return html`<article class="incident" id="maintenance-${id}">
    <h3>${text.line(title)}</h3>
    <p class="incident-facts">
      ${tag({ tone: windowTones[state], text: windowStates[state] })}
      <span>${when(text, startsAt)} – ${when(text, endsAt)}</span>
      <span
        >${
          covered === null
            ? page.wholePage
            : covered.length === 0
              ? page.noLongerPublished
              : html`${page.affects}: ${covered.map((name, at) => [at > 0 && ', ', text.line(name)])}`
        }</span
      >
    </p>
    ${text.prose(body)}
  </article> `
}
