import { PublicPageParams } from '@probe-mesh/contracts/subscriber/subscriber'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import { badgeJson, badgeOf, badgeSvg } from './badge.ts'
import { calendarOf } from './calendar.ts'
import { feedOf } from './feed.ts'
import type { PublicPage } from './public-page.ts'
import { statuspageDocuments } from './statuspage-json.ts'
import type { PublicContext } from '../../subscribers/context.ts'
import { readPage } from './read-page.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import {
  allowAnyOrigin,
  refuseUnknownPage,
  sendDocument,
  type PublicFormat,
} from '../../http/public-document.ts'
import { sendRefusal } from '../../http/send-refusal.ts'

/** A page is read at most once in this time, for all visitors. */
const pageAgeMsMax = 5_000
/** Each well below a megabyte. Unknown slugs are cached like pages. */
const pagesMax = 200
const answerMsMax = 10_000

/** A format of a page, with its text; null: there is none. */
type Format = PublicFormat & {
  body: (page: PublicPage, request: FastifyRequest) => string | null | Promise<string | null>
}

/** A cache of read documents, cleared after a write so that its author sees the change. */
export type DocumentCache = { clear(): void }

/**
 * The formats of a status page for programs, below `/status/<slug>`: without a key or cookie and for any
 * origin. Visitors are not recorded.
 */
export const bindPublicPages = (
  app: FastifyInstance,
  context: Pick<PublicContext, 'sql' | 'publicUrl' | 'now'>,
): DocumentCache => {
  const pages = createExpiringCache<{ page: PublicPage | null }>({
    now: context.now,
    ageMsMax: pageAgeMsMax,
    entriesMax: pagesMax,
  })
  const pageOf = async (slug: string): Promise<PublicPage | null> => {
    const known = pages.peek(slug)
    if (known !== undefined) return known.page
    const read = pages.load(slug, '', async () => {
      const page = await readPage(context, slug)
      return { keep: { page }, value: page }
    })
    return withDeadline(read, answerMsMax)
  }
  for (const [path, format] of Object.entries(formats)) {
    app.get(`/status/:slug/${path}`, async (request, reply) => {
      const params = PublicPageParams.safeParse(request.params)
      const page = params.success ? await pageOf(params.data.slug) : null
      const body = page === null ? null : await format.body(page, request)
      if (body === null) return sendRefusal(allowAnyOrigin(reply), refuseUnknownPage)
      return sendDocument(request, reply, format, body)
    })
  }
  return { clear: pages.clear }
}

const json = (body: (page: PublicPage, request: FastifyRequest) => object | null): Format => ({
  type: 'application/json; charset=utf-8',
  maxAgeSeconds: 10,
  body: (page, request) => {
    const document = body(page, request)
    return document === null ? null : JSON.stringify(document)
  },
})

/** With `?component=<id>`: the badge of one component. */
const requestedBadge = (page: PublicPage, { query }: FastifyRequest) => {
  const { component } = query as { component?: unknown }
  if (component === undefined) return badgeOf(page, null)
  return typeof component === 'string' ? badgeOf(page, component.toLowerCase()) : null
}

const formats: Readonly<Record<string, Format>> = {
  ...Object.fromEntries(
    Object.entries(statuspageDocuments).map(([name, document]) => [`api/v2/${name}.json`, json(document)]),
  ),
  'feed.rss': {
    type: 'application/rss+xml; charset=utf-8',
    maxAgeSeconds: 60,
    body: (page) => feedOf(page, 'rss'),
  },
  'feed.atom': {
    type: 'application/atom+xml; charset=utf-8',
    maxAgeSeconds: 60,
    body: (page) => feedOf(page, 'atom'),
  },
  'maintenance.ics': {
    type: 'text/calendar; charset=utf-8',
    maxAgeSeconds: 60,
    body: calendarOf,
  },
  'badge.svg': {
    type: 'image/svg+xml; charset=utf-8',
    maxAgeSeconds: 30,
    body: (page, request) => {
      const badge = requestedBadge(page, request)
      return badge === null ? null : badgeSvg(badge)
    },
  },
  'badge.json': json((page, request) => {
    const badge = requestedBadge(page, request)
    return badge === null ? null : badgeJson(badge)
  }),
}
