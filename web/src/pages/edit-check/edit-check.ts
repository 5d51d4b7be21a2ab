import type { Check } from '@probe-mesh/contracts/check/check'
import type { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import type { Member } from '@probe-mesh/contracts/account/members'
import type { Me } from '@probe-mesh/contracts/account/account'
import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import type { RuleReplay } from '@probe-mesh/contracts/check/rule-replay'
import type { Trial } from '@probe-mesh/contracts/check/trial'
import type { Typed } from '../../html/components/form.ts'
import type { Ask } from '../../api/ask.ts'
import { checkForm, withoutAssertionsPath } from '../check-form/check-form.ts'
import { createBody, editBody, typedIn, typedOfCheck } from '../check-form/check-texts.ts'
import { statusRuleIn, typedOfRule } from '../check-form/status-rule-fields.ts'
import { takeOffer } from '../check-form/offers.ts'
import { applyStepAct, parseStepAct, stepsIn } from '../check-form/step-texts.ts'
import { withSteps } from '../check-form/with-steps.ts'
import { isSearch } from '../rules/check-boxes.ts'
import { hasNotes, notesFields, notesIn, typedOfNotes } from './notes-fields.ts'
import { askParentChoices, parentsField, parentsIn, type ParentChoices } from './parents-field.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'

const pathOf = ({ id }: Pick<Check, 'id'>): string => `/dashboard/checks/${id}`

/** A stored check, the fields of its form, and the limits of the account. */
type HeldCheck = {
  check: Check
  typed: Typed
  me: Me
  agents: readonly PrivateAgent[]
  parents: ParentChoices
  members: readonly Member[]
}

/** Reads the check in the path and continues with it, or shows the refusal. */
const withCheck = async (
  ask: Ask,
  { id = '' }: Readonly<Record<string, string>>,
  form: URLSearchParams | null,
  next: (held: HeldCheck) => Promise<Outcome>,
): Promise<Outcome> => {
  const params = { id }
  const [check, config, me, listed, stored, notes, team, rule] = await Promise.all([
    ask('getCheck', { params }),
    ask('getCheckConfig', { params }),
    ask('getMe', {}),
    ask('listAgents', {}),
    ask('getCheckParents', { params }),
    ask('getCheckNotes', { params }),
    ask('listMembers', {}),
    ask('getStatusRule', { params }),
  ])
  if (!check.ok) return refused(check)
  if (!config.ok) return refused(config)
  if (!me.ok) return refused(me)
  if (!listed.ok) return refused(listed)
  if (!stored.ok) return refused(stored)
  if (!notes.ok) return refused(notes)
  if (!team.ok) return refused(team)
  if (!rule.ok) return refused(rule)
  const ticked = (form && parentsIn(form)) ?? stored.value.parentIds
  const parents = await askParentChoices(ask, id, { ticked, text: form?.get('q') ?? '' })
  if (!parents.ok) return refused(parents)
  const typed = {
    ...typedOfCheck(check.value, config.value),
    ...typedOfNotes(notes.value),
    ...(rule.value.text !== null && typedOfRule(rule.value.rule)),
  }
  return next({
    check: check.value,
    typed,
    me: me.value,
    agents: listed.value.agents,
    parents: parents.value,
    members: team.value.members,
  })
}

/** Edits a check of any type: one form, same id, same history. */
export const editCheckRoutes: readonly MemberRoute[] = [
  get('/dashboard/checks/:id/edit', ({ ask, params }) =>
    withCheck(ask, params, null, async (held) => show(held)),
  ),
  post('/dashboard/checks/:id/edit', ({ ask, params, form }) =>
    withCheck(ask, params, form, async (held) => {
      const { id, type } = held.check
      const posted = typedIn(form)
      const act = parseStepAct(form.get('act'))
      if (act !== null) {
        return show({ ...held, typed: withSteps(posted, applyStepAct(stepsIn(posted), act)) })
      }
      const offered = takeOffer(form.get('act'), posted)
      if (offered !== null) return show({ ...held, typed: offered })
      const typed = withSteps(posted, stepsIn(posted))
      if (isSearch(form)) return show({ ...held, typed })
      if (form.get('act') === 'try') {
        const answer = await ask('tryCheck', { body: createBody(type, typed) })
        return show({ ...held, typed }, answer.ok ? { trial: answer.value } : { problem: answer.problem })
      }
      if (form.get('act') === 'replay') {
        const body = statusRuleIn(typed) as never
        const answer = await ask('replayStatusRule', { params: { id }, body })
        return show({ ...held, typed }, answer.ok ? { replay: answer.value } : { problem: answer.problem })
      }
      const parentIds = parentsIn(form)
      const body = { ...editBody(type, typed), ...notesIn(form), ...(parentIds !== null && { parentIds }) }
      const answer = await ask('editTypedCheck', { params: { id }, body })
      if (!answer.ok) return show({ ...held, typed }, answer)
      return { kind: 'elsewhere', path: pathOf(held.check), done: 'check-saved' }
    }),
  ),
  // earlier versions had a separate page for steps
  get('/dashboard/checks/:id/steps', async ({ params: { id = '' } }) => ({
    kind: 'elsewhere',
    path: `${pathOf({ id: encodeURIComponent(id) })}/edit`,
  })),
]

/** @param shown the refusal of a form, or the result of a trial or a replay */
const show = (
  { check, typed, me, agents, parents, members }: HeldCheck,
  {
    problem,
    trial = null,
    replay = null,
  }: { problem?: Problem; trial?: Trial | null; replay?: RuleReplay | null } = {},
): Outcome => {
  const form = problem === undefined ? { typed, message: null, problems: [] } : refusedForm(typed, problem)
  return {
    kind: 'page',
    title: `Edit ${check.name}`,
    area: 'checks',
    crumbs: [{ path: pathOf(check), text: check.name }],
    status: problem?.status ?? 200,
    main: checkForm(check.type, withoutAssertionsPath(form), {
      path: `${pathOf(check)}/edit`,
      me,
      agents,
      trial,
      replay,
      save: 'Save',
      cancelPath: pathOf(check),
      isStored: true,
      notes: { fields: notesFields(form, members), isOpen: hasNotes(form) },
      parents: parentsField(form, parents, `${pathOf(check)}/edit`),
      isParentsOpen: parents.ticked.length > 0 || parents.text !== '',
    }),
  }
}
