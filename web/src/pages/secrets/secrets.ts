import type { Secret } from '@probe-mesh/contracts/secret/secret'
import { refuse, toProblem, type Problem } from '@probe-mesh/contracts/schema/refusal'
import { html } from '@probe-mesh/runtime/html'
import type { Ask } from '../../api/ask.ts'
import { emptyForm, type Typed } from '../../html/components/form.ts'
import { icon } from '../../html/components/icon.ts'
import { askCheckNames, namesById } from '../check-names.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import {
  changedSecretBody,
  newSecretBody,
  secretForm,
  secretsPath,
  withoutValue,
  type NamedAgent,
} from './secret-form.ts'
import { deleteSecretPage, namedUsersMax, secretPage, secretsPage } from './secrets-page.ts'

const area = 'secrets'
const noSecret = refused({ problem: toProblem(refuse('SV-3001')), retryAfter: null })

/** What pages show with secrets: the names of checks, and the agents that are not revoked. */
type Known = { checkNames: ReadonlyMap<string, string>; agents: readonly NamedAgent[] }

/** Reads the agents that a secret may name. */
const withAgents = async (
  ask: Ask,
  show: (agents: readonly NamedAgent[]) => Outcome | Promise<Outcome>,
): Promise<Outcome> => {
  const answer = await ask('listAgents', {})
  return answer.ok ? show(answer.value.agents.filter(({ revokedAt }) => revokedAt === null)) : refused(answer)
}

/** Reads all secrets and what pages show with them. */
const readSecrets = async (
  ask: Ask,
  show: (secrets: readonly Secret[], known: Known) => Outcome | Promise<Outcome>,
): Promise<Outcome> => {
  const answer = await ask('listSecrets', {})
  if (!answer.ok) return refused(answer)
  const { secrets } = answer.value
  const names = await askCheckNames(
    ask,
    secrets.flatMap(({ usedBy }) => usedBy.slice(0, namedUsersMax)),
  )
  if (!names.ok) return refused(names)
  const checkNames = namesById(names.value)
  return withAgents(ask, (agents) => show(secrets, { checkNames, agents }))
}

const withSecret = (
  ask: Ask,
  { id = '' }: Readonly<Record<string, string>>,
  show: (secret: Secret, known: Known) => Outcome | Promise<Outcome>,
): Promise<Outcome> =>
  readSecrets(ask, (secrets, known) => {
    const secret = secrets.find((each) => each.id === id)
    return secret === undefined ? noSecret : show(secret, known)
  })

const newPage = (ask: Ask, sent?: { form: URLSearchParams; problem: Problem }): Promise<Outcome> =>
  withAgents(ask, (open) => {
    const ticked = sent?.form.getAll('agents') ?? []
    const form = sent === undefined ? emptyForm : refusedForm(typedIn(sent.form), sent.problem)
    return {
      kind: 'page',
      title: 'New secret',
      area,
      status: sent?.problem.status ?? 200,
      main: secretForm(null, form, { open, ticked }),
    }
  })

const typedIn = (form: URLSearchParams): Typed => withoutValue(Object.fromEntries(form))

/** Secrets of the account: listed, created, changed and deleted, with values that are only written. */
export const secretRoutes: readonly MemberRoute[] = [
  get(secretsPath, ({ ask }) =>
    readSecrets(ask, (secrets, known) => ({
      kind: 'page',
      title: 'Secrets',
      area,
      about: 'Tokens, passwords and keys that checks send.',
      actions: html`<a class="button primary" href="${secretsPath}/new">${icon('plus')}New secret</a>`,
      main: secretsPage(secrets, known),
    })),
  ),
  get(`${secretsPath}/new`, ({ ask }) => newPage(ask)),
  post(secretsPath, async ({ ask, form }) => {
    const answer = await ask('createSecret', { body: newSecretBody(form) })
    if (!answer.ok) return newPage(ask, { form, problem: answer.problem })
    return { kind: 'elsewhere', path: secretsPath, done: 'secret-saved' }
  }),
  get(`${secretsPath}/:id`, ({ ask, params }) =>
    withSecret(ask, params, (secret, { checkNames, agents }) => ({
      kind: 'page',
      title: secret.name,
      area,
      main: secretPage(secret, emptyForm, { checkNames, open: agents, ticked: secret.agents }),
    })),
  ),
  post(`${secretsPath}/:id`, ({ ask, params, form }) =>
    withSecret(ask, params, async (secret, { checkNames, agents }) => {
      const { id, name } = secret
      const answer = await ask('updateSecret', { params: { id }, body: changedSecretBody(form) })
      if (answer.ok) return { kind: 'elsewhere', path: secretsPath, done: 'secret-saved' }
      const { problem } = answer
      const known = { checkNames, open: agents, ticked: form.getAll('agents') }
      const main = secretPage(secret, refusedForm(typedIn(form), problem), known)
      return { kind: 'page', title: name, area, status: problem.status, main }
    }),
  ),
  get(`${secretsPath}/:id/delete`, ({ ask, params }) =>
    withSecret(ask, params, (secret, { checkNames }) => ({
      kind: 'page',
      title: `Delete ${secret.name}?`,
      area,
      main: deleteSecretPage(secret, checkNames),
    })),
  ),
  post(`${secretsPath}/:id/delete`, async ({ ask, params }) => {
    const answer = await ask('deleteSecret', { params: { id: params['id'] ?? '' } })
    return answer.ok ? { kind: 'elsewhere', path: secretsPath, done: 'secret-deleted' } : refused(answer)
  }),
]
