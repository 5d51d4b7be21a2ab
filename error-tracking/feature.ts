/** The door of error tracking: all that the control plane loads of it. */
import type { AlertContext } from '@probe-mesh/control-plane/src/alerts/context'
import { processErrorNotices, sendDueDigest } from './alert/process-error-notices.ts'
import { anyErrorsDue } from './alert/error-rules-store.ts'
import { createErrorRule, deleteErrorRule, listErrorRules, updateErrorRule } from './alert/error-rules.ts'
import { getErrorIssueDays, getErrorIssueHours } from './issues/issue-counts.ts'
import {
  getErrorIssue,
  listErrorIssues,
  listOwnErrorIssues,
  setErrorIssueStatus,
  setErrorIssueStatuses,
} from './issues/error-issues.ts'
import { getErrorMarks } from './issues/get-error-marks.ts'
import { getErrorSurroundings } from './issues/get-error-surroundings.ts'
import { getErrorFacets, getErrorIssueBreakdown } from './issues/issue-breakdown.ts'
import {
  createErrorProject,
  deleteErrorProject,
  updateErrorProject,
} from './projects/change-error-projects.ts'
import { createErrorKey, revokeErrorKey } from './projects/error-keys.ts'
import {
  getErrorProject,
  getErrorUsage,
  listErrorProjects,
  listOwnErrorProjects,
} from './projects/read-error-projects.ts'
import { deleteSourceMaps, listSourceMaps } from './source-maps/source-maps.ts'
import { whileOn } from './while-on.ts'

export { createErrorIngest } from './accept/error-ingest.ts'
export { bindErrorIngest } from './accept/ingest-routes.ts'
export { startSpikeWatcher } from './alert/spike-watcher.ts'
export { findReleaseMarks } from './issues/error-marks-store.ts'
export { startErrorPersister } from './persist/persister.ts'
export { createErrorPurge } from './purge-errors.ts'
export { bindSourceMapUpload } from './source-maps/source-map-upload.ts'

/** The operations of the routes of the REST API. SV-3008 while error tracking is off. */
export const errorVerbs = whileOn({ listErrorProjects, listErrorIssues, getErrorIssue })

/** The operations of the routes of the dashboard. SV-3008 while error tracking is off. */
export const errorOperations = whileOn({
  listOwnErrorProjects,
  getErrorUsage,
  listOwnErrorIssues,
  getErrorProject,
  createErrorProject,
  updateErrorProject,
  deleteErrorProject,
  createErrorKey,
  revokeErrorKey,
  setErrorIssueStatus,
  setErrorIssueStatuses,
  getErrorFacets,
  getErrorIssueBreakdown,
  listSourceMaps,
  deleteSourceMaps,
  getErrorSurroundings,
  listErrorRules,
  createErrorRule,
  updateErrorRule,
  deleteErrorRule,
  getErrorMarks,
  getErrorIssueHours,
  getErrorIssueDays,
})

export { anyErrorsDue }

/** The steps of the loop of alerts. Each returns how much it did; 0: nothing is left. */
export const errorAlertSteps = (context: AlertContext) =>
  [
    { what: 'notices of errors cannot be written', act: () => processErrorNotices(context) },
    { what: 'digests of errors cannot be written', act: () => sendDueDigest(context) },
  ] as const
