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
import { read, type Route } from '@probe-mesh/contracts/schema/route'

export const errorRoutes = {
  listErrorProjects: read({
    path: '/errors/projects',
    summary: 'Error projects with their usage and dropped events of this month, oldest first',
    query: z.strictObject({
      ...pageParameters,
      name: field(NameFilter.optional(), 'Part of the name, in any case.', 'api'),
    }),
    output: z.object({ projects: field(z.array(ErrorProject), 'Projects, oldest first.'), nextCursor }),
  }),
  listErrorIssues: read({
    path: '/errors/projects/:id/issues',
    summary: 'Error issues of a project by text, release, status and time, most recently seen first',
    params: ErrorProjectParams,
    query: ErrorIssuesQuery,
    output: ErrorIssues,
  }),
  getErrorIssue: read({
    path: '/errors/issues/:id',
    summary: 'One error issue with its releases and recent occurrences',
    params: ErrorIssueParams,
    output: ErrorIssue,
  }),
} as const satisfies Record<string, Route>
