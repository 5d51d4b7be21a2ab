import type { CheckRow, CheckRows } from '@probe-mesh/contracts/check/check-row'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { ApiAnswer, ApiClient } from '@probe-mesh/contracts/api/client'
import type { AnswerHeaders } from '@probe-mesh/contracts/api/route-client'
import type { RouteCall, RouteOutput } from '@probe-mesh/contracts/api/routes'
import type { Api } from './open-api.ts'
import type { Result } from './request.ts'

/** Checks with their state, and the headers of the last page. */
export type ListedRows = {
  checks: CheckRow[]
  vantage: CheckRows['vantage']
  nothingMeasured: boolean
  headers: AnswerHeaders
}

/** More than any plan allows: a server that never ends its list does not hold a command. */
const pagesMax = 100

/**
 * All checks with their state, oldest first: a request for every 500 checks. A check that is created or deleted
 * between two pages may be missing, and none is listed twice.
 */
export const listRows = async (client: ApiClient, signal?: AbortSignal): Promise<ApiAnswer<ListedRows>> => {
  const found = new Map<string, CheckRow>()
  let cursor: string | null = null
  for (let page = 1; ; page++) {
    const query: RouteCall<'listChecks'>['query'] = {
      include: 'state',
      sort: 'created',
      limit: limits.checkRowsPageMax,
      ...(cursor === null ? {} : { cursor }),
    }
    const answer: ApiAnswer<RouteOutput<'listChecks'>> = await client.call('listChecks', { query }, signal)
    if (!answer.ok) return answer
    const { value, headers }: { value: RouteOutput<'listChecks'>; headers: AnswerHeaders } = answer
    if (!('trendFrom' in value)) throw new Error('GET /checks?include=state answered without states')
    for (const check of value.checks) found.set(check.id, check)
    cursor = value.nextCursor
    if (cursor === null || page === pagesMax) {
      const { vantage, nothingMeasured = false } = value
      const checks = [...found.values()]
      return { ok: true, value: { checks, vantage, nothingMeasured, headers }, headers }
    }
  }
}

export const readRows = async (api: Api): Promise<Result<CheckRow[]>> => {
  const listed = await api.read('Reading the checks', (client) => listRows(client))
  return listed.ok ? { ok: true, value: listed.value.checks } : listed
}
