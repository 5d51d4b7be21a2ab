import type { CatalogAnswer, StackAnswer } from '@probe-mesh/contracts/outage/answers'
import { answerPage } from '../../html/answer-page.ts'
import { standing, withoutInstant } from '../../html/answer-words.ts'
import { tag } from '../../html/components/tag.ts'
import { evidenceChips, howRead } from '../../html/how-read.ts'
import { markdownLine } from '../../html/markdown.ts'
import { named } from '../../html/measures.ts'
import { serviceTiles } from '../../html/service-tile.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { shown, shownAsMarkdown } from '../answer-outcome.ts'
import { asMarkdown } from '../as-markdown.ts'
import { askedOf, evidenceMarkdown, instantText } from '../evidence-markdown.ts'
import { refused } from '../outcome.ts'
import { publicGet, type PublicRoute } from '../public-route.ts'
import { leastShown, stackPlates, stacksMain } from './stacks-page.ts'

/** A stack: the plate level of each member, and how many are down or degraded. */
export const stackMain = (answer: StackAnswer): Html =>
  html`${evidenceChips(answer)} ${serviceTiles(answer.services)} ${howRead(answer)}`

/** A stack as Markdown: the same as its page. */
export const stackMarkdown = (answer: StackAnswer): string => {
  const { stack, status, summary, url, services } = answer
  const lines = services.map(
    ({ name, slug, level, shows, measuredAt, probes }) =>
      `- [${markdownLine(name)}](/services/${encodeURIComponent(slug)}.md): ${standing(level, shows).text}, ${
        measuredAt === null ? 'never measured' : `measured ${instantText(measuredAt)}`
      }; asked: ${askedOf({ probes })}`,
  )
  const parts = [
    `# ${markdownLine(stack.name)}`,
    `**${standing(status, leastShown(services)).text}**: ${markdownLine(summary)}`,
    evidenceMarkdown(answer),
    `Source: <${url}>`,
    '## Services',
    lines.join('\n'),
  ]
  return `${parts.join('\n\n')}\n`
}

const stacksMarkdown = (answer: CatalogAnswer): string => {
  const lines = stackPlates(answer).map(
    ({ stack, status, services }) =>
      `- [${markdownLine(stack.name)}](/stacks/${encodeURIComponent(stack.slug)}.md): ${standing(status, leastShown(services)).text}, ${services.length} services`,
  )
  const parts = ['# Stacks', about, evidenceMarkdown(answer), lines.join('\n') || 'There is none.']
  return `${parts.join('\n\n')}\n`
}

const about = 'Services that are often used together. A stack is as bad as its worst service.'

/** Services that are commonly used together, by the slug or the id of their stack. */
export const stackRoutes: readonly PublicRoute[] = [
  publicGet('/stacks', async ({ askPublic, assets }) => {
    const answer = await askPublic('listServices', {})
    if (!answer.ok) return refused(answer)
    return shown(
      answerPage(assets, {
        title: 'Stacks',
        about,
        description: about,
        area: 'stacks',
        url: new URL('stacks', answer.value.url).href,
        forms: { json: '/v1/public/services', markdown: asMarkdown('/stacks') },
        evidence: answer.value,
        main: stacksMain(answer.value),
      }),
    )
  }),
  publicGet(asMarkdown('/stacks'), async ({ askPublic }) => {
    const answer = await askPublic('listServices', {})
    return answer.ok ? shownAsMarkdown(stacksMarkdown(answer.value)) : refused(answer)
  }),
  publicGet('/stacks/:slug', async ({ params, askPublic, assets }) => {
    const answer = await askPublic('getStack', { params: { idOrSlug: params['slug'] ?? '' } })
    if (!answer.ok) return refused(answer)
    const { stack, summary, url } = answer.value
    const slug = encodeURIComponent(stack.slug)
    const words = standing(answer.value.status, leastShown(answer.value.services))
    return shown(
      answerPage(assets, {
        title: stack.name,
        heading: named(stack.name),
        state: tag(words),
        about: withoutInstant(summary),
        linkTitle: `${stack.name}: ${words.text}`,
        description: summary,
        area: 'stacks',
        crumbs: [{ path: '/stacks', text: 'Stacks' }],
        evidence: answer.value,
        isBad: words.tone === 'bad',
        url,
        forms: { json: `/v1/public/stacks/${slug}`, markdown: `/stacks/${slug}.md` },
        main: stackMain(answer.value),
      }),
    )
  }),
  publicGet(asMarkdown('/stacks/:slug'), async ({ params, askPublic }) => {
    const answer = await askPublic('getStack', { params: { idOrSlug: params['slug'] ?? '' } })
    return answer.ok ? shownAsMarkdown(stackMarkdown(answer.value)) : refused(answer)
  }),
]
