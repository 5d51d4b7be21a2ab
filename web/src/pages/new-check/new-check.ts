import { CheckType } from '@probe-mesh/contracts/check/check'
import { refuse, toProblem, type Problem } from '@probe-mesh/contracts/schema/refusal'
import type { Trial } from '@probe-mesh/contracts/check/trial'
import type { Ask } from '../../api/ask.ts'
import type { FormState, Typed } from '../../html/components/form.ts'
import { createBody, typedIn, typedOfNew } from '../check-form/check-texts.ts'
import { typedOfDraft } from '../check-form/draft-texts.ts'
import { takeOffer } from '../check-form/offers.ts'
import { applyStepAct, parseStepAct, stepsIn } from '../check-form/step-texts.ts'
import { typeForms } from '../check-fields/type-forms.ts'
import { withSteps } from '../check-form/with-steps.ts'
import type { ImportNotes } from '../check-form/import-notes.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { newCheckPage } from './new-check-page.ts'

/** Creating a check: one form per type, an http check first. */
export const newCheckRoutes: readonly MemberRoute[] = [
  get('/dashboard/checks/new', ({ ask }) => show(ask, 'http', null)),
  get('/dashboard/checks/new/:type', async ({ ask, params }) => {
    const type = CheckType.safeParse(params['type'])
    return type.success ? show(ask, type.data, null) : noSuchType
  }),
  post('/dashboard/checks/new/:type', async ({ ask, params, form }) => {
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
  }),
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

/** A curl command fills in the form of an http check; what cannot be read stays with its reasons. */
const pasted = async (ask: Ask, text: string): Promise<Outcome> => {
  const answer = await ask('readImport', { body: { kind: 'curl', text } })
  if (!answer.ok) {
    const { errors, message } = answer.problem
    const notes = errors.length === 0 ? [message] : errors.map((error) => error.message)
    return show(ask, 'http', null, { curl: { text, notes } })
  }
  const draft = answer.value
  if (draft.kind !== 'curl') throw new Error('a command was read as something else')
  return show(ask, 'http', typedOfDraft(draft.check), { imported: draft })
}

/** `New HTTP check`, `New journey` */
const newTitle = (type: CheckType): string =>
  type === 'multistep' || type === 'heartbeat'
    ? `New ${typeForms[type].name.toLowerCase()}`
    : `New ${typeForms[type].name} check`

type Shown = {
  problem?: Problem
  trial?: Trial | null
  curl?: { text: string; notes: readonly string[] } | null
  imported?: ImportNotes | null
}

/** @param typed null before any input; missing fields keep their defaults */
const show = async (
  ask: Ask,
  type: CheckType,
  typed: Typed | null,
  { problem, trial = null, curl = null, imported = null }: Shown = {},
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
    main: newCheckPage(type, form, { me: me.value, agents, trial, curl, imported }),
  }
}

export { show as showNewCheck }
