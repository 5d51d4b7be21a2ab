import type { SecureContext } from 'node:tls'
import { networkRemedy, type Network } from './network.ts'
import { ThroughProxy, type Proxy } from './proxy.ts'

/** The used part of undici, which each program brings in its own version. */
export type FetchLibrary = {
  fetch: (input: string | URL, init?: never) => Promise<unknown>
  Agent: new (options: { connect: { secureContext: SecureContext } }) => object
  ProxyAgent: new (options: {
    uri: string
    proxyTunnel: boolean
    requestTls?: { secureContext: SecureContext }
    proxyTls?: { secureContext: SecureContext }
  }) => object
}

/** @param isTunnel for https; a plain request is sent to the proxy itself */
export const fetchThrough = (
  { fetch: send, ProxyAgent }: FetchLibrary,
  proxy: Proxy,
  isTunnel: boolean,
  trusted?: SecureContext,
): typeof fetch => {
  const dispatcher = new ProxyAgent({
    uri: proxy.url.href,
    proxyTunnel: isTunnel,
    ...(trusted !== undefined && {
      requestTls: { secureContext: trusted },
      proxyTls: { secureContext: trusted },
    }),
  })
  const through: unknown = async (input: string | URL, init: object | undefined) => {
    try {
      return await send(input, { ...init, dispatcher } as never)
    } catch (cause) {
      throw new ThroughProxy(proxy, cause)
    }
  }
  return through as typeof fetch
}

/**
 * `fetch` over the network of a process. Errors say what to do about the proxy or the certificate. The library is
 * loaded only if a proxy or further authorities need it.
 */
export const networkFetch = (network: Network, load: () => Promise<FetchLibrary>): typeof fetch => {
  const ways = new Map<string, Promise<typeof fetch>>()
  const wayFor = (url: URL): Promise<typeof fetch> => {
    const proxy = network.proxyOf(url)
    const isSecure = url.protocol === 'https:'
    const key = `${url.protocol} ${proxy?.url.href ?? ''}`
    const way =
      ways.get(key) ??
      (async () => {
        const trusted = network.trusted()
        if (proxy !== null) return fetchThrough(await load(), proxy, isSecure, trusted)
        return trusted === undefined ? fetch : fetchTrusting(await load(), trusted)
      })()
    ways.set(key, way)
    return way
  }
  return async (input, init) => {
    const send = await wayFor(new URL(input instanceof Request ? input.url : input))
    try {
      return await send(input, init)
    } catch (error) {
      const remedy = networkRemedy(error)
      throw remedy === null ? error : new Error(remedy, { cause: error })
    }
  }
}

const fetchTrusting = ({ fetch: send, Agent }: FetchLibrary, trusted: SecureContext): typeof fetch => {
  const dispatcher = new Agent({ connect: { secureContext: trusted } })
  const trusting: unknown = (input: string | URL, init: object | undefined) =>
    send(input, { ...init, dispatcher } as never)
  return trusting as typeof fetch
}
