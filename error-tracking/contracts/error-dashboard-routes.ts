import { z } from 'zod'
import { ErrorFacets, ErrorIssueBreakdown } from './error-breakdown.ts'
import {
  ErrorSurroundings,
  OwnErrorIssues,
  OwnErrorIssuesQuery,
  SetErrorIssueStatusesInput,
  SetErrorIssueStatusInput,
} from './error-issue-acts.ts'
import {
  CreateErrorProjectInput,
  ErrorKey,
  ErrorKeyParams,
  ErrorProjectDetails,
  ErrorUsage,
  OwnErrorProjects,
  UpdateErrorProjectInput,
} from './error-project.ts'
import { ErrorIssueParams, ErrorIssueStatus, ErrorProjectParams } from './error-tracking.ts'
import { SourceMaps, SourceMapUploadParams } from './source-map.ts'
import { read, write, type Route } from '@probe-mesh/contracts/schema/route'

/** Dashboard routes of error tracking, in addition to the REST routes. */
export const errorDashboardRoutes = {
  listOwnErrorProjects: read({
    path: '/error-projects',
    summary: 'Error projects with their platform, and the used quota of all projects',
    output: OwnErrorProjects,
  }),
  getErrorUsage: read({
    path: '/error-usage',
    summary: "The account's error events of this month, against its quota",
    output: ErrorUsage,
  }),
  listOwnErrorIssues: read({
    path: '/error-projects/:id/issues',
    summary: 'Error issues of a project, with regressions',
    params: ErrorProjectParams,
    query: OwnErrorIssuesQuery,
    output: OwnErrorIssues,
    codes: ['SV-9002'],
  }),
  getErrorFacets: read({
    path: '/error-projects/:id/facets',
    summary: 'Releases and environments of an error project',
    params: ErrorProjectParams,
    output: ErrorFacets,
  }),
  getErrorProject: read({
    path: '/error-projects/:id',
    summary: 'One error project with its keys, settings and counters',
    params: ErrorProjectParams,
    output: ErrorProjectDetails,
  }),
  createErrorProject: write({
    method: 'POST',
    path: '/error-projects',
    summary: 'Create an error project with a key',
    success: 201,
    body: CreateErrorProjectInput,
    output: z.object({ id: z.string() }),
    codes: ['SV-3002'],
  }),
  updateErrorProject: write({
    method: 'PATCH',
    path: '/error-projects/:id',
    summary: 'Change an error project: its name, platform, scrubbing and filters',
    params: ErrorProjectParams,
    body: UpdateErrorProjectInput,
    output: z.object({ id: z.string() }),
  }),
  deleteErrorProject: write({
    method: 'DELETE',
    path: '/error-projects/:id',
    summary: 'Delete an error project with its issues, keys and counters',
    params: ErrorProjectParams,
    output: z.object({ id: z.string(), deleted: z.literal(true) }),
  }),
  createErrorKey: write({
    method: 'POST',
    path: '/error-projects/:id/keys',
    summary: 'Create another key of an error project',
    success: 201,
    params: ErrorProjectParams,
    output: ErrorKey,
    codes: ['SV-3002'],
  }),
  revokeErrorKey: write({
    method: 'DELETE',
    path: '/error-projects/:id/keys/:keyId',
    summary: 'Revoke a key of an error project, except the last active one',
    params: ErrorKeyParams,
    output: ErrorKey,
    codes: ['SV-3002'],
  }),
  setErrorIssueStatus: write({
    method: 'PATCH',
    path: '/error-issues/:id',
    summary: 'Resolve, ignore or reopen an error issue',
    params: ErrorIssueParams,
    body: SetErrorIssueStatusInput,
    output: z.object({ id: z.string(), status: ErrorIssueStatus }),
  }),
  setErrorIssueStatuses: write({
    method: 'PATCH',
    path: '/error-projects/:id/issues',
    summary: 'Resolve, ignore or reopen several error issues of a project',
    params: ErrorProjectParams,
    body: SetErrorIssueStatusesInput,
    output: z.object({ changed: z.array(z.string()) }),
  }),
  getErrorIssueBreakdown: read({
    path: '/error-issues/:id/breakdown',
    summary: 'Users and tags of the newest events of an error issue',
    params: ErrorIssueParams,
    output: ErrorIssueBreakdown,
    codes: ['SV-9002'],
  }),
  listSourceMaps: read({
    path: '/error-projects/:id/source-maps',
    summary: 'Uploaded source maps and the remaining space',
    params: ErrorProjectParams,
    output: SourceMaps,
  }),
  deleteSourceMaps: write({
    method: 'DELETE',
    path: '/error-projects/:id/source-maps/:uploadId',
    summary: 'Delete the source maps of one upload',
    params: SourceMapUploadParams,
    output: z.object({ id: z.string(), deleted: z.literal(true) }),
  }),
  getErrorSurroundings: read({
    path: '/error-issues/:id/surroundings',
    summary: 'Failing checks and incidents around the first and latest occurrence of an error issue',
    params: ErrorIssueParams,
    output: ErrorSurroundings,
  }),
} as const satisfies Record<string, Route>
