import { fetchThrough } from '@probe-mesh/runtime/proxied-fetch'
import { proxyOf } from '@probe-mesh/runtime/proxy'
import { isUnknownIssuer, trustSystemStore } from '@probe-mesh/runtime/system-trust'
import type { Context } from './terminal/context.ts'

/** `fetch` as the machine is set up: by its proxy variables, and with the certificates that it trusts. */
export const surroundedFetch = (environment: Context['environment']): typeof fetch => {
  const proxies = new Map<string, Promise<typeof fetch>>()
  const senderFor = (input: Parameters<typeof fetch>[0]): Promise<typeof fetch> | typeof fetch => {
    const url = new URL(input instanceof Request ? input.url : input)
    const proxy = proxyOf(url, environment)
    if (proxy === null) return fetch
    const key = `${url.protocol} ${proxy.url.href}`
    const known =
      proxies.get(key) ??
      // loaded only behind a proxy
      import('undici').then((library) => fetchThrough(library, proxy, url.protocol === 'https:'))
    proxies.set(key, known)
    return known
  }
  return async (input, init) => {
    const send = await senderFor(input)
    try {
      return await send(input, init)
    } catch (error) {
      if (!isUnknownIssuer(error) || !trustSystemStore()) throw error
      // the handshake failed, so nothing was sent yet
      return send(input, init)
    }
  }
}
