import { refuse } from '@probe-mesh/contracts/schema/refusal'
import { PublicPageParams } from '@probe-mesh/contracts/subscriber/subscriber'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import { badgeJson, badgeOf, badgeSvg } from './badge.ts'
import { feedOf } from './feed.ts'
import type { PublicPage } from './public-page.ts'
import { statuspageDocuments } from './statuspage-json.ts'
import type { PublicContext } from '../../subscribers/context.ts'
import { readPage } from './read-page.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { openToAll, sendForm } from './public-form.ts'
import type { PublicForm } from './public-form.ts'
import { sendRefusal } from '../../http/send-refusal.ts'

/** A page is read once in this time however many look at it. */
const pageAgeMsMax = 5_000
/** Each well below a megabyte (public/read-page). Slugs that no page has are remembered like pages. */
const pagesMax = 200
const answerMsMax = 10_000

/** How a page is said, and the text; null where there is none. */
type Form = PublicForm & {
  body: (page: PublicPage, request: FastifyRequest) => string | null
}

/** What was read is kept for a moment; a writer wants to see what was written. */
export type RememberedForms = { forget(): void }

/**
 * What a status page says to programs, below `/status/<slug>`: no key, no cookie, from any origin, and
 * nothing is noted of who asks.
 */
export const bindPublicPages = (
  app: FastifyInstance,
  context: Pick<PublicContext, 'sql' | 'publicUrl' | 'now'>,
): RememberedForms => {
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
  for (const [path, form] of Object.entries(forms)) {
    app.get(`/status/:slug/${path}`, async (request, reply) => {
      const params = PublicPageParams.safeParse(request.params)
      const page = params.success ? await pageOf(params.data.slug) : null
      const body = page === null ? null : form.body(page, request)
      if (body === null) return sendRefusal(openToAll(reply), refuse('SV-3001'))
      return sendForm(request, reply, form, body)
    })
  }
  return { forget: pages.clear }
}

const json = (body: (page: PublicPage, request: FastifyRequest) => object | null): Form => ({
  type: 'application/json; charset=utf-8',
  maxAgeSeconds: 10,
  body: (page, request) => {
    const document = body(page, request)
    return document === null ? null : JSON.stringify(document)
  },
})

/** `?component=<id>`: one component's badge. */
const requestedBadge = (page: PublicPage, { query }: FastifyRequest) => {
  const { component } = query as { component?: unknown }
  if (component === undefined) return badgeOf(page, null)
  return typeof component === 'string' ? badgeOf(page, component.toLowerCase()) : null
}

const forms: Readonly<Record<string, Form>> = {
  ...Object.fromEntries(
    Object.entries(statuspageDocuments).map(([name, document]) => [
      `api/v2/${name}.json`,
      json(document),
    ]),
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
