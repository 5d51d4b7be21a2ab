import type { PublicPageDocument, PublicWindow } from '@probe-mesh/contracts/status-page/public-page'
import { exactTime } from '../../html/measures.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { tag } from '../../html/components/tag.ts'
import type { NamedComponents } from './incident-list.ts'
import type { OwnText } from './own-text.ts'

/** Maintenance that is under way or announced; null where there is none. */
export const windowList = (
  { windows, components }: Pick<PublicPageDocument, 'windows' | 'components'>,
  own: OwnText,
): Html | null =>
  windows.length === 0
    ? null
    : html`<section aria-labelledby="maintenance">
        <h2 id="maintenance">Maintenance</h2>
        ${windows.map((window) => windowArticle(window, components, own))}
      </section> `

/** What a window covers: null is the whole page, and nothing is what has been unpublished since. */
export const coveredBy = (
  { componentIds }: Pick<PublicWindow, 'componentIds'>,
  components: NamedComponents,
): string[] | null =>
  componentIds.length === 0
    ? null
    : components.filter(({ id }) => componentIds.includes(id)).map(({ displayName }) => displayName)

const windowArticle = (window: PublicWindow, components: NamedComponents, own: OwnText): Html => {
  const { id, title, body, state, startsAt, endsAt } = window
  const covered = coveredBy(window, components)
  const word =
    state === 'active'
      ? ({ tone: 'uncertain', text: 'under way' } as const)
      : ({ tone: 'silent', text: 'scheduled' } as const)
  return html`<article id="maintenance-${id}">
    <h3>${own.line(title)} ${tag(word)}</h3>
    <p class="muted">
      ${exactTime(startsAt)} to ${exactTime(endsAt)},
      ${
        covered === null
          ? 'the whole page'
          : covered.length === 0
            ? 'nothing that is still published'
            : covered.map((name, at) => [at > 0 && ', ', own.line(name)])
      }.
    </p>
    ${own.prose(body)}
  </article> `
}
