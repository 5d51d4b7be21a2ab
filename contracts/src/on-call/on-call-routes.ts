import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import type { Route } from '../schema/route.ts'
import { EscalationPolicy, EscalationPolicyInput } from './escalation-policy.ts'
import { Schedule, ScheduleInput, Shift } from './schedule.ts'

const params = z.object({ id: Uuid })
const Deleted = z.object({ id: z.string(), deleted: z.literal(true) })

/** Schedules and escalation policies of the account, for the dashboard. */
export const onCallRoutes = {
  listSchedules: {
    method: 'GET',
    path: '/on-call/schedules',
    scope: 'read',
    budget: 'reads',
    summary: 'On-call schedules by name, with the member who is on call now',
    success: 200,
    output: z.object({ schedules: z.array(Schedule) }),
  },
  getSchedule: {
    method: 'GET',
    path: '/on-call/schedules/:id',
    scope: 'read',
    budget: 'reads',
    summary: 'One on-call schedule with its shifts of the next four weeks',
    success: 200,
    params,
    output: z.object({ schedule: Schedule, shifts: z.array(Shift) }),
  },
  createSchedule: {
    method: 'POST',
    path: '/on-call/schedules',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Create an on-call schedule',
    success: 201,
    body: ScheduleInput,
    output: Schedule,
    codes: ['SV-3002'],
  },
  updateSchedule: {
    method: 'PATCH',
    path: '/on-call/schedules/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Replace the settings of an on-call schedule',
    success: 200,
    params,
    body: ScheduleInput,
    output: Schedule,
  },
  deleteSchedule: {
    method: 'DELETE',
    path: '/on-call/schedules/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Delete an on-call schedule that no escalation policy names',
    success: 200,
    params,
    output: Deleted,
    codes: ['SV-3002'],
  },
  listEscalationPolicies: {
    method: 'GET',
    path: '/on-call/policies',
    scope: 'read',
    budget: 'reads',
    summary: 'Escalation policies by name',
    success: 200,
    output: z.object({ policies: z.array(EscalationPolicy) }),
  },
  createEscalationPolicy: {
    method: 'POST',
    path: '/on-call/policies',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Create an escalation policy',
    success: 201,
    body: EscalationPolicyInput,
    output: EscalationPolicy,
    codes: ['SV-3002'],
  },
  updateEscalationPolicy: {
    method: 'PATCH',
    path: '/on-call/policies/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Replace the settings of an escalation policy',
    success: 200,
    params,
    body: EscalationPolicyInput,
    output: EscalationPolicy,
  },
  deleteEscalationPolicy: {
    method: 'DELETE',
    path: '/on-call/policies/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Delete an escalation policy that no alert rule names',
    success: 200,
    params,
    output: Deleted,
    codes: ['SV-3002'],
  },
} as const satisfies Record<string, Route>
