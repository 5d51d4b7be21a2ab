import { PublicHistoryQuery } from '@probe-mesh/contracts/status-page/public-page'
import { refuse, refuseInvalid } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { PublicPageParams } from '@probe-mesh/contracts/subscriber/subscriber'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import { readPageDocument } from './read-page-document.ts'
import type { DocumentContext } from './read-page-document.ts'
import { readPageHistory } from './read-page-history.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { openToAll, sendForm } from './public-form.ts'
import type { RememberedForms } from './public-pages.ts'
import { sendRefusal } from '../../http/send-refusal.ts'

/** A document is read once in this time however many look at it. */
const documentAgeMsMax = 5_000
/** As text, each about a megabyte at most (public/read-history). Slugs that no page has are remembered like pages. */
const documentsMax = 60
const answerMsMax = 10_000

const form = { type: 'application/json; charset=utf-8', maxAgeSeconds: 10 }

/** What the page for people is made of, as JSON (contracts, publicPageRoutes): no key, from any origin. */
export const bindPublicDocuments = (
  app: FastifyInstance,
  context: DocumentContext,
): RememberedForms => {
  const documents = createExpiringCache<{ text: string | null }>({
    now: context.now,
    ageMsMax: documentAgeMsMax,
    entriesMax: documentsMax,
  })
  const textOf = async (name: string, read: () => Promise<object | null>) => {
    const known = documents.peek(name)
    if (known !== undefined) return known.text
    const text = documents.load(name, '', async () => {
      const document = await read()
      const text = document === null ? null : JSON.stringify(document)
      return { keep: { text }, value: text }
    })
    return withDeadline(text, answerMsMax)
  }
  const routes: Record<string, (slug: string, request: FastifyRequest) => Promise<Said>> = {
    'page.json': (slug) => textOf(`page ${slug}`, () => readPageDocument(context, slug)),
    'history.json': async (slug, { query }) => {
      const asked = PublicHistoryQuery.safeParse(query)
      if (!asked.success) return refuseInvalid([asked.error])
      const month = asked.data.month ?? null
      return textOf(`history ${slug} ${month}`, () => readPageHistory(context, slug, month))
    },
  }
  for (const [path, say] of Object.entries(routes)) {
    app.get(`/status/:slug/${path}`, async (request, reply) => {
      const params = PublicPageParams.safeParse(request.params)
      const said = params.success ? await say(params.data.slug, request) : null
      if (said === null) return sendRefusal(openToAll(reply), refuse('SV-3001'))
      if (typeof said !== 'string') return sendRefusal(openToAll(reply), said)
      return sendForm(request, reply, form, said)
    })
  }
  return { forget: documents.clear }
}

type Said = string | null | Refusal
