import type { Key } from '@probe-mesh/contracts/account/api-key'
import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import type { Ask, Asked } from '../../api/ask.ts'
import { emptyForm, type FormState } from '../../html/components/form.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import type { ClientUrls } from './client-configs.ts'
import { keysPage, madeKeyPage, revokePage, ShownKey } from './keys-page.ts'

const title = 'API and MCP access'
/** Shows a key once; a reload redirects to the list. */
const createdPath = '/dashboard/keys/created'

/** The page's data besides the keys. */
type About = { tier: string; urls: ClientUrls }

const list = async (ask: Ask, about: About, form: FormState, status = 200): Promise<Outcome> => {
  const answer = await ask('listKeys', {})
  if (!answer.ok) return refused(answer)
  return {
    kind: 'page',
    title,
    area: 'keys',
    about: 'Keys for the REST API, the command line, Terraform and MCP clients.',
    status,
    main: keysPage(answer.value.keys, form, about),
  }
}

const findKey = async (ask: Ask, id: string | undefined): Promise<Asked<Key | undefined>> => {
  const answer = await ask('listKeys', {})
  return answer.ok ? { ok: true, value: answer.value.keys.find((key) => key.id === id) } : answer
}

/** Keys: listed, created and shown once, revoked after a confirmation. */
export const keyRoutes = ({ apiUrl, mcpUrl }: ClientUrls): readonly MemberRoute[] => [
  get('/dashboard/keys', ({ ask, who }) =>
    list(ask, { tier: who.account.tier, urls: { apiUrl, mcpUrl } }, emptyForm),
  ),
  post('/dashboard/keys', async ({ ask, who, form }) => {
    const typed = { name: form.get('name') ?? '', scope: form.get('scope') ?? '' }
    const about = { tier: who.account.tier, urls: { apiUrl, mcpUrl } }
    const answer = await ask('createKey', { body: typed as never })
    if (!answer.ok) return again(ask, about, typed, answer.problem)
    const { apiKey, key } = answer.value
    return { kind: 'elsewhere', path: createdPath, note: { apiKey, name: key.name } }
  }),
  get(createdPath, async ({ who, recallNote }) => {
    const key = recallNote(ShownKey)
    if (key === null) return { kind: 'elsewhere', path: '/dashboard/keys' }
    const main = madeKeyPage(key, { tier: who.account.tier, urls: { apiUrl, mcpUrl } })
    return { kind: 'page', title: 'Key created', area: 'keys', main }
  }),
  get('/dashboard/keys/:id/revoke', async ({ ask, params }) => {
    const answer = await findKey(ask, params['id'])
    if (!answer.ok) return refused(answer)
    const key = answer.value
    if (key === undefined || key.revokedAt !== null) {
      return { kind: 'elsewhere', path: '/dashboard/keys' }
    }
    return { kind: 'page', title: `Revoke ${key.name}?`, area: 'keys', main: revokePage(key) }
  }),
  post('/dashboard/keys/:id/revoke', async ({ ask, params }) => {
    const answer = await ask('revokeKey', { params: { id: params['id'] ?? '' } })
    return answer.ok ? { kind: 'elsewhere', path: '/dashboard/keys', done: 'key-revoked' } : refused(answer)
  }),
]

const again = (
  ask: Ask,
  about: About,
  typed: Readonly<Record<string, string>>,
  problem: Problem,
): Promise<Outcome> => list(ask, about, refusedForm(typed, problem), problem.status)
