import type { Me } from '@probe-mesh/contracts/account/account'
import type { ImportedHttpCheck, ImportedOperation } from '@probe-mesh/contracts/check/check-import'
import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { secretsIn } from '@probe-mesh/contracts/secret/secret-template'
import type { Ask } from '../../api/ask.ts'
import type { FormState } from '../../html/components/form.ts'
import { typedOfNew } from '../check-form/check-texts.ts'
import { secretField, type Choice } from './choice-page.ts'

/** The address of the list of checks, or the form again with what was not created. */
type Created = { path: string } | { choice: Choice; form: FormState; chosen: ReadonlySet<number> }

/** Statuses that every further check would get as well: the plan's limit, and the rate limit. */
const endingStatuses: ReadonlySet<number> = new Set([401, 403, 429, 503])

/** Stores the secrets that the chosen operations need, and then creates their checks, one after another. */
export const createChosen = async (
  ask: Ask,
  choice: Choice,
  chosen: ReadonlySet<number>,
  form: URLSearchParams,
): Promise<Created> => {
  const typed = Object.fromEntries([...form].filter(([name]) => name === 'requireProperty'))
  const again = (
    problems: readonly FieldProblem[],
    message: string | null,
    next = choice,
    left = chosen,
  ): Created => ({
    choice: next,
    // a form that was sent is never empty, so that a box that was not ticked stays so
    form: { typed: { sent: 'on', ...typed }, message, problems },
    chosen: left,
  })
  const operations = choice.operations.filter((_, at) => chosen.has(at))
  if (operations.length === 0)
    return again([{ path: 'operations', message: 'choose at least one operation' }], null)
  const me = await ask('getMe', {})
  if (!me.ok) return again([], me.problem.message)
  const secrets = await storeSecrets(ask, choice, operations, form)
  const next = { ...choice, stored: secrets.stored }
  if (secrets.problems.length > 0) return again(secrets.problems, null, next)
  const [made, problems]: [Set<ImportedOperation>, FieldProblem[]] = [new Set(), []]
  for (const operation of operations) {
    const answer = await createOne(ask, me.value, checkOf(operation, form.get('requireProperty') !== null))
    if (answer.ok) made.add(operation)
    else {
      const reasons = answer.problem.errors.map(({ path, message }) => `${path}: ${message}`)
      const reason = reasons.length === 0 ? answer.problem.message : reasons.join('; ')
      problems.push({ path: 'operations', message: `${operation.operation}: ${reason}` })
      if (endingStatuses.has(answer.problem.status)) break
    }
  }
  if (problems.length === 0) return { path: '/dashboard/checks' }
  const rest = choice.operations.filter((operation) => !made.has(operation))
  const left = new Set(rest.flatMap((operation, at) => (operations.includes(operation) ? [at] : [])))
  const message = `${made.size} ${made.size === 1 ? 'check was' : 'checks were'} created. ${left.size} of those that you chose ${left.size === 1 ? 'is' : 'are'} left.`
  return again(problems, message, { ...next, operations: rest }, left)
}

const checkOf = ({ check, jsonPath }: ImportedOperation, isPropertyExpected: boolean): ImportedHttpCheck =>
  jsonPath === null || !isPropertyExpected
    ? check
    : {
        ...check,
        assertions: { ...check.assertions, assertionJsonPath: jsonPath, assertionJsonOp: 'exists' },
      }

/** A check of the usual interval in all regions. The REST API creates plain requests only. */
const createOne = (ask: Ask, me: Me, { request, assertions, ...check }: ImportedHttpCheck) => {
  const { intervalSeconds } = typedOfNew('http', me)
  const body = { ...check, ...assertions, intervalSeconds: Number(intervalSeconds) }
  return request === undefined
    ? ask('createCheck', { body })
    : ask('createTypedCheck', { body: { ...body, request } })
}

/** A blank or refused value stops before any check is created; what is stored stays. */
const storeSecrets = async (
  ask: Ask,
  { neededSecrets, stored }: Choice,
  operations: readonly ImportedOperation[],
  form: URLSearchParams,
): Promise<{ stored: string[]; problems: FieldProblem[] }> => {
  const used = new Set(secretsIn(operations.map(({ check }) => JSON.stringify(check.request ?? {}))))
  const open = neededSecrets.filter(({ name }) => used.has(name) && !stored.includes(name))
  const problems = open
    .filter(({ name }) => (form.get(secretField(name)) ?? '') === '')
    .map(({ name }) => ({ path: secretField(name), message: 'is needed by a chosen operation' }))
  const done = [...stored]
  if (problems.length > 0) return { stored: done, problems }
  for (const { name, hosts } of open) {
    const value = form.get(secretField(name)) ?? ''
    const answer = await ask('createSecret', { body: { name, value, hosts } })
    if (answer.ok) done.push(name)
    else {
      const message = answer.problem.errors.map((error) => error.message).join('; ') || answer.problem.message
      problems.push({ path: secretField(name), message })
    }
  }
  return { stored: done, problems }
}
