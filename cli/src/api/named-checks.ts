import type { Check, CheckDetail } from '@probe-mesh/contracts/check/check'
import { count, showName } from '../plan/show-value.ts'
import type { Failure } from './failure.ts'
import type { Api } from './open-api.ts'
import type { Result } from './request.ts'

/** The checks with a name, or the one with an id; several may share a name. */
export const readNamedChecks = async (api: Api, given: string): Promise<Result<Check[]>> => {
  const listed = await readAllChecks(api)
  return listed.ok ? namedChecks(listed.value, given) : listed
}

export const readAllChecks = async (api: Api): Promise<Result<Check[]>> => {
  const listed = await api.read('Reading the checks', (client) => client.call('listChecks', {}))
  return listed.ok ? { ok: true, value: listed.value.checks } : listed
}

/** The details of every check with a name, one request for each. */
export const readDetails = async (api: Api, name: string): Promise<Result<CheckDetail[]>> => {
  const named = await readNamedChecks(api, name)
  if (!named.ok) return named
  const details: CheckDetail[] = []
  for (const { id } of named.value) {
    const read = await readDetail(api, id)
    if (!read.ok) return read
    details.push(read.value)
  }
  return { ok: true, value: details }
}

export const readDetail = (api: Api, id: string): Promise<Result<CheckDetail>> =>
  api.read('Reading the check', (client) => client.call('getCheck', { params: { id } }))

const namedChecks = (checks: Check[], given: string): Result<Check[]> => {
  const named = checks.filter(({ name }) => name === given)
  const found = named.length > 0 ? named : checks.filter(({ id }) => id === given.toLowerCase())
  return found.length > 0 ? { ok: true, value: found } : { ok: false, failures: [notThere(checks, given)] }
}

const notThere = (checks: readonly Check[], given: string): Failure => {
  const near = nearestNames(
    given,
    checks.map(({ name }) => name),
  )
  const message = `There is no check named ${showName(given)}.`
  if (near.length > 0) return { message, hint: `Did you mean ${near.map(showName).join(' or ')}?` }
  return {
    message,
    hint:
      checks.length === 0
        ? 'This account has no checks.'
        : `Run \`probe-mesh status\` to list the ${count(checks.length, 'check')}.`,
  }
}

const shownMax = 3
/** Names that differ in a larger share of letters are not suggested. */
const shareMax = 0.4

/** The names that the user may have meant, nearest first, ignoring case. */
export const nearestNames = (given: string, names: readonly string[]): string[] => {
  const asked = given.toLowerCase()
  return [...new Set(names)]
    .flatMap((name) => {
      const edits = editsBetween(asked, name.toLowerCase())
      const isPart = asked !== '' && name.toLowerCase().includes(asked)
      const far = Math.max(asked.length, name.length) * shareMax
      return edits <= far || isPart ? [{ name, edits }] : []
    })
    .toSorted((one, other) => one.edits - other.edits)
    .slice(0, shownMax)
    .map(({ name }) => name)
}

/** Letters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
const editsBetween = (one: string, other: string): number => {
  const far = Math.max(one.length, other.length)
  if (Math.abs(one.length - other.length) > far * shareMax) return far
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, n) => n)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current.push(
        Math.min(
          (last[column] ?? far) + 1,
          (current[column - 1] ?? far) + 1,
          (last[column - 1] ?? far) + (isSame ? 0 : 1),
          isSwapped && row > 1 && column > 1 ? (before[column - 2] ?? far) + 1 : far,
        ),
      )
    }
    ;[before, last] = [last, current]
  }
  return last[other.length] ?? far
}
