import { Problem, refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from '@probe-mesh/runtime/html'
import { plainPage } from '../html/plain-page.ts'
import { wayOn } from '../pages/missing-page.ts'
import { refusedMarkdown } from '../pages/refused-markdown.ts'
import { refusedPage } from '../pages/refused-page.ts'
import { assets } from './assets.ts'
import { isForPeople, isMarkdown } from './readers.ts'
import { asMarkdown, asPage } from './send-page.ts'

/** Replaces the app's messages about JSON. */
const unreadable: Readonly<Record<number, string>> = {
  413: 'It is longer than any form of this site.',
  415: 'It is not what a form sends.',
}

/**
 * Turns every failure into a page for browsers, or into Markdown at a Markdown address. Handlers report
 * problems as usual; this converts them on the way out. The status, other header fields and log lines do not
 * change.
 */
export const failuresAsPages = (scope: FastifyInstance): void => {
  scope.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const { statusCode: status = 500 } = error
    const message = unreadable[status]
    // the app reports and logs every other fault
    if (message === undefined) throw error
    const problem = toProblem(refuse('SV-2001', { status, message }))
    return sendProblem(reply, { ...problem, title: 'This form cannot be read' })
  })
  scope.addHook('onSend', asReadBy)
}

const problemType = 'application/problem+json'

/** Sends a problem as a page, as Markdown or as JSON, as the client reads it. */
export const sendProblem = (reply: FastifyReply, problem: Problem): FastifyReply =>
  reply
    .code(problem.status)
    .header('content-type', `${problemType}; charset=utf-8`)
    .header('cache-control', 'no-store')
    .send(JSON.stringify(problem))

const asReadBy = async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
  const type = String(reply.getHeader('content-type'))
  if (typeof payload !== 'string' || !type.startsWith(problemType)) return payload
  const problem = problemIn(payload)
  if (problem === null) return payload
  const retryAfter = reply.getHeader('retry-after')
  const wait = retryAfter === undefined ? null : String(retryAfter)
  if (isMarkdown(request)) {
    asMarkdown(reply).removeHeader('content-length')
    return refusedMarkdown(problem, wait)
  }
  if (!isForPeople(request)) return payload
  asPage(reply).removeHeader('content-length')
  const main = html`${refusedPage(problem, wait)} ${wayOn}`
  return plainPage(assets, { title: problem.title, main })
}

const problemIn = (text: string): Problem | null => {
  const problem = Problem.safeParse(JSON.parse(text))
  return problem.success ? problem.data : null
}
