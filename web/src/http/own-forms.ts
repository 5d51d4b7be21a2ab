import { refusals } from '@probe-mesh/contracts/schema/refusal'
import { isOurOwn } from '@probe-mesh/contracts/target/same-site'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from '@probe-mesh/runtime/html'
import { plainPage } from '../html/plain-page.ts'
import { refusedPage } from '../pages/refused-page.ts'
import { assets } from './assets.ts'
import { sendPage } from './send-page.ts'

/**
 * A hook for `onRequest` that refuses forms from pages of other sites (SV-1009) before the body is read.
 * Every browser sends `Origin` or `Sec-Fetch-Site` with a form. A request with neither is refused too, unlike
 * in the API, which programs also use.
 */
export const ownFormsHook = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
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
