import type { Check, CheckDetail } from '@probe-mesh/contracts/check/check'
import type { Asked } from '../api/ask.ts'
import type { Failure } from '../api/failure.ts'
import type { Api } from '../api/open-api.ts'
import { showName } from '../plan/show-value.ts'
import { count } from '../show/measures.ts'
import { nearestNames } from '../show/nearest-names.ts'

/** The checks that a name or an id means: several may have one name. */
export const readNamedChecks = async (api: Api, given: string): Promise<Asked<Check[]>> => {
  const listed = await readAllChecks(api)
  return listed.ok ? namedChecks(listed.value, given) : listed
}

export const readAllChecks = async (api: Api): Promise<Asked<Check[]>> => {
  const listed = await api.read('Reading the checks', (client) => client.call('listChecks', {}))
  return listed.ok ? { ok: true, value: listed.value.checks } : listed
}

/** Every check of a name, one read for each. */
export const readDetails = async (api: Api, name: string): Promise<Asked<CheckDetail[]>> => {
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

export const readDetail = (api: Api, id: string): Promise<Asked<CheckDetail>> =>
  api.read('Reading the check', (client) => client.call('getCheck', { params: { id } }))

const namedChecks = (checks: Check[], given: string): Asked<Check[]> => {
  const named = checks.filter(({ name }) => name === given)
  const found = named.length > 0 ? named : checks.filter(({ id }) => id === given.toLowerCase())
  return found.length > 0
    ? { ok: true, value: found }
    : { ok: false, failures: [notThere(checks, given)] }
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
        ? 'There are no checks on this account.'
        : `service status lists the ${count(checks.length, 'check')} there are.`,
  }
}
