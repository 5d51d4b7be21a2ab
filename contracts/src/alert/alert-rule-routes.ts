import { z } from 'zod'
import { AlertAddress, AlertAddressParams } from './alert-address.ts'
import { AlertRule, AlertRuleParams, CreateAlertRuleInput, UpdateAlertRuleInput } from './alert-rule.ts'
import { CheckReceivers } from './check-receivers.ts'
import { read, write, type Route } from '../schema/route.ts'

/** Alert rules of the account, for the dashboard. */
export const alertRuleRoutes = {
  listAlertRules: read({
    path: '/alert-rules',
    summary: 'Alert rules of the account, and the addresses that they name',
    output: z.object({
      alertRules: z.array(AlertRule),
      addresses: z.array(AlertAddress),
      /** Whether this server sends mail. */
      sendsMail: z.boolean(),
    }),
  }),
  createAlertRule: write({
    method: 'POST',
    path: '/alert-rules',
    summary: 'Create an alert rule',
    success: 201,
    body: CreateAlertRuleInput,
    output: AlertRule,
    codes: ['SV-3002', 'SV-6005'],
  }),
  updateAlertRule: write({
    method: 'PATCH',
    path: '/alert-rules/:id',
    summary: 'Change an alert rule',
    params: AlertRuleParams,
    body: UpdateAlertRuleInput,
    output: AlertRule,
    codes: ['SV-3002', 'SV-6005'],
  }),
  deleteAlertRule: write({
    method: 'DELETE',
    path: '/alert-rules/:id',
    summary: 'Delete an alert rule',
    params: AlertRuleParams,
    output: z.object({ id: z.string(), deleted: z.literal(true) }),
  }),
  askAlertAddress: write({
    method: 'POST',
    path: '/alert-addresses/:id/confirmation',
    summary: 'Mail another confirmation link to an address; the former link stops working',
    params: AlertAddressParams,
    output: AlertAddress,
    codes: ['SV-3002', 'SV-6005'],
  }),
  getCheckReceivers: read({
    path: '/checks/:id/receivers',
    summary: 'Receivers of messages about an outage of a check',
    params: AlertRuleParams,
    output: CheckReceivers,
  }),
} as const satisfies Record<string, Route>
