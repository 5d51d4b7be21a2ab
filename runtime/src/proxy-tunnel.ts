import http from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { hostOf, ProxyRefused, ThroughProxy, type Proxy } from './proxy.ts'

/**
 * Opens a connection to a host and port through a proxy, with CONNECT.
 * @param to.host a name, which the proxy resolves, or an address
 * @param trusted authorities for a proxy at https://
 * @throws ThroughProxy, whose cause is ProxyRefused or the error of the connection to the proxy; the signal's reason
 */
export const openTunnel = (
  proxy: Proxy,
  to: { host: string; port: number },
  { signal, trusted }: { signal: AbortSignal; trusted?: SecureContext | undefined },
): Promise<Socket> => {
  const { url } = proxy
  const authority = `${to.host.includes(':') ? `[${to.host}]` : to.host}:${to.port}`
  const options = {
    method: 'CONNECT',
    host: hostOf(url),
    port: url.port === '' ? undefined : Number(url.port),
    path: authority,
    headers: { host: authority, ...credentialsOf(url) },
    agent: false,
    signal,
  } as const
  const secure = { ...options, ...(trusted !== undefined && { secureContext: trusted }) }
  const request = url.protocol === 'https:' ? https.request(secure) : http.request(options)
  return new Promise((resolve, reject) => {
    request.once('error', (cause) => {
      reject(signal.aborted ? (signal.reason as Error) : new ThroughProxy(proxy, cause))
    })
    request.once('connect', ({ statusCode = 0 }, socket, head) => {
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head)
        resolve(socket as Socket)
        return
      }
      socket.destroy()
      reject(new ThroughProxy(proxy, new ProxyRefused(statusCode)))
    })
    request.end()
  })
}

const credentialsOf = ({ username, password }: URL): Record<string, string> => {
  if (username === '' && password === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}
