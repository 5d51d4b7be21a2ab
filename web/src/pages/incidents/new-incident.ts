import type { Ask } from '../../api/ask.ts'
import type { FormState } from '../../html/components/form.ts'
import { askCheckChoices } from '../check-choice.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { typedOf } from '../typed.ts'
import { newIncidentPage } from './new-incident-page.ts'

const path = '/dashboard/incidents/new'

const show = async (ask: Ask, asked: { form: FormState; text: string }, status = 200): Promise<Outcome> => {
  const [pages, choices, me] = await Promise.all([
    ask('listStatusPages', {}),
    askCheckChoices(ask, { text: asked.text, chosen: asked.form.typed['checkId'] }),
    ask('getMe', {}),
  ])
  if (!pages.ok) return refused(pages)
  if (!choices.ok) return refused(choices)
  if (!me.ok) return refused(me)
  const ofChecks = choices.value.checks.flatMap(({ regions }) => regions)
  const regions = [...new Set([...me.value.regions, ...ofChecks])]
  const things = { pages: pages.value.statusPages, checks: choices.value, regions }
  const main = newIncidentPage(things, asked)
  return { kind: 'page', title: 'Open an incident', area: 'incidents', status, main }
}

/** An incident that a person opens; an address may name the page and the check that it is about. */
export const newIncidentRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path,
    serve: ({ ask, query }) => {
      const typed = {
        statusPageId: query.get('page') ?? undefined,
        checkId: query.get('check') ?? undefined,
      }
      const form = { typed, message: null, problems: [] }
      return show(ask, { form, text: query.get('q') ?? '' })
    },
  },
  {
    method: 'POST',
    path,
    serve: async ({ ask, form }) => {
      const typed = typedOf(form)
      const { statusPageId = '', checkId = '', region = '', title = '', body = '' } = typed
      const opened = await ask('createIncident', {
        body: { statusPageId, checkId, region, title, body },
      })
      if (opened.ok) return { kind: 'elsewhere', path: `/dashboard/incidents/${opened.value.id}` }
      const { problem } = opened
      return show(ask, { form: refusedForm(typed, problem), text: typed['q'] ?? '' }, problem.status)
    },
  },
]
