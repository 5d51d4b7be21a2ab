import { shown, shownAsMarkdown } from '../answer-outcome.ts'
import { refused } from '../outcome.ts'
import type { PublicRoute } from '../status/public-route.ts'
import { internetMarkdown } from './internet-markdown.ts'
import { internetPage } from './internet-page.ts'
import { weatherMarkdown } from './weather-markdown.ts'
import { weatherPage } from './weather-page.ts'
import { asMarkdown } from '../as-markdown.ts'

/** What is said of the whole internet: how fast it is, and whether something shared is down. */
export const weatherRoutes: readonly PublicRoute[] = [
  {
    path: '/weather',
    serve: async ({ askPublic, assets }) => {
      const answer = await askPublic('internetWeather', {})
      return answer.ok ? shown(weatherPage(assets, answer.value)) : refused(answer)
    },
  },
  {
    path: asMarkdown('/weather'),
    serve: async ({ askPublic }) => {
      const answer = await askPublic('internetWeather', {})
      return answer.ok ? shownAsMarkdown(weatherMarkdown(answer.value)) : refused(answer)
    },
  },
  {
    path: '/internet',
    serve: async ({ askPublic, assets }) => {
      const answer = await askPublic('isTheInternetDown', {})
      return answer.ok ? shown(internetPage(assets, answer.value)) : refused(answer)
    },
  },
  {
    path: asMarkdown('/internet'),
    serve: async ({ askPublic }) => {
      const answer = await askPublic('isTheInternetDown', {})
      return answer.ok ? shownAsMarkdown(internetMarkdown(answer.value)) : refused(answer)
    },
  },
]
