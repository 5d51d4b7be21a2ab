import { z } from 'zod'
import {
  ErrorIssueDays,
  ErrorIssueHours,
  ErrorIssueHoursQuery,
  ErrorMarks,
  ErrorMarksQuery,
} from './error-marks.ts'
import { CreateErrorRuleInput, ErrorRule, ErrorRuleParams, UpdateErrorRuleInput } from './error-rule.ts'
import { ErrorIssueParams, ErrorProjectParams } from './error-tracking.ts'
import type { Route } from '@probe-mesh/contracts/schema/route'

/** Dashboard routes: alert rules for error issues, and their relation to checks. */
export const errorAlertRoutes = {
  listErrorRules: {
    method: 'GET',
    path: '/error-rules',
    scope: 'read',
    budget: 'reads',
    summary: 'Alert rules of error tracking',
    success: 200,
    output: z.object({ errorRules: z.array(ErrorRule) }),
  },
  createErrorRule: {
    method: 'POST',
    path: '/error-rules',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Create an alert rule of error tracking',
    success: 201,
    body: CreateErrorRuleInput,
    output: ErrorRule,
    codes: ['SV-3002'],
  },
  updateErrorRule: {
    method: 'PATCH',
    path: '/error-rules/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Change an alert rule of error tracking',
    success: 200,
    params: ErrorRuleParams,
    body: UpdateErrorRuleInput,
    output: ErrorRule,
  },
  deleteErrorRule: {
    method: 'DELETE',
    path: '/error-rules/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Delete an alert rule of error tracking',
    success: 200,
    params: ErrorRuleParams,
    output: z.object({ id: z.string(), deleted: z.literal(true) }),
  },
  getErrorMarks: {
    method: 'GET',
    path: '/error-marks',
    scope: 'read',
    budget: 'reads',
    summary: 'New releases and error issues in a time range, or while a check failed',
    success: 200,
    query: ErrorMarksQuery,
    output: ErrorMarks,
  },
  getErrorIssueHours: {
    method: 'GET',
    path: '/error-projects/:id/hours',
    scope: 'read',
    budget: 'reads',
    summary: 'Hourly events of several issues in the last 24 hours',
    success: 200,
    params: ErrorProjectParams,
    query: ErrorIssueHoursQuery,
    output: ErrorIssueHours,
    codes: ['SV-9002'],
  },
  getErrorIssueDays: {
    method: 'GET',
    path: '/error-issues/:id/days',
    scope: 'read',
    budget: 'reads',
    summary: 'Daily events of an issue in the last 30 days',
    success: 200,
    params: ErrorIssueParams,
    output: ErrorIssueDays,
    codes: ['SV-9002'],
  },
} as const satisfies Record<string, Route>
