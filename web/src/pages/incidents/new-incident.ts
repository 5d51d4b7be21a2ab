import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type { Ask } from '../../api/ask.ts'
import type { FormState } from '../../html/components/form.ts'
import { idsIn } from '../check-names.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { subscriptionsOf } from '../subscribers/subscriptions-text.ts'
import { typedOf } from '../typed.ts'
import { actOf, withTemplate } from './incident-form.ts'
import { chooseIncidentPage, newIncidentPage, nothingPublished } from './new-incident-page.ts'

const path = '/dashboard/incidents/new'
const page = {
  kind: 'page',
  title: 'Post an incident',
  area: 'incidents',
  crumbs: [{ path: '/dashboard/incidents?view=posted', text: 'Posted' }],
} as const

/** The number of pages whose components are searched for one check. */
const pagesSearchedMax = 10

/** A manual incident; its address may contain the page and the check. */
export const newIncidentRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path,
    serve: async ({ ask, query }) => {
      const listed = await ask('listStatusPages', {})
      if (!listed.ok) return refused(listed)
      const { statusPages } = listed.value
      const [checkId = null] = idsIn([query.get('check') ?? ''])
      const asked = query.get('page')
      if (asked !== null) return show(ask, asked, { form: untouched, checkId })
      const choices = checkId === null ? statusPages : await publishing(ask, statusPages, checkId)
      const [only] = choices
      if (only !== undefined && choices.length === 1) return show(ask, only.id, { form: untouched, checkId })
      return { ...page, about: 'Choose the status page.', main: chooseIncidentPage(choices, checkId) }
    },
  },
  {
    method: 'POST',
    path,
    serve: async ({ ask, query, form }) => {
      const typed = typedOf(form)
      const statusPageId = typed['statusPageId'] ?? query.get('page') ?? ''
      const componentIds = form.getAll('componentIds')
      const ticked = new Set(componentIds)
      const act = actOf(form.get('act'))
      if (act !== null) {
        const next = act === 'preview' ? typed : withTemplate(typed, act.template)
        return show(ask, statusPageId, { form: { typed: next, message: null, problems: [] }, ticked })
      }
      const { title = '', body = '', impact = 'minor', status = 'investigating' } = typed
      const posted = await ask('createPageIncident', {
        params: { id: statusPageId },
        // the API validates the choices, like every other field
        body: { componentIds, impact: impact as 'minor', title, status: status as 'investigating', body },
      })
      if (posted.ok)
        return {
          kind: 'elsewhere',
          path: `/dashboard/incidents/${posted.value.id}`,
          done: 'incident-posted',
        }
      const { problem } = posted
      return show(ask, statusPageId, { form: refusedForm(typed, problem), ticked }, problem.status)
    },
  },
]

const untouched: FormState = { typed: {}, message: null, problems: [] }

/** The pages that publish a check; all pages if none does, so that a member sees what is missing. */
const publishing = async (
  ask: Ask,
  pages: readonly StatusPage[],
  checkId: string,
): Promise<readonly StatusPage[]> => {
  const found = await Promise.all(
    pages.slice(0, pagesSearchedMax).map(async (each) => {
      const published = await ask('listComponents', { params: { id: each.id } })
      return published.ok && published.value.components.some((one) => one.checkId === checkId) ? [each] : []
    }),
  )
  const publishers = found.flat()
  return publishers.length === 0 || pages.length > pagesSearchedMax ? pages : publishers
}

const show = async (
  ask: Ask,
  statusPageId: string,
  asked: { form: FormState; ticked?: ReadonlySet<string>; checkId?: string | null },
  status = 200,
): Promise<Outcome> => {
  const params = { id: statusPageId }
  const [found, published, mailed] = await Promise.all([
    ask('getStatusPage', { params }),
    ask('listComponents', { params }),
    ask('listSubscribers', { query: { limit: 1 } }),
  ])
  if (!found.ok) return refused(found)
  if (!published.ok) return refused(published)
  if (!mailed.ok) return refused(mailed)
  const { components } = published.value
  const about = found.value.name
  if (components.length === 0) return { ...page, about, main: nothingPublished(found.value) }
  const { checkId = null } = asked
  const ofCheck = components.filter((one) => one.checkId === checkId).map(({ id }) => id)
  const main = newIncidentPage(found.value, components, {
    form: asked.form,
    ticked: asked.ticked ?? new Set(ofCheck),
    confirmed: subscriptionsOf(mailed.value.counts, statusPageId).confirmed,
    checkIsMissing: checkId !== null && ofCheck.length === 0,
  })
  return { ...page, about, status, main }
}
