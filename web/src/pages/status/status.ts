import { hash } from 'node:crypto'
import type { Assets } from '../../html/document.ts'
import { refused } from '../outcome.ts'
import { logoImageOf } from './brand.ts'
import type { Page } from './brand.ts'
import type { PublicOutcome, PublicRoute } from '../public-route.ts'
import { revisionOf } from './revision.ts'
import { statusFrame } from './status-frame.ts'
import { incidentMarkdown, statusMarkdown } from './status-markdown.ts'
import { historyMain, incidentMain, statusMain } from './status-page.ts'
import { asMarkdown } from '../as-markdown.ts'

/** The public status page, its history by month, one incident, and page and incident as Markdown. */
export const statusRoutes: readonly PublicRoute[] = [
  {
    path: '/status/:slug',
    serve: async ({ params, askPublic, assets }) => {
      const answer = await askPublic('publicPage', { params: { slug: params['slug'] ?? '' } })
      if (!answer.ok) return refused(answer)
      const { page } = answer.value
      const title = `${page.name}: status`
      const text = statusFrame(assets, { page, title, path: '', main: statusMain(answer.value) })
      return shown(answer.value, assets, text)
    },
  },
  {
    path: '/status/:slug/history',
    serve: async ({ params, query, askPublic, assets }) => {
      const month = query.get('month')
      const answer = await askPublic('publicHistory', {
        params: { slug: params['slug'] ?? '' },
        query: month === null ? {} : { month },
      })
      if (!answer.ok) return refused(answer)
      const { page } = answer.value
      const title = `${page.name}: incidents of ${answer.value.month}`
      const path = `/history?month=${answer.value.month}`
      const text = statusFrame(assets, { page, title, path, main: historyMain(answer.value) })
      return shown(answer.value, assets, text)
    },
  },
  {
    path: '/status/:slug/incidents/:id',
    serve: async ({ params, askPublic, assets }) => {
      const { slug = '', id = '' } = params
      const answer = await askPublic('publicIncident', { params: { slug, id } })
      if (!answer.ok) return refused(answer)
      const { page, incident } = answer.value
      const title = `${incident.title}: ${page.name}`
      const path = `/incidents/${incident.id}`
      const text = statusFrame(assets, { page, title, path, main: incidentMain(answer.value) })
      return shown(answer.value, assets, text)
    },
  },
  {
    path: asMarkdown('/status/:slug/incidents/:id'),
    serve: async ({ params, askPublic }) => {
      const { slug = '', id = '' } = params
      const answer = await askPublic('publicIncident', { params: { slug, id } })
      if (!answer.ok) return refused(answer)
      const text = incidentMarkdown(answer.value)
      return { kind: 'public', form: 'markdown', text, imageOrigin: null, maxAgeSeconds: 0 }
    },
  },
  {
    path: asMarkdown('/status/:slug'),
    serve: async ({ params, askPublic }) => {
      const answer = await askPublic('publicPage', { params: { slug: params['slug'] ?? '' } })
      if (!answer.ok) return refused(answer)
      const text = statusMarkdown(answer.value)
      return { kind: 'public', form: 'markdown', text, imageOrigin: null, maxAgeSeconds: 0 }
    },
  },
]

/**
 * A page that browsers keep and ask about each time: whoever posted something sees it at once. It is sent again
 * when its reader would notice a change, or the page is made of other assets.
 */
const shown = (
  document: Parameters<typeof revisionOf>[0] & { page: Page; asOf: string },
  assets: Assets,
  text: string,
): PublicOutcome => ({
  kind: 'public',
  form: 'html',
  text,
  imageOrigin: logoImageOf(document.page)?.origin ?? null,
  maxAgeSeconds: 0,
  validator: {
    revision: hash('sha256', `${JSON.stringify(assets)} ${revisionOf(document)}`, 'base64url').slice(0, 22),
    asOf: document.asOf,
  },
})
