import { CheckType } from '@probe-mesh/contracts/check/check'
import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import type { Trial } from '@probe-mesh/contracts/check/trial'
import type { Ask } from '../../api/ask.ts'
import type { FormState, Typed } from '../../html/components/form.ts'
import { createBody, typedIn, typedOfCheck, typedOfNew } from '../check-form/check-texts.ts'
import { applyStepAct, parseStepAct, stepsIn } from '../check-form/step-texts.ts'
import { withSteps } from '../check-form/with-steps.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { chooseTypePage, newCheckPage } from './new-check-page.ts'

/** Making a check: its type is chosen, then the type's form is filled in. */
export const newCheckRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: '/dashboard/checks/new',
    serve: async ({ ask }) => {
      const me = await ask('getMe', {})
      if (!me.ok) return refused(me)
      const main = chooseTypePage(me.value)
      return { kind: 'page', title: 'New check', area: 'checks', main }
    },
  },
  {
    method: 'GET',
    path: '/dashboard/checks/new/:type',
    serve: async ({ ask, params, query }) => {
      const type = CheckType.safeParse(params['type'])
      if (!type.success) return noSuchType
      return show(ask, type.data, await copied(ask, type.data, query.get('from')))
    },
  },
  {
    method: 'POST',
    path: '/dashboard/checks/new/:type',
    serve: async ({ ask, params, form }) => {
      const type = CheckType.safeParse(params['type'])
      if (!type.success) return noSuchType
      const typed = typedIn(form)
      const act = parseStepAct(form.get('act'))
      if (act !== null) {
        return show(ask, type.data, withSteps(typed, applyStepAct(stepsIn(typed), act)))
      }
      const whole = withSteps(typed, stepsIn(typed))
      return form.get('act') === 'try' ? attempt(ask, type.data, whole) : create(ask, type.data, whole)
    },
  },
]

const noSuchType = refused({ problem: toProblem(refuse('SV-3001')), retryAfter: null })

const create = async (ask: Ask, type: CheckType, typed: Typed): Promise<Outcome> => {
  // the API reads the body, and says what is wrong with it
  const body = createBody(type, typed) as never
  const answer = await ask(type === 'http' ? 'createCheck' : 'createTypedCheck', { body })
  if (answer.ok) return { kind: 'elsewhere', path: `/dashboard/checks/${answer.value.id}` }
  return show(ask, type, typed, { problem: answer.problem })
}

/** What is typed is measured once and shown again with what was seen. */
const attempt = async (ask: Ask, type: CheckType, typed: Typed): Promise<Outcome> => {
  const answer = await ask('tryCheck', { body: createBody(type, typed) })
  return show(ask, type, typed, answer.ok ? { trial: answer.value } : { problem: answer.problem })
}

/** What another check of the same type holds, where somebody asked for one like it. */
const copied = async (ask: Ask, type: CheckType, id: string | null): Promise<Typed | null> => {
  if (id === null) return null
  const params = { id }
  const [check, config] = await Promise.all([ask('getCheck', { params }), ask('getCheckConfig', { params })])
  if (!check.ok || !config.ok || check.value.type !== type) return null
  return typedOfCheck(check.value, config.value)
}

/** @param typed null where nothing was typed yet */
const show = async (
  ask: Ask,
  type: CheckType,
  typed: Typed | null,
  { problem, trial = null }: { problem?: Problem; trial?: Trial | null } = {},
): Promise<Outcome> => {
  const [me, listed] = await Promise.all([ask('getMe', {}), ask('listAgents', {})])
  if (!me.ok) return refused(me)
  if (!listed.ok) return refused(listed)
  const { agents } = listed.value
  const texts = typed ?? typedOfNew(type, me.value)
  const form: FormState =
    problem === undefined ? { typed: texts, message: null, problems: [] } : refusedForm(texts, problem)
  return {
    kind: 'page',
    title: `New ${type} check`,
    area: 'checks',
    status: problem?.status ?? 200,
    main: newCheckPage(type, form, { me: me.value, agents, trial }),
  }
}
