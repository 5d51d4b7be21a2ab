import type { Ask } from '@probe-mesh/web/src/api/ask'
import type { FormState } from '@probe-mesh/web/src/html/components/form'
import type { DoneWord } from '@probe-mesh/web/src/html/components/toast'
import { refused, refusedForm, type Outcome } from '@probe-mesh/web/src/pages/outcome'
import { get, post, type MemberRoute } from '@probe-mesh/web/src/pages/page-route'
import { typedOf } from '@probe-mesh/web/src/pages/typed'
import { settingsTyped, type SettingsPart } from './settings-forms.ts'
import { errorsPath, projectCrumb, projectPage, projectPath } from './project-tabs.ts'
import { deleteProjectPage, revokeErrorKeyPage, settingsPage } from './settings-page.ts'
import { usagePage } from './usage-page.ts'

const area = 'errors'
const settingsOf = (id: string): string => `${projectPath(id)}/settings`

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
  return {
    ...projectPage(answer.value, 'settings', settingsPage(answer.value, refusedPart, message)),
    status,
  }
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
  const crumbs = [projectCrumb(answer.value)]
  return { kind: 'page', title: 'Revoke this key?', area, crumbs, status, main }
}

const savedWords = {
  project: 'project-saved',
  scrubbing: 'scrubbing-saved',
  filters: 'filters-saved',
} as const satisfies Record<SettingsPart, DoneWord>

/** Saves one form of a project's settings; a refused one is shown again with its problems. */
const change =
  (part: SettingsPart): MemberRoute['serve'] =>
  async ({ ask, params, form }) => {
    const id = params['project'] ?? ''
    const typed = typedOf(form)
    const body = settingsTyped[part](typed)
    const answer = await ask('updateErrorProject', { params: { id }, body: body as never })
    if (answer.ok) return { kind: 'elsewhere', path: settingsOf(id), done: savedWords[part] }
    const { problem } = answer
    const refusedPart = { part, form: refusedForm(typed, problem) }
    return show(ask, id, { refusedPart, status: problem.status })
  }

/** One error project: its usage, settings and keys, and its deletion after a confirmation. */
export const projectRoutes: readonly MemberRoute[] = [
  get('/dashboard/errors/:project/usage', async ({ ask, params: { project: id = '' } }) => {
    const answer = await ask('getErrorProject', { params: { id } })
    return answer.ok ? projectPage(answer.value, 'usage', usagePage(answer.value)) : refused(answer)
  }),
  get('/dashboard/errors/:project/settings', ({ ask, params }) => show(ask, params['project'] ?? '', {})),
  post('/dashboard/errors/:project/settings', change('project')),
  post('/dashboard/errors/:project/scrubbing', change('scrubbing')),
  post('/dashboard/errors/:project/filters', change('filters')),
  post('/dashboard/errors/:project/keys', async ({ ask, params }) => {
    const id = params['project'] ?? ''
    const answer = await ask('createErrorKey', { params: { id } })
    if (answer.ok) return { kind: 'elsewhere', path: settingsOf(id), done: 'error-key-created' }
    const { code, message, status } = answer.problem
    return code === 'SV-3002' ? show(ask, id, { message, status }) : refused(answer)
  }),
  get('/dashboard/errors/:project/keys/:key/revoke', ({ ask, params }) =>
    askToRevoke(ask, { id: params['project'] ?? '', keyId: params['key'] ?? '' }, null),
  ),
  post('/dashboard/errors/:project/keys/:key/revoke', async ({ ask, params }) => {
    const which = { id: params['project'] ?? '', keyId: params['key'] ?? '' }
    const answer = await ask('revokeErrorKey', { params: which })
    if (answer.ok) return { kind: 'elsewhere', path: settingsOf(which.id), done: 'error-key-revoked' }
    const { code, message, status } = answer.problem
    // the last active key stays, and the page of the button says so
    return code === 'SV-3002' ? askToRevoke(ask, which, message, status) : refused(answer)
  }),
  get('/dashboard/errors/:project/delete', async ({ ask, params }) => {
    const answer = await ask('getErrorProject', { params: { id: params['project'] ?? '' } })
    if (!answer.ok) return refused(answer)
    const main = deleteProjectPage(answer.value)
    const { name } = answer.value
    return { kind: 'page', title: `Delete ${name}?`, area, crumbs: [projectCrumb(answer.value)], main }
  }),
  post('/dashboard/errors/:project/delete', async ({ ask, params }) => {
    const answer = await ask('deleteErrorProject', { params: { id: params['project'] ?? '' } })
    return answer.ok ? { kind: 'elsewhere', path: errorsPath, done: 'project-deleted' } : refused(answer)
  }),
]
