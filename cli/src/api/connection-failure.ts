import { ForeignAnswer } from '@probe-mesh/contracts/api/route-client'
import { causesOf, codeOf } from '@probe-mesh/runtime/errors'
import { ThroughProxy } from '@probe-mesh/runtime/proxy'
import type { Failure } from './failure.ts'

const causesMax = 6
const unknownIssuer = 'its certificate is from an issuer that this machine does not trust'
const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the name could not be resolved',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
}
const trustHint =
  'Add its issuer to the certificates of this machine, or name a file with it in NODE_EXTRA_CA_CERTS.'
const addressHint = 'Check SERVICE_API_URL or --api-url, or run `probe-mesh doctor`.'

/**
 * Explains a failed connection to the API, and what to do.
 * @throws errors that are bugs rather than failures of the network or the server
 */
export const connectionFailure = (error: unknown, apiUrl: string): Failure => {
  if (error instanceof ForeignAnswer) return foreignAnswer(error, apiUrl)
  const causes = causesOf(error, causesMax)
  const last = causes.at(-1)
  const isBug = error instanceof TypeError && error.cause === undefined
  if (last === undefined || isBug) throw error
  const proxy = causes.find((cause) => cause instanceof ThroughProxy)
  const { why, hint = addressHint } = explain(causes, last, apiUrl)
  return {
    message: `No answer from ${apiUrl}${proxy === undefined ? '' : ` ${proxy.message}`}: ${why}.`,
    hint,
  }
}

type Explained = { why: string; hint?: string }

const explain = (causes: readonly Error[], last: Error, apiUrl: string): Explained => {
  const code = causes.map(codeOf).findLast((one) => one !== '') ?? ''
  if (causes.some(({ name }) => name === 'TimeoutError')) return { why: 'the request timed out' }
  const refusal = causes.flatMap(({ message }) => /Proxy response \((\d+)\)/.exec(message)?.[1] ?? [])[0]
  if (refusal !== undefined)
    return { why: `the proxy refused the connection with status ${refusal}`, hint: proxyHint }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return { why: `its certificate is not for ${new URL(apiUrl).hostname}` }
  }
  const isSecure = apiUrl.startsWith('https:')
  if (isSecure && (code === 'EPROTO' || /^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH|HTTP_REQ)/.test(code))) {
    return {
      why: 'this port does not speak TLS',
      hint: 'If the API is served without TLS, its URL starts with http://.',
    }
  }
  const isNoHttp = code.startsWith('HPE_')
  if (!isSecure && (isNoHttp || code === 'UND_ERR_SOCKET' || code === 'ECONNRESET')) {
    const why = isNoHttp ? 'the answer is not HTTP' : sentences[code]
    return {
      why: why ?? last.message,
      hint: 'If the port expects TLS, the URL of the API starts with https://.',
    }
  }
  const why = sentences[code]
  if (why === unknownIssuer || code === 'DEPTH_ZERO_SELF_SIGNED_CERT')
    return { why: why ?? '', hint: trustHint }
  return { why: why ?? last.message }
}

const proxyHint = 'Check HTTPS_PROXY and HTTP_PROXY, or name the host in NO_PROXY.'

const foreignAnswer = ({ status }: ForeignAnswer, apiUrl: string): Failure => {
  if (status === 502 || status === 503 || status === 504) {
    const message = `${apiUrl} answered ${status}: a server in front of the API answers, and the API does not.`
    return { message, hint: 'The API may be restarting. Try again, or run `probe-mesh doctor`.' }
  }
  const message = `${apiUrl} answered ${status}, and it is not an answer of the API: another server is there.`
  return { message, hint: addressHint }
}
