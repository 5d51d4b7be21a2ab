import type { PlateLevel } from '@probe-mesh/contracts/outage/answers'
import type { GradedProbe, ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import { standing } from './answer-words.ts'
import { askedTitle } from './asked-words.ts'
import { logo } from './components/logo.ts'
import { tag } from './components/tag.ts'
import { attribute, html, type Html } from '@probe-mesh/runtime/html'
import { named, time } from './measures.ts'

/** A service in lists of the catalog. */
export type TileService = {
  slug: string
  name: string
  level: PlateLevel
  shows: ProbeGrade | null
  measuredAt: string | null
  probes: readonly GradedProbe[]
  /** Other search words. */
  domains?: readonly string[]
}

/** The address of the page of a service. */
export const servicePath = (slug: string): string => `/services/${encodeURIComponent(slug)}`

/** A service of the catalog by its name, with the way to its page. */
export const serviceLink = ({ slug, name }: { slug: string; name: string }): Html =>
  html`<a href="${servicePath(slug)}">${named(name)}</a>`

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

/** The probed addresses in short: the first host, and the number of further addresses. */
const askedText = (probes: readonly GradedProbe[]): string => {
  const [first] = probes
  if (first === undefined) return 'nothing is asked'
  return probes.length === 1 ? hostOf(first.url) : `${hostOf(first.url)} +${probes.length - 1}`
}

/** A service with its logo, state, age and probed addresses; islands/find.js searches its text. */
const serviceTile = (service: TileService): Html => {
  const { slug, level, shows, measuredAt, probes, domains = [] } = service
  const words = standing(level, shows)
  return html`<li
    class="tile${words.tone === 'bad' ? ' is-bad' : ''}"
    ${attribute('data-find', domains.join(' ') || null)}
  >
    ${logo(service)}
    <div>
      <p class="tile-name">${serviceLink({ slug, name: service.name })}</p>
      <p class="tile-state">
        ${tag(words)} ${measuredAt !== null && html`<span class="since">${time(measuredAt)}</span>`}
      </p>
      <p class="tile-asked" title="${askedTitle({ probes })}">${askedText(probes)}</p>
    </div>
  </li>`
}

/** A grid of services, on a phone a list. */
export const serviceTiles = (services: readonly TileService[]): Html =>
  html`<ul class="tiles">
    ${services.map(serviceTile)}
  </ul>`
