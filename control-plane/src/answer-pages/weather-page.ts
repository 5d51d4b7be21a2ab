import type { RegionWeather, WeatherAnswer } from '@probe-mesh/contracts/answers'
import { framePage } from './frame.ts'
import { howRead } from './how-read.ts'
import { markup } from './markup.ts'
import type { Markup } from './markup.ts'
import { milliseconds, none } from './measures.ts'
import { table } from './table.ts'
import { tag, weatherWords } from './tag.ts'

/** Response times across the catalog by region, beside what is usual at this hour. */
export const weatherPage = (answer: WeatherAnswer): string =>
  framePage({
    title: 'Internet weather',
    description: answer.summary,
    url: answer.url,
    json: '/v1/public/weather',
    main: markup`<h1>Is the internet slow?</h1>
<p>Over all regions: ${tag(weatherWords[answer.verdict])}</p>
<p class="lead">${answer.summary}</p>
<section aria-labelledby="now">
<h2 id="now">Response times now</h2>
${nowTable(answer.regions)}
</section>
<section aria-labelledby="usual">
<h2 id="usual">Usual at this hour</h2>
${usualTable(answer.regions)}
</section>
${howRead(answer)}`,
  })

const nowTable = (regions: readonly RegionWeather[]): Markup =>
  table(
    'Response times of all services, by region',
    [
      { heading: 'Region', cell: ({ region }) => region },
      { heading: 'Verdict', cell: ({ verdict }) => tag(weatherWords[verdict]) },
      { heading: 'Median', cell: ({ p50Ms }) => milliseconds(p50Ms), isNumber: true },
      { heading: '75 %', cell: ({ p75Ms }) => milliseconds(p75Ms), isNumber: true },
      { heading: '95 %', cell: ({ p95Ms }) => milliseconds(p95Ms), isNumber: true },
      { heading: 'Readings', cell: ({ samples }) => samples, isNumber: true },
      { heading: 'To usual', cell: ratioOf, isNumber: true },
    ],
    regions,
  )

const usualTable = (regions: readonly RegionWeather[]): Markup =>
  table(
    'The same hour on the last seven days, by region',
    [
      { heading: 'Region', cell: ({ region }) => region },
      { heading: 'Median', cell: (one) => usualOf(one, 'p50Ms'), isNumber: true },
      { heading: '75 %', cell: (one) => usualOf(one, 'p75Ms'), isNumber: true },
      { heading: '95 %', cell: (one) => usualOf(one, 'p95Ms'), isNumber: true },
      { heading: 'Readings', cell: ({ baseline }) => baseline?.samples ?? none, isNumber: true },
      { heading: 'Days', cell: ({ baseline }) => baseline?.days ?? none, isNumber: true },
    ],
    regions,
  )

const usualOf = ({ baseline }: RegionWeather, percentile: 'p50Ms' | 'p75Ms' | 'p95Ms'): string =>
  milliseconds(baseline?.[percentile] ?? null)

const ratioOf = ({ ratio }: RegionWeather): string => (ratio === null ? none : `${ratio}x`)
