import { shown, shownAsMarkdown } from '../answer-outcome.ts'
import { refused } from '../outcome.ts'
import { publicGet, type PublicRoute } from '../public-route.ts'
import { internetMarkdown } from './internet-markdown.ts'
import { internetPage } from './internet-page.ts'
import { weatherPage } from './weather-page.ts'
import { asMarkdown } from '../as-markdown.ts'
import type { Asked } from '../../api/ask.ts'
import type { CatalogAnswer } from '@probe-mesh/contracts/outage/answers'
import type { WeatherAnswer } from '@probe-mesh/contracts/outage/internet'
import { placeOf } from '../../html/components/region-places.ts'
import { milliseconds, none } from '../../html/measures.ts'
import { answerMarkdown, markdownTable } from './answer-markdown.ts'
import {
  nowCaption,
  overallWords,
  ratioText,
  regionWords,
  usualCaption,
  usualText,
  weatherMeaning,
} from './weather-words.ts'

/** The weather as Markdown, for assistants and terminals, in the same words as the page. */
export const weatherMarkdown = (answer: WeatherAnswer): string => {
  const { regions, verdict } = answer
  return answerMarkdown(answer, {
    title: 'Is the internet slow?',
    verdict: overallWords(verdict, regions).text,
    parts: [
      '## Response times now',
      `${nowCaption}:`,
      markdownTable(
        ['Region', 'Place', 'Verdict', 'Median', 'p75', 'p95', 'Readings', 'To usual'],
        regions.map((one) => [
          one.region,
          placeOf(one.region)?.name ?? none,
          regionWords(one).text,
          milliseconds(one.p50Ms),
          milliseconds(one.p75Ms),
          milliseconds(one.p95Ms),
          one.samples,
          ratioText(one),
        ]),
      ),
      '## Usual at this hour',
      `${usualCaption}:`,
      markdownTable(
        ['Region', 'Median', 'p75', 'p95', 'Readings', 'Days'],
        regions.map((one) => [
          one.region,
          usualText(one, 'p50Ms'),
          usualText(one, 'p75Ms'),
          usualText(one, 'p95Ms'),
          one.baseline?.samples ?? none,
          one.baseline?.days ?? none,
        ]),
      ),
      weatherMeaning,
    ],
  })
}

/**
 * Answers about the whole internet: its speed, and whether shared infrastructure is down.
 * @param means.catalog requested in the site's name, so that a page counts once for its visitor (SV-6004)
 */
export const weatherRoutes = (means: {
  catalog: () => Promise<Asked<CatalogAnswer>>
}): readonly PublicRoute[] => [
  publicGet('/weather', async ({ askPublic, assets }) => {
    const answer = await askPublic('internetWeather', {})
    return answer.ok ? shown(weatherPage(assets, answer.value)) : refused(answer)
  }),
  publicGet(asMarkdown('/weather'), async ({ askPublic }) => {
    const answer = await askPublic('internetWeather', {})
    return answer.ok ? shownAsMarkdown(weatherMarkdown(answer.value)) : refused(answer)
  }),
  publicGet('/internet', async ({ askPublic, assets }) => {
    const answer = await askPublic('isTheInternetDown', {})
    if (!answer.ok) return refused(answer)
    const catalog = await means.catalog()
    return catalog.ok ? shown(internetPage(assets, answer.value, catalog.value.services)) : refused(catalog)
  }),
  publicGet(asMarkdown('/internet'), async ({ askPublic }) => {
    const answer = await askPublic('isTheInternetDown', {})
    return answer.ok ? shownAsMarkdown(internetMarkdown(answer.value)) : refused(answer)
  }),
]
