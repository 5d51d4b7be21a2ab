import { expect, test } from 'vitest'
import { failureOfNetError, isAnswered } from './net-error.ts'

test.each([
  ['net::ERR_CONNECTION_RESET', 'connection_reset', 'target'],
  ['page.goto: net::ERR_EMPTY_RESPONSE at http://a/', 'connection_closed', 'target'],
  ['net::ERR_CERT_DATE_INVALID', 'certificate_expired', 'target'],
  ['net::ERR_CERT_AUTHORITY_INVALID', 'certificate_untrusted', 'target'],
  ['net::ERR_CERT_COMMON_NAME_INVALID', 'certificate_wrong_host', 'target'],
  ['net::ERR_CERT_WEAK_KEY', 'certificate_invalid', 'target'],
  ['net::ERR_SSL_VERSION_OR_CIPHER_MISMATCH', 'tls_version', 'target'],
  ['net::ERR_SSL_UNRECOGNIZED_NAME_ALERT', 'tls_failed', 'target'],
  ['net::ERR_TOO_MANY_REDIRECTS', 'too_many_redirects', 'target'],
  ['net::ERR_UNSAFE_REDIRECT', 'bad_redirect', 'target'],
  ['net::ERR_INVALID_HTTP_RESPONSE', 'bad_http', 'target'],
  ['net::ERR_RESPONSE_HEADERS_TOO_BIG', 'headers_too_large', 'target'],
  ['net::ERR_CONTENT_DECODING_FAILED', 'bad_encoding', 'target'],
  ['net::ERR_INCOMPLETE_CHUNKED_ENCODING', 'body_incomplete', 'target'],
  ['net::ERR_ABORTED', 'not_a_page', 'target'],
  ['net::ERR_OUT_OF_MEMORY', 'probe_resources', 'probe'],
  ['net::ERR_PROXY_CONNECTION_FAILED', 'probe_network_error', 'probe'],
  ['net::ERR_TUNNEL_CONNECTION_FAILED', 'probe_network_error', 'probe'],
  ['net::ERR_NAME_NOT_RESOLVED', 'probe_network_error', 'probe'],
  ['net::ERR_NETWORK_CHANGED', 'probe_network_error', 'probe'],
  ['net::ERR_SOMETHING_NEW', 'probe_network_error', 'probe'],
  ['Target page, context or browser has been closed', 'probe_network_error', 'probe'],
  ['', 'probe_network_error', 'probe'],
])('%s is %s, by the %s', (text, cause, fault) => {
  expect(failureOfNetError(text)).toMatchObject({ cause, fault })
})

test.each([
  ['net::ERR_HTTP_RESPONSE_CODE_FAILURE', true],
  ['net::ERR_INVALID_AUTH_CREDENTIALS', true],
  ['net::ERR_INVALID_RESPONSE', false],
])('%s comes with an answer: %s', (text, answered) => {
  expect(isAnswered(text)).toBe(answered)
})
