import { answerPage } from '../../html/answer-page.ts'
import { named } from '../../html/measures.ts'
import { shown, shownAsMarkdown } from '../answer-outcome.ts'
import { refused } from '../outcome.ts'
import type { PublicRoute } from '../status/public-route.ts'
import { stackMarkdown } from './stack-markdown.ts'
import { stackMain } from './stack-page.ts'
import { asMarkdown } from '../as-markdown.ts'

/** Services that are commonly used together, by the slug of their stack or its id. */
export const stackRoutes: readonly PublicRoute[] = [
  {
    path: '/stacks/:slug',
    serve: async ({ params, askPublic, assets }) => {
      const answer = await askPublic('getStack', { params: { idOrSlug: params['slug'] ?? '' } })
      if (!answer.ok) return refused(answer)
      const { stack, summary, url } = answer.value
      const slug = encodeURIComponent(stack.slug)
      return shown(
        answerPage(assets, {
          title: stack.name,
          heading: named(stack.name),
          description: summary,
          area: 'services',
          url,
          forms: { json: `/v1/public/stacks/${slug}`, markdown: `/stacks/${slug}.md` },
          main: stackMain(answer.value),
        }),
      )
    },
  },
  {
    path: asMarkdown('/stacks/:slug'),
    serve: async ({ params, askPublic }) => {
      const answer = await askPublic('getStack', { params: { idOrSlug: params['slug'] ?? '' } })
      return answer.ok ? shownAsMarkdown(stackMarkdown(answer.value)) : refused(answer)
    },
  },
]
