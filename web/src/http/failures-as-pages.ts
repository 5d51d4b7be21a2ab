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

/** What the app would say of these is about JSON. */
const unreadable: Readonly<Record<number, string>> = {
  413: 'It is longer than any form of this site.',
  415: 'It is not what a form sends.',
}

/**
 * What fails before or within a page is a page too, for who reads pages: whoever finds a fault says it
 * as a problem, and every problem on its way out becomes a page here, or Markdown at an address of
 * such. Its status and its other header fields stay as they are, and what is logged of it too.
 */
export const failuresAsPages = (scope: FastifyInstance): void => {
  scope.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const { statusCode: status = 500 } = error
    const message = unreadable[status]
    // every other fault is the app's, which says and logs it
    if (message === undefined) throw error
    const problem = toProblem(refuse('SV-2001', { status, message }))
    return sendProblem(reply, { ...problem, title: 'This form cannot be read' })
  })
  scope.addHook('onSend', asReadBy)
}

const problemType = 'application/problem+json'

/** Says a problem: who reads pages or Markdown is given that. */
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
