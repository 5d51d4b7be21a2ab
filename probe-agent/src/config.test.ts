import { describe, expect, test } from 'vitest'
import { canariesDefault } from './run/connectivity.ts'
import { agentName, parseAgentConfig, type AgentProcessConfig } from './config.ts'
import { portDefault, spoolBytesDefault } from './environment.ts'
import { targetRequestsPerSecondDefault } from './request/target-rate.ts'

const needed = { REGION: 'fra', NATS_URL: 'nats://127.0.0.1:4222' }

const read = (environment: Record<string, string>): AgentProcessConfig => {
  const parsed = parseAgentConfig(environment)
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'))
  return parsed.config
}

const problemsOf = (environment: Record<string, string>): string[] => {
  const parsed = parseAgentConfig(environment)
  return parsed.ok ? [] : parsed.problems
}

describe('the environment of an agent', () => {
  test('needs only a region and a server, and treats an empty variable as absent', () => {
    const empty = { TARGET_ALLOW: '', SPOOL_BYTES_MAX: ' ', CANARIES: '', AGENT_CREDENTIALS: '' }
    const config = read({ ...needed, ...empty, PORT: '', LOG_LEVEL: '', HOST: '', DATA_DIR: '' })
    expect(config).toMatchObject({
      agent: {
        region: 'fra',
        dataDirectory: '.data',
        spoolBytesMax: spoolBytesDefault,
        targetAllow: [],
        journalPath: null,
      },
      targetAllow: { cidrs: [] },
      blockedTargets: { entries: [] },
      targetRequestsPerSecond: targetRequestsPerSecondDefault,
      publicAddresses: [],
      probesUrl: null,
      canaries: canariesDefault,
      chromium: null,
      connection: { kind: 'nats', urls: ['nats://127.0.0.1:4222'], credentialsPath: null },
      host: '127.0.0.1',
      port: portDefault,
      metricsToken: null,
      logLevel: 'info',
    })
    expect(config.agent.agent).toMatch(/^fra-[A-Za-z0-9_-]+$/)
    expect(Object.isFrozen(config)).toBe(true)
  })

  test('is read completely', () => {
    const config = read({
      REGION: 'nrt',
      AGENT: 'nrt-2',
      DATA_DIR: '/var/lib/probe',
      SPOOL_BYTES_MAX: '16777216',
      TARGET_ALLOW: '10.0.0.0/8, fd00::/8 ,127.0.0.1/32',
      BLOCKED_TARGETS: 'example.org, 192.0.9.0/24',
      TARGET_REQUESTS_PER_SECOND: '7',
      PUBLIC_ADDRESSES: '192.0.9.1, 2001:200::/64',
      PUBLIC_URL: 'https://mesh.example.org',
      CANARIES: '192.0.2.1:80',
      CHROMIUM: 'off',
      JOURNAL: '/tmp/journal',
      NATS_URL: 'nats://a.example:4222, tls://b.example',
      AGENT_CREDENTIALS: '/etc/probe/agent.nk',
      HOST: '0.0.0.0',
      PORT: '0',
      LOG_LEVEL: 'warn',
      PATH: '/bin',
    })
    expect(config).toMatchObject({
      agent: {
        region: 'nrt',
        agent: 'nrt-2',
        dataDirectory: '/var/lib/probe',
        spoolBytesMax: 16_777_216,
        targetAllow: ['10.0.0.0/8', 'fd00::/8', '127.0.0.1/32'],
        journalPath: '/tmp/journal',
      },
      targetRequestsPerSecond: 7,
      publicAddresses: ['192.0.9.1', '2001:200::/64'],
      probesUrl: 'https://mesh.example.org/probes',
      canaries: [{ host: '192.0.2.1', port: 80 }],
      chromium: 'off',
      connection: {
        kind: 'nats',
        urls: ['nats://a.example:4222', 'tls://b.example'],
        credentialsPath: '/etc/probe/agent.nk',
      },
      host: '0.0.0.0',
      port: 0,
      logLevel: 'warn',
    })
    expect(config.targetAllow.covers('10.1.2.3')).toBe(true)
    expect(config.targetAllow.covers('11.1.2.3')).toBe(false)
    expect(config.blockedTargets.coversHost('www.example.org')).toBe(true)
  })

  test('lists all problems at once', () => {
    const problems = problemsOf({
      AGENT: 'a b',
      SPOOL_BYTES_MAX: '16777215',
      TARGET_ALLOW: '10.0.0.0/33,10.0.0.0/8,x',
      BLOCKED_TARGETS: 'nowhere',
      TARGET_REQUESTS_PER_SECOND: '0',
      PUBLIC_ADDRESSES: 'somewhere',
      PUBLIC_URL: 'mesh.example.org',
      CANARIES: 'nowhere',
      PORT: '65536',
      LOG_LEVEL: 'loud',
    })
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'REGION',
      'AGENT',
      'NATS_URL',
      'TARGET_ALLOW',
      'TARGET_ALLOW',
      'PUBLIC_ADDRESSES',
      'PUBLIC_URL',
      'SPOOL_BYTES_MAX',
      'TARGET_REQUESTS_PER_SECOND',
      'CANARIES',
      'BLOCKED_TARGETS',
      'PORT',
      'LOG_LEVEL',
    ])
    expect(problems.join('\n')).not.toContain('10.0.0.0/8"')
  })

  test.each([
    ['10.0.0.0/32', true],
    ['10.0.0.0/33', false],
    ['10.0.0.1', true],
    ['10.0.0/8', false],
    ['::1/128', true],
    ['::1/129', false],
    ['fe80::%eth0/64', false],
    ['10.0.0.0/8/8', false],
    ['10.0.0.0/-1', false],
  ])('%s as an allowed block: %s', (block, usable) => {
    const problems = problemsOf({ ...needed, TARGET_ALLOW: block })
    expect(problems.length === 0).toBe(usable)
  })

  test.each([
    ['nats://127.0.0.1:4222', true],
    ['tls://nats.example', true],
    ['nats://a,nats://b', true],
    ['http://127.0.0.1', false],
    ['127.0.0.1:4222', false],
    ['nats://a,b', false],
    [',', false],
  ])('%s as the server: %s', (NATS_URL, usable) => {
    expect(problemsOf({ ...needed, NATS_URL }).length === 0).toBe(usable)
  })

  test('does not repeat the password of an invalid URL', () => {
    const [problem] = problemsOf({ ...needed, NATS_URL: 'http://probe:hunter2@nats.example' })
    expect(problem).toMatch(/^NATS_URL must be/)
    expect(problem).not.toContain('hunter2')
  })

  test('turns a host name into a valid agent name', () => {
    expect(agentName('fra', 'host.example.com')).toBe('fra-host-example-com')
    expect(agentName('fra', 'x'.repeat(100))).toHaveLength(63)
  })
})
