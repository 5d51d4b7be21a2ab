import type { ServicePageAnswer } from '@probe-mesh/contracts/outage/service-page'
import { answerPage } from '../../html/answer-page.ts'
import type { Assets } from '../../html/document.ts'
import { emptyForm } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'
import { shown, shownAsMarkdown } from '../answer-outcome.ts'
import { refused, refusedForm } from '../outcome.ts'
import { partOf } from '../paging.ts'
import type { PublicOutcome, PublicRoute } from '../public-route.ts'
import { typedOf } from '../typed.ts'
import { chosen, listChoice, queryOfChoice, worstFirst, countsOf, groupsOf } from './service-list.ts'
import { serviceMarkdown, uncoveredMarkdown } from './service-markdown.ts'
import { receiptMain, receiptTitle, serviceMain, uncoveredMain } from './service-page.ts'
import { servicesMain } from './services-page.ts'
import { asMarkdown } from '../as-markdown.ts'
import type { CatalogAnswer } from '@probe-mesh/contracts/outage/answers'
import { levelWords, standing } from '../../html/answer-words.ts'
import { askedOf, evidenceMarkdown, instantText } from '../evidence-markdown.ts'
import type { Part } from '../paging.ts'
import { markdownLine } from '../../html/markdown.ts'
import type { ListChoice, Listed } from './service-list.ts'

/** One part of the catalog as Markdown: the same as the page, in the same order. */
export const servicesMarkdown = (
  answer: CatalogAnswer,
  { choice, part }: { choice: ListChoice; part: Part<Listed> },
): string => {
  const query = queryOfChoice(choice)
  const isAll = Object.keys(query).length === 0
  const next = new URLSearchParams({ ...query, page: String(part.number + 1) })
  const counts = countsOf(answer.services).map(({ level, count }) => `${count} ${levelWords(level).text}`)
  const parts = [
    '# Services that we measure',
    `**${markdownLine(answer.summary)}**`,
    `Of ${answer.services.length} services: ${counts.join(', ') || 'none'}. Source: <${answer.url}>`,
    evidenceMarkdown(answer),
    !isAll && `Services like ${markdownLine(JSON.stringify(query))}: ${part.total}.`,
    ...groupsOf(part.rows).map(({ heading, services }) =>
      [`## ${markdownLine(heading)}`, services.map((one) => lineOf(one, answer.url)).join('\n')].join('\n\n'),
    ),
    part.last > 1 && `Part ${part.number} of ${part.last}, ${part.total} services in all.`,
    part.number < part.last && `Next: <${answer.url}.md?${next.toString()}>`,
    isAll &&
      part.number === 1 &&
      answer.stacks.length > 0 &&
      [
        '## Stacks',
        answer.stacks
          .map(({ name, slug }) => `- ${markdownLine(name)}: </stacks/${encodeURIComponent(slug)}.md>`)
          .join('\n'),
      ].join('\n\n'),
  ]
  return `${parts.filter((part) => part !== false).join('\n\n')}\n`
}

const lineOf = ({ name, slug, level, shows, measuredAt, probes }: Listed, url: string): string =>
  `- ${markdownLine(name)}: ${standing(level, shows).text}, ${
    measuredAt === null ? 'never measured' : `measured ${instantText(measuredAt)}`
  } <${url}/${encodeURIComponent(slug)}.md>; asked: ${askedOf({ probes })}`

/**
 * The catalog and each of its services, for people and as Markdown: every page asks one answer, so
 * that it spends one of the budget of its reader's address.
 */
export const serviceRoutes: readonly PublicRoute[] = [
  {
    path: '/services',
    serve: async ({ query, askPublic, assets }) => {
      const answer = await askPublic('listServices', {})
      if (!answer.ok) return refused(answer)
      const choice = listChoice(query)
      const part = partOf(worstFirst(chosen(answer.value.services, choice)), query.get('page'))
      const search = new URLSearchParams(queryOfChoice(choice))
      const isAll = search.size === 0
      if (part.number > 1) search.set('page', String(part.number))
      const end = search.size === 0 ? '' : `?${search.toString()}`
      return shown(
        answerPage(assets, {
          title: 'Services that we measure',
          description: answer.value.summary,
          area: 'services',
          // what somebody searched for is theirs alone
          ...(isAll ? { url: `${answer.value.url}${end}` } : {}),
          forms: { json: '/v1/public/services', markdown: `${asMarkdown('/services')}${end}` },
          main: servicesMain(answer.value, { choice, part }),
        }),
      )
    },
  },
  {
    path: asMarkdown('/services'),
    serve: async ({ query, askPublic }) => {
      const answer = await askPublic('listServices', {})
      if (!answer.ok) return refused(answer)
      const choice = listChoice(query)
      const part = partOf(worstFirst(chosen(answer.value.services, choice)), query.get('page'))
      return shownAsMarkdown(servicesMarkdown(answer.value, { choice, part }))
    },
  },
  {
    path: '/services/:slug',
    serve: async ({ params, askPublic, assets }) => {
      const answer = await askPublic('getServicePage', { params: { slug: params['slug'] ?? '' } })
      return answer.ok ? servicePage(assets, answer.value) : refused(answer)
    },
  },
  {
    path: asMarkdown('/services/:slug'),
    serve: async ({ params, askPublic }) => {
      const answer = await askPublic('getServicePage', { params: { slug: params['slug'] ?? '' } })
      if (!answer.ok) return refused(answer)
      const { service } = answer.value
      return service === null
        ? shownAsMarkdown(uncoveredMarkdown(answer.value), 404)
        : shownAsMarkdown(serviceMarkdown(service, answer.value))
    },
  },
  {
    method: 'POST',
    path: '/services/:slug/reports',
    serve: async ({ params, form, askPublic, assets }) => {
      const input = { params: { slug: params['slug'] ?? '' } }
      const typed = typedOf(form)
      // any site may post this, as may anybody without a browser: there is no session to misuse
      const answer = await askPublic('reportProblem', { ...input, body: typed as never })
      if (answer.ok) {
        const { service } = answer.value
        if (service === null) return uncoveredPage(assets, answer.value)
        const title = receiptTitle(answer.value)
        const { summary: description } = answer.value
        const main = receiptMain(service, answer.value)
        return shown(answerPage(assets, { title, description, area: 'services', main }))
      }
      if (answer.problem.code !== 'SV-2001') return refused(answer)
      const page = await askPublic('getServicePage', input)
      if (!page.ok) return refused(answer)
      const { status } = answer.problem
      return { ...servicePage(assets, page.value, refusedForm(typed, answer.problem)), status }
    },
  },
]

const servicePage = (
  assets: Assets,
  answer: ServicePageAnswer,
  form: FormState = emptyForm,
): PublicOutcome => {
  const { service, summary, url } = answer
  if (service === null) return uncoveredPage(assets, answer)
  const slug = encodeURIComponent(service.slug)
  return shown(
    answerPage(assets, {
      title: `Is ${service.name} down?`,
      heading: html`Is ${named(service.name)} down?`,
      description: summary,
      area: 'services',
      url,
      forms: { json: `/v1/public/services/${slug}/page`, markdown: `/services/${slug}.md` },
      main: serviceMain(service, answer, form),
    }),
  )
}

const uncoveredPage = (
  assets: Assets,
  answer: { summary: string; didYouMean: readonly string[] },
): PublicOutcome =>
  shown(
    answerPage(assets, {
      title: 'This service is not covered',
      description: answer.summary,
      area: 'services',
      main: uncoveredMain(answer),
    }),
    404,
  )
