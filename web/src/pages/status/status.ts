import { hash } from 'node:crypto'
import type { Assets } from '../../html/document.ts'
import { refused } from '../outcome.ts'
import { tagOf } from '../page-validator.ts'
import { logoImageOf, type Page } from './brand.ts'
import type { NamedComponents } from './incident-list.ts'
import { publicGet, type PublicOutcome, type PublicRoute } from '../public-route.ts'
import { revisionOf } from './revision.ts'
import { pageTextOf } from './page-text.ts'
import { statusFrame, statusTitle } from './status-frame.ts'
import { incidentMarkdown, statusMarkdown } from './status-markdown.ts'
import { historyMain, incidentMain, statusMain } from './status-page.ts'
import { asMarkdown } from '../as-markdown.ts'

/** The public status page, its history by month, one incident, and page and incident as Markdown. */
export const statusRoutes: readonly PublicRoute[] = [
  publicGet('/status/:slug', async ({ params, askPublic, assets }) => {
    const answer = await askPublic('publicPage', { params: { slug: params['slug'] ?? '' } })
    if (!answer.ok) return refused(answer)
    const { page, headline } = answer.value
    const title = statusTitle(headline, page)
    const main = statusMain(answer.value)
    return shown(answer.value, assets, { title, path: '', main, level: headline.level })
  }),
  publicGet('/status/:slug/history', async ({ params, query, askPublic, assets }) => {
    const month = query.get('month')
    const answer = await askPublic('publicHistory', {
      params: { slug: params['slug'] ?? '' },
      query: month === null ? {} : { month },
    })
    if (!answer.ok) return refused(answer)
    const { page } = answer.value
    const { words, formats } = pageTextOf(page)
    const title = `${words.page.incidentsOf(formats.month(answer.value.month))} – ${page.name}`
    const path = `/history?month=${answer.value.month}`
    return shown(answer.value, assets, { title, path, main: historyMain(answer.value) })
  }),
  publicGet('/status/:slug/incidents/:id', async ({ params, askPublic, assets }) => {
    const { slug = '', id = '' } = params
    const answer = await askPublic('publicIncident', { params: { slug, id } })
    if (!answer.ok) return refused(answer)
    const { page, incident } = answer.value
    const title = `${incident.title} – ${page.name}`
    const path = `/incidents/${incident.id}`
    return shown(answer.value, assets, { title, path, main: incidentMain(answer.value) })
  }),
  publicGet(asMarkdown('/status/:slug/incidents/:id'), async ({ params, askPublic }) => {
    const { slug = '', id = '' } = params
    const answer = await askPublic('publicIncident', { params: { slug, id } })
    if (!answer.ok) return refused(answer)
    const text = incidentMarkdown(answer.value)
    return { kind: 'public', form: 'markdown', text, imageOrigin: null, maxAgeSeconds: 0 }
  }),
  publicGet(asMarkdown('/status/:slug'), async ({ params, askPublic }) => {
    const answer = await askPublic('publicPage', { params: { slug: params['slug'] ?? '' } })
    if (!answer.ok) return refused(answer)
    const text = statusMarkdown(answer.value)
    return { kind: 'public', form: 'markdown', text, imageOrigin: null, maxAgeSeconds: 0 }
  }),
]

type Shown = Parameters<typeof revisionOf>[0] & { page: Page; asOf: string; components: NamedComponents }

/**
 * A page that browsers cache and revalidate each time, so its owner sees a post at once. It is sent again
 * after a change that its reader would notice, or with other assets.
 */
const shown = (
  document: Shown,
  assets: Assets,
  framed: Omit<Parameters<typeof statusFrame>[1], 'page' | 'components' | 'tag'>,
): PublicOutcome => {
  const { page, components, asOf } = document
  const revision = hash('sha256', `${JSON.stringify(assets)} ${revisionOf(document)}`, 'base64url').slice(
    0,
    22,
  )
  const validator = { revision, asOf }
  return {
    kind: 'public',
    form: 'html',
    text: statusFrame(assets, { ...framed, page, components, tag: tagOf(validator) }),
    imageOrigin: logoImageOf(page)?.origin ?? null,
    maxAgeSeconds: 0,
    validator,
  }
}
