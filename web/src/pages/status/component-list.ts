import {
  historyDays,
  type PublicComponentHistory,
  type PublicPageDocument,
} from '@probe-mesh/contracts/status-page/public-page'
import { html, type Html } from '@probe-mesh/runtime/html'
import { icon } from '../../html/components/icon.ts'
import { placeOf } from '../../html/components/region-places.ts'
import { tag } from '../../html/components/tag.ts'
import { dayBars, dayList } from './day-strip.ts'
import { runsOf } from './day-words.ts'
import { ago, type PageText } from './page-text.ts'
import { stateTones } from './status-words.ts'

/** All components by group, with states, days and evidence. */
export const componentList = ({ components, groups, page }: PublicPageDocument, text: PageText): Html => {
  const { words } = text
  const byId = new Map(components.map((component) => [component.id, component]))
  const isDated = components.some(({ days }) => days !== null)
  const own = words.page
  return html`<section
    class="components"
    aria-labelledby="components"
    data-history="${page.path}/history"
    data-before="${own.dayBefore}"
    data-after="${own.dayAfter}"
    data-close="${own.close}"
    data-incidents="${own.incidentsOf('{month}')}"
  >
    <h2 id="components" class="unseen">${own.components}</h2>
    ${components.length === 0 && html`<p class="empty">${own.nothingPublished}</p>`}
    ${groups.map(({ name, state, componentIds }) => {
      const members = componentIds.flatMap((id) => byId.get(id) ?? [])
      return html`<div class="group">
        ${
          name !== null &&
          html`<div class="group-head">
            <h3>${text.line(name)}</h3>
            ${state !== 'operational' && tag({ tone: stateTones[state], text: words.states[state] })}
          </div>`
        }
        ${members.map((component) => componentRow(component, { text, level: name === null ? 3 : 4 }))}
        ${isDated && html`<p class="span" aria-hidden="true"><span>${own.daysAgo(historyDays)}</span><span>${own.today}</span></p>`}
      </div>`
    })}
    ${isDated && html`<p class="muted small-print">${own.legend}</p>`}
  </section>`
}

const componentRow = (
  component: PublicComponentHistory,
  { text, level }: { text: PageText; level: 3 | 4 },
): Html => {
  const { displayName, description, state, days, upShare } = component
  const { words, formats } = text
  const name = text.line(displayName)
  const runs = runsOf(days ?? [], text)
  const count = days?.length ?? 0
  const share =
    upShare === null ? words.page.noDataIn(count) : words.page.uptimeIn(formats.percent(upShare), count)
  return html`<div class="component days">
    ${level === 3 ? html`<h3>${name}</h3>` : html`<h4>${name}</h4>`}
    ${days !== null && dayBars(runs, `${displayName}: ${share}`)}
    <details class="menu-of uptime" name="component">
      <summary>
        ${
          days === null
            ? icon('info')
            : html`<span aria-hidden="true">${upShare === null ? '–' : formats.percent(upShare)}</span
                ><span class="unseen">${share}, </span>`
        }<span class="unseen">${name}</span>
      </summary>
      <div class="more" role="group" aria-label="${displayName}" tabindex="0">
        ${description !== null && text.prose(description)}
        ${days !== null && html`<p><strong>${share}</strong></p>`}
        <p class="muted">${evidenceOf(component, text)}</p>
        ${days !== null && dayList(runs, text)}
      </div>
    </details>
    ${tag({ tone: stateTones[state], text: words.states[state] })}
  </div> `
}

/** Every number with its time, its regions and its freshness (S-101). */
const evidenceOf = (
  { measuredBy, measuredAt, regionsRead }: PublicComponentHistory,
  text: PageText,
): Html | string => {
  const { page, headline } = text.words
  if (measuredBy === 'pings') return page.byPings
  if (measuredAt === null) return page.neverMeasured
  return regionsRead.length === 0
    ? html`${page.lastMeasured}: ${ago(text, measuredAt)}, ${page.tooOld}`
    : html`${page.measuredFrom(headline.list(regionsRead.map(cityOf)))} · ${ago(text, measuredAt)} ·
      ${page.fresh}`
}

/** `Ashburn`; the code if the place is unknown. */
const cityOf = (region: string): string => placeOf(region)?.name.split(',')[0] ?? region
