import type { Secret } from '@probe-mesh/contracts/secret/secret'
import { refuse, toProblem, type Problem } from '@probe-mesh/contracts/schema/refusal'
import { html } from '@probe-mesh/runtime/html'
import type { Ask } from '../../api/ask.ts'
import { emptyForm, type Typed } from '../../html/components/form.ts'
import { icon } from '../../html/components/icon.ts'
import { askCheckNames, namesById } from '../check-names.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { changedSecretBody, newSecretBody, secretForm, secretsPath, withoutValue } from './secret-form.ts'
import { deleteSecretPage, namedUsersMax, secretPage, secretsPage } from './secrets-page.ts'

const area = 'secrets'
const noSecret = refused({ problem: toProblem(refuse('SV-3001')), retryAfter: null })

/** Reads all secrets and the names of the checks that pages show with them. */
const readSecrets = async (
  ask: Ask,
  show: (secrets: readonly Secret[], checkNames: ReadonlyMap<string, string>) => Outcome | Promise<Outcome>,
): Promise<Outcome> => {
  const answer = await ask('listSecrets', {})
  if (!answer.ok) return refused(answer)
  const { secrets } = answer.value
  const names = await askCheckNames(
    ask,
    secrets.flatMap(({ usedBy }) => usedBy.slice(0, namedUsersMax)),
  )
  return names.ok ? show(secrets, namesById(names.value)) : refused(names)
}

const withSecret = (
  ask: Ask,
  { id = '' }: Readonly<Record<string, string>>,
  show: (secret: Secret, checkNames: ReadonlyMap<string, string>) => Outcome | Promise<Outcome>,
): Promise<Outcome> =>
  readSecrets(ask, (secrets, checkNames) => {
    const secret = secrets.find((each) => each.id === id)
    return secret === undefined ? noSecret : show(secret, checkNames)
  })

const newPage = (typed: Typed, problem?: Problem): Outcome => {
  const form = problem === undefined ? { ...emptyForm, typed } : refusedForm(withoutValue(typed), problem)
  return {
    kind: 'page',
    title: 'New secret',
    area,
    status: problem?.status ?? 200,
    main: secretForm(null, form),
  }
}

/** Secrets of the account: listed, created, changed and deleted, with values that are only written. */
export const secretRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: secretsPath,
    serve: ({ ask }) =>
      readSecrets(ask, (secrets, checkNames) => ({
        kind: 'page',
        title: 'Secrets',
        area,
        about: 'Tokens, passwords and keys that checks send.',
        actions: html`<a class="button primary" href="${secretsPath}/new">${icon('plus')}New secret</a>`,
        main: secretsPage(secrets, checkNames),
      })),
  },
  {
    method: 'GET',
    path: `${secretsPath}/new`,
    serve: async () => newPage({}),
  },
  {
    method: 'POST',
    path: secretsPath,
    serve: async ({ ask, form }) => {
      const typed = Object.fromEntries(form)
      const answer = await ask('createSecret', { body: newSecretBody(typed) })
      if (!answer.ok) return newPage(typed, answer.problem)
      return { kind: 'elsewhere', path: secretsPath, done: 'secret-saved' }
    },
  },
  {
    method: 'GET',
    path: `${secretsPath}/:id`,
    serve: ({ ask, params }) =>
      withSecret(ask, params, (secret, checkNames) => ({
        kind: 'page',
        title: secret.name,
        area,
        main: secretPage(secret, emptyForm, checkNames),
      })),
  },
  {
    method: 'POST',
    path: `${secretsPath}/:id`,
    serve: ({ ask, params, form }) =>
      withSecret(ask, params, async (secret, checkNames) => {
        const typed = Object.fromEntries(form)
        const { id, name } = secret
        const answer = await ask('updateSecret', { params: { id }, body: changedSecretBody(typed) })
        if (answer.ok) return { kind: 'elsewhere', path: secretsPath, done: 'secret-saved' }
        const { problem } = answer
        const main = secretPage(secret, refusedForm(withoutValue(typed), problem), checkNames)
        return { kind: 'page', title: name, area, status: problem.status, main }
      }),
  },
  {
    method: 'GET',
    path: `${secretsPath}/:id/delete`,
    serve: ({ ask, params }) =>
      withSecret(ask, params, (secret, checkNames) => ({
        kind: 'page',
        title: `Delete ${secret.name}?`,
        area,
        main: deleteSecretPage(secret, checkNames),
      })),
  },
  {
    method: 'POST',
    path: `${secretsPath}/:id/delete`,
    serve: async ({ ask, params }) => {
      const answer = await ask('deleteSecret', { params: { id: params['id'] ?? '' } })
      return answer.ok ? { kind: 'elsewhere', path: secretsPath, done: 'secret-deleted' } : refused(answer)
    },
  },
]
