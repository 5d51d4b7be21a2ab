import { createErrorRule } from '../account/create-error-rule.ts'
import { deleteErrorRule } from '../account/delete-error-rule.ts'
import { getErrorIssueDays } from '../account/get-error-issue-days.ts'
import { getErrorIssueHours } from '../account/get-error-issue-hours.ts'
import { getErrorMarks } from '../account/get-error-marks.ts'
import { listErrorRules } from '../account/list-error-rules.ts'
import { updateErrorRule } from '../account/update-error-rule.ts'
import type { errorAlertRoutes } from '@probe-mesh/contracts/routes/error-alert-routes'
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
