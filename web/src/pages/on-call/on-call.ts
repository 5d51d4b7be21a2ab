import { plainProblem } from '@probe-mesh/contracts/schema/plain-problem'
import { EscalationPolicyInput } from '@probe-mesh/contracts/on-call/escalation-policy'
import { ScheduleInput, type Schedule } from '@probe-mesh/contracts/on-call/schedule'
import {
  fieldProblems,
  refuse,
  toProblem,
  type FieldProblem,
  type Problem,
} from '@probe-mesh/contracts/schema/refusal'
import type { z } from 'zod'
import type { Ask } from '../../api/ask.ts'
import { confirmForm } from '../../html/components/confirm-form.ts'
import { emptyForm } from '../../html/components/form.ts'
import { named } from '../../html/measures.ts'
import { html } from '@probe-mesh/runtime/html'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { onCallPage, schedulePage } from './on-call-page.ts'
import { policyBody, policyForm, submittedPolicy, typedPolicy, type TypedPolicy } from './policy-form.ts'
import {
  scheduleBody,
  scheduleForm,
  submittedSchedule,
  typedSchedule,
  type TypedSchedule,
} from './schedule-form.ts'

const list = '/dashboard/on-call'
const area = 'on-call'
const elsewhere = { kind: 'elsewhere', path: list } as const

/** The input, or everything that is wrong with it. */
const parsed = <S extends z.ZodType>(
  schema: S,
  body: unknown,
  more: readonly FieldProblem[] = [],
): { ok: true; body: z.output<S> } | { ok: false; problem: Problem } => {
  const found = schema.safeParse(body, { error: plainProblem })
  // a line without a member is no id either: one problem is enough
  const own = found.success ? [] : fieldProblems(found.error)
  const errors = [...more, ...own.filter(({ path }) => !more.some((each) => each.path === path))]
  if (found.success && errors.length === 0) return { ok: true, body: found.data }
  return { ok: false, problem: toProblem(refuse('SV-2001', { errors })) }
}

const peopleOf = async (ask: Ask) => {
  const members = await ask('listMembers', {})
  return members.ok ? { ok: true as const, value: members.value.members } : members
}

type To = { id: string | null; title: string }
const newSchedule: To = { id: null, title: 'New on-call schedule' }
const newPolicy: To = { id: null, title: 'New escalation policy' }

const shownSchedule = async (
  ask: Ask,
  to: To,
  typed: TypedSchedule | null,
  { zone, problem }: { zone: string; problem?: Problem },
): Promise<Outcome> => {
  const people = await peopleOf(ask)
  if (!people.ok) return refused(people)
  const form = problem === undefined ? emptyForm : refusedForm({}, problem)
  const status = problem?.status ?? 200
  if (to.id === null) {
    const shown = typed ?? typedSchedule(null, people.value, zone)
    return { kind: 'page', title: to.title, area, status, main: scheduleForm(to, shown, people.value, form) }
  }
  const found = await ask('getSchedule', { params: { id: to.id } })
  if (!found.ok) return refused(found)
  const { schedule, shifts } = found.value
  const shown = typed ?? typedSchedule(schedule, people.value, zone)
  const edit = scheduleForm(to, shown, people.value, form)
  const main = schedulePage(schedule, shifts, people.value, edit)
  return { kind: 'page', title: schedule.name, area, status, main }
}

const shownPolicy = async (ask: Ask, to: To, typed: TypedPolicy, problem?: Problem): Promise<Outcome> => {
  const [people, schedules, channels] = await Promise.all([
    peopleOf(ask),
    ask('listSchedules', {}),
    ask('listChannels', {}),
  ])
  if (!people.ok) return refused(people)
  if (!schedules.ok) return refused(schedules)
  if (!channels.ok) return refused(channels)
  const targets = {
    userIds: people.value.map(({ id, name, email }) => ({ id, name: name ?? email })),
    scheduleIds: schedules.value.schedules,
    channelIds: channels.value.notificationChannels,
  }
  const form = problem === undefined ? emptyForm : refusedForm({}, problem)
  const main = html`${policyForm(to, typed, targets, form)}
  ${to.id !== null && html`<p class="actions"><a class="button danger" href="${list}/policies/${to.id}/delete" data-confirm>Delete policy</a></p>`}`
  return { kind: 'page', title: to.title, area, status: problem?.status ?? 200, main }
}

/** @param id null creates it */
const saveSchedule = async (
  ask: Ask,
  id: string | null,
  { form, zone }: { form: URLSearchParams; zone: string },
): Promise<Outcome> => {
  const people = await peopleOf(ask)
  if (!people.ok) return refused(people)
  const typed = submittedSchedule(form)
  const again = (problem: Problem) => shownSchedule(ask, { ...newSchedule, id }, typed, { zone, problem })
  const { body, problems } = scheduleBody(typed, people.value)
  const input = parsed(ScheduleInput, body, problems)
  if (!input.ok) return again(input.problem)
  const answer =
    id === null
      ? await ask('createSchedule', { body: input.body })
      : await ask('updateSchedule', { params: { id }, body: input.body })
  if (answer.ok) return { kind: 'elsewhere', path: `${list}/${answer.value.id}`, done: 'schedule-saved' }
  return answer.problem.status === 404 ? refused(answer) : again(answer.problem)
}

const savePolicy = async (ask: Ask, to: To, form: URLSearchParams): Promise<Outcome> => {
  const typed = submittedPolicy(form)
  const input = parsed(EscalationPolicyInput, policyBody(typed))
  if (!input.ok) return shownPolicy(ask, to, typed, input.problem)
  const answer =
    to.id === null
      ? await ask('createEscalationPolicy', { body: input.body })
      : await ask('updateEscalationPolicy', { params: { id: to.id }, body: input.body })
  if (answer.ok) return { ...elsewhere, done: 'policy-saved' }
  return answer.problem.status === 404 ? refused(answer) : shownPolicy(ask, to, typed, answer.problem)
}

const deletePage = (title: string, name: string, action: string): Outcome => ({
  kind: 'page',
  title,
  area,
  main: html`<div data-dialog>
    <p>${named(name)} is deleted.</p>
    ${confirmForm({ action, button: title.replace('?', ''), cancel: list })}
  </div>`,
})

const replacePage = ({ id, name }: Pick<Schedule, 'id' | 'name'>): Outcome => ({
  kind: 'page',
  title: 'Replace address?',
  area,
  main: html`<div data-dialog>
    <p>
      The calendar of ${named(name)} gets another address. The former one ends at once: give the new one to
      everybody who reads the calendar.
    </p>
    ${confirmForm({
      action: `${list}/${id}/calendar-address`,
      button: 'Replace address',
      cancel: `${list}/${id}`,
    })}
  </div>`,
})

/** Schedules and escalation policies: listed, created, changed and deleted. */
export const onCallRoutes: readonly MemberRoute[] = [
  get(list, async ({ ask }) => {
    const [schedules, policies, people] = await Promise.all([
      ask('listSchedules', {}),
      ask('listEscalationPolicies', {}),
      peopleOf(ask),
    ])
    if (!schedules.ok) return refused(schedules)
    if (!policies.ok) return refused(policies)
    if (!people.ok) return refused(people)
    const main = onCallPage(schedules.value.schedules, policies.value.policies, people.value)
    return { kind: 'page', title: 'On call', area, about: 'Who takes alerts, and who is next.', main }
  }),
  // a browser requests these when a refused form is opened again
  get(`${list}/schedules`, async () => elsewhere),
  get(`${list}/policies`, async () => elsewhere),
  get(`${list}/schedules/new`, ({ ask, zone }) => shownSchedule(ask, newSchedule, null, { zone })),
  post(`${list}/schedules`, ({ ask, form, zone }) => saveSchedule(ask, null, { form, zone })),
  get(`${list}/:id`, ({ ask, params, zone }) =>
    shownSchedule(ask, { ...newSchedule, id: params['id'] ?? '' }, null, { zone }),
  ),
  post(`${list}/:id`, ({ ask, params, form, zone }) => saveSchedule(ask, params['id'] ?? '', { form, zone })),
  get(`${list}/:id/calendar-address`, async ({ ask, params }) => {
    const id = params['id'] ?? ''
    const found = await ask('getSchedule', { params: { id } })
    return found.ok ? replacePage(found.value.schedule) : refused(found)
  }),
  post(`${list}/:id/calendar-address`, async ({ ask, params }) => {
    const id = params['id'] ?? ''
    const answer = await ask('replaceCalendarAddress', { params: { id } })
    return answer.ok
      ? { kind: 'elsewhere', path: `${list}/${id}`, done: 'calendar-replaced' }
      : refused(answer)
  }),
  get(`${list}/:id/delete`, async ({ ask, params }) => {
    const id = params['id'] ?? ''
    const found = await ask('getSchedule', { params: { id } })
    if (!found.ok) return refused(found)
    return deletePage('Delete schedule?', found.value.schedule.name, `${list}/${id}/delete`)
  }),
  post(`${list}/:id/delete`, async ({ ask, params }) => {
    const answer = await ask('deleteSchedule', { params: { id: params['id'] ?? '' } })
    return answer.ok ? { ...elsewhere, done: 'schedule-deleted' } : refused(answer)
  }),
  get(`${list}/policies/new`, ({ ask }) => shownPolicy(ask, newPolicy, typedPolicy(null))),
  post(`${list}/policies`, ({ ask, form }) => savePolicy(ask, newPolicy, form)),
  get(`${list}/policies/:id`, async ({ ask, params }) => {
    const found = await findPolicy(ask, params['id'])
    if (!found.ok) return refused(found)
    if (found.value === undefined) return elsewhere
    const { id, name } = found.value
    return shownPolicy(ask, { id, title: name }, typedPolicy(found.value))
  }),
  post(`${list}/policies/:id`, ({ ask, params, form }) =>
    savePolicy(ask, { id: params['id'] ?? '', title: 'Edit escalation policy' }, form),
  ),
  get(`${list}/policies/:id/delete`, async ({ ask, params }) => {
    const found = await findPolicy(ask, params['id'])
    if (!found.ok) return refused(found)
    if (found.value === undefined) return elsewhere
    return deletePage('Delete policy?', found.value.name, `${list}/policies/${found.value.id}/delete`)
  }),
  post(`${list}/policies/:id/delete`, async ({ ask, params }) => {
    const answer = await ask('deleteEscalationPolicy', { params: { id: params['id'] ?? '' } })
    return answer.ok ? { ...elsewhere, done: 'policy-deleted' } : refused(answer)
  }),
]

const findPolicy = async (ask: Ask, id: string | undefined) => {
  const answer = await ask('listEscalationPolicies', {})
  if (!answer.ok) return answer
  return { ok: true as const, value: answer.value.policies.find((each) => each.id === id) }
}
