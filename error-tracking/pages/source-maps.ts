import type { Ask } from '@probe-mesh/web/src/api/ask'
import { refused, type Outcome } from '@probe-mesh/web/src/pages/outcome'
import { get, post, type MemberRoute } from '@probe-mesh/web/src/pages/page-route'
import { projectCrumb, projectPage, projectPath } from './project-tabs.ts'
import { deleteSourceMapsPage, sourceMapsPage } from './source-maps-page.ts'

const pathOf = (id: string): string => `${projectPath(id)}/source-maps`

const show = async (ask: Ask, id: string): Promise<Outcome> => {
  const [project, maps] = await Promise.all([
    ask('getErrorProject', { params: { id } }),
    ask('listSourceMaps', { params: { id } }),
  ])
  if (!project.ok) return refused(project)
  if (!maps.ok) return refused(maps)
  return projectPage(project.value, 'source-maps', sourceMapsPage(project.value, maps.value))
}

const askToDelete = async (ask: Ask, id: string, uploadId: string): Promise<Outcome> => {
  const [project, maps] = await Promise.all([
    ask('getErrorProject', { params: { id } }),
    ask('listSourceMaps', { params: { id } }),
  ])
  if (!project.ok) return refused(project)
  if (!maps.ok) return refused(maps)
  const upload = maps.value.uploads.find((each) => each.id === uploadId)
  if (upload === undefined) return { kind: 'elsewhere', path: pathOf(id) }
  return {
    kind: 'page',
    title: 'Delete these source maps?',
    area: 'errors',
    crumbs: [projectCrumb(project.value)],
    main: deleteSourceMapsPage(pathOf(id), upload),
  }
}

/** Source maps of an error project: the upload, the stored ones, and their deletion. */
export const sourceMapRoutes: readonly MemberRoute[] = [
  get('/dashboard/errors/:project/source-maps', ({ ask, params }) => show(ask, params['project'] ?? '')),
  get('/dashboard/errors/:project/source-maps/:upload/delete', ({ ask, params }) =>
    askToDelete(ask, params['project'] ?? '', params['upload'] ?? ''),
  ),
  post('/dashboard/errors/:project/source-maps/:upload/delete', async ({ ask, params }) => {
    const id = params['project'] ?? ''
    const which = { id, uploadId: params['upload'] ?? '' }
    const answer = await ask('deleteSourceMaps', { params: which })
    return answer.ok ? { kind: 'elsewhere', path: pathOf(id), done: 'source-maps-deleted' } : refused(answer)
  }),
]
