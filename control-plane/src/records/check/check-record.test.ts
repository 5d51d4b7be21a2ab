import { expect, test } from 'vitest'
import { toStoredConfig } from './check-record.ts'

const settings = { host: 'example.org', port: 80, send: null, expect: null }

test.each<[string, unknown, unknown]>([
  ['http', { type: 'http' }, { type: 'http' }],
  ['tcp', { type: 'tcp', settings }, { type: 'tcp', settings }],
  ['tcp', { settings, type: 'tcp' }, { type: 'tcp', settings }],
  ['tcp', { type: 'tcp', settings: { ...settings, quic: true } }, { type: 'unknown' }],
  ['tcp', { type: 'http' }, { type: 'unknown' }],
  ['quic', { type: 'quic' }, { type: 'unknown' }],
  ['tcp', null, { type: 'unknown' }],
  ['tcp', 'tcp', { type: 'unknown' }],
])('a %s row with %j', (type, config, understood) => expect(toStoredConfig(config, type)).toEqual(understood))
