import { z } from 'zod'
import { AlertRule, AlertRuleParams, CreateAlertRuleInput, UpdateAlertRuleInput } from './alert-rule.ts'
import type { Route } from '../schema/route.ts'

/** Alert rules of the account, for the dashboard. */
export const alertRuleRoutes = {
  listAlertRules: {
    method: 'GET',
    path: '/alert-rules',
    scope: 'read',
    budget: 'reads',
    summary: 'Alert rules of the account',
    success: 200,
    output: z.object({ alertRules: z.array(AlertRule) }),
  },
  createAlertRule: {
    method: 'POST',
    path: '/alert-rules',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Create an alert rule',
    success: 201,
    body: CreateAlertRuleInput,
    output: AlertRule,
    codes: ['SV-3002'],
  },
  updateAlertRule: {
    method: 'PATCH',
    path: '/alert-rules/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Change an alert rule',
    success: 200,
    params: AlertRuleParams,
    body: UpdateAlertRuleInput,
    output: AlertRule,
  },
  deleteAlertRule: {
    method: 'DELETE',
    path: '/alert-rules/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Delete an alert rule',
    success: 200,
    params: AlertRuleParams,
    output: z.object({ id: z.string(), deleted: z.literal(true) }),
  },
} as const satisfies Record<string, Route>
