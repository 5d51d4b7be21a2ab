import type { Check } from '@probe-mesh/contracts/check/check'
import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import { answerWrite, live } from '../plan/testing.ts'
import type { Write } from '../plan/writes.ts'
import type { TestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'

/** The API over an account held in memory, for `export` and `apply`. */
export const modelApi = (start: readonly Check[]): { fetch: typeof fetch; account(): Check[] } => {
  let account = [...start]
  return {
    account: () => account,
    fetch: async (input, init) => {
      const path = new URL(String(input)).pathname.replace(/^\/v1/, '')
      if (path === '/me') {
        const limits = { monitors: {}, minimumIntervalSeconds: 1, reads: {}, writes: {} }
        return Response.json({ account: {}, key: {}, regions: live, limits })
      }
      if (path === '/checks/plan') {
        return Response.json({ refusals: [], writes: { left: 30, perMinute: 30, resetSeconds: 0 } })
      }
      const write = writeOf(init?.method ?? 'GET', path, init?.body)
      if (write === null) return Response.json({ checks: account })
      const answer = answerWrite(account, write)
      if (!answer.ok) {
        const problem = toProblem(refuse(answer.code))
        return Response.json(problem, { status: problem.status })
      }
      account = answer.account
      return Response.json(answer.value)
    },
  }
}

/** The API call of a request, or null for a read. */
const writeOf = (method: string, path: string, text: RequestInit['body']): Write | null => {
  const body = typeof text === 'string' ? JSON.parse(text) : undefined
  const params = { id: decodeURIComponent(path.split('/')[2] ?? '') }
  if (path.endsWith('/replace')) return { route: 'replaceCheck', input: { params, body } }
  if (method === 'POST') return { route: 'createCheck', input: { body } }
  if (method === 'DELETE') return { route: 'deleteCheck', input: { params } }
  if (method !== 'PATCH') return null
  return path.endsWith('/assertions')
    ? { route: 'updateCheckAssertions', input: { params, body } }
    : { route: 'updateCheckRegions', input: { params, body } }
}

/** `fetch` into an app without a port; records the requests. */
export const fetchInto = (at: TestApp): { fetch: typeof fetch; asked: Request[] } => {
  const asked: Request[] = []
  return {
    asked,
    fetch: async (input, init) => {
      const { pathname, search } = new URL(String(input))
      init?.signal?.throwIfAborted()
      asked.push(new Request(String(input), { ...init, signal: null }))
      const answer = await at.app.inject({
        method: (init?.method ?? 'GET') as 'GET',
        url: `${pathname}${search}`,
        headers: Object.fromEntries(new Headers(init?.headers)),
        ...(typeof init?.body === 'string' ? { payload: init.body } : {}),
      })
      const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
      return new Response(answer.body, { status: answer.statusCode, headers: headers as [] })
    },
  }
}
