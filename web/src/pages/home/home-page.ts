import type { CatalogAnswer, WeatherAnswer } from '@probe-mesh/contracts/outage/answers'
import { answerPage } from '../../html/answer-page.ts'
import { levelWords, serviceWords } from '../../html/answer-words.ts'
import { askedCell } from '../../html/asked-words.ts'
import type { Assets } from '../../html/document.ts'
import { howRead } from '../../html/how-read.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { named, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { countsOf, worstFirst } from '../services/service-list.ts'
import { overallWords } from '../weather/weather-words.ts'

/** More are on the page of all services. */
const downShownMax = 20

/** What is measured, opened on what is down now; without an account, and with the ways on from here. */
export const homePage = (
  assets: Assets,
  {
    catalog,
    weather,
    ...ways
  }: {
    catalog: CatalogAnswer
    weather: WeatherAnswer
    apiUrl: string
    /** Whether anybody may open an account by themselves. */
    canSignUp: boolean
  },
): string =>
  answerPage(assets, {
    title: 'Is it down?',
    description: `${catalog.summary} ${weather.summary}`,
    area: null,
    url: new URL('.', catalog.url).href,
    main: html`<p class="lead">${catalog.summary}</p>
      ${search}
      <section aria-labelledby="services">
        <h2 id="services">Services now</h2>
        ${tallies(catalog)}
        <p><a href="/services">Every service that is measured</a></p>
      </section>
      <section aria-labelledby="down">
        <h2 id="down">Down now</h2>
        ${downNow(catalog)}
      </section>
      <section aria-labelledby="weather">
        <h2 id="weather">Internet weather</h2>
        <p>${tag(overallWords(weather.verdict, weather.regions))} ${weather.summary}</p>
        <ul>
          <li><a href="/weather">The weather by region, on a map</a></li>
          <li><a href="/internet">Is something down that many services share?</a></li>
        </ul>
      </section>
      ${howRead(catalog)} ${waysOn(ways)}`,
  })

const search = html`<form class="search" role="search" method="get" action="/services">
  <div class="field">
    <label for="q">Find a service by name or domain</label>
    <input id="q" name="q" type="search" maxlength="300" autocomplete="off" />
  </div>
  <button class="primary" type="submit">Search</button>
</form>`

const tallies = ({ services }: CatalogAnswer): Html =>
  services.length === 0
    ? html`<p>No service is measured here.</p>`
    : html`<ul class="tallies">
        ${countsOf(services).map(
          ({ level, count }) =>
            html`<li>
              <a href="/services?level=${level}"><b>${count}</b> ${tag(levelWords(level))}</a>
            </li> `,
        )}
      </ul>`

const downNow = ({ services }: CatalogAnswer): Html => {
  const down = worstFirst(services.filter(({ level }) => level.startsWith('down')))
  const unknown = services.filter(({ level }) => level === 'no_data').length
  const known = services.length - unknown
  if (known === 0) {
    return html`<p>
      Nothing can be said of what is down: no service has a measurement that is recent enough.
    </p>`
  }
  const silent = unknown === 1 ? '1 more service has' : `${unknown} more services have`
  const rest = unknown > 0 && html`<p class="muted">${silent} no data.</p>`
  if (down.length === 0) {
    return html`<p>None of the ${known} ${known === 1 ? 'service' : 'services'} with data is down.</p>
      ${rest}`
  }
  return html`${table(
    'Services that are down, from where they are measured',
    [
      {
        heading: 'Service',
        cell: ({ slug, name }) => html`<a href="/services/${encodeURIComponent(slug)}">${named(name)}</a>`,
      },
      { heading: 'Status', cell: ({ level }) => tag(serviceWords[level]) },
      { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
      { heading: 'Asked', cell: askedCell },
    ],
    down.slice(0, downShownMax),
  )}
  ${
    down.length > downShownMax &&
    html`<p>${down.length - downShownMax} more are down: see <a href="/services">all services</a>.</p>`
  }
  ${rest}`
}

const waysOn = ({ apiUrl, canSignUp }: { apiUrl: string; canSignUp: boolean }): Html => html`
  <section aria-labelledby="more">
    <h2 id="more">Ask it from a program, or measure your own</h2>
    <pre><code>curl -s ${apiUrl}/public/services/github/status</code></pre>
    <ul>
      <li><a href="/docs">Documentation</a>, and the <a href="/v1/openapi.json">OpenAPI document</a></li>
      <li><a href="/llms.txt">For assistants: the same as Markdown, and the tools (MCP)</a></li>
      ${
        canSignUp &&
        html`<li>
          <a href="/signup">Sign up: a free account measures your own addresses from every region</a>
        </li> `
      }
      <li><a href="/dashboard">Your own checks and status pages</a></li>
    </ul>
  </section>
`
