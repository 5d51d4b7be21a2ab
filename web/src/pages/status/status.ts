import { refused } from '../outcome.ts'
import { logoImageOf } from './brand.ts'
import type { Page } from './brand.ts'
import type { PublicOutcome, PublicRoute } from '../public-route.ts'
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
      return shown(page, statusFrame(assets, { page, title, path: '', main: statusMain(answer.value) }))
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
      return shown(page, statusFrame(assets, { page, title, path, main: historyMain(answer.value) }))
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
      return shown(page, statusFrame(assets, { page, title, path, main: incidentMain(answer.value) }))
    },
  },
  {
    path: asMarkdown('/status/:slug/incidents/:id'),
    serve: async ({ params, askPublic }) => {
      const { slug = '', id = '' } = params
      const answer = await askPublic('publicIncident', { params: { slug, id } })
      if (!answer.ok) return refused(answer)
      return { kind: 'public', form: 'markdown', text: incidentMarkdown(answer.value), imageOrigin: null }
    },
  },
  {
    path: asMarkdown('/status/:slug'),
    serve: async ({ params, askPublic }) => {
      const answer = await askPublic('publicPage', { params: { slug: params['slug'] ?? '' } })
      if (!answer.ok) return refused(answer)
      const text = statusMarkdown(answer.value)
      return { kind: 'public', form: 'markdown', text, imageOrigin: null }
    },
  },
]

const shown = (page: Page, text: string): PublicOutcome => ({
  kind: 'public',
  form: 'html',
  text,
  imageOrigin: logoImageOf(page)?.origin ?? null,
})
