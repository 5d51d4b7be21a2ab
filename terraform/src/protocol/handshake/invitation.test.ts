import { expect, test } from 'vitest'
import { handshakeLine, readInvitation } from './invitation.ts'

const cookie = 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2'
const invited = { TF_PLUGIN_MAGIC_COOKIE: cookie, PLUGIN_PROTOCOL_VERSIONS: '5,6' }

test.each<[string, Record<string, string>, object]>([
  ['version 6 among others', invited, { invited: true, client: null }],
  ['version 6 alone', { ...invited, PLUGIN_PROTOCOL_VERSIONS: '6' }, { invited: true }],
  ['with a certificate', { ...invited, PLUGIN_CLIENT_CERT: 'PEM' }, { client: 'PEM' }],
  ['an empty certificate', { ...invited, PLUGIN_CLIENT_CERT: '' }, { client: null }],
  ['nothing said', {}, { invited: false, by: 'a person' }],
  ['another cookie', { ...invited, TF_PLUGIN_MAGIC_COOKIE: 'x' }, { by: 'a person' }],
  ['version 5 alone', { ...invited, PLUGIN_PROTOCOL_VERSIONS: '5' }, { by: 'another version' }],
  ['version 16', { ...invited, PLUGIN_PROTOCOL_VERSIONS: '16' }, { by: 'another version' }],
  ['no version', { TF_PLUGIN_MAGIC_COOKIE: cookie }, { by: 'another version' }],
])('%s', (_what, env, expected) => {
  expect(readInvitation(env, 'the-provider')).toMatchObject(expected)
})

test('names the program in a refusal, in one line for Terraform', () => {
  const byHand = readInvitation({}, 'the-provider')
  const tooOld = readInvitation({ ...invited, PLUGIN_PROTOCOL_VERSIONS: '5' }, 'the-provider')
  expect(byHand).toMatchObject({ message: expect.stringContaining('the-provider is a provider') })
  expect(tooOld).toMatchObject({ message: expect.stringMatching(/^the-provider needs .+\n$/) })
})

test('prints the socket and the certificate without padding', () => {
  const at = { network: 'unix', address: '/tmp/x/socket' } as const
  expect(handshakeLine(at, Buffer.of(1, 2))).toBe('1|6|unix|/tmp/x/socket|grpc|AQI\n')
  expect(handshakeLine({ network: 'tcp', address: '127.0.0.1:80' }, null)).toBe('1|6|tcp|127.0.0.1:80|grpc\n')
})
