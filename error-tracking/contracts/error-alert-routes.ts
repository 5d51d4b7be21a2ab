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
import { read, write, type Route } from '@probe-mesh/contracts/schema/route'

/** Dashboard routes: alert rules for error issues, and their relation to checks. */
export const errorAlertRoutes = {
  listErrorRules: read({
    path: '/error-rules',
    summary: 'Alert rules of error tracking',
    output: z.object({ errorRules: z.array(ErrorRule) }),
  }),
  createErrorRule: write({
    method: 'POST',
    path: '/error-rules',
    summary: 'Create an alert rule of error tracking',
    success: 201,
    body: CreateErrorRuleInput,
    output: ErrorRule,
    codes: ['SV-3002'],
  }),
  updateErrorRule: write({
    method: 'PATCH',
    path: '/error-rules/:id',
    summary: 'Change an alert rule of error tracking',
    params: ErrorRuleParams,
    body: UpdateErrorRuleInput,
    output: ErrorRule,
  }),
  deleteErrorRule: write({
    method: 'DELETE',
    path: '/error-rules/:id',
    summary: 'Delete an alert rule of error tracking',
    params: ErrorRuleParams,
    output: z.object({ id: z.string(), deleted: z.literal(true) }),
  }),
  getErrorMarks: read({
    path: '/error-marks',
    summary: 'New releases and error issues in a time range, or while a check failed',
    query: ErrorMarksQuery,
    output: ErrorMarks,
  }),
  getErrorIssueHours: read({
    path: '/error-projects/:id/hours',
    summary: 'Hourly events of several issues in the last 24 hours',
    params: ErrorProjectParams,
    query: ErrorIssueHoursQuery,
    output: ErrorIssueHours,
    codes: ['SV-9002'],
  }),
  getErrorIssueDays: read({
    path: '/error-issues/:id/days',
    summary: 'Daily events of an issue in the last 30 days',
    params: ErrorIssueParams,
    output: ErrorIssueDays,
    codes: ['SV-9002'],
  }),
} as const satisfies Record<string, Route>
