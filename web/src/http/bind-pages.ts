import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { dashboardPage, type NavigationCounts } from '../html/dashboard-page.ts'
import { plainPage } from '../html/plain-page.ts'
import type { LoggedIn } from '@probe-mesh/contracts/account/session'
import type { Outcome, PageRequest } from '../pages/outcome.ts'
import type { MemberRoute, PlainRoute } from '../pages/page-route.ts'
import { missingForVisitor } from '../pages/missing-page.ts'
import { zoneOr } from '../html/local-time.ts'
import { refusedPage } from '../pages/refused-page.ts'
import { assets } from './assets.ts'
import { recallDone, recallNote, rememberDone, rememberNote } from './done-cookie.ts'
import { formBytesMax, formOf } from './form-body.ts'
import { createCountKeeper } from './navigation-counts.ts'
import { queryOf } from './query-of.ts'
import { policyOf, sendElsewhere, sendPage } from './send-page.ts'
import { askFor, askPublicFor, type Inject, type OneVisit } from './visit.ts'
import { cookieValue } from '@probe-mesh/runtime/headers'
import { refusals } from '@probe-mesh/contracts/schema/refusal'
import { isOurOwn } from '@probe-mesh/contracts/target/same-site'
import { html } from '@probe-mesh/runtime/html'
import { parseTheme, type Theme } from '../html/theme.ts'

const name = 'theme'
const yearSeconds = 31_536_000

/** The theme of this browser. The cookie is only sent to the dashboard, whose pages are not cached. */
const themeOf = (request: FastifyRequest): Theme =>
  parseTheme(cookieValue(request.headers.cookie, name)) ?? 'system'

const rememberTheme = (reply: FastifyReply, theme: Theme): void => {
  const maxAge = theme === 'system' ? 0 : yearSeconds
  const value = theme === 'system' ? '' : theme
  reply.header('set-cookie', `${name}=${value}; Max-Age=${maxAge}; Path=/dashboard; HttpOnly; SameSite=Lax`)
}

/**
 * A hook for `onRequest` that refuses forms from pages of other sites (SV-1009) before the body is read.
 * Every browser sends `Origin` or `Sec-Fetch-Site` with a form. A request with neither is refused too, unlike
 * in the API, which programs also use.
 */
const ownFormsHook = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
  const { method, headers } = request
  const isSaid = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
  if (method !== 'POST' || (isSaid && isOurOwn(method, headers))) {
    done()
    return
  }
  const { status, title } = refusals['SV-1009']
  const main = html`${refusedPage({ message, errors: [] }, null)}
    <p class="actions"><a class="button" href="/dashboard">Open the dashboard</a></p>`
  sendPage(reply.code(status), plainPage(assets, { title, main }))
}

const message =
  'This form was sent from a page of another site, or its origin is unknown. Nothing was changed. Open the page here and send it again.'

/** Pages without a login. */
export const bindPlainPages = (
  scope: FastifyInstance,
  inject: Inject,
  routes: readonly PlainRoute[],
): void => {
  for (const { method, path, serve } of routes) {
    scope.route({
      method,
      url: path,
      bodyLimit: formBytesMax,
      onRequest: ownFormsHook,
      handler: async (request, reply) => {
        const ask = askFor(inject, request, reply)
        return sendOutcome(reply, await serve({ ...read(request), ask }), null)
      },
    })
  }
}

/** Pages for logged-in members. Other visitors log in first and return to the same page. */
export const bindMemberPages = (
  scope: FastifyInstance,
  {
    inject,
    withRequestMemo = (work) => work(),
    countsMs,
  }: { inject: Inject; withRequestMemo?: OneVisit; countsMs?: number | undefined },
  routes: readonly MemberRoute[],
): void => {
  const counted = createCountKeeper(Date.now, countsMs)
  for (const { method, path, serve, bodyBytesMax = formBytesMax } of routes) {
    scope.route({
      method,
      url: path,
      bodyLimit: bodyBytesMax,
      onRequest: ownFormsHook,
      handler: (request, reply) =>
        withRequestMemo(async () => {
          const ask = askFor(inject, request, reply)
          const session = await ask('getSession', {})
          if (session.ok) {
            const who = session.value
            const { id } = who.account
            // a page that changes something is counted afterwards
            const early = method === 'GET' ? counted.countsOf(id, ask) : null
            const askPublic = askPublicFor(inject, request)
            const outcome = await serve({
              ...read(request),
              ask,
              askPublic,
              who,
              zone: zoneOf(request),
              theme: themeOf(request),
              recallNote: (schema) => recallNote({ request, reply }, schema),
            })
            if (early === null) counted.forget(id)
            const hasNavigation = outcome.kind === 'page' || outcome.kind === 'refused'
            const counts = hasNavigation ? await (early ?? counted.countsOf(id, ask)) : {}
            return sendOutcome(reply, outcome, { who, request, counts })
          }
          if (session.problem.code !== 'SV-1007')
            return sendOutcome(reply, { kind: 'refused', ...session }, null)
          // a browser does not repeat a post, so the next page is the dashboard
          const next = method === 'GET' ? request.url : '/dashboard'
          return sendElsewhere(reply, `/login?${new URLSearchParams({ next }).toString()}`)
        }),
    })
  }
}

const read = (request: FastifyRequest): PageRequest => ({
  params: request.params as Record<string, string>,
  query: queryOf(request),
  form: formOf(request.body),
})

/** islands/times.js stores it in a cookie. */
const zoneOf = (request: FastifyRequest): string => zoneOr(cookieValue(request.headers.cookie, 'zone'))

/** The viewer of a page; null on a public page. */
type Viewer = { who: LoggedIn; request: FastifyRequest; counts: NavigationCounts }

const frameOf = ({ counts, request }: Viewer) => ({ counts, theme: themeOf(request) })

export const sendOutcome = (reply: FastifyReply, outcome: Outcome, viewer: Viewer | null): FastifyReply => {
  switch (outcome.kind) {
    case 'elsewhere':
      if (outcome.done !== undefined) rememberDone(reply, { word: outcome.done, undo: outcome.undo ?? null })
      if (outcome.note !== undefined) rememberNote(reply, { path: outcome.path, note: outcome.note })
      if (outcome.theme !== undefined) rememberTheme(reply, outcome.theme)
      return sendElsewhere(reply, outcome.path)
    case 'plain':
      return sendPage(reply.code(outcome.status ?? 200), plainPage(assets, outcome))
    case 'page': {
      if (viewer === null) throw new Error('a page of the dashboard needs a logged-in member')
      const policy = policyOf({ imageOrigin: null, frames: outcome.frames === true })
      const done = recallDone(viewer.request, reply)
      const page = dashboardPage(assets, viewer.who, outcome, { done, ...frameOf(viewer) })
      return sendPage(reply.code(outcome.status ?? 200), page, { policy })
    }
    case 'framed': {
      const policy = policyOf({ imageOrigin: outcome.imageOrigin, isFramed: true })
      return sendPage(reply, outcome.textOf(assets), { policy })
    }
    case 'refused': {
      const { problem, retryAfter } = outcome
      const { title, status, message } = problem
      const isMissed = viewer === null && status === 404
      const main = isMissed ? missingForVisitor(message) : refusedPage(problem, retryAfter)
      if (retryAfter !== null) reply.header('retry-after', retryAfter)
      reply.code(status)
      return sendPage(
        reply,
        viewer === null
          ? plainPage(assets, { title, main })
          : dashboardPage(assets, viewer.who, { title, area: null, main }, frameOf(viewer)),
      )
    }
  }
}
