import { shown, shownAsMarkdown } from '../answer-outcome.ts'
import { refused } from '../outcome.ts'
import type { PublicRoute } from '../status/public-route.ts'
import { probesMarkdown } from './probes-markdown.ts'
import { probesPage } from './probes-page.ts'
import { asMarkdown } from '../as-markdown.ts'

/** Who probes, from where: what the User-Agent of every check leads to. */
export const probesRoutes: readonly PublicRoute[] = [
  {
    path: '/probes',
    serve: async ({ askPublic, assets }) => {
      const answer = await askPublic('probes', {})
      return answer.ok ? shown(probesPage(assets, answer.value)) : refused(answer)
    },
  },
  {
    path: asMarkdown('/probes'),
    serve: async ({ askPublic }) => {
      const answer = await askPublic('probes', {})
      return answer.ok ? shownAsMarkdown(probesMarkdown(answer.value)) : refused(answer)
    },
  },
]
