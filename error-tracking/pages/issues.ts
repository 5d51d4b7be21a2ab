import { errorIssuesChangedMax, type SetErrorIssueStatusInput } from '../contracts/error-issue-acts.ts'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import { emptyForm } from '@probe-mesh/web/src/html/components/form'
import type { DoneWord } from '@probe-mesh/web/src/html/components/toast'
import { refused, refusedForm } from '@probe-mesh/web/src/pages/outcome'
import { get, post, type MemberRoute } from '@probe-mesh/web/src/pages/page-route'
import { typedOf } from '@probe-mesh/web/src/pages/typed'
import { filterOf } from './issue-filter.ts'
import { issueHead, issuePage } from './issue-page.ts'
import { issuesPage } from './issues-page.ts'
import { projectCrumb, projectPage, projectPath } from './project-tabs.ts'

const area = 'errors'
/** Few at first, and at most what the API returns at once. */
const listed = { first: 50, most: 500 } as const
/** The chart of an issue. */
const chartMs = 30 * 86_400_000

const acts = {
  resolve: { status: 'resolved', inNextRelease: false, done: 'issue-resolved' },
  resolveInNext: { status: 'resolved', inNextRelease: true, done: 'issue-resolved-next' },
  ignore: { status: 'ignored', inNextRelease: false, done: 'issue-ignored' },
  reopen: { status: 'unresolved', inNextRelease: false, done: 'issue-reopened' },
} as const satisfies Record<string, SetErrorIssueStatusInput & { done: DoneWord }>
type Act = keyof typeof acts

const isAct = (act: string): act is Act => Object.hasOwn(acts, act)

/** The address below an issue that undoes an act; a reopened issue may have been resolved or ignored. */
const undoOf = (act: Act, path: string) => (act === 'reopen' ? {} : { undo: `${path}/reopen` })

/** The list that a form was on, as it was filtered. */
const listOf = (projectId: string, back: string): string => {
  const query = new URLSearchParams(filterOf(typedOf(new URLSearchParams(back)))).toString()
  return `${projectPath(projectId)}${query === '' ? '' : `?${query}`}`
}

/** Issues of a project: the search, one issue, and the status of one or many. */
export const issueRoutes: readonly MemberRoute[] = [
  get('/dashboard/errors/:project', async ({ ask, params: { project: id = '' }, query }) => {
    const { limit: given, ...typed } = typedOf(query)
    const limit = given === String(listed.most) ? listed.most : listed.first
    const filter = filterOf(typed)
    const [project, found, facets] = await Promise.all([
      ask('getErrorProject', { params: { id } }),
      ask('listOwnErrorIssues', { params: { id }, query: { ...(filter as object), limit } }),
      ask('getErrorFacets', { params: { id } }),
    ])
    if (!project.ok) return refused(project)
    const page = { facets: facets.ok ? facets.value : null, more: null, hours: null }
    if (!found.ok) {
      if (found.problem.errors.length === 0) return refused(found)
      const search = { ...page, form: refusedForm(typed, found.problem), found: null }
      const main = issuesPage(project.value, search)
      return { ...projectPage(project.value, 'issues', main), status: found.problem.status }
    }
    const ids = found.value.issues.map((issue) => issue.id).join(',')
    const hours = ids === '' ? null : await ask('getErrorIssueHours', { params: { id }, query: { ids } })
    const more = new URLSearchParams({ ...filter, limit: String(listed.most) }).toString()
    const main = issuesPage(project.value, {
      ...page,
      form: { ...emptyForm, typed },
      found: found.value,
      more: limit === listed.most ? null : `${projectPath(id)}?${more}`,
      hours,
    })
    return projectPage(project.value, 'issues', main)
  }),
  get('/dashboard/errors/:project/issues', async ({ params: { project: id = '' } }) => ({
    kind: 'elsewhere',
    path: projectPath(encodeURIComponent(id)),
  })),
  post('/dashboard/errors/:project/issues', async ({ ask, params: { project: id = '' }, form }) => {
    const back = listOf(encodeURIComponent(id), form.get('back') ?? '')
    const ids = [...new Set(form.getAll('id'))].filter((each) => Uuid.safeParse(each).success)
    const act = form.get('act') ?? ''
    if (ids.length === 0 || !isAct(act)) return { kind: 'elsewhere', path: back }
    const { status, inNextRelease } = acts[act]
    const body = { ids: ids.slice(0, errorIssuesChangedMax), status, inNextRelease }
    const answer = await ask('setErrorIssueStatuses', { params: { id }, body })
    return answer.ok ? { kind: 'elsewhere', path: back, done: 'issues-changed' } : refused(answer)
  }),
  get('/dashboard/errors/:project/issues/:id', async ({ ask, params, query }) => {
    const { id = '', project: projectId = '' } = params
    const nowMs = Date.now()
    const span = {
      since: new Date(nowMs - chartMs).toISOString(),
      until: new Date(nowMs).toISOString(),
    }
    const [issue, project, surroundings, days, breakdown, marks] = await Promise.all([
      ask('getErrorIssue', { params: { id } }),
      ask('getErrorProject', { params: { id: projectId } }),
      ask('getErrorSurroundings', { params: { id } }),
      ask('getErrorIssueDays', { params: { id } }),
      ask('getErrorIssueBreakdown', { params: { id } }),
      ask('getErrorMarks', { query: span }),
    ])
    if (!issue.ok) return refused(issue)
    if (!project.ok) return refused(project)
    if (!surroundings.ok) return refused(surroundings)
    if (issue.value.projectId !== project.value.id) {
      return { kind: 'elsewhere', path: `${projectPath(issue.value.projectId)}/issues/${id}` }
    }
    const releases = marks.ok
      ? marks.value.releases.filter((release) => release.projectId === project.value.id)
      : []
    const view = { eventId: query.get('event'), areAllFrames: query.get('frames') === 'all' }
    return {
      kind: 'page',
      title: issue.value.title,
      area,
      crumbs: [projectCrumb(project.value)],
      ...issueHead(issue.value, surroundings.value),
      main: issuePage(issue.value, {
        usage: project.value.usage,
        surroundings: surroundings.value,
        days,
        breakdown,
        releases,
        view,
      }),
    }
  }),
  post('/dashboard/errors/:project/issues/:id', async ({ ask, params, form }) => {
    const { id = '', project = '' } = params
    const act = form.get('act') ?? ''
    // the API refuses an unknown status and says so
    const body = isAct(act) ? statusOf(act) : { status: act }
    const answer = await ask('setErrorIssueStatus', { params: { id }, body: body as never })
    if (!answer.ok) return refused(answer)
    const path = `${projectPath(encodeURIComponent(project))}/issues/${id}`
    if (!isAct(act)) return { kind: 'elsewhere', path, done: 'issues-changed' }
    return { kind: 'elsewhere', path, done: acts[act].done, ...undoOf(act, path) }
  }),
  ...(['resolve', 'ignore', 'reopen'] as const).map((act): MemberRoute => ({
    method: 'POST',
    path: `/dashboard/errors/:project/issues/:id/${act}`,
    serve: async ({ ask, params, form }) => {
      const { id = '', project = '' } = params
      const answer = await ask('setErrorIssueStatus', { params: { id }, body: statusOf(act) })
      if (!answer.ok) return refused(answer)
      const issue = `${projectPath(encodeURIComponent(project))}/issues/${id}`
      // a row says how its list was filtered; an undo leads to the issue
      const back = form.get('back')
      const path = back === null ? issue : listOf(encodeURIComponent(project), back)
      return { kind: 'elsewhere', path, done: acts[act].done, ...undoOf(act, issue) }
    },
  })),
]

const statusOf = (act: Act): SetErrorIssueStatusInput => {
  const { status, inNextRelease } = acts[act]
  return { status, inNextRelease }
}
