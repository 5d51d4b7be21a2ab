import type { Ask } from '../../api/ask.ts'
import type { FormState } from '../../html/components/form.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { typedOf } from '../typed.ts'
import { settingsTyped } from './settings-forms.ts'
import type { SettingsPart } from './settings-forms.ts'
import { deleteProjectPage, projectPage, revokeErrorKeyPage } from './project-page.ts'

const area = 'errors'
const settingsOf = (id: string): string => `/dashboard/errors/${id}/settings`

const show = async (
  ask: Ask,
  id: string,
  {
    refusedPart = null,
    message = null,
    status = 200,
  }: {
    refusedPart?: { part: SettingsPart; form: FormState } | null
    message?: string | null
    status?: number
  },
): Promise<Outcome> => {
  const answer = await ask('getErrorProject', { params: { id } })
  if (!answer.ok) return refused(answer)
  const main = projectPage(answer.value, refusedPart, message)
  return { kind: 'page', title: `Settings of ${answer.value.name}`, area, status, main }
}

const askToRevoke = async (
  ask: Ask,
  { id, keyId }: { id: string; keyId: string },
  message: string | null,
  status = 200,
): Promise<Outcome> => {
  const answer = await ask('getErrorProject', { params: { id } })
  if (!answer.ok) return refused(answer)
  const key = answer.value.keys.find((each) => each.id === keyId)
  if (key === undefined || key.revokedAt !== null) {
    return { kind: 'elsewhere', path: settingsOf(id) }
  }
  const main = revokeErrorKeyPage(answer.value, key, message)
  return { kind: 'page', title: 'Revoke this key?', area, status, main }
}

/** Takes one form of a project's page; where it is refused the page says why, with what was typed. */
const change =
  (part: SettingsPart): MemberRoute['serve'] =>
  async ({ ask, params, form }) => {
    const id = params['project'] ?? ''
    const typed = typedOf(form)
    const body = settingsTyped[part](typed)
    const answer = await ask('updateErrorProject', { params: { id }, body: body as never })
    if (answer.ok) return { kind: 'elsewhere', path: settingsOf(id) }
    const { problem } = answer
    const refusedPart = { part, form: refusedForm(typed, problem) }
    return show(ask, id, { refusedPart, status: problem.status })
  }

/** One error project: set up, keys, changed, deleted after a page that says what is lost. */
export const projectRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: '/dashboard/errors/:project/settings',
    serve: ({ ask, params }) => show(ask, params['project'] ?? '', {}),
  },
  { method: 'POST', path: '/dashboard/errors/:project/settings', serve: change('project') },
  { method: 'POST', path: '/dashboard/errors/:project/scrubbing', serve: change('scrubbing') },
  { method: 'POST', path: '/dashboard/errors/:project/filters', serve: change('filters') },
  {
    method: 'POST',
    path: '/dashboard/errors/:project/keys',
    serve: async ({ ask, params }) => {
      const id = params['project'] ?? ''
      const answer = await ask('createErrorKey', { params: { id } })
      if (answer.ok) return { kind: 'elsewhere', path: settingsOf(id) }
      const { code, message, status } = answer.problem
      return code === 'SV-3002' ? show(ask, id, { message, status }) : refused(answer)
    },
  },
  {
    method: 'GET',
    path: '/dashboard/errors/:project/keys/:key/revoke',
    serve: ({ ask, params }) =>
      askToRevoke(ask, { id: params['project'] ?? '', keyId: params['key'] ?? '' }, null),
  },
  {
    method: 'POST',
    path: '/dashboard/errors/:project/keys/:key/revoke',
    serve: async ({ ask, params }) => {
      const which = { id: params['project'] ?? '', keyId: params['key'] ?? '' }
      const answer = await ask('revokeErrorKey', { params: which })
      if (answer.ok) return { kind: 'elsewhere', path: settingsOf(which.id) }
      const { code, message, status } = answer.problem
      // the last one stays: said where the button was
      return code === 'SV-3002' ? askToRevoke(ask, which, message, status) : refused(answer)
    },
  },
  {
    method: 'GET',
    path: '/dashboard/errors/:project/delete',
    serve: async ({ ask, params }) => {
      const answer = await ask('getErrorProject', { params: { id: params['project'] ?? '' } })
      if (!answer.ok) return refused(answer)
      const main = deleteProjectPage(answer.value)
      return { kind: 'page', title: 'Delete this project?', area, main }
    },
  },
  {
    method: 'POST',
    path: '/dashboard/errors/:project/delete',
    serve: async ({ ask, params }) => {
      const answer = await ask('deleteErrorProject', { params: { id: params['project'] ?? '' } })
      return answer.ok ? { kind: 'elsewhere', path: '/dashboard/errors' } : refused(answer)
    },
  },
]
