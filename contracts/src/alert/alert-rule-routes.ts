import { z } from 'zod'
import { AlertAddress, AlertAddressParams } from './alert-address.ts'
import { AlertRule, AlertRuleParams, CreateAlertRuleInput, UpdateAlertRuleInput } from './alert-rule.ts'
import { CheckReceivers } from './check-receivers.ts'
import type { Route } from '../schema/route.ts'

/** Alert rules of the account, for the dashboard. */
export const alertRuleRoutes = {
  listAlertRules: {
    method: 'GET',
    path: '/alert-rules',
    scope: 'read',
    budget: 'reads',
    summary: 'Alert rules of the account, and the addresses that they name',
    success: 200,
    output: z.object({
      alertRules: z.array(AlertRule),
      addresses: z.array(AlertAddress),
      /** Whether this server sends mail. */
      sendsMail: z.boolean(),
    }),
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
    codes: ['SV-3002', 'SV-6005'],
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
    codes: ['SV-3002', 'SV-6005'],
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
  askAlertAddress: {
    method: 'POST',
    path: '/alert-addresses/:id/confirmation',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Mail another confirmation link to an address; the former link stops working',
    success: 200,
    params: AlertAddressParams,
    output: AlertAddress,
    codes: ['SV-3002', 'SV-6005'],
  },
  getCheckReceivers: {
    method: 'GET',
    path: '/checks/:id/receivers',
    scope: 'read',
    budget: 'reads',
    summary: 'Receivers of messages about an outage of a check',
    success: 200,
    params: AlertRuleParams,
    output: CheckReceivers,
  },
} as const satisfies Record<string, Route>
