import { proxyOf, ThroughProxy, type Proxy } from '@probe-mesh/runtime/proxy'
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
    const known = proxies.get(key) ?? fetchThrough(proxy, url.protocol === 'https:')
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

/** The library is loaded only behind a proxy. @param isTunnel for https; a plain request is sent to the proxy itself */
const fetchThrough = async ({ url, variable }: Proxy, isTunnel: boolean): Promise<typeof fetch> => {
  const { fetch: send, ProxyAgent } = await import('undici')
  const dispatcher = new ProxyAgent({ uri: url.href, proxyTunnel: isTunnel })
  const through: unknown = async (input: string | URL, init: object | undefined) => {
    try {
      return await send(input, { ...init, dispatcher })
    } catch (cause) {
      throw new ThroughProxy(`through the proxy of ${variable} at ${url.host}`, { cause })
    }
  }
  return through as typeof fetch
}
