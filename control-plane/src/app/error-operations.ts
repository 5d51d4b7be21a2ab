import { createErrorKey, revokeErrorKey } from '@probe-mesh/error-tracking/projects/error-keys'
import {
  createErrorProject,
  updateErrorProject,
  deleteErrorProject,
} from '@probe-mesh/error-tracking/projects/change-error-projects'
import {
  getErrorProject,
  listOwnErrorProjects,
  getErrorUsage,
} from '@probe-mesh/error-tracking/projects/read-error-projects'
import { getErrorSurroundings } from '@probe-mesh/error-tracking/issues/get-error-surroundings'
import { getErrorFacets, getErrorIssueBreakdown } from '@probe-mesh/error-tracking/issues/issue-breakdown'
import {
  listOwnErrorIssues,
  setErrorIssueStatus,
  setErrorIssueStatuses,
} from '@probe-mesh/error-tracking/issues/error-issues'
import { deleteSourceMaps, listSourceMaps } from '@probe-mesh/error-tracking/source-maps/source-maps'
import type { errorDashboardRoutes } from '@probe-mesh/error-tracking/contracts/error-dashboard-routes'
import type { DashboardOperations } from './dashboard-operation.ts'
import {
  createErrorRule,
  updateErrorRule,
  deleteErrorRule,
  listErrorRules,
} from '@probe-mesh/error-tracking/alert/error-rules'
import { getErrorIssueDays, getErrorIssueHours } from '@probe-mesh/error-tracking/issues/issue-counts'
import { getErrorMarks } from '@probe-mesh/error-tracking/issues/get-error-marks'
import type { errorAlertRoutes } from '@probe-mesh/error-tracking/contracts/error-alert-routes'

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
