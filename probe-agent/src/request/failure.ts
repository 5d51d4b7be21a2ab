import { unsafeAddressText } from '@probe-mesh/contracts/target/pin'
import type { Failure } from './outcome.ts'
import { roundMs } from './round.ts'

/** The part of an attempt in which it failed. */
export type Phase = 'dns' | 'connect' | 'tls' | 'ttfb' | 'transfer'

const target = (cause: string, reason: string): Failure => ({ cause, fault: 'target', reason })
const probe = (cause: string, reason: string): Failure => ({ cause, fault: 'probe', reason })

export const unsafeTarget = probe('unsafe_target', unsafeAddressText)

/** A target that opted out is not probed, and so not judged. */
export const deniedTarget = probe('target_denied', 'the target does not want to be probed')

/** The mesh must not flood an address: runs beyond the budget are skipped. */
export const targetRateExceeded = probe('target_budget', 'the limit of connections to the address is reached')

/** Large headers share a pool of memory, which is exhausted. */
export const noRoomForHeaders = probe(
  'probe_overloaded',
  'the probe had no room for the large response headers',
)

const resources = probe('probe_resources', 'the probe is out of sockets or memory')
export const noRoute = probe('no_route', 'the probe has no route to the address')
const networkDown = probe('network_down', 'the network of the probe is down')
const forbidden = probe('probe_forbidden', 'the system of the probe does not allow the connection')

/** Faults of the probe's machine and network, in any phase. */
const probeFaults: Readonly<Record<string, Failure>> = {
  EMFILE: resources,
  ENFILE: resources,
  ENOMEM: resources,
  ENOBUFS: resources,
  OUT_OF_MEM: resources,
  EADDRNOTAVAIL: resources,
  EADDRINUSE: resources,
  ENETDOWN: networkDown,
  ENETUNREACH: noRoute,
  EHOSTUNREACH: noRoute,
  EAFNOSUPPORT: noRoute,
  EINVAL: noRoute,
  EACCES: forbidden,
  EPERM: forbidden,
}

const serverFailure = probe('dns_server_failure', 'the resolver of the probe could not answer')
const dnsUnreachable = probe('dns_unreachable', 'the resolver of the probe did not answer')

const dns: Readonly<Record<string, Failure>> = {
  ENOTFOUND: target('dns_not_found', 'the host name does not exist'),
  ENODATA: target('dns_no_address', 'the host name has no address'),
  ESERVFAIL: serverFailure,
  EREFUSED: serverFailure,
  EFORMERR: serverFailure,
  ENOTIMP: serverFailure,
  EBADRESP: serverFailure,
  ETIMEOUT: dnsUnreachable,
  ECONNREFUSED: dnsUnreachable,
}

const reset = target('connection_reset', 'the connection was reset')
const hostUnreachable = target('host_unreachable', 'the host does not answer on its network')
export const unreachableHost = target(
  'host_unreachable',
  'there is no route to the host, while other hosts are reachable',
)
/** A server with HTTP/2 only rejects clients with HTTP/1.1 only, and vice versa. */
export const noApplicationProtocol = target(
  'tls_no_protocol',
  'the server supports neither HTTP/1.1 nor HTTP/2',
)
export const noHttp2 = target('http_version', 'the server does not support HTTP/2, which the check requires')
export const noHttp1 = target(
  'http_version',
  'the server does not support HTTP/1.1, which the check requires',
)
export const http2NeedsTls = target('http_version', 'the check requires HTTP/2, which needs an https URL')
export const noIpv4Address = target(
  'address_family',
  'the host has no IPv4 address, which the check requires',
)
export const noIpv6Address = target(
  'address_family',
  'the host has no IPv6 address, which the check requires',
)
const certificateRequired = target('client_certificate', 'the server requires a client certificate')
const certificateRefused = target('client_certificate', 'the server does not accept the client certificate')
const selfSigned = target('certificate_self_signed', 'the certificate is self-signed')
const untrusted = target('certificate_untrusted', 'the certificate has no trusted issuer')
export const chainIncomplete = target(
  'certificate_chain_incomplete',
  'the server does not send its intermediate certificate; browsers may accept this',
)
/** @param key the public key of the certificate as a pin */
export const certificateNotPinned = (key: string): Failure =>
  target('certificate_not_pinned', `the certificate is not pinned; its public key is ${key}`)
/** Saved ones are readable, so this is a difference between versions of OpenSSL. */
export const unusableCa = probe(
  'ca_unusable',
  "the probe cannot read the check's own CA certificates; save them again",
)
/** Its own certificate lasts longer than one above it, or than the authority. */
export const issuerExpired = target(
  'certificate_expired',
  'a certificate above that of the server has expired; the server must send the one that replaced it',
)
const version = target('tls_version', 'the server offers no secure TLS version')
export const headersTooLarge = target('headers_too_large', 'the response headers are too large')
const noTls = target('tls_not_spoken', 'the server does not use TLS on this port')

const targetFaults: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: target('connection_refused', 'the connection was refused'),
  ECONNRESET: reset,
  ECONNABORTED: reset,
  EPIPE: reset,
  ETIMEDOUT: target('connect_timeout', 'the connection attempt timed out'),
  CERT_HAS_EXPIRED: target('certificate_expired', 'the certificate has expired'),
  CERT_NOT_YET_VALID: target('certificate_not_yet_valid', 'the certificate is not valid yet'),
  CERT_REVOKED: target('certificate_revoked', 'the certificate is revoked'),
  ERR_TLS_CERT_ALTNAME_INVALID: target('certificate_wrong_host', 'the certificate is for another host name'),
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: selfSigned,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_UNTRUSTED: untrusted,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: version,
  ERR_SSL_UNSUPPORTED_PROTOCOL: version,
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: noApplicationProtocol,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  ERR_SSL_RECORD_LAYER_FAILURE: noTls,
  // alerts about a certificate concern the client's
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: certificateRequired,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: certificateRefused,
  ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE: certificateRefused,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED: certificateRefused,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: certificateRefused,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: certificateRefused,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: certificateRefused,
  HPE_HEADER_OVERFLOW: headersTooLarge,
}

const tlsFailed = target('tls_failed', 'TLS failed')
const badCertificate = target('certificate_invalid', 'the certificate is not valid')
export const badHttp = target('bad_http', 'the answer is not valid HTTP')
const dnsFailed = probe('dns_failed', 'the name could not be resolved')
const unknown = probe('probe_network_error', 'the probe had a network error of its own')

/** The spelling of OpenSSL's verification results, unlike the errno of a system call. */
const verificationCode = /^[A-Z]+(_[A-Z]+)+$/

/**
 * The meaning of an error code in a phase. In a local network (`TARGET_ALLOW`) an unreachable host
 * is off; elsewhere the probe lacks a route. An unknown code is the probe's: it never counts
 * against a target.
 */
export const failureOf = (phase: Phase, code: string, { local }: { local: boolean }): Failure => {
  if (phase === 'dns') return dns[code] ?? (probeFaults[code] === resources ? resources : dnsFailed)
  if (local && code === 'EHOSTUNREACH') {
    return hostUnreachable
  }
  const known = targetFaults[code] ?? probeFaults[code]
  if (known !== undefined) {
    return known === reset && phase === 'transfer' ? bodyIncomplete : known
  }
  if (code.startsWith('HPE_')) return badHttp
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) {
    return tlsFailed
  }
  if (phase === 'tls' && verificationCode.test(code)) return badCertificate
  return unknown
}

/** Cause and text of a deadline, by phase; the reason appends the duration. */
export const deadlineTexts: Readonly<Record<Phase, [cause: string, text: string]>> = {
  dns: ['dns_unreachable', 'no answer from the resolver of the probe'],
  connect: ['connect_timeout', 'no connection'],
  tls: ['tls_timeout', 'no TLS handshake'],
  ttfb: ['response_timeout', 'no response'],
  transfer: ['body_timeout', 'the response was not complete'],
}

/** The deadline of the attempt passed in a phase. */
export const deadlineFailure = (phase: Phase, deadlineMs: number): Failure => {
  const [cause, text] = deadlineTexts[phase]
  const reason = `${text} ${within(deadlineMs)}`
  return phase === 'dns' ? probe(cause, reason) : target(cause, reason)
}

/** A duration in reasons: `10 s`, `4.4 s`, `400 ms`. */
export const durationText = (ms: number): string =>
  ms >= 1_000 ? `${roundMs(ms / 1_000)} s` : `${roundMs(ms)} ms`

/** A deadline in reasons: `within 10 s`. */
export const within = (ms: number): string => `within ${durationText(ms)}`

export const stopped = probe('probe_stopped', 'the probe was stopped during the run')
export const connectionClosed = target('connection_closed', 'the connection was closed without a response')
export const bodyIncomplete = target(
  'body_incomplete',
  'the connection ended before the response was complete',
)
export const tooManyInterimResponses = target('bad_http', 'the server sent too many interim responses')
export const upgradeRefused = target('bad_http', 'the server switched protocols without a request')
export const encodingChain = target(
  'encoding_chain',
  'the response is encoded more than once, which the probe does not read',
)
export const badEncoding = target('bad_encoding', 'the response body cannot be decoded')
export const tooManyRedirects = target('too_many_redirects', 'too many redirects')
export const badRedirect = target('bad_redirect', 'a redirect leads to a URL that cannot be followed')

/** What the target would answer to the whole request is not known. */
export const redirectNotRepeated = probe(
  'redirect_not_repeated',
  'a redirect leads to another origin, where a request with a body or headers of its own is not repeated; enter its final URL in the check',
)

/** The same text whether or not the name resolves, so that it reveals no internal names. */
export const redirectNotPublic = target(
  'redirect_not_public',
  'a redirect leads to a host without a public address',
)

/** Every failure with a constant reason, compared with docs/reasons.md. */
export const failures: readonly Failure[] = [
  ...Object.values(dns),
  ...Object.values(targetFaults),
  ...Object.values(probeFaults),
  hostUnreachable,
  unreachableHost,
  tlsFailed,
  badCertificate,
  badHttp,
  dnsFailed,
  unknown,
  unsafeTarget,
  deniedTarget,
  targetRateExceeded,
  stopped,
  connectionClosed,
  bodyIncomplete,
  tooManyInterimResponses,
  upgradeRefused,
  encodingChain,
  badEncoding,
  tooManyRedirects,
  badRedirect,
  redirectNotPublic,
  redirectNotRepeated,
  chainIncomplete,
  certificateNotPinned('sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='),
  unusableCa,
  issuerExpired,
  noApplicationProtocol,
  noRoomForHeaders,
  noHttp2,
  noHttp1,
  http2NeedsTls,
  noIpv4Address,
  noIpv6Address,
]
