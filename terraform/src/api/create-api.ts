import manifest from '../../package.json' with { type: 'json' }
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRouteClient, type ApiAnswer, type Exchange } from '@probe-mesh/contracts/api/route-client'
import type { RouteCall, RouteOutput, RouteName, Routes } from '@probe-mesh/contracts/api/routes'
import type { Channel } from '@probe-mesh/contracts/channel/channel'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type { CallContext } from '../protocol/resource.ts'
import { createExchange } from './exchange.ts'
import { isGone, readProblem, type Answer } from './failure.ts'
import { createJudge, type Judge } from './judge.ts'
import { createListing, type Listing } from './listing.ts'
import { sendPatiently, stopped, type Patience } from './send-patiently.ts'

/**
 * The routes that the provider calls; the compiler checks them against the API's route table. Importing that
 * table would load every schema of the API in each provider process.
 */
const addresses = {
  getMe: { method: 'GET', path: '/me' },
  listChecks: { method: 'GET', path: '/checks' },
  createCheck: { method: 'POST', path: '/checks' },
  planChecks: { method: 'POST', path: '/checks/plan' },
  getCheck: { method: 'GET', path: '/checks/:id' },
  updateCheckRegions: { method: 'PATCH', path: '/checks/:id' },
  updateCheckAssertions: { method: 'PATCH', path: '/checks/:id/assertions' },
  deleteCheck: { method: 'DELETE', path: '/checks/:id' },
  listStatusPages: { method: 'GET', path: '/status-pages' },
  createStatusPage: { method: 'POST', path: '/status-pages' },
  getStatusPage: { method: 'GET', path: '/status-pages/:id' },
  updateStatusPage: { method: 'PATCH', path: '/status-pages/:id' },
  deleteStatusPage: { method: 'DELETE', path: '/status-pages/:id' },
  listComponents: { method: 'GET', path: '/status-pages/:id/components' },
  createComponent: { method: 'POST', path: '/status-pages/:id/components' },
  getComponent: { method: 'GET', path: '/status-pages/:id/components/:componentId' },
  updateComponent: { method: 'PATCH', path: '/status-pages/:id/components/:componentId' },
  deleteComponent: { method: 'DELETE', path: '/status-pages/:id/components/:componentId' },
  listChannels: { method: 'GET', path: '/notification-channels' },
  createChannel: { method: 'POST', path: '/notification-channels' },
  getChannel: { method: 'GET', path: '/notification-channels/:id' },
  updateChannel: { method: 'PATCH', path: '/notification-channels/:id' },
  deleteChannel: { method: 'DELETE', path: '/notification-channels/:id' },
} as const satisfies { readonly [N in RouteName]?: Pick<Routes[N], 'method' | 'path'> }

type UsedRoute = keyof typeof addresses

/** The account behind a key, for one process of the provider. */
export type Api = {
  /** Retries of a POST carry the same `Idempotency-Key`; a DELETE of a missing object succeeds. */
  call<N extends UsedRoute>(
    name: N,
    input: RouteCall<N>,
    context: CallContext,
  ): Promise<Answer<RouteOutput<N>>>
  /** One listing serves every read of a process: a refresh of 500 checks sends one request. */
  checks(context: CallContext): Promise<Answer<Check[]>>
  statusPages(context: CallContext): Promise<Answer<StatusPage[]>>
  components(statusPageId: string, context: CallContext): Promise<Answer<Component[]>>
  channels(context: CallContext): Promise<Answer<Channel[]>>
  /** Judges an intended write of a check. Once something was written nothing is: writes are judged anyway. */
  readonly judge: Judge
  readonly held: HeldChecks
}

export type ApiOptions = {
  apiUrl: string
  apiKey: string
  exchange?: Exchange
  /** Names the proxy. */
  environment?: Readonly<Record<string, string | undefined>>
  patience?: Patience
}

const realPatience: Patience = {
  now: Date.now,
  pause: (ms, signal) => sleep(ms, undefined, { signal }),
  random: Math.random,
}

/** @param options.apiUrl root of the REST API, such as `http://127.0.0.1:8080/v1` */
export const createApi = (options: ApiOptions): Api => {
  const { apiUrl, apiKey, patience = realPatience } = options
  const client = createRouteClient(addresses, readProblem, {
    apiUrl,
    apiKey,
    fetch: options.exchange ?? createExchange({ environment: options.environment ?? {} }),
    headers: { 'service-client': `terraform-provider-service/${manifest.version}` },
  })
  const waiters = createWaiters()
  let hasWritten = false

  const call: Api['call'] = async (name, input, context) => {
    const { method, path } = addresses[name]
    const isRead = method === 'GET' || name === 'planChecks'
    const headers = method === 'POST' && !isRead ? { 'idempotency-key': randomUUID() } : {}
    // a write in flight is not aborted, so that its outcome is known
    const until = isRead ? { signal: context.signal } : {}
    const send = () => client.call(name, input, { ...until, headers })
    if (isRead) return sendPatiently(patience, context, `${method} ${path}`, send)
    await waiters.gone(context.signal)
    if (context.signal.aborted) return stopped
    hasWritten = true
    // before and after: a listing made in between may or may not include this write
    forget()
    const answer = await sendInTurn(context, `${method} ${path}`, send)
    forget()
    const isDone = method === 'DELETE' && !answer.ok && isGone(answer.failure)
    return isDone ? deleted(input) : answer
  }

  /** A write that waits for quota holds back later writes, which could use that quota up. */
  const sendInTurn = async <T>(
    context: CallContext,
    what: string,
    send: () => Promise<ApiAnswer<T>>,
  ): Promise<Answer<T>> => {
    let isWaiting = false
    try {
      return await sendPatiently(patience, context, what, async () => {
        const answer = await send()
        if (!isWaiting && !answer.ok && answer.problem.status === 429) {
          isWaiting = true
          waiters.enter()
        }
        return answer
      })
    } finally {
      if (isWaiting) waiters.leave()
    }
  }

  const listingOf = <N extends UsedRoute, T>(
    name: N,
    input: RouteCall<N>,
    pick: (output: RouteOutput<N>) => T,
  ): Listing<T> =>
    createListing(async (context) => {
      const answer = await call(name, input, context)
      return answer.ok ? { ok: true, value: pick(answer.value) } : answer
    })
  const checks = listingOf('listChecks', {}, (answer) => answer.checks)
  const statusPages = listingOf('listStatusPages', {}, (answer) => answer.statusPages)
  const channels = listingOf('listChannels', {}, (answer) => answer.notificationChannels)
  const components = new Map<string, Listing<Component[]>>()
  const componentsOf = (id: string): Listing<Component[]> => {
    const known = components.get(id)
    if (known !== undefined) return known
    const listing = listingOf('listComponents', { params: { id } }, (answer) => answer.components)
    components.set(id, listing)
    return listing
  }
  const judge = createJudge((drafts, context) => call('planChecks', { body: { drafts } }, context))
  const forget = (): void => {
    for (const listing of [checks, statusPages, channels]) listing.forget()
    components.clear()
  }

  return {
    call,
    checks: checks.get,
    statusPages: statusPages.get,
    channels: channels.get,
    components: (statusPageId, context) => componentsOf(statusPageId).get(context),
    judge: async (draft, context) => (hasWritten ? { ok: true, value: [] } : judge(draft, context)),
    held: createHeldChecks(),
  }
}

/** The response that the first DELETE would have had. */
const deleted = <T>(input: unknown): Answer<T> => {
  const { params } = input as { params: { id: string; componentId?: string } }
  return { ok: true, value: { id: params.componentId ?? params.id, deleted: true } as T }
}

/**
 * The writes of a process that wait for quota of the key. `Retry-After` reserves nothing: a write sent in the
 * meantime could use the quota, and the waiting write would be refused a second time, which is an error.
 */
type Waiters = {
  enter(): void
  leave(): void
  /** Resolves when no write waits, or the signal aborts. */
  gone(signal: AbortSignal): Promise<void>
}

const createWaiters = (): Waiters => {
  let count = 0
  /** Called when no write waits. */
  const listeners = new Set<() => void>()

  const nextQuiet = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        listeners.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      listeners.add(done)
      signal.addEventListener('abort', done)
    })
  return {
    enter: () => {
      count += 1
    },
    leave: () => {
      count -= 1
      if (count === 0) for (const done of listeners) done()
    },
    gone: async (signal) => {
      if (count > 0 && !signal.aborted) await nextQuiet(signal)
    },
  }
}

type Target = { name: string; url: string }
/** `id` is null: the check is gone, and Terraform creates it again. */
type Held = { id: string | null; regions: readonly string[] }

/** The checks that Terraform is known to manage: it plans the new check of a replace without the old one. */
type HeldChecks = {
  add(id: string): void
  addTarget(target: Target, held: Held): void
  has(id: string): boolean
  /** The check that one with this name and URL replaces, as far as that is known. */
  ofTarget(target: Target): Held | null
}

const createHeldChecks = (): HeldChecks => {
  const ids = new Set<string>()
  const targets = new Map<string, Held>()
  const keyOf = ({ name, url }: Target): string => JSON.stringify([name, url])
  return {
    add: (id) => void ids.add(id),
    addTarget: (target, held) => void targets.set(keyOf(target), held),
    has: (id) => ids.has(id),
    ofTarget: (target) => targets.get(keyOf(target)) ?? null,
  }
}
