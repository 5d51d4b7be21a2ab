import { causesOf } from '@probe-mesh/runtime/causes-of'
import type { Failure } from './failure.ts'

const causesMax = 4
const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name could not be resolved',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is signed by itself (NODE_EXTRA_CA_CERTS trusts one)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is signed by nobody known (NODE_EXTRA_CA_CERTS trusts one)',
}

/**
 * What went wrong between here and the API, in words, and what to do.
 * @throws a bug: what is no failure of the network or of who answers there
 */
export const whyUnanswered = (error: unknown, apiUrl: string): Failure => {
  const causes = causesOf(error, causesMax)
  const code = causes.map((cause) => ('code' in cause ? String(cause.code) : '')).find(Boolean)
  const isTimeout = causes.some(({ name }) => name === 'TimeoutError')
  const last = causes.at(-1)
  const isBug = error instanceof TypeError && error.cause === undefined
  if (last === undefined || isBug) throw error
  const why = isTimeout ? 'there was no answer in time' : (sentences[code ?? ''] ?? last.message)
  return {
    message: `No answer of ${apiUrl}: ${why}.`,
    hint: 'Set SERVICE_API_URL or --api-url to where the API is, and see `service doctor`.',
  }
}
