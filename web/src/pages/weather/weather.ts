import { refused } from '../outcome.ts'
import type { PublicOutcome, PublicRoute } from '../status/public-route.ts'
import { internetMarkdown } from './internet-markdown.ts'
import { internetPage } from './internet-page.ts'
import { weatherMarkdown } from './weather-markdown.ts'
import { weatherPage } from './weather-page.ts'

/** As long as the answers themselves: a page says the instants that it is about. */
const maxAgeSeconds = 5

/** What is said of the whole internet: how fast it is, and whether something shared is down. */
export const weatherRoutes: readonly PublicRoute[] = [
  {
    path: '/weather',
    serve: async ({ askPublic, assets }) => {
      const answer = await askPublic('internetWeather', {})
      return answer.ok ? shown('html', weatherPage(assets, answer.value)) : refused(answer)
    },
  },
  {
    path: '/weather.md',
    serve: async ({ askPublic }) => {
      const answer = await askPublic('internetWeather', {})
      return answer.ok ? shown('markdown', weatherMarkdown(answer.value)) : refused(answer)
    },
  },
  {
    path: '/internet',
    serve: async ({ askPublic, assets }) => {
      const answer = await askPublic('isTheInternetDown', {})
      return answer.ok ? shown('html', internetPage(assets, answer.value)) : refused(answer)
    },
  },
  {
    path: '/internet.md',
    serve: async ({ askPublic }) => {
      const answer = await askPublic('isTheInternetDown', {})
      return answer.ok ? shown('markdown', internetMarkdown(answer.value)) : refused(answer)
    },
  },
]

const shown = (form: 'html' | 'markdown', text: string): PublicOutcome => ({
  kind: 'public',
  form,
  text,
  imageOrigin: null,
  maxAgeSeconds,
})
