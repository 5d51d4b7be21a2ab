import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'

const target = (cause: string, reason: string): Failure => ({ cause, fault: 'target', reason })
const probe = (cause: string, reason: string): Failure => ({ cause, fault: 'probe', reason })

const reset = target('connection_reset', 'the connection was reset')
const closed = target('connection_closed', 'the connection was closed without a response')
const incomplete = target('body_incomplete', 'the connection ended before the response was complete')
const badHttp = target('bad_http', 'the answer is not valid HTTP')
const badRedirect = target('bad_redirect', 'a redirect leads to a URL that cannot be followed')
const badEncoding = target('bad_encoding', 'the response body cannot be decoded')
const tlsFailed = target('tls_failed', 'TLS failed')
const invalid = target('certificate_invalid', 'the certificate is not valid')
const version = target('tls_version', 'the server offers no secure TLS version')
const resources = probe('probe_resources', 'the probe is out of sockets or memory')
const own = probe('probe_network_error', 'the probe had a network error of its own')

/** Chromium's error names, with the causes of `request/failure.ts`. */
const known: Readonly<Record<string, Failure>> = {
  ERR_CONNECTION_RESET: reset,
  ERR_CONNECTION_ABORTED: reset,
  ERR_SOCKET_NOT_CONNECTED: reset,
  ERR_CONNECTION_CLOSED: closed,
  ERR_EMPTY_RESPONSE: closed,
  ERR_HTTP2_PING_FAILED: closed,
  ERR_CONNECTION_TIMED_OUT: target('response_timeout', 'no response in time'),
  ERR_TIMED_OUT: target('response_timeout', 'no response in time'),
  ERR_CONTENT_LENGTH_MISMATCH: incomplete,
  ERR_INCOMPLETE_CHUNKED_ENCODING: incomplete,
  ERR_INCOMPLETE_HTTP2_RESPONSE: incomplete,
  ERR_INVALID_CHUNKED_ENCODING: badHttp,
  ERR_INVALID_HTTP_RESPONSE: badHttp,
  ERR_INVALID_RESPONSE: badHttp,
  ERR_HTTP2_COMPRESSION_ERROR: badHttp,
  ERR_HTTP2_FLOW_CONTROL_ERROR: badHttp,
  ERR_HTTP2_FRAME_SIZE_ERROR: badHttp,
  ERR_HTTP2_PROTOCOL_ERROR: badHttp,
  ERR_HTTP2_SERVER_REFUSED_STREAM: badHttp,
  ERR_RESPONSE_HEADERS_MULTIPLE_CONTENT_DISPOSITION: badHttp,
  ERR_RESPONSE_HEADERS_MULTIPLE_CONTENT_LENGTH: badHttp,
  ERR_RESPONSE_HEADERS_MULTIPLE_LOCATION: badHttp,
  ERR_RESPONSE_HEADERS_TOO_BIG: target('headers_too_large', 'the response headers are too large'),
  ERR_TOO_MANY_REDIRECTS: target('too_many_redirects', 'too many redirects'),
  ERR_INVALID_REDIRECT: badRedirect,
  ERR_UNSAFE_REDIRECT: badRedirect,
  ERR_DISALLOWED_URL_SCHEME: badRedirect,
  ERR_UNKNOWN_URL_SCHEME: badRedirect,
  ERR_CONTENT_DECODING_FAILED: badEncoding,
  ERR_CONTENT_DECODING_INIT_FAILED: badEncoding,
  ERR_CERT_AUTHORITY_INVALID: target('certificate_untrusted', 'the certificate has no trusted issuer'),
  ERR_CERT_COMMON_NAME_INVALID: target('certificate_wrong_host', 'the certificate is for another host name'),
  ERR_CERT_DATE_INVALID: target('certificate_expired', 'the certificate has expired or is not valid yet'),
  ERR_CERT_REVOKED: target('certificate_revoked', 'the certificate is revoked'),
  ERR_SSL_OBSOLETE_VERSION: version,
  ERR_SSL_VERSION_OR_CIPHER_MISMATCH: version,
  ERR_BAD_SSL_CLIENT_AUTH_CERT: tlsFailed,
  ERR_INSUFFICIENT_RESOURCES: resources,
  ERR_OUT_OF_MEMORY: resources,
  // A download or an answer without content: Chromium keeps the previous page.
  ERR_ABORTED: target('not_a_page', 'the answer is not a page'),
  ERR_BLOCKED_BY_RESPONSE: target('not_a_page', 'the answer forbids its display as a page'),
}

/**
 * The meaning of a navigation's `net::ERR_...`. Unknown errors, and errors between Chromium and the
 * proxy, are the probe's: they never count against a target.
 */
export const failureOfNetError = (text: string): Failure => {
  const name = /ERR_[A-Z0-9_]+/.exec(text)?.[0] ?? ''
  const failure = known[name]
  if (failure !== undefined) return failure
  if (name.startsWith('ERR_CERT_')) return invalid
  if (name.startsWith('ERR_SSL_')) return tlsFailed
  return own
}

/** Errors for which Chromium shows its own page although the server answered. */
export const isAnswered = (text: string): boolean =>
  text.includes('ERR_HTTP_RESPONSE_CODE_FAILURE') || text.includes('ERR_INVALID_AUTH_CREDENTIALS')
