import type { Words } from './words.ts'

const oneOfRequest = (field: string, words: Words[string]): Words =>
  Object.fromEntries(['request', 'options'].map((owner) => [`${owner}.${field}`, words]))

/** What a request of an http check or a step sends and expects beyond a plain GET. Values may name secrets. */
export const requestWords: Words = {
  request: 'What the request is beyond a plain GET; absent for a GET.',
  options: 'What the request sends and expects beyond method and body.',
  ...oneOfRequest('headers', 'Headers of the request, not of its redirects.'),
  'headers.name': ['Name of the header.', 'X-Api-Key'],
  'headers.value': ['Value; a secret as its name.', '{{ secret.api_key }}'],
  ...oneOfRequest('auth', 'Credentials of the request.'),
  'auth.type': ['`basic` or `bearer`.', 'basic'],
  'auth.username': ['User name.', 'probe'],
  'auth.password': ['Password: a secret, as its name.', '{{ secret.password }}'],
  'auth.token': ['Token: a secret, as its name.', '{{ secret.token }}'],
  clientCertificate: 'Certificate that the probe shows to the server.',
  'clientCertificate.certificate': ['Certificate chain in PEM.', '-----BEGIN CERTIFICATE-----…'],
  'clientCertificate.key': ['Private key: a secret, as its name.', '{{ secret.client_key }}'],
  redirects: ['`never` judges an answer that redirects; `follow` by default.', 'never'],
  redirectsTo: ['URL that the answer must redirect to.', 'https://example.com/login'],
  httpVersion: ['`1.1` or `2`; absent for what the server offers.', '2'],
  addressFamily: ['`ipv4` or `ipv6`; absent for either.', 'ipv4'],
  ...oneOfRequest('latencyMsMax', ['Slowest answer that counts as up, ms.', 2_000]),
  certificateDaysMin: ['Fewest days until the certificate expires that count as up.', 7],
  sendTrace: ['Whether a W3C `traceparent` is sent.', true],
  ...oneOfRequest('method', ['Method; GET by default.', 'POST']),
  ...oneOfRequest('body', ['Content of the request.', '{"ping":true}']),
  ...oneOfRequest('contentType', ['Media type of the content.', 'application/json']),
}
