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
import type { DashboardVerbs } from './dashboard-verbs.ts'

/** What each of the dashboard's routes of error tracking does. */
export const errorVerbs: Pick<DashboardVerbs, keyof typeof errorDashboardRoutes> = {
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
