import type { FastifyInstance } from 'fastify'
import { html } from '../html/html.ts'
import { plainPage } from '../html/plain-page.ts'
import { wayOn } from '../pages/missing-page.ts'
import { assets } from './assets.ts'
import { sendPage } from './send-page.ts'

const reasons: Readonly<Record<number, string>> = {
  413: 'It is longer than any form of this site.',
  415: 'It is not what a form sends.',
}

/** What was posted and cannot be read is answered with a page; every other fault is the app's. */
export const answerFaultsAsPages = (scope: FastifyInstance): void => {
  scope.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const { statusCode = 500 } = error
    const reason = reasons[statusCode]
    if (reason === undefined) throw error
    const title = 'This form cannot be read'
    return sendPage(
      reply.code(statusCode),
      plainPage(assets, {
        title,
        main: html`<p>${reason}</p>
          ${wayOn}`,
      }),
    )
  })
}
