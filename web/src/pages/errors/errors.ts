import type { Ask } from '../../api/ask.ts'
import { emptyForm } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { typedOf } from '../typed.ts'
import { errorRuleRoutes } from './error-rules.ts'
import { issueRoutes } from './issues.ts'
import { projectRoutes } from './projects.ts'
import { sourceMapRoutes } from './source-maps.ts'
import { projectsPage } from './projects-page.ts'

const area = 'errors'

const list = async (ask: Ask, form: FormState, status = 200): Promise<Outcome> => {
  const answer = await ask('listOwnErrorProjects', {})
  if (!answer.ok) return refused(answer)
  return { kind: 'page', title: 'Errors', area, status, main: projectsPage(answer.value, form) }
}

/** Error tracking: projects with their keys, their issues, and what is done about those. */
export const errorRoutes: readonly MemberRoute[] = [
  { method: 'GET', path: '/dashboard/errors', serve: ({ ask }) => list(ask, emptyForm) },
  {
    method: 'POST',
    path: '/dashboard/errors',
    serve: async ({ ask, form }) => {
      const typed = typedOf(form)
      const body = { name: typed['name'] ?? '', platform: typed['platform'] ?? '' }
      const made = await ask('createErrorProject', { body: body as never })
      if (made.ok) return { kind: 'elsewhere', path: `/dashboard/errors/${made.value.id}/settings` }
      return list(ask, refusedForm(typed, made.problem), made.problem.status)
    },
  },
  ...errorRuleRoutes,
  ...projectRoutes,
  ...sourceMapRoutes,
  ...issueRoutes,
]
