import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { read, write, type Route } from '../schema/route.ts'
import { EscalationPolicy, EscalationPolicyInput } from './escalation-policy.ts'
import { Schedule, ScheduleInput, Shift } from './schedule.ts'

const params = z.object({ id: Uuid })
const Deleted = z.object({ id: z.string(), deleted: z.literal(true) })

/** Schedules and escalation policies of the account, for the dashboard. */
export const onCallRoutes = {
  listSchedules: read({
    path: '/on-call/schedules',
    summary: 'On-call schedules by name, with the member who is on call now',
    output: z.object({ schedules: z.array(Schedule) }),
  }),
  getSchedule: read({
    path: '/on-call/schedules/:id',
    summary: 'One on-call schedule with its shifts of the next four weeks',
    params,
    output: z.object({ schedule: Schedule, shifts: z.array(Shift) }),
  }),
  createSchedule: write({
    method: 'POST',
    path: '/on-call/schedules',
    summary: 'Create an on-call schedule',
    success: 201,
    body: ScheduleInput,
    output: Schedule,
    codes: ['SV-3002'],
  }),
  updateSchedule: write({
    method: 'PATCH',
    path: '/on-call/schedules/:id',
    summary: 'Replace the settings of an on-call schedule',
    params,
    body: ScheduleInput,
    output: Schedule,
  }),
  replaceCalendarAddress: write({
    method: 'POST',
    path: '/on-call/schedules/:id/calendar-address',
    summary: 'Replace the secret address of a calendar; the former one ends at once',
    params,
    output: Schedule,
  }),
  deleteSchedule: write({
    method: 'DELETE',
    path: '/on-call/schedules/:id',
    summary: 'Delete an on-call schedule that no escalation policy names',
    params,
    output: Deleted,
    codes: ['SV-3002'],
  }),
  listEscalationPolicies: read({
    path: '/on-call/policies',
    summary: 'Escalation policies by name',
    output: z.object({ policies: z.array(EscalationPolicy) }),
  }),
  createEscalationPolicy: write({
    method: 'POST',
    path: '/on-call/policies',
    summary: 'Create an escalation policy',
    success: 201,
    body: EscalationPolicyInput,
    output: EscalationPolicy,
    codes: ['SV-3002'],
  }),
  updateEscalationPolicy: write({
    method: 'PATCH',
    path: '/on-call/policies/:id',
    summary: 'Replace the settings of an escalation policy',
    params,
    body: EscalationPolicyInput,
    output: EscalationPolicy,
  }),
  deleteEscalationPolicy: write({
    method: 'DELETE',
    path: '/on-call/policies/:id',
    summary: 'Delete an escalation policy that no alert rule names',
    params,
    output: Deleted,
    codes: ['SV-3002'],
  }),
} as const satisfies Record<string, Route>
