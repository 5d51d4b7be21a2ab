import type { ServicePageAnswer } from '@probe-mesh/contracts/outage/service-page'
import { answerPage } from '../../html/answer-page.ts'
import { predicate, serviceWords, standing, withoutInstant } from '../../html/answer-words.ts'
import type { FormState } from '../../html/components/form.ts'
import { tag } from '../../html/components/tag.ts'
import type { DoneWord } from '../../html/components/toast.ts'
import type { Assets } from '../../html/document.ts'
import { servicePath } from '../../html/service-tile.ts'
import { shown, shownAsMarkdown } from '../answer-outcome.ts'
import { asMarkdown } from '../as-markdown.ts'
import { refused, refusedForm } from '../outcome.ts'
import { partOf } from '../paging.ts'
import { publicGet, publicPost, type PublicOutcome, type PublicRoute } from '../public-route.ts'
import { typedOf } from '../typed.ts'
import { chosen, listChoice, queryOfChoice, worstFirst } from './service-list.ts'
import { serviceMarkdown, uncoveredMarkdown } from './service-markdown.ts'
import { serviceMain, uncoveredMain } from './service-page.ts'
import { servicesMarkdown } from './services-markdown.ts'
import { servicesMain } from './services-page.ts'

/** Services per page of the catalog. */
export const servicesPerPart = 500

/**
 * The catalog and each of its services, as pages and as Markdown. A page requests one answer, so it uses one
 * request of the budget of its reader's address.
 */
export const serviceRoutes: readonly PublicRoute[] = [
  publicGet('/services', async ({ query, askPublic, assets }) => {
    const answer = await askPublic('listServices', {})
    if (!answer.ok) return refused(answer)
    const choice = listChoice(query)
    const part = partOf(worstFirst(chosen(answer.value.services, choice)), query.get('page'), servicesPerPart)
    const search = new URLSearchParams(queryOfChoice(choice))
    const isAll = search.size === 0
    if (part.number > 1) search.set('page', String(part.number))
    const end = search.size === 0 ? '' : `?${search.toString()}`
    return shown(
      answerPage(assets, {
        title: 'Service status',
        about: withoutInstant(answer.value.summary),
        description: answer.value.summary,
        area: 'services',
        evidence: answer.value,
        isBad: answer.value.services.some(({ level }) => level.startsWith('down')),
        // a search is private to its reader
        ...(isAll ? { url: `${answer.value.url}${end}` } : {}),
        forms: { json: '/v1/public/services', markdown: `${asMarkdown('/services')}${end}` },
        main: servicesMain(answer.value, { choice, part }),
      }),
    )
  }),
  publicGet(asMarkdown('/services'), async ({ query, askPublic }) => {
    const answer = await askPublic('listServices', {})
    if (!answer.ok) return refused(answer)
    const choice = listChoice(query)
    const part = partOf(worstFirst(chosen(answer.value.services, choice)), query.get('page'), servicesPerPart)
    return shownAsMarkdown(servicesMarkdown(answer.value, { choice, part }))
  }),
  publicGet('/services/:slug', async ({ params, query, askPublic, assets }) => {
    const answer = await askPublic('getServicePage', { params: { slug: params['slug'] ?? '' } })
    if (!answer.ok) return refused(answer)
    const done = reportWordOf[query.get('report') ?? ''] ?? null
    return servicePage(assets, answer.value, { done })
  }),
  publicGet(asMarkdown('/services/:slug'), async ({ params, askPublic }) => {
    const answer = await askPublic('getServicePage', { params: { slug: params['slug'] ?? '' } })
    if (!answer.ok) return refused(answer)
    const { service } = answer.value
    return service === null
      ? shownAsMarkdown(uncoveredMarkdown(answer.value), 404)
      : shownAsMarkdown(serviceMarkdown(service, answer.value))
  }),
  publicPost('/services/:slug/reports', async ({ params, form, askPublic, assets }) => {
    const input = { params: { slug: params['slug'] ?? '' } }
    const typed = typedOf(form)
    // any site or program may post this: there is no session to misuse
    const answer = await askPublic('reportProblem', { ...input, body: typed as never })
    if (answer.ok) {
      const { service, counted } = answer.value
      if (service === null) return uncoveredPage(assets, answer.value)
      const query = new URLSearchParams({ report: counted ? 'counted' : 'repeated' })
      return { kind: 'elsewhere', path: `${servicePath(service.slug)}?${query.toString()}` }
    }
    if (answer.problem.code !== 'SV-2001') return refused(answer)
    const page = await askPublic('getServicePage', input)
    if (!page.ok) return refused(answer)
    const { status } = answer.problem
    return { ...servicePage(assets, page.value, { form: refusedForm(typed, answer.problem) }), status }
  }),
]

/** The result of a report, by the address to which its form redirects. */
const reportWordOf: Readonly<Record<string, DoneWord>> = {
  counted: 'report-counted',
  repeated: 'report-repeated',
}

const servicePage = (
  assets: Assets,
  answer: ServicePageAnswer,
  { form, done = null }: { form?: FormState; done?: DoneWord | null },
): PublicOutcome => {
  const { service, summary, url, status } = answer
  if (service === null) return uncoveredPage(assets, answer)
  const slug = encodeURIComponent(service.slug)
  const words = standing(status, answer.shows)
  return shown(
    answerPage(assets, {
      title: `Is ${service.name} down?`,
      heading: null,
      linkTitle: `${service.name} ${predicate(words)}`,
      description: summary,
      area: 'services',
      crumbs: [{ path: '/services', text: 'Services' }],
      // a refused form is private to its reader
      ...(form === undefined ? { url } : {}),
      forms: { json: `/v1/public/services/${slug}/page`, markdown: `/services/${slug}.md` },
      evidence: answer,
      isBad: words.tone === 'bad',
      done,
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

      state: tag(serviceWords.not_covered),
      description: answer.summary,
      area: 'services',
      crumbs: [{ path: '/services', text: 'Services' }],
      main: uncoveredMain(answer),
    }),
    404,
  )
