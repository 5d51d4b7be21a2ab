import { Uuid } from '@probe-mesh/contracts/schema/ids'
import {
  PublicHistoryQuery,
  type PublicIncidentDocument,
} from '@probe-mesh/contracts/status-page/public-page'
import { refuseInvalid, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { PublicPageParams } from '@probe-mesh/contracts/subscriber/subscriber'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import { readPageDocument, type DocumentContext, describeHead } from './read-page-document.ts'
import { z } from 'zod'
import { readPageHistory } from './read-page-history.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { allowAnyOrigin, refuseUnknownPage, sendDocument } from '../../http/public-document.ts'
import type { DocumentCache } from './public-pages.ts'
import { sendRefusal } from '../../http/send-refusal.ts'
import { findStatusPageBySlug } from '../../records/status-page/status-pages-store.ts'
import { describeComponent, describeStatusPage } from '../describe-page.ts'
import { describeIncidents } from './describe-incidents.ts'
import { findIncidentOfPage } from './public-pages-store.ts'
import { readContent } from './read-content.ts'

/** One incident of a page, open or resolved. @returns null: unknown slug, or no incident of this page */
const readPageIncident = async (
  { sql, publicUrl, now }: DocumentContext,
  slug: string,
  incidentId: string,
): Promise<PublicIncidentDocument | null> => {
  const page = await findStatusPageBySlug(sql, slug)
  if (page === null) return null
  const found = await findIncidentOfPage(sql, page.id, incidentId)
  if (found === null) return null
  const content = await readContent(sql, page.id, now)
  const [incident] = await describeIncidents(sql, [found], content.components)
  if (incident === undefined) return null
  const nowMs = now()
  return {
    asOf: new Date(nowMs).toISOString(),
    page: describeHead(describeStatusPage(page, content, { publicUrl, nowMs }), page),
    components: content.components
      .filter(({ id }) => incident.componentIds?.includes(id))
      .map((component) => {
        const { id, displayName, state } = describeComponent(component, content.windows, nowMs)
        return { id, displayName, state }
      }),
    incident,
  }
}

/** A document is read at most once in this time, for all visitors. */
const documentAgeMsMax = 5_000
/** Each at most about a megabyte of text. Unknown slugs are cached like pages. */
const documentsMax = 60
const answerMsMax = 10_000

const format = { type: 'application/json; charset=utf-8', maxAgeSeconds: 10 }

/** The documents of a status page as JSON: without a key and for any origin. */
export const bindPublicDocuments = (app: FastifyInstance, context: DocumentContext): DocumentCache => {
  const cacheOf = () =>
    createExpiringCache<{ text: string | null }>({
      now: context.now,
      ageMsMax: documentAgeMsMax,
      entriesMax: documentsMax,
    })
  const documents = cacheOf()
  // its own, since anybody may ask for ids that do not exist
  const incidents = cacheOf()
  const textOf = async (
    cache: typeof documents,
    name: string,
    read: () => Promise<object | null>,
  ): Promise<string | null> => {
    const known = cache.peek(name)
    if (known !== undefined) return known.text
    const text = cache.load(name, '', async () => {
      const document = await read()
      const text = document === null ? null : JSON.stringify(document)
      return { keep: { text }, value: text }
    })
    return withDeadline(text, answerMsMax)
  }
  const routes: Record<string, (slug: string, request: FastifyRequest) => Promise<Answer>> = {
    'page.json': (slug) => textOf(documents, `page ${slug}`, () => readPageDocument(context, slug)),
    'history.json': async (slug, { query }) => {
      const parsed = PublicHistoryQuery.safeParse(query)
      if (!parsed.success) return refuseInvalid([parsed.error])
      const month = parsed.data.month ?? null
      const read = () => readPageHistory(context, slug, month)
      return textOf(documents, `history ${slug} ${month}`, read)
    },
    'incidents/:id.json': async (slug, { params }) => {
      const parsed = IncidentParams.safeParse(params)
      if (!parsed.success) return null
      const { id } = parsed.data
      return textOf(incidents, `${slug} ${id}`, () => readPageIncident(context, slug, id))
    },
  }
  for (const [path, read] of Object.entries(routes)) {
    app.get(`/status/:slug/${path}`, async (request, reply) => {
      const params = PublicPageParams.safeParse(request.params)
      const answer = params.success ? await read(params.data.slug, request) : null
      if (answer === null) return sendRefusal(allowAnyOrigin(reply), refuseUnknownPage)
      if (typeof answer !== 'string') return sendRefusal(allowAnyOrigin(reply), answer)
      return sendDocument(request, reply, format, answer)
    })
  }
  return {
    clear: () => {
      documents.clear()
      incidents.clear()
    },
  }
}

const IncidentParams = z.object({ id: Uuid })

type Answer = string | null | Refusal
