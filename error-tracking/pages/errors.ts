import type { Ask } from '@probe-mesh/web/src/api/ask'
import { emptyForm } from '@probe-mesh/web/src/html/components/form'
import { refused, refusedForm, type Outcome } from '@probe-mesh/web/src/pages/outcome'
import { get, post, type MemberRoute } from '@probe-mesh/web/src/pages/page-route'
import { typedOf } from '@probe-mesh/web/src/pages/typed'
import { errorRuleRoutes } from './error-rules.ts'
import { issueRoutes } from './issues.ts'
import { errorsPath, projectPath } from './project-tabs.ts'
import { projectRoutes } from './projects.ts'
import { newProjectButton, newProjectPage, projectsPage } from './projects-page.ts'
import { sourceMapRoutes } from './source-maps.ts'

const area = 'errors'

const list = async (ask: Ask): Promise<Outcome> => {
  const answer = await ask('listOwnErrorProjects', {})
  if (!answer.ok) return refused(answer)
  const main = projectsPage(answer.value)
  return { kind: 'page', title: 'Errors', area, actions: newProjectButton, main }
}

const newProject = (form = emptyForm, status = 200): Outcome => ({
  kind: 'page',
  title: 'New project',
  area,
  status,
  about: 'A project receives errors from a Sentry SDK.',
  main: newProjectPage(form),
})

/** Error tracking: projects with their settings, their issues and their alert rules. */
export const errorRoutes: readonly MemberRoute[] = [
  get(errorsPath, ({ ask }) => list(ask)),
  get(`${errorsPath}/new`, async () => newProject()),
  post(errorsPath, async ({ ask, form }) => {
    const typed = typedOf(form)
    const body = { name: typed['name'] ?? '', platform: typed['platform'] ?? '' }
    const created = await ask('createErrorProject', { body: body as never })
    if (!created.ok) return newProject(refusedForm(typed, created.problem), created.problem.status)
    return { kind: 'elsewhere', path: projectPath(created.value.id), done: 'project-created' }
  }),
  ...errorRuleRoutes,
  ...projectRoutes,
  ...sourceMapRoutes,
  ...issueRoutes,
]
