import { createErrorKey, revokeErrorKey } from '../error-tracking/projects/error-keys.ts'
import {
  createErrorProject,
  updateErrorProject,
  deleteErrorProject,
} from '../error-tracking/projects/change-error-projects.ts'
import {
  getErrorProject,
  listOwnErrorProjects,
  getErrorUsage,
} from '../error-tracking/projects/read-error-projects.ts'
import { getErrorSurroundings } from '../error-tracking/issues/get-error-surroundings.ts'
import { getErrorFacets, getErrorIssueBreakdown } from '../error-tracking/issues/issue-breakdown.ts'
import {
  listOwnErrorIssues,
  setErrorIssueStatus,
  setErrorIssueStatuses,
} from '../error-tracking/issues/error-issues.ts'
import { deleteSourceMaps, listSourceMaps } from '../error-tracking/source-maps/source-maps.ts'
import type { errorDashboardRoutes } from '@probe-mesh/contracts/error-tracking/error-dashboard-routes'
import type { DashboardOperations } from './dashboard-operation.ts'
import {
  createErrorRule,
  updateErrorRule,
  deleteErrorRule,
  listErrorRules,
} from '../error-tracking/alert/error-rules.ts'
import { getErrorIssueDays, getErrorIssueHours } from '../error-tracking/issues/issue-counts.ts'
import { getErrorMarks } from '../error-tracking/issues/get-error-marks.ts'
import type { errorAlertRoutes } from '@probe-mesh/contracts/error-tracking/error-alert-routes'

/** The operation of each dashboard route of error tracking. */
export const errorOperations: Pick<DashboardOperations, keyof typeof errorDashboardRoutes> = {
  listOwnErrorProjects: ({ account }, { caller }) => listOwnErrorProjects(account, caller),
  getErrorUsage: ({ account }, { caller }) => getErrorUsage(account, caller),
  listOwnErrorIssues: ({ account }, { caller }, input) => listOwnErrorIssues(account, caller, input),
  getErrorProject: ({ account }, { caller }, input) => getErrorProject(account, caller, input),
  createErrorProject: ({ account }, { caller }, input) => createErrorProject(account, caller, input),
  updateErrorProject: ({ account }, { caller }, input) => updateErrorProject(account, caller, input),
  deleteErrorProject: ({ account }, { caller }, input) => deleteErrorProject(account, caller, input),
  createErrorKey: ({ account }, { caller }, input) => createErrorKey(account, caller, input),
  revokeErrorKey: ({ account }, { caller }, input) => revokeErrorKey(account, caller, input),
  setErrorIssueStatus: ({ account }, { caller }, input) => setErrorIssueStatus(account, caller, input),
  setErrorIssueStatuses: ({ account }, { caller }, input) => setErrorIssueStatuses(account, caller, input),
  getErrorFacets: ({ account }, { caller }, input) => getErrorFacets(account, caller, input),
  getErrorIssueBreakdown: ({ account }, { caller }, input) => getErrorIssueBreakdown(account, caller, input),
  listSourceMaps: ({ account }, { caller }, input) => listSourceMaps(account, caller, input),
  deleteSourceMaps: ({ account }, { caller }, input) => deleteSourceMaps(account, caller, input),
  getErrorSurroundings: ({ account }, { caller }, input) => getErrorSurroundings(account, caller, input),
}

/** The operation of each dashboard route that joins error tracking with alerts and checks. */
export const errorAlertOperations: Pick<DashboardOperations, keyof typeof errorAlertRoutes> = {
  listErrorRules: ({ account }, { caller }) => listErrorRules(account, caller),
  createErrorRule: ({ account }, { caller }, input) => createErrorRule(account, caller, input),
  updateErrorRule: ({ account }, { caller }, input) => updateErrorRule(account, caller, input),
  deleteErrorRule: ({ account }, { caller }, input) => deleteErrorRule(account, caller, input),
  getErrorMarks: ({ account }, { caller }, input) => getErrorMarks(account, caller, input),
  getErrorIssueHours: ({ account }, { caller }, input) => getErrorIssueHours(account, caller, input),
  getErrorIssueDays: ({ account }, { caller }, input) => getErrorIssueDays(account, caller, input),
}
