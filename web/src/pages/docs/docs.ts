import type { OpenApi } from '../../api/open-api.ts'
import type { PublicOutcome, PublicRoute } from '../public-route.ts'
import { apiPage } from './api-page.ts'
import { codesPage } from './codes-page.ts'
import { docsPage, typedMax } from './docs-page.ts'
import { docsSite, type Addresses, type DocsSite } from './docs-site.ts'
import { groupPage } from './group-page.ts'
import { movedGuides } from './guide-list.ts'
import { hubPage } from './hub-page.ts'
import { toolsPage } from './tools-page.ts'
import { refusals } from '@probe-mesh/contracts/schema/refusal'
import { html } from '@probe-mesh/runtime/html'

/** A page changes only with a release. */
const maxAgeSeconds = 300

/** Public pages: the guides, the API reference, the error codes and the tools. */
export const docsRoutes = (
  means: Addresses & {
    openApi: () => Promise<OpenApi>
    /** Texts of the guides, by file. */
    texts: Readonly<Record<string, string>>
  },
): readonly PublicRoute[] => {
  let read: Promise<DocsSite> | null = null
  const site = (): Promise<DocsSite> => {
    read ??= means.openApi().then((api) => docsSite(api, means.texts, means))
    read.catch(() => (read = null))
    return read
  }
  const page = (path: string, text: (site: DocsSite, request: PageInput) => string | null): PublicRoute => ({
    path,
    serve: async (request) => {
      const shown = text(await site(), request)
      return shown === null
        ? missing
        : { kind: 'public', form: 'html', text: shown, imageOrigin: null, maxAgeSeconds }
    },
  })
  return [
    ...[...movedGuides].map(([slug, path]): PublicRoute => ({
      path: `/docs/${slug}`,
      serve: () => Promise.resolve({ kind: 'elsewhere', path }),
    })),
    page('/docs', (all, { assets, query }) =>
      hubPage(assets, all, (query.get('q') ?? '').slice(0, typedMax)),
    ),
    page('/docs/api', (all, { assets }) => apiPage(assets, all)),
    page('/docs/errors', (all, { assets }) => codesPage(assets, all)),
    page('/docs/mcp-tools', (all, { assets }) => toolsPage(assets, all)),
    page('/docs/api/:group', (all, { assets, params }) => {
      const group = all.groups.find(({ name }) => name === params['group'])
      return group === undefined ? null : groupPage(assets, all, group)
    }),
    page('/docs/:guide', (all, { assets, params }) => {
      const guide = all.guides.find(({ slug }) => slug === params['guide'])
      if (guide === undefined) return null
      return docsPage(assets, all, {
        title: guide.title,
        description: guide.lead === '' ? guide.about : guide.lead,
        path: `/docs/${guide.slug}`,
        parts: guide.parts,
        main: html`<article>${guide.main}</article>`,
      })
    }),
  ]
}

type PageInput = Parameters<PublicRoute['serve']>[0]

const { status, title, message } = refusals['SV-3001']
const missing: PublicOutcome = {
  kind: 'refused',
  problem: {
    type: 'urn:probe-mesh:error:SV-3001',
    title,
    status,
    detail: message,
    code: 'SV-3001',
    message,
    errors: [],
  },
  retryAfter: null,
}
