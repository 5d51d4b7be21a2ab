import { createErrorKey } from '../account/create-error-key.ts'
import { createErrorProject } from '../account/create-error-project.ts'
import { deleteErrorProject } from '../account/delete-error-project.ts'
import { getErrorProject } from '../account/get-error-project.ts'
import { getErrorSurroundings } from '../account/get-error-surroundings.ts'
import { getErrorUsage } from '../account/get-error-usage.ts'
import { listOwnErrorIssues } from '../account/list-own-error-issues.ts'
import { listOwnErrorProjects } from '../account/list-own-error-projects.ts'
import { deleteSourceMaps } from '../account/delete-source-maps.ts'
import { listSourceMaps } from '../account/list-source-maps.ts'
import { revokeErrorKey } from '../account/revoke-error-key.ts'
import { setErrorIssueStatus } from '../account/set-error-issue-status.ts'
import { updateErrorProject } from '../account/update-error-project.ts'
import type { errorDashboardRoutes } from '@probe-mesh/contracts/routes/error-dashboard-routes'
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
