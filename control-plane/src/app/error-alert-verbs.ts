import { createErrorRule } from '../error-tracking/alert/create-error-rule.ts'
import { deleteErrorRule } from '../error-tracking/alert/delete-error-rule.ts'
import { getErrorIssueDays } from '../error-tracking/issues/get-error-issue-days.ts'
import { getErrorIssueHours } from '../error-tracking/issues/get-error-issue-hours.ts'
import { getErrorMarks } from '../error-tracking/issues/get-error-marks.ts'
import { listErrorRules } from '../error-tracking/alert/list-error-rules.ts'
import { updateErrorRule } from '../error-tracking/alert/update-error-rule.ts'
import type { errorAlertRoutes } from '@probe-mesh/contracts/error-tracking/error-alert-routes'
import type { DashboardVerbs } from './dashboard-verbs.ts'

/** What each of the dashboard's routes does that joins error tracking with alerts and checks. */
export const errorAlertVerbs: Pick<DashboardVerbs, keyof typeof errorAlertRoutes> = {
  listErrorRules: ({ account }, { caller }) => listErrorRules(account, caller),
  createErrorRule: ({ account }, { caller }, input) => createErrorRule(account, caller, input),
  updateErrorRule: ({ account }, { caller }, input) => updateErrorRule(account, caller, input),
  deleteErrorRule: ({ account }, { caller }, input) => deleteErrorRule(account, caller, input),
  getErrorMarks: ({ account }, { caller }, input) => getErrorMarks(account, caller, input),
  getErrorIssueHours: ({ account }, { caller }, input) =>
    getErrorIssueHours(account, caller, input),
  getErrorIssueDays: ({ account }, { caller }, input) => getErrorIssueDays(account, caller, input),
}
