import { z } from 'zod'
import { field } from '@probe-mesh/contracts/schema/field'
import {
  ErrorIssue,
  ErrorIssueParams,
  ErrorIssues,
  ErrorIssuesQuery,
  ErrorProject,
  ErrorProjectParams,
} from './error-tracking.ts'
import { NameFilter, nextCursor, pageParameters } from '@probe-mesh/contracts/schema/list'
import type { Route } from '@probe-mesh/contracts/schema/route'

export const errorRoutes = {
  listErrorProjects: {
    method: 'GET',
    path: '/errors/projects',
    scope: 'read',
    budget: 'reads',
    summary: 'Error projects with their usage and dropped events of this month, oldest first',
    success: 200,
    query: z.strictObject({
      ...pageParameters,
      name: field(NameFilter.optional(), 'Part of the name, in any case.', 'api'),
    }),
    output: z.object({ projects: field(z.array(ErrorProject), 'Projects, oldest first.'), nextCursor }),
  },
  listErrorIssues: {
    method: 'GET',
    path: '/errors/projects/:id/issues',
    scope: 'read',
    budget: 'reads',
    summary: 'Error issues of a project by text, release, status and time, most recently seen first',
    success: 200,
    params: ErrorProjectParams,
    query: ErrorIssuesQuery,
    output: ErrorIssues,
  },
  getErrorIssue: {
    method: 'GET',
    path: '/errors/issues/:id',
    scope: 'read',
    budget: 'reads',
    summary: 'One error issue with its releases and recent occurrences',
    success: 200,
    params: ErrorIssueParams,
    output: ErrorIssue,
  },
} as const satisfies Record<string, Route>
