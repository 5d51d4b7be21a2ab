import { createErrorKey } from '../error-tracking/projects/create-error-key.ts'
import { createErrorProject } from '../error-tracking/projects/create-error-project.ts'
import { deleteErrorProject } from '../error-tracking/projects/delete-error-project.ts'
import { getErrorProject } from '../error-tracking/projects/get-error-project.ts'
import { getErrorSurroundings } from '../error-tracking/issues/get-error-surroundings.ts'
import { getErrorUsage } from '../error-tracking/projects/get-error-usage.ts'
import { listOwnErrorIssues } from '../error-tracking/issues/list-own-error-issues.ts'
import { listOwnErrorProjects } from '../error-tracking/projects/list-own-error-projects.ts'
import { deleteSourceMaps } from '../error-tracking/source-maps/delete-source-maps.ts'
import { listSourceMaps } from '../error-tracking/source-maps/list-source-maps.ts'
import { revokeErrorKey } from '../error-tracking/projects/revoke-error-key.ts'
import { setErrorIssueStatus } from '../error-tracking/issues/set-error-issue-status.ts'
import { updateErrorProject } from '../error-tracking/projects/update-error-project.ts'
import type { errorDashboardRoutes } from '@probe-mesh/contracts/error-tracking/error-dashboard-routes'
import type { DashboardOperations } from './dashboard-operation.ts'
import { createErrorRule } from '../error-tracking/alert/create-error-rule.ts'
import { deleteErrorRule } from '../error-tracking/alert/delete-error-rule.ts'
import { getErrorIssueDays } from '../error-tracking/issues/get-error-issue-days.ts'
import { getErrorIssueHours } from '../error-tracking/issues/get-error-issue-hours.ts'
import { getErrorMarks } from '../error-tracking/issues/get-error-marks.ts'
import { listErrorRules } from '../error-tracking/alert/list-error-rules.ts'
import { updateErrorRule } from '../error-tracking/alert/update-error-rule.ts'
import type { errorAlertRoutes } from '@probe-mesh/contracts/error-tracking/error-alert-routes'

/** What each of the dashboard's routes of error tracking does. */
export const errorOperations: Pick<DashboardOperations, keyof typeof errorDashboardRoutes> = {
  listOwnErrorProjects: ({ account }, { caller }) => listOwnErrorProjects(account, caller),
  getErrorUsage: ({ account }, { caller }) => getErrorUsage(account, caller),
  listOwnErrorIssues: ({ account }, { caller }, input) =>
    listOwnErrorIssues(account, caller, input),
  getErrorProject: ({ account }, { caller }, input) => getErrorProject(account, caller, input),
  createErrorProject: ({ account }, { caller }, input) =>
    createErrorProject(account, caller, input),
  updateErrorProject: ({ account }, { caller }, input) =>
    updateErrorProject(account, caller, input),
  deleteErrorProject: ({ account }, { caller }, input) =>
    deleteErrorProject(account, caller, input),
  createErrorKey: ({ account }, { caller }, input) => createErrorKey(account, caller, input),
  revokeErrorKey: ({ account }, { caller }, input) => revokeErrorKey(account, caller, input),
  setErrorIssueStatus: ({ account }, { caller }, input) =>
    setErrorIssueStatus(account, caller, input),
  listSourceMaps: ({ account }, { caller }, input) => listSourceMaps(account, caller, input),
  deleteSourceMaps: ({ account }, { caller }, input) => deleteSourceMaps(account, caller, input),
  getErrorSurroundings: ({ account }, { caller }, input) =>
    getErrorSurroundings(account, caller, input),
}

/** What each of the dashboard's routes does that joins error tracking with alerts and checks. */
export const errorAlertOperations: Pick<DashboardOperations, keyof typeof errorAlertRoutes> = {
  listErrorRules: ({ account }, { caller }) => listErrorRules(account, caller),
  createErrorRule: ({ account }, { caller }, input) => createErrorRule(account, caller, input),
  updateErrorRule: ({ account }, { caller }, input) => updateErrorRule(account, caller, input),
  deleteErrorRule: ({ account }, { caller }, input) => deleteErrorRule(account, caller, input),
  getErrorMarks: ({ account }, { caller }, input) => getErrorMarks(account, caller, input),
  getErrorIssueHours: ({ account }, { caller }, input) =>
    getErrorIssueHours(account, caller, input),
  getErrorIssueDays: ({ account }, { caller }, input) => getErrorIssueDays(account, caller, input),
}
