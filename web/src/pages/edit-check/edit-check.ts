import type { Check, CheckType } from '@probe-mesh/contracts/check/check'
import type { FormState, Typed } from '../../html/components/form.ts'
import type { Ask, Asked } from '../../api/ask.ts'
import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import type { Trial } from '@probe-mesh/contracts/check/trial'
import {
  assertionsBody,
  createBody,
  editBody,
  judgingBody,
  sendRegionBody,
  typedIn,
  typedOfCheck,
} from '../check-form/check-texts.ts'
import { splitRegions } from '../check-form/regions-field.ts'
import { applyStepAct, parseStepAct, stepInputs, stepsIn } from '../check-form/step-texts.ts'
import { withSteps } from '../check-form/with-steps.ts'
import { refusedForm, refused } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { editCheckPage, editHttpPage, pathOf, stepsPage } from './edit-check-page.ts'
import type { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import type { Me } from '@probe-mesh/contracts/account/account'

/** A check as it is now, as its form shows it, and what the account may have. */
type HeldCheck = { check: Check; typed: Typed; me: Me; agents: readonly PrivateAgent[] }

/** Reads the check that a path names, and goes on with it; a refusal is shown instead. */
const withCheck = async (
  ask: Ask,
  { id = '' }: Readonly<Record<string, string>>,
  goOn: (held: HeldCheck) => Promise<Outcome>,
): Promise<Outcome> => {
  const params = { id }
  const [check, config, me, listed] = await Promise.all([
    ask('getCheck', { params }),
    ask('getCheckConfig', { params }),
    ask('getMe', {}),
    ask('listAgents', {}),
  ])
  if (!check.ok) return refused(check)
  if (!config.ok) return refused(config)
  if (!me.ok) return refused(me)
  if (!listed.ok) return refused(listed)
  const typed = typedOfCheck(check.value, config.value)
  const { agents } = listed.value
  return goOn({ check: check.value, typed, me: me.value, agents })
}

/** Changing a check: what its type lets one change, and of a journey the whole list of its steps. */
export const editCheckRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: '/dashboard/checks/:id/edit',
    serve: ({ ask, params }) => withCheck(ask, params, async (held) => showEdit(held)),
  },
  {
    method: 'POST',
    path: '/dashboard/checks/:id/edit',
    serve: ({ ask, params, form }) =>
      withCheck(ask, params, async (held) => {
        const typed = typedIn(form)
        const { id, type } = held.check
        if (type === 'http') return { kind: 'elsewhere', path: `${pathOf(held.check)}/edit` }
        if (form.get('act') === 'try') return showEdit({ ...held, typed }, await tried(ask, type, typed))
        const body = editBody(type, typed)
        return settle(held, typed, await ask('editTypedCheck', { params: { id }, body }))
      }),
  },
  {
    method: 'POST',
    path: '/dashboard/checks/:id/edit/regions',
    serve: ({ ask, params, form }) =>
      withCheck(ask, params, async (held) => {
        const typed = { ...held.typed, regions: typedIn(form)['regions'] }
        const body = { regions: splitRegions(typed.regions) }
        const input = { params: { id: held.check.id }, body }
        return settle(held, typed, await ask('updateCheckRegions', input))
      }),
  },
  {
    method: 'POST',
    path: '/dashboard/checks/:id/edit/assertions',
    serve: ({ ask, params, form }) =>
      withCheck(ask, params, async (held) => {
        const { regions, timeoutSeconds, refusedAs } = held.typed
        const typed = { ...typedIn(form), regions, timeoutSeconds, refusedAs }
        const input = { params: { id: held.check.id }, body: assertionsBody(typed) as never }
        return settle(held, typed, await ask('updateCheckAssertions', input))
      }),
  },
  {
    method: 'POST',
    path: '/dashboard/checks/:id/edit/header',
    serve: ({ ask, params, form }) =>
      withCheck(ask, params, async (held) => {
        const body = sendRegionBody(typedIn(form))
        const typed = { ...held.typed, sendRegion: body.sendRegion ? 'on' : undefined }
        const input = { params: { id: held.check.id }, body }
        return settle(held, typed, await ask('editTypedCheck', input))
      }),
  },
  {
    method: 'POST',
    path: '/dashboard/checks/:id/edit/judging',
    serve: ({ ask, params, form }) =>
      withCheck(ask, params, async (held) => {
        const { timeoutSeconds, refusedAs } = typedIn(form)
        const typed = { ...held.typed, timeoutSeconds, refusedAs }
        const input = { params: { id: held.check.id }, body: judgingBody(typed) as never }
        return settle(held, typed, await ask('updateCheckRegions', input))
      }),
  },
  // where a form was refused: who loads its address anew sees the page that it is on
  ...['regions', 'assertions', 'header', 'judging'].map((part): MemberRoute => ({
    method: 'GET',
    path: `/dashboard/checks/:id/edit/${part}`,
    serve: async ({ params: { id = '' } }) => ({
      kind: 'elsewhere',
      path: `${pathOf({ id: encodeURIComponent(id) })}/edit`,
    }),
  })),
  {
    method: 'GET',
    path: '/dashboard/checks/:id/steps',
    serve: ({ ask, params }) => withCheck(ask, params, async (held) => showSteps(held)),
  },
  {
    method: 'POST',
    path: '/dashboard/checks/:id/steps',
    serve: ({ ask, params, form }) =>
      withCheck(ask, params, async (held) => {
        const typed = typedIn(form)
        const steps = stepsIn(typed)
        const act = parseStepAct(form.get('act'))
        if (act !== null) {
          return showSteps({ ...held, typed: withSteps(typed, applyStepAct(steps, act)) })
        }
        const whole = { ...held, typed: withSteps(typed, steps) }
        if (form.get('act') === 'try') {
          // with the regions that the check has
          const all = withSteps(held.typed, steps)
          return showSteps(whole, await tried(ask, held.check.type, all))
        }
        const input = { params: { id: held.check.id }, body: { steps: stepInputs(steps) } }
        const answer = await ask('replaceSteps', input)
        if (answer.ok) return { kind: 'elsewhere', path: pathOf(held.check) }
        return showSteps(whole, answer)
      }),
  },
]

/** What came of a form that is shown again: a refusal, or what was seen when it was tried. */
type Shown = { problem?: Problem; trial?: Trial | null }

const tried = async (ask: Ask, type: CheckType, typed: Typed): Promise<Shown> => {
  const answer = await ask('tryCheck', { body: createBody(type, typed) })
  return answer.ok ? { trial: answer.value } : { problem: answer.problem }
}

const settle = (held: HeldCheck, typed: Typed, answer: Asked<Check>): Outcome =>
  answer.ok ? { kind: 'elsewhere', path: pathOf(held.check) } : showEdit({ ...held, typed }, answer)

const formOf = (typed: Typed, problem: Problem | undefined): FormState =>
  problem === undefined ? { typed, message: null, problems: [] } : refusedForm(typed, problem)

const showEdit = (
  { check, typed, me, agents }: HeldCheck,
  { problem, trial = null }: Shown = {},
): Outcome => {
  const form = formOf(typed, problem)
  return {
    kind: 'page',
    title: 'Edit a check',
    area: 'checks',
    status: problem?.status ?? 200,
    main:
      check.type === 'http'
        ? editHttpPage(check, form, { me, agents })
        : editCheckPage(check, form, { me, agents, trial }),
  }
}

/** A check of another type has none: its edit page says what it has. */
const showSteps = ({ check, typed }: HeldCheck, { problem, trial = null }: Shown = {}): Outcome =>
  check.type === 'multistep'
    ? {
        kind: 'page',
        title: 'Steps of a journey',
        area: 'checks',
        status: problem?.status ?? 200,
        main: stepsPage(check, formOf(typed, problem), trial),
      }
    : { kind: 'elsewhere', path: `${pathOf(check)}/edit` }
