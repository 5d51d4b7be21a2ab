import net, { isIP } from 'node:net'
import tls, { type SecureContext } from 'node:tls'
import { resolveName, type Resolver } from '../request/resolve.ts'
import { canaryTlsPort, type Reach } from './connectivity.ts'

/**
 * Connects to canaries as to targets: the same resolver, a fresh connection, and on port 443 a
 * handshake with a verified certificate. It sends no data.
 */
export const createReach =
  (capabilities: { resolver: Resolver; trust: SecureContext; httpsPort?: number }): Reach =>
  async ({ host, port }, timeoutMs, family) => {
    const deadline = AbortSignal.timeout(timeoutMs)
    const known = isIP(host) === 0 ? await addressesOf(host, capabilities.resolver) : [host]
    const address = known.find((each) => family === undefined || isIP(each) === family) ?? null
    if (address === null || deadline.aborted) return false
    const endpoint = { host: address, port, autoSelectFamily: false }
    const isSecure = port === (capabilities.httpsPort ?? canaryTlsPort)
    const socket = isSecure
      ? tls.connect({
          ...endpoint,
          servername: isIP(host) === 0 ? host : '',
          secureContext: capabilities.trust,
          rejectUnauthorized: true,
        })
      : net.connect(endpoint)
    return await new Promise((resolve) => {
      const end = (reached: boolean): void => {
        deadline.removeEventListener('abort', giveUp)
        socket.destroy()
        resolve(reached)
      }
      const giveUp = (): void => end(false)
      deadline.addEventListener('abort', giveUp, { once: true })
      socket.once(isSecure ? 'secureConnect' : 'connect', () => end(true))
      socket.on('error', giveUp)
    })
  }

const addressesOf = async (host: string, resolver: Resolver): Promise<readonly string[]> => {
  const resolved = await resolveName(host, resolver)
  return resolved.ok ? resolved.addresses : []
}
