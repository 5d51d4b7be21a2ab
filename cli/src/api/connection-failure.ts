import { causesOf, codeOf } from '@probe-mesh/runtime/errors'
import type { Failure } from './failure.ts'

const causesMax = 4
const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the name could not be resolved',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed (NODE_EXTRA_CA_CERTS can trust it)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is from an unknown issuer (NODE_EXTRA_CA_CERTS can trust it)',
}

/**
 * Explains a failed connection to the API, and what to do.
 * @throws errors that are bugs rather than failures of the network or the server
 */
export const connectionFailure = (error: unknown, apiUrl: string): Failure => {
  const causes = causesOf(error, causesMax)
  const code = causes.map(codeOf).find(Boolean)
  const isTimeout = causes.some(({ name }) => name === 'TimeoutError')
  const last = causes.at(-1)
  const isBug = error instanceof TypeError && error.cause === undefined
  if (last === undefined || isBug) throw error
  const why = isTimeout ? 'the request timed out' : (sentences[code ?? ''] ?? last.message)
  return {
    message: `No answer from ${apiUrl}: ${why}.`,
    hint: 'Check SERVICE_API_URL or --api-url, or run `service doctor`.',
  }
}
