import { CheckType } from '@probe-mesh/contracts/check/check'
import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import type { Trial } from '@probe-mesh/contracts/check/trial'
import type { Ask } from '../../api/ask.ts'
import type { FormState, Typed } from '../../html/components/form.ts'
import { createBody, typedIn, typedOfNew } from '../check-form/check-texts.ts'
import { takeOffer } from '../check-form/offers.ts'
import { applyStepAct, newStep, parseStepAct, stepsIn } from '../check-form/step-texts.ts'
import { typeTexts } from '../check-type-texts.ts'
import { withSteps } from '../check-form/with-steps.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { newCheckPage } from './new-check-page.ts'
import { parseCurl } from './parse-curl.ts'
import type { CurlRequest } from './parse-curl.ts'

/** Creating a check: one form per type, an http check first. */
export const newCheckRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: '/dashboard/checks/new',
    serve: ({ ask }) => show(ask, 'http', null),
  },
  {
    method: 'GET',
    path: '/dashboard/checks/new/:type',
    serve: async ({ ask, params }) => {
      const type = CheckType.safeParse(params['type'])
      return type.success ? show(ask, type.data, null) : noSuchType
    },
  },
  {
    method: 'POST',
    path: '/dashboard/checks/new/:type',
    serve: async ({ ask, params, form }) => {
      const type = CheckType.safeParse(params['type'])
      if (!type.success) return noSuchType
      if (form.get('act') === 'curl') return pasted(ask, form.get('curl') ?? '')
      const typed = typedIn(form)
      const act = parseStepAct(form.get('act'))
      if (act !== null) {
        return show(ask, type.data, withSteps(typed, applyStepAct(stepsIn(typed), act)))
      }
      const offered = takeOffer(form.get('act'), typed)
      if (offered !== null) return show(ask, type.data, offered)
      const whole = withSteps(typed, stepsIn(typed))
      return form.get('act') === 'try' ? attempt(ask, type.data, whole) : create(ask, type.data, whole)
    },
  },
]

const noSuchType = refused({ problem: toProblem(refuse('SV-3001')), retryAfter: null })

const create = async (ask: Ask, type: CheckType, typed: Typed): Promise<Outcome> => {
  // the API validates the body and lists its problems
  const body = createBody(type, typed) as never
  const answer = await ask('createTypedCheck', { body })
  if (!answer.ok) return show(ask, type, typed, { problem: answer.problem })
  return { kind: 'elsewhere', path: `/dashboard/checks/${answer.value.id}`, done: 'check-created' }
}

/** Runs a trial of the form, and shows the form again with the result. */
const attempt = async (ask: Ask, type: CheckType, typed: Typed): Promise<Outcome> => {
  const answer = await ask('tryCheck', { body: createBody(type, typed) })
  return show(ask, type, typed, answer.ok ? { trial: answer.value } : { problem: answer.problem })
}

/** A plain GET becomes an http check, any other request a journey of one step. */
const pasted = async (ask: Ask, text: string): Promise<Outcome> => {
  const request = parseCurl(text.trim())
  if ('problem' in request) return show(ask, 'http', null, { curl: { text, notes: [request.problem] } })
  const left =
    request.ignored.length === 0
      ? []
      : [`Left out, since a check cannot send it: ${request.ignored.join(', ')}.`]
  const isPlain = request.method === 'GET' && request.body === null
  return show(ask, isPlain ? 'http' : 'multistep', isPlain ? { url: request.url } : stepOf(request), {
    curl: left.length === 0 ? null : { text, notes: left },
  })
}

const stepOf = ({ method, url, body, contentType }: CurlRequest): Typed =>
  withSteps({}, [
    {
      ...newStep,
      name: 'request',
      method,
      url,
      body: body ?? undefined,
      contentType: contentType ?? undefined,
    },
  ])

/** `New HTTP check`, `New journey` */
const newTitle = (type: CheckType): string =>
  type === 'multistep' || type === 'heartbeat'
    ? `New ${typeTexts[type].name.toLowerCase()}`
    : `New ${typeTexts[type].name} check`

type Shown = {
  problem?: Problem
  trial?: Trial | null
  curl?: { text: string; notes: readonly string[] } | null
}

/** @param typed null before any input; missing fields keep their defaults */
const show = async (
  ask: Ask,
  type: CheckType,
  typed: Typed | null,
  { problem, trial = null, curl = null }: Shown = {},
): Promise<Outcome> => {
  const [me, listed] = await Promise.all([ask('getMe', {}), ask('listAgents', {})])
  if (!me.ok) return refused(me)
  if (!listed.ok) return refused(listed)
  const { agents } = listed.value
  const isPartial = typed !== null && typed['regions'] === undefined
  const texts = typed === null || isPartial ? { ...typedOfNew(type, me.value), ...typed } : typed
  const form: FormState =
    problem === undefined ? { typed: texts, message: null, problems: [] } : refusedForm(texts, problem)
  return {
    kind: 'page',
    title: newTitle(type),
    area: 'checks',
    status: problem?.status ?? 200,
    main: newCheckPage(type, form, { me: me.value, agents, trial, curl }),
  }
}
