import { cookiesOfLogin, newUser } from '@probe-mesh/control-plane/src/app/testing/log-in'
import { withRequestMemo } from '@probe-mesh/control-plane/http/request-memo'
import { answerHeaders } from '@probe-mesh/runtime/security-headers'
import { startTestApp, type TestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { closeWithFile } from '@probe-mesh/infra/testing/close-with-file'
import { useOnce } from '@probe-mesh/infra/testing/use'
import fastify from 'fastify'
import { createWeb } from '../web.ts'
import { flatten } from './flat.ts'

export type Shown = {
  status: number
  /** The target of a redirect; null without one. */
  to: string | null
  /** With white space collapsed. */
  text: string
  /** Unchanged. */
  raw: string
  headers: Record<string, unknown>
}

/** A simulated browser: keeps cookies, and follows no redirects by itself. */
export type Visitor = {
  get(path: string, headers?: Record<string, string>): Promise<Shown>
  post(
    path: string,
    /** Pairs for a repeated name. */
    form?: Record<string, string> | [string, string][],
    headers?: Record<string, string>,
  ): Promise<Shown>
  /**
   * Posts a form without `Origin` or `Sec-Fetch-Site`, except those in `headers`.
   * @param form text or bytes: sent unchanged, with the content type in `headers`
   */
  send(
    path: string,
    form: Record<string, string> | string | Buffer,
    headers: Record<string, string>,
  ): Promise<Shown>
}

export type Member = Visitor & {
  accountId: string
  email: string
  /** A new key of the account that may write; not on the free plan. */
  writeKey(): Promise<string>
}

export type TestWeb = {
  at: TestApp
  /** Every path of the pages, such as `POST /dashboard/keys`; parameters are written as `:id`. */
  served: readonly string[]
  visitor(): Visitor
  /** Logs in a member with a new account on this plan. */
  member(tier?: Tier): Promise<Member>
  close(): Promise<void>
}

export const origin = 'http://127.0.0.1:8080'
export const mcpUrl = 'http://127.0.0.1:8081'

type TestWebOptions = Parameters<typeof startTestApp>[0]

/** The pages for the tests of a file: use them in hooks and tests. */
export const useTestWeb = (options: TestWebOptions | (() => TestWebOptions) = {}): TestWeb =>
  useOnce(() => startTestWeb(typeof options === 'function' ? options() : options))

/** The pages on a separate app with its own database. They close with the file too. */
export const startTestWeb = async (options: TestWebOptions = {}): Promise<TestWeb> => {
  const at = await startTestApp(options)
  const app = fastify()
  const secure = answerHeaders({ url: origin })
  app.addHook('onRequest', (_request, reply, done) => {
    secure(reply)
    done()
  })
  const served: string[] = []
  app.addHook('onRoute', ({ method, url }) => {
    served.push(`${String(method)} ${url}`)
  })
  await app.register(
    createWeb({
      countsMs: 0,
      inject: (request) => at.app.inject(request),
      withRequestMemo,
      apiUrl: `${origin}/v1`,
      mcpUrl,
    }),
  )
  const visitor = (cookies: readonly string[] = []): Visitor => {
    const jar = new Map<string, string>()
    for (const cookie of cookies) {
      const [name = '', value = ''] = cookie.split('=')
      jar.set(name, value)
    }
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
    visitor: () => visitor(),
    member: async (tier = 'scale') => {
      const user = await newUser(at, tier)
      const somebody = visitor(await cookiesOfLogin(at, user.email))
      const writeKey = async (): Promise<string> => {
        await somebody.post('/dashboard/keys', { name: 'test', scope: 'read_write' })
        const { text } = await somebody.get('/dashboard/keys/created')
        return String(/sv_rw_\w{49}/.exec(text)?.[0])
      }
      return { ...somebody, ...user, writeKey }
    },
    close: closeWithFile(async () => {
      await app.close()
      await at.close()
    }),
  }
}
