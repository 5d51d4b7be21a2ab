import type { RegionWeather, WeatherAnswer } from '@probe-mesh/contracts/outage/internet'
import { mapKey, regionMap } from '../../charts/map/region-map.ts'
import { answerPage } from '../../html/answer-page.ts'
import { withoutInstant } from '../../html/answer-words.ts'
import { card } from '../../html/components/card.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import type { Assets } from '../../html/document.ts'
import { evidenceChips, howRead } from '../../html/how-read.ts'
import { placeOf } from '../../html/components/region-places.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { milliseconds, none } from '../../html/measures.ts'
import { asMarkdown } from '../as-markdown.ts'
import { regionWeatherList } from './region-weather.ts'
import {
  nowCaption,
  overallWords,
  ratioText,
  regionText,
  regionWords,
  usualCaption,
  usualText,
  weatherMeaning,
} from './weather-words.ts'

/**
 * Response times across the catalog by region, on a map and in tables, with the usual values at this hour.
 */
export const weatherPage = (assets: Assets, answer: WeatherAnswer): string => {
  const words = overallWords(answer.verdict, answer.regions)
  return answerPage(assets, {
    title: 'Internet weather',
    linkTitle: `Internet weather: ${words.text}`,
    state: tag(words),
    about: withoutInstant(answer.summary),
    description: answer.summary,
    area: 'weather',
    url: answer.url,
    forms: { json: '/v1/public/weather', markdown: asMarkdown('/weather') },
    evidence: answer,
    isBad: words.tone === 'bad',
    main: html`${evidenceChips(answer, answer.regions.length)} ${mapCard(answer)}
    ${card({ id: 'regions', title: 'Regions' }, regionWeatherList(answer.regions))} ${figures(answer.regions)}
    ${howRead(answer, html`Outages of what many services share are <a href="/internet">another answer</a>.`)}`,
  })
}

const mapCard = ({ regions, vantage }: WeatherAnswer): Html => {
  const nowhere = regions.filter(({ region }) => placeOf(region) === null)
  return html`<section class="card map-card" aria-label="Map">
    ${regionMap(
      'Map of the regions and how fast each is',
      regions.map((one) => ({ region: one.region, tone: regionWords(one).tone, text: regionText(one) })),
    )}
    ${mapKey([
      { tone: 'good', text: 'normal for this hour' },
      { tone: 'bad', text: 'slower than usual' },
      { tone: 'silent', text: 'no data, or no verdict' },
    ])}
    <p class="muted small-print">
      Paths between regions are not measured, so none are drawn.
      ${
        vantage === 'local' &&
        'One machine measures for every region here: a mark is where its region is, not where the machine is.'
      }
      ${nowhere.length > 0 && `Not on the map: ${nowhere.map(({ region }) => region).join(', ')}.`}
    </p>
  </section>`
}

const figures = (regions: readonly RegionWeather[]): Html =>
  card(
    { id: 'figures', title: 'All figures' },
    html`<details>
        <summary>Response times now</summary>
        ${nowTable(regions)}
      </details>
      <details>
        <summary>Usual at this hour</summary>
        ${usualTable(regions)}
      </details>
      <details>
        <summary>What the verdicts mean</summary>
        <p class="muted small-print">${weatherMeaning}</p>
      </details>`,
  )

const nowTable = (regions: readonly RegionWeather[]): Html =>
  table(
    nowCaption,
    [
      { heading: 'Region', cell: ({ region }) => regionLabel(region) },
      { heading: 'Place', cell: ({ region }) => placeOf(region)?.name ?? none },
      { heading: 'Verdict', cell: (one) => tag(regionWords(one)) },
      { heading: 'Median', cell: ({ p50Ms }) => milliseconds(p50Ms), isNumber: true },
      { heading: 'p75', cell: ({ p75Ms }) => milliseconds(p75Ms), isNumber: true },
      { heading: 'p95', cell: ({ p95Ms }) => milliseconds(p95Ms), isNumber: true },
      { heading: 'Readings', cell: ({ samples }) => samples, isNumber: true },
      { heading: 'To usual', cell: ratioText, isNumber: true },
    ],
    regions,
  )

const usualTable = (regions: readonly RegionWeather[]): Html =>
  table(
    usualCaption,
    [
      { heading: 'Region', cell: ({ region }) => regionLabel(region) },
      { heading: 'Median', cell: (one) => usualText(one, 'p50Ms'), isNumber: true },
      { heading: 'p75', cell: (one) => usualText(one, 'p75Ms'), isNumber: true },
      { heading: 'p95', cell: (one) => usualText(one, 'p95Ms'), isNumber: true },
      { heading: 'Readings', cell: ({ baseline }) => baseline?.samples ?? none, isNumber: true },
      { heading: 'Days', cell: ({ baseline }) => baseline?.days ?? none, isNumber: true },
    ],
    regions,
  )
