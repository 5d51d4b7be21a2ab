import type { CatalogAnswer } from '@probe-mesh/contracts/outage/answers'
import type { WeatherAnswer } from '@probe-mesh/contracts/outage/internet'
import { answerPage } from '../../html/answer-page.ts'
import { levelWords, withoutInstant } from '../../html/answer-words.ts'
import { card } from '../../html/components/card.ts'
import { icon } from '../../html/components/icon.ts'
import { chips } from '../../html/components/page-head.ts'
import { tag } from '../../html/components/tag.ts'
import type { Assets } from '../../html/document.ts'
import { evidenceChips, howRead } from '../../html/how-read.ts'
import { serviceSearch } from '../../html/service-search.ts'
import { serviceTiles } from '../../html/service-tile.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { countsOf, worstFirst } from '../services/service-list.ts'
import { regionWeatherList } from '../weather/region-weather.ts'
import { overallWords } from '../weather/weather-words.ts'
import { productSections, type Ways } from './product-sections.ts'

type Listed = CatalogAnswer['services'][number]

/** The most requested services; an operator's catalog may have others. */
const popularSlugs =
  'github cloudflare aws google-cloud azure openai claude slack discord zoom npm gitlab vercel stripe paypal shopify youtube netflix spotify whatsapp instagram reddit x steam'.split(
    ' ',
  )

/** The popular services in the catalog; the first services of the catalog if there are few. */
const popularOf = (services: readonly Listed[]): Listed[] => {
  const bySlug = new Map(services.map((service) => [service.slug, service]))
  const known = popularSlugs.flatMap((slug) => bySlug.get(slug) ?? [])
  const isKnown = new Set(known)
  const others = services.filter((service) => !isKnown.has(service))
  return [...known, ...others].slice(0, popularSlugs.length)
}

/** More are listed on the page of all services. */
const downShownMax = 12

/** The public start page: present outages, the state of the catalog, and links. */
export const homePage = (
  assets: Assets,
  { catalog, weather, ...ways }: { catalog: CatalogAnswer; weather: WeatherAnswer } & Ways,
): string =>
  answerPage(assets, {
    title: 'Is it down?',
    heading: null,
    linkTitle: 'Is it down? Ask probes, not rumours.',
    description: `${catalog.summary} ${weather.summary}`,
    area: null,
    url: new URL('.', catalog.url).href,
    evidence: catalog,
    isBad: catalog.services.some(({ level }) => level.startsWith('down')),
    main: html`${hero(catalog, ways)} ${downNow(catalog)} ${weatherStrip(weather)} ${popular(catalog)}
    ${productSections(ways)} ${howRead(catalog)}`,
  })

const hero = (catalog: CatalogAnswer, { canSignUp }: Ways): Html => {
  const { length: count } = catalog.services
  return html`<section class="hero" aria-labelledby="hero">
    <h1 id="hero">Is it down?</h1>
    <p class="lead">
      ${count} ${count === 1 ? 'service' : 'services'}, measured by our own probes.
      ${canSignUp && html`<a href="/signup">Monitor yours for free</a>.`}
    </p>
    ${serviceSearch({ in: 'list', isLarge: true })}
    ${
      count > 0 &&
      chips(
        'Services by status',
        countsOf(catalog.services).map(({ level, count: own }) => ({
          path: `/services?level=${level}`,
          text: tag(levelWords(level)),
          count: own,
          isCurrent: false,
        })),
      )
    }
    ${evidenceChips(catalog)}
  </section>`
}

const downNow = ({ services }: CatalogAnswer): Html => {
  const down = worstFirst(services.filter(({ level }) => level.startsWith('down')))
  const unknown = services.filter(({ level }) => level === 'no_data').length
  const more = down.length - downShownMax
  return html`<section aria-labelledby="down">
    <h2 id="down">Down now</h2>
    ${
      down.length === 0
        ? html`<p class="calm">${calmText(services.length, unknown)}</p>`
        : serviceTiles(down.slice(0, downShownMax))
    }
    ${more > 0 && html`<p><a href="/services?level=down">${more} more are down</a></p>`}
    ${down.length > 0 && unknown > 0 && html`<p class="muted small-print">${silentText(unknown)}</p>`}
  </section>`
}

const silentText = (unknown: number): string =>
  unknown === 1 ? '1 more service has no data.' : `${unknown} more services have no data.`

/** Services without measurements are never called healthy. */
const calmText = (count: number, unknown: number): Html => {
  const known = count - unknown
  if (count === 0) return html`${icon('info')} No service is measured here.`
  if (known === 0) {
    return html`${icon('info')} Unknown: no service has a recent measurement.`
  }
  const rest = unknown > 0 && html` <span class="muted">${silentText(unknown)}</span>`
  return html`${icon('ok')} None of the ${known} ${known === 1 ? 'service' : 'services'} with data is
  down.${rest}`
}

const weatherStrip = (weather: WeatherAnswer): Html =>
  card(
    {
      id: 'weather',
      title: 'Internet weather',
      about: html`${tag(overallWords(weather.verdict, weather.regions))} ${withoutInstant(weather.summary)}`,
      actions: html`<a class="button small" href="/weather">Open the map</a>
        <a class="button small" href="/internet">Check shared outages</a>`,
    },
    regionWeatherList(weather.regions),
  )

const popular = ({ services }: CatalogAnswer): Html | null =>
  services.length === 0
    ? null
    : html`<section aria-labelledby="popular">
        <div class="section-head">
          <h2 id="popular">Popular services</h2>
          <a href="/services">All ${services.length} services</a>
        </div>
        ${serviceTiles(popularOf(services))}
      </section>`
