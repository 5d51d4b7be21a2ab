import { z } from 'zod'
import {
  ErrorIssueDays,
  ErrorIssueHours,
  ErrorIssueHoursQuery,
  ErrorMarks,
  ErrorMarksQuery,
} from './error-marks.ts'
import {
  CreateErrorRuleInput,
  ErrorRule,
  ErrorRuleParams,
  UpdateErrorRuleInput,
} from './error-rule.ts'
import { ErrorIssueParams, ErrorProjectParams } from './error-tracking.ts'
import type { Route } from '../schema/route.ts'

/** Of the dashboard's own table: who is told of error issues, and what joins them with checks. */
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
    summary: 'Make an alert rule of error tracking',
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
    summary: 'Remove an alert rule of error tracking',
    success: 200,
    params: ErrorRuleParams,
    output: z.object({ id: z.string(), deleted: z.literal(true) }),
  },
  getErrorMarks: {
    method: 'GET',
    path: '/error-marks',
    scope: 'read',
    budget: 'reads',
    summary:
      'Releases and beginning error issues of a span, or of the minutes in which a check failed',
    success: 200,
    query: ErrorMarksQuery,
    output: ErrorMarks,
  },
  getErrorIssueHours: {
    method: 'GET',
    path: '/error-projects/:id/hours',
    scope: 'read',
    budget: 'reads',
    summary: 'Events of the last 24 hours of several issues, by the hour',
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
    summary: 'Events of the last 30 days of an issue, by the day',
    success: 200,
    params: ErrorIssueParams,
    output: ErrorIssueDays,
    codes: ['SV-9002'],
  },
} as const satisfies Record<string, Route>
