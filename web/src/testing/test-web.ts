import { newUser, password } from '@probe-mesh/control-plane/http/testing/log-in'
import { withRequestMemo } from '@probe-mesh/control-plane/http/request-memo'
import { bindSecurityHeaders } from '@probe-mesh/control-plane/http/security-headers'
import { startTestApp } from '@probe-mesh/control-plane/http/testing'
import type { TestApp } from '@probe-mesh/control-plane/http/testing'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import fastify from 'fastify'
import { createWeb } from '../web.ts'
import { flatten } from './flat.ts'

export type Shown = {
  status: number
  /** Where a redirect leads; null where there is none. */
  to: string | null
  /** Without white space that means nothing. */
  text: string
  /** As it came. */
  raw: string
  headers: Record<string, unknown>
}

/** Somebody before a browser: keeps cookies, and follows nothing by itself. */
export type Visitor = {
  get(path: string, headers?: Record<string, string>): Promise<Shown>
  post(
    path: string,
    /** As pairs where a name comes several times. */
    form?: Record<string, string> | [string, string][],
    headers?: Record<string, string>,
  ): Promise<Shown>
  /**
   * Posts a form that says nothing of the page that it is on but what `headers` says.
   * @param form as text or bytes: sent as it is, of the type that `headers` says
   */
  send(
    path: string,
    form: Record<string, string> | string | Buffer,
    headers: Record<string, string>,
  ): Promise<Shown>
}

export type TestWeb = {
  at: TestApp
  /** Every path that the pages serve, as `POST /dashboard/keys`; what is put into it stands as `:id`. */
  served: readonly string[]
  visitor(): Visitor
  /** Somebody with an account of that tier, logged in. */
  member(tier?: Tier): Promise<Visitor & { accountId: string; email: string }>
  close(): Promise<void>
}

export const origin = 'http://127.0.0.1:8080'
export const mcpUrl = 'http://127.0.0.1:8081'

/** The pages over an app of their own with its database. */
export const startTestWeb = async (options: Parameters<typeof startTestApp>[0] = {}): Promise<TestWeb> => {
  const at = await startTestApp(options)
  const app = fastify()
  bindSecurityHeaders(app, { url: origin })
  const served: string[] = []
  app.addHook('onRoute', ({ method, url }) => {
    served.push(`${String(method)} ${url}`)
  })
  await app.register(
    createWeb({
      inject: (request) => at.app.inject(request),
      withRequestMemo,
      apiUrl: `${origin}/v1`,
      mcpUrl,
    }),
  )
  const visitor = (): Visitor => {
    const jar = new Map<string, string>()
    const visit = async (request: {
      method: 'GET' | 'POST'
      url: string
      headers?: Record<string, string>
      payload?: string | Buffer
    }): Promise<Shown> => {
      const own = [...jar].map(([name, value]) => `${name}=${value}`)
      const cookie = [...own, request.headers?.['cookie'] ?? ''].filter((each) => each !== '').join('; ')
      const answer = await app.inject({
        ...request,
        headers: { host: '127.0.0.1:8080', ...request.headers, ...(cookie && { cookie }) },
      })
      for (const { name, value } of answer.cookies) {
        if (value === '') jar.delete(name)
        else jar.set(name, value)
      }
      const { statusCode: status, body: raw, headers } = answer
      return { status, raw, text: flatten(raw), headers, to: headers.location ?? null }
    }
    return {
      get: (url, headers = {}) => visit({ method: 'GET', url, headers }),
      post: (url, form = {}, headers = {}) =>
        visit({
          method: 'POST',
          url,
          headers: {
            origin,
            'sec-fetch-site': 'same-origin',
            'content-type': 'application/x-www-form-urlencoded',
            ...headers,
          },
          payload: new URLSearchParams(form).toString(),
        }),
      send: (url, form, headers) =>
        visit({
          method: 'POST',
          url,
          headers:
            typeof form === 'string' || Buffer.isBuffer(form)
              ? headers
              : { 'content-type': 'application/x-www-form-urlencoded', ...headers },
          payload:
            typeof form === 'string' || Buffer.isBuffer(form) ? form : new URLSearchParams(form).toString(),
        }),
    }
  }
  return {
    at,
    served,
    visitor,
    member: async (tier = 'scale') => {
      const user = await newUser(at, tier)
      const somebody = visitor()
      const shown = await somebody.post('/login', { email: user.email, password })
      if (shown.status !== 303) throw new Error(shown.text)
      return { ...somebody, ...user }
    },
    close: async () => {
      await app.close()
      await at.close()
    },
  }
}
