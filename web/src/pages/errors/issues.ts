import type { SetErrorIssueStatusInput } from '@probe-mesh/contracts/error-tracking/error-issue-acts'
import { emptyForm } from '../../html/components/form.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { typedOf } from '../typed.ts'
import { issuePage } from './issue-page.ts'
import { issuesPage } from './issues-page.ts'

const area = 'errors'
/** Few at first, and at most what the API gives at once. */
const listed = { first: 50, most: 500 } as const

const acts: Readonly<Record<string, SetErrorIssueStatusInput>> = {
  resolve: { status: 'resolved', inNextRelease: false },
  resolveInNext: { status: 'resolved', inNextRelease: true },
  ignore: { status: 'ignored', inNextRelease: false },
  reopen: { status: 'unresolved', inNextRelease: false },
}

/** Issues of a project: searched, shown, and what is done about one. */
export const issueRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: '/dashboard/errors/:project',
    serve: async ({ ask, params, query }) => {
      const id = params['project'] ?? ''
      const { limit: asked, ...typed } = typedOf(query)
      const limit = asked === String(listed.most) ? listed.most : listed.first
      // a form sends fields that were left empty, too
      const filter = Object.fromEntries(
        ['q', 'release', 'status', 'window'].flatMap((name) => {
          const value = typed[name]
          return value === undefined || value === '' ? [] : [[name, value] as const]
        }),
      )
      const [project, found] = await Promise.all([
        ask('getErrorProject', { params: { id } }),
        ask('listOwnErrorIssues', { params: { id }, query: { ...(filter as object), limit } }),
      ])
      if (!project.ok) return refused(project)
      const title = project.value.name
      if (!found.ok) {
        if (found.problem.errors.length === 0) return refused(found)
        const main = issuesPage(project.value, refusedForm(typed, found.problem), null, null)
        return { kind: 'page', title, area, status: found.problem.status, main }
      }
      const ids = found.value.issues.map((issue) => issue.id).join(',')
      const counts = ids === '' ? null : await ask('getErrorIssueHours', { params: { id }, query: { ids } })
      const more = new URLSearchParams({ ...filter, limit: String(listed.most) }).toString()
      const main = issuesPage(
        project.value,
        { ...emptyForm, typed },
        found.value,
        limit === listed.most ? null : `/dashboard/errors/${id}?${more}`,
        counts,
      )
      return { kind: 'page', title, area, main }
    },
  },
  {
    method: 'GET',
    path: '/dashboard/errors/:project/issues/:id',
    serve: async ({ ask, params }) => {
      const id = params['id'] ?? ''
      const [issue, project, surroundings, days] = await Promise.all([
        ask('getErrorIssue', { params: { id } }),
        ask('getErrorProject', { params: { id: params['project'] ?? '' } }),
        ask('getErrorSurroundings', { params: { id } }),
        ask('getErrorIssueDays', { params: { id } }),
      ])
      if (!issue.ok) return refused(issue)
      if (!project.ok) return refused(project)
      if (!surroundings.ok) return refused(surroundings)
      if (issue.value.projectId !== project.value.id) {
        return {
          kind: 'elsewhere',
          path: `/dashboard/errors/${issue.value.projectId}/issues/${id}`,
        }
      }
      const main = issuePage(issue.value, project.value, surroundings.value, days)
      return { kind: 'page', title: issue.value.title, area, main }
    },
  },
  {
    method: 'POST',
    path: '/dashboard/errors/:project/issues/:id',
    serve: async ({ ask, params, form }) => {
      const id = params['id'] ?? ''
      const act = form.get('act') ?? ''
      // what is no act is refused by the API, which says so
      const body = Object.hasOwn(acts, act) ? acts[act] : { status: act }
      const answer = await ask('setErrorIssueStatus', { params: { id }, body: body as never })
      if (!answer.ok) return refused(answer)
      return {
        kind: 'elsewhere',
        path: `/dashboard/errors/${encodeURIComponent(params['project'] ?? '')}/issues/${id}`,
      }
    },
  },
]
