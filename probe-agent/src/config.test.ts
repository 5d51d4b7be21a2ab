import { describe, expect, test } from 'vitest'
import { agentName, parseAgentConfig, spoolBytesDefault } from './config.ts'

describe('the environment of an agent', () => {
  test('needs a region only, and an empty variable is an absent one', () => {
    const config = parseAgentConfig({ REGION: 'fra', TARGET_ALLOW: '', SPOOL_BYTES_MAX: '' })
    expect(config).toMatchObject({
      region: 'fra',
      dataDirectory: '.data',
      spoolBytesMax: spoolBytesDefault,
      targetAllow: [],
      journalPath: null,
    })
    expect(config.agent).toMatch(/^fra-[A-Za-z0-9_-]+$/)
    expect(Object.isFrozen(config)).toBe(true)
  })

  test('is read whole', () => {
    expect(
      parseAgentConfig({
        REGION: 'nrt',
        AGENT: 'nrt-2',
        DATA_DIR: '/var/lib/probe',
        SPOOL_BYTES_MAX: '16777216',
        TARGET_ALLOW: '10.0.0.0/8, fd00::/8 ,127.0.0.1/32',
        JOURNAL: '/tmp/journal',
        PATH: '/bin',
      }),
    ).toEqual({
      region: 'nrt',
      agent: 'nrt-2',
      dataDirectory: '/var/lib/probe',
      spoolBytesMax: 16_777_216,
      targetAllow: ['10.0.0.0/8', 'fd00::/8', '127.0.0.1/32'],
      journalPath: '/tmp/journal',
    })
  })

  test('every problem is listed at once', () => {
    const parse = () =>
      parseAgentConfig({
        AGENT: 'a b',
        SPOOL_BYTES_MAX: '16777215',
        TARGET_ALLOW: '10.0.0.0/33,10.0.0.0/8',
      })
    expect(parse).toThrow(
      /REGION: .*\n.*AGENT: .*\n.*SPOOL_BYTES_MAX: .*\n.*TARGET_ALLOW: 10.0.0.0\/33/s,
    )
    expect(parse).not.toThrow(/10.0.0.0\/8 is/)
  })

  test.each([
    ['10.0.0.0/32', true],
    ['10.0.0.0/33', false],
    ['10.0.0.0', false],
    ['10.0.0/8', false],
    ['::1/128', true],
    ['::1/129', false],
    ['fe80::%eth0/64', false],
    ['10.0.0.0/8/8', false],
    ['10.0.0.0/-1', false],
  ])('%s as an allowed block: %s', (block, usable) => {
    const parse = () => parseAgentConfig({ REGION: 'fra', TARGET_ALLOW: block })
    if (usable) expect(parse().targetAllow).toEqual([block])
    else expect(parse).toThrow('is not a CIDR block')
  })

  test('a host name becomes part of a name that the bus takes', () => {
    expect(agentName('fra', 'host.example.com')).toBe('fra-host-example-com')
    expect(agentName('fra', 'x'.repeat(100))).toHaveLength(63)
  })
})
