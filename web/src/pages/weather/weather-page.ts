import type { RegionWeather, WeatherAnswer } from '@probe-mesh/contracts/outage/answers'
import { mapKey, regionMap } from '../../charts/map/region-map.ts'
import { placeOf } from '../../html/region-places.ts'
import { answerPage } from '../../html/answer-page.ts'
import { lead } from '../../html/answer-words.ts'
import type { Assets } from '../../html/document.ts'
import { howRead } from '../../html/how-read.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { milliseconds, none } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import {
  nowCaption,
  overallWords,
  ratioText,
  regionLabel,
  regionWords,
  usualCaption,
  usualText,
  weatherMeaning,
} from './weather-words.ts'
import { asMarkdown } from '../as-markdown.ts'

/** Response times across the catalog by region, on a map and in tables, beside what is usual at this hour. */
export const weatherPage = (assets: Assets, answer: WeatherAnswer): string =>
  answerPage(assets, {
    title: 'Internet weather',
    heading: html`Is the internet slow?`,
    description: answer.summary,
    area: 'weather',
    url: answer.url,
    forms: { json: '/v1/public/weather', markdown: asMarkdown('/weather') },
    main: html`${lead(overallWords(answer.verdict, answer.regions), answer.summary)} ${mapSection(answer)}
      <section aria-labelledby="now">
        <h2 id="now">Response times now</h2>
        ${nowTable(answer.regions)}
      </section>
      <section aria-labelledby="usual">
        <h2 id="usual">Usual at this hour</h2>
        ${usualTable(answer.regions)}
      </section>
      ${howRead(answer)}
      <p class="muted">${weatherMeaning}</p>
      <p>
        Whether something that many services share is down is
        <a href="/internet">another question</a>.
      </p>`,
  })

const mapSection = ({ regions, vantage }: WeatherAnswer): Html => {
  const nowhere = regions.filter(({ region }) => placeOf(region) === null)
  return html`<section aria-labelledby="map">
    <h2 id="map">By region</h2>
    ${regionMap(
      'Map of the regions and how fast each is',
      regions.map((one) => ({
        region: one.region,
        tone: regionWords(one).tone,
        text: regionLabel(one),
      })),
    )}
    ${mapKey([
      { tone: 'good', text: 'normal for this hour' },
      { tone: 'bad', text: 'slower than usual' },
      { tone: 'silent', text: 'no data, or no verdict' },
    ])}
    <p class="muted">
      Beside each region is its verdict and its median response time; the table below says the same.
      ${
        vantage === 'local' &&
        'Every region is measured from one machine here: a mark stands where its region is, not where that machine is.'
      }
      ${nowhere.length > 0 && `Not on the map: ${nowhere.map(({ region }) => region).join(', ')}.`}
    </p>
  </section>`
}

const nowTable = (regions: readonly RegionWeather[]): Html =>
  table(
    nowCaption,
    [
      { heading: 'Region', cell: ({ region }) => region },
      { heading: 'Place', cell: ({ region }) => placeOf(region)?.name ?? none },
      { heading: 'Verdict', cell: (one) => tag(regionWords(one)) },
      { heading: 'Median', cell: ({ p50Ms }) => milliseconds(p50Ms), isNumber: true },
      { heading: '75 %', cell: ({ p75Ms }) => milliseconds(p75Ms), isNumber: true },
      { heading: '95 %', cell: ({ p95Ms }) => milliseconds(p95Ms), isNumber: true },
      { heading: 'Readings', cell: ({ samples }) => samples, isNumber: true },
      { heading: 'To usual', cell: ratioText, isNumber: true },
    ],
    regions,
  )

const usualTable = (regions: readonly RegionWeather[]): Html =>
  table(
    usualCaption,
    [
      { heading: 'Region', cell: ({ region }) => region },
      { heading: 'Median', cell: (one) => usualText(one, 'p50Ms'), isNumber: true },
      { heading: '75 %', cell: (one) => usualText(one, 'p75Ms'), isNumber: true },
      { heading: '95 %', cell: (one) => usualText(one, 'p95Ms'), isNumber: true },
      { heading: 'Readings', cell: ({ baseline }) => baseline?.samples ?? none, isNumber: true },
      { heading: 'Days', cell: ({ baseline }) => baseline?.days ?? none, isNumber: true },
    ],
    regions,
  )
