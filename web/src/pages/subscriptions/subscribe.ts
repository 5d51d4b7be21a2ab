import { html } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { PublicRoute } from '../status/public-route.ts'
import { subscribeForm } from '../status/subscribe-form.ts'
import { typedOf } from '../typed.ts'

/** Takes the form of a status page; what it refuses stands in the form, by itself, to be mended. */
export const subscribe: PublicRoute['serve'] = async ({ params, form, askPublic }) => {
  const page = { params: { slug: params['slug'] ?? '' } }
  const typed = typedOf(form)
  const answer = await askPublic('subscribe', { ...page, body: typed as never })
  if (answer.ok) {
    const main = html`<p>${answer.value.message}</p>`
    return { kind: 'plain', title: 'Look into your mailbox', status: 202, main }
  }
  if (answer.problem.code !== 'SV-2001') return refused(answer)
  const shown = await askPublic('publicPage', page)
  if (!shown.ok) return refused(answer)
  const { page: of, components } = shown.value
  return {
    kind: 'plain',
    title: `Mail about ${of.name}`,
    heading: html`Mail about ${named(of.name)}`,
    status: answer.problem.status,
    main: subscribeForm(of, components, refusedForm(typed, answer.problem)),
  }
}
