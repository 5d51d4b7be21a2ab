import { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { expect, test } from 'vitest'
import { fromStoredConfig, toStoredConfig } from './check-record.ts'

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

/** As the version before onCalendar and slug reads it: strictly. */
const olderSettings = HeartbeatSettings.omit({ onCalendar: true, slug: true })

test.each([
  ['neither', {}, true],
  ['a slug', { slug: 'nightly' }, false],
  ['an OnCalendar expression', { periodSeconds: null, onCalendar: 'daily' }, false],
])(
  'a heartbeat with %s is stored for this version, and for an older one unless it needs the new setting',
  (_, more, isKnown) => {
    const settings = HeartbeatSettings.parse({ periodSeconds: 60, graceSeconds: 60, ...more })
    const stored = fromStoredConfig({ type: 'heartbeat', settings })
    expect(toStoredConfig(stored, 'heartbeat')).toEqual({ type: 'heartbeat', settings })
    expect('settings' in stored && olderSettings.safeParse(stored.settings).success).toBe(isKnown)
  },
)
