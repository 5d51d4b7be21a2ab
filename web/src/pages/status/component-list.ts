import type {
  PublicComponentHistory,
  PublicPageDocument,
} from '@probe-mesh/contracts/status-page/public-page'
import { duration, percent, time } from '../../html/measures.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { tag } from '../../html/components/tag.ts'
import { dayStrip } from './day-strip.ts'
import type { OwnText } from './own-text.ts'
import { componentWords } from './status-words.ts'

/** Every component with its state, its evidence and its days. */
export const componentList = (
  { components, page }: Pick<PublicPageDocument, 'components' | 'page'>,
  own: OwnText,
): Html => html`
  <section aria-labelledby="components">
    <h2 id="components">Components</h2>
    ${components.length === 0 && html`<p>Nothing is published here yet.</p>`}
    ${components.map((component) => componentOf(component, `${page.path}/history`, own))}
    ${
      components.length > 0 &&
      html`<p class="muted">
        A bar is a day in UTC. Its share is of the time that was measured: time without a measurement or in
        which every probe was refused, and time under maintenance, counts neither as up nor as down. The lower
        a bar, the less was up; half a bar is a day of which less than half was measured, and a line on the
        ground one without any data.
      </p>`
    }
  </section>
`

const componentOf = (component: PublicComponentHistory, history: string, own: OwnText): Html => {
  const { displayName, description, state, days, upShare } = component
  return html`<h3>${own.line(displayName)} ${tag(componentWords[state])}</h3>
    ${description !== null && own.prose(description)}
    ${
      days === null
        ? html`<p class="muted">This page has too many components for a history of each.</p>`
        : dayStrip(days, {
            history,
            label: `${displayName}, ${shareOf(upShare, days.length)}`,
            summary: html`${shareOf(upShare, days.length)}<span class="unseen"
                >: days of ${own.line(displayName)}</span
              >`,
          })
    }
    <p class="muted">${evidenceOf(component)}</p> `
}

const shareOf = (upShare: number | null, days: number): string =>
  upShare === null ? `no data in ${days} days` : `${percent(upShare)} up in ${days} days`

/** Every number with its time, its regions and its freshness (S-101). */
const evidenceOf = ({
  measuredBy,
  measuredAt,
  regionsRead,
  staleAfterSeconds,
}: PublicComponentHistory): Html | string => {
  if (measuredBy === 'pings') return 'Its job reports by itself, from no region.'
  if (measuredAt === null) return 'Not measured yet.'
  return regionsRead.length === 0
    ? html`Last measured ${time(measuredAt)}, which is too long ago to count.`
    : html`Measured ${time(measuredAt)} from ${regionsRead.join(', ')}; stale after
      ${duration(staleAfterSeconds)}.`
}
